#!/bin/sh
# From a clean clone of jaxtrace on Debian 12 to a running program; see usage below.
#
# Quiet about what worked: commands write to a log, and its end is shown when one of them fails.
set -eu
cd "$(dirname "$0")"

build=build/release
log=build/bootstrap.log
build_packages='g++ cmake ninja-build protobuf-compiler libprotobuf-dev zlib1g-dev libsqlite3-dev nlohmann-json3-dev
  libcli11-dev libfmt-dev libgtest-dev'

usage() {
  cat <<'EOF'
usage: ./bootstrap.sh demo    build jaxtrace and show what it says of a small capture
       ./bootstrap.sh test    build jaxtrace and run its tests

Both install what is missing with apt-get (as root or with sudo) and build in build/release.
EOF
}

# quietly WHAT COMMAND...: runs the command, and shows the end of its output only if it fails.
quietly() {
  what=$1
  shift
  printf '%s ... ' "$what"
  if "$@" >"$log" 2>&1; then
    echo done
  else
    echo "failed; the end of $log:"
    tail -n 40 "$log"
    exit 1
  fi
}

# need PACKAGE...: installs those that are not there yet.
need() {
  missing=
  for package in "$@"; do
    case $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) in
      *'ok installed') ;;
      *) missing="$missing $package" ;;
    esac
  done
  [ -n "$missing" ] || return 0
  as_root=
  if [ "$(id -u)" != 0 ]; then
    as_root=sudo
    command -v sudo >/dev/null || { echo "needs root or sudo to install:$missing" && exit 1; }
  fi
  quietly 'updating the list of packages' $as_root apt-get update -q
  # shellcheck disable=SC2086  # Package names are words.
  quietly "installing$missing" $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends $missing
}

configure() {
  mkdir -p build
  # shellcheck disable=SC2086
  need $build_packages
  quietly "configuring $build" cmake --preset release
}

demo() {
  configure
  quietly 'building jaxtrace (some minutes)' cmake --build --preset release --target jaxtrace
  capture=testdata/demo
  echo
  echo "\$ $build/jaxtrace attribute $capture --out build/demo"
  "$build/jaxtrace" attribute "$capture" --out build/demo
  echo
  echo "The program is $build/jaxtrace; what it wrote is in build/demo/."
}

run_tests() {
  configure
  quietly 'building jaxtrace and its tests (some minutes)' cmake --build --preset release
  [ -n "${JAXTRACE_CAPTURES:-}" ] ||
    echo 'JAXTRACE_CAPTURES is not set: the tests on real captures are left out.'
  # Of what passed, only ctest's summary is shown.
  if ! ctest --preset release --parallel 2 --quiet --output-log "$log"; then
    tail -n 200 "$log"
    exit 1
  fi
  echo "The program is $build/jaxtrace."
  sed -n '/% tests passed/,$p' "$log"
}

case ${1:-} in
  demo) demo ;;
  test) run_tests ;;
  need) shift && mkdir -p build && need "$@" ;;  # For .ci/run.
  '') usage ;;
  *) usage >&2 && exit 2 ;;
esac
