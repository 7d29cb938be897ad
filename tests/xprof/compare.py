#!/usr/bin/env python3
"""What XProf shows of captures that jaxtrace wrote back.

For each compiled program, mkcapture makes a capture with command buffers on and its twin with
command buffers off.  The first, written back by `jaxtrace attribute --write-xplane`, must give the
twin's rows in XProf's views by HLO operation, and the times of its own kernels.  Real captures,
where there are any, must look to every tool as they did, but for what was added.

Runs in a Python that has xprof:

    python3 -m venv venv && venv/bin/pip install xprof
    venv/bin/python tests/xprof/compare.py build/release [PROGRAM_DIR...] [--captures DIR]
                    [--graphs DIR]
"""

import argparse
import csv
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

SOURCE = pathlib.Path(__file__).resolve().parents[2]

# Every tool that xprof 2.24 offers for a GPU capture; graph_viewer wants an operation's name.
TOOLS = ["overview_page", "input_pipeline_analyzer", "framework_op_stats", "memory_profile",
         "op_profile", "hlo_stats", "roofline_model", "kernel_stats", "trace_viewer"]

# Lines that XProf makes of others, beside the copies that it calls "… - from #16".
DERIVED = ("Steps", "XLA ", "Framework ", "Source code", "Launch Stats")


def xprof():
  from xprof.convert import raw_to_tool_data
  return raw_to_tool_data.xspace_to_tool_data


class Quiet:
  """XProf logs to stderr from C++; nobody reads that here."""

  def __enter__(self):
    sys.stderr.flush()
    self.kept = os.dup(2)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    os.close(null)

  def __exit__(self, *_):
    os.dup2(self.kept, 2)
    os.close(self.kept)


def shown(capture, tools):
  """What XProf's tools say of a *.xplane.pb: by tool, None where one says nothing.

  XProf leaves results beside a file and would read them the next time, hence the copy.
  """
  result = {}
  with tempfile.TemporaryDirectory() as folder:
    copy = os.path.join(folder, "host0.xplane.pb")
    shutil.copyfile(capture, copy)
    for tool in tools:
      try:
        with Quiet():
          data, _ = xprof()([copy], tool, {})
        result[tool] = json.loads(data) if data else None
      except Exception as error:  # pylint: disable=broad-except
        result[tool] = f"{type(error).__name__}: {error}"
  return result


def rows(table):
  """A table of the Google Visualization API as dicts."""
  ids = [column["id"] for column in table["cols"]]
  return [dict(zip(ids, (cell.get("v") for cell in row["c"]))) for row in table["rows"]]


def hlo_rows(views):
  return rows(views["hlo_stats"])


def occurrences(views):
  """Of each view by operation, what it lists and how often.

  What ran on the host is left out: one launch of a graph stands there for many calls.
  """
  hlo = {(row["program_id"], row["hlo_op_name"], row["category"]): row["occurrences"]
         for row in hlo_rows(views)}
  framework = {(row["type"], row["operation"]): row["occurrences"]
               for row in rows(views["framework_op_stats"][0])
               if row["host_or_device"] == "Device" and row["type"] != "IDLE"}
  roofline = {(row["step"], row["category"], row["operation"], row["hlo_module_id"]):
              row["occurrences"]
              for row in rows(views["roofline_model"][0]) if row["category"] != "IDLE"}
  return {"hlo_stats": hlo, "framework_op_stats": framework, "roofline_model": roofline}


class Failures:

  def __init__(self):
    self.count = 0

  def expect(self, holds, what, *details):
    if holds:
      return
    self.count += 1
    print(f"FAILED: {what}")
    for detail in details[:10]:
      print(f"    {detail}")


def differences(left, right):
  keys = sorted(set(left) | set(right), key=str)
  return [f"{key}: {left.get(key)} and {right.get(key)}" for key in keys
          if left.get(key) != right.get(key)]


def run(*command, **options):
  done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                        check=False, **options)
  if done.returncode != 0:
    raise RuntimeError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n"
                       f"{done.stdout}{done.stderr}")
  return done.stdout


class Programs:
  """The built programs."""

  def __init__(self, build, folder):
    self.jaxtrace = pathlib.Path(build).resolve() / "jaxtrace"
    self.mkcapture = pathlib.Path(build).resolve() / "mkcapture"
    self.folder = pathlib.Path(folder)

  def make(self, name, directory, *options):
    path = self.folder / f"{name}.xplane.pb"
    run(self.mkcapture, "program", directory, "--steps", 2, "-o", path, *options)
    return path

  def write_back(self, capture):
    """The path of the file written, and what the report says of it."""
    log = self.folder / f"{capture.name}.seen"
    report = json.loads(run(self.jaxtrace, "attribute", capture, "--quiet", "--format", "json",
                            "--write-xplane", log, "--out", self.folder / "tables"))
    (written,) = log.rglob("*.xplane.pb")
    return written, {row["in_the_file"]: row["kernels"] for row in report["written"]}


def truth_of(path):
  """Picoseconds of each instruction, by the truth beside a made capture."""
  times = defaultdict(int)
  opened = gzip.open if path.suffix == ".gz" else open
  with opened(path, "rt", newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file):
      if row["hlo_op"]:
        times[row["hlo_op"]] += int(row["duration_ps"])
  return times


def nanoseconds(views):
  return {row["hlo_op_name"]: round(row["total_time"] * 1000) for row in hlo_rows(views)}


def compare_times(name, before, after, truth, failures):
  """Time in hlo_stats and the kernels' own, to the nanosecond, which is what XProf keeps.

  What belongs to no instruction but was named by the tracer all the same, such as the copy of a
  loop's predicate, stays as it was.
  """
  true_ns = {op: round(ps / 1000) for op, ps in truth_of(truth).items()}
  left = {op: ns for op, ns in nanoseconds(before).items() if op not in true_ns}
  wrong = [line for line in differences(nanoseconds(after), true_ns)
           if line not in differences(left, {})]
  failures.expect(not wrong, f"{name}: nanoseconds in hlo_stats and in the kernels", *wrong)


def compare_program(programs, directory, failures):
  name = directory.name
  style = ["--style", "cuda" if "h100" in name else "rocm"]
  graphs = programs.make(f"{name}-graphs", directory, *style)
  direct = programs.make(f"{name}-direct", directory, *style, "--graphs-off")
  written, counts = programs.write_back(graphs)
  tools = ["hlo_stats", "framework_op_stats", "roofline_model"]
  before, after, twin = (shown(path, tools) for path in (graphs, written, direct))

  for tool, expected in occurrences(twin).items():
    wrong = differences(occurrences(after)[tool], expected)
    failures.expect(not wrong, f"{name}: {tool} of the graph capture and of its twin", *wrong)
    failures.expect(expected, f"{name}: {tool} of the twin is empty")
  compare_times(name, before, after, graphs.with_name(f"{name}-graphs.truth.csv"), failures)
  print(f"{name}: {len(hlo_rows(before))} HLO operations before, {len(hlo_rows(after))} after, "
        f"{len(hlo_rows(twin))} without command buffers; "
        f"{counts['instruction added']} kernels got theirs")


def by_kernel(views):
  """Of kernel_stats: occurrences and nanoseconds by kernel, whatever their operation."""
  sums = defaultdict(Counter)
  for row in rows(views["kernel_stats"]) if views["kernel_stats"] else []:
    sums[row["kernel_name"]].update(
        occurrences=row["occurrences"], ns=round(row["total_duration_us"] * 1000))
  return dict(sums)


def slices(views):
  """Of trace_viewer: what is on the streams and host threads, without what XProf derives."""
  threads = {}
  found = Counter()
  for event in views["trace_viewer"]["traceEvents"]:
    if event.get("name") == "thread_name":
      threads[event["pid"], event["tid"]] = event["args"]["name"]
  for event in views["trace_viewer"]["traceEvents"]:
    thread = threads.get((event.get("pid"), event.get("tid")), "")
    if event.get("ph") == "X" and " - from #" not in thread and not thread.startswith(DERIVED):
      found[event["pid"], thread, event["name"], event["ts"], event["dur"]] += 1
  return found


def compare_capture(programs, name, capture, failures):
  """A capture of any origin: nothing is lost by writing it back."""
  written, counts = programs.write_back(capture)
  added = counts["instruction added"]
  if added == 0:
    failures.expect(capture.read_bytes() == written.read_bytes(), f"{name}: bytes differ")
    print(f"{name}: nothing to add; the same bytes")
    return None
  before, after = shown(capture, TOOLS), shown(written, TOOLS)
  for tool in TOOLS:
    failures.expect(not isinstance(after[tool], str) or isinstance(before[tool], str),
                    f"{name}: {tool} worked before: {after[tool]}")
  for view, what in ((by_kernel, "kernel_stats"), (slices, "trace_viewer")):
    wrong = differences(view(before), view(after))
    failures.expect(not wrong, f"{name}: {what} before and after", *wrong)
  counted = [sum(row["occurrences"] for row in hlo_rows(views)) for views in (before, after)]
  print(f"{name}: {counted[0]:.0f} kernels in hlo_stats before, {counted[1]:.0f} after; "
        f"{added} got their instruction")
  return before, after


def compare_graphs(programs, folder, failures):
  """A capture with graphs of another writer, and the truth beside it."""
  capture = programs.folder / f"{folder.name}.xplane.pb"
  capture.write_bytes(gzip.decompress((folder / "host0.xplane.pb.gz").read_bytes()))
  before, after = compare_capture(programs, folder.name, capture, failures)
  compare_times(folder.name, before, after, folder / "truth.csv.gz", failures)


def main():
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("build", type=pathlib.Path, help="where jaxtrace and mkcapture are")
  parser.add_argument("programs", nargs="*", type=pathlib.Path,
                      help="folders with hlo.pb.gz and thunks.csv; those of testdata/ if none")
  parser.add_argument("--captures", type=pathlib.Path, help="a folder of real captures")
  parser.add_argument("--graphs", type=pathlib.Path,
                      help="a folder of captures with graphs: host0.xplane.pb.gz and truth.csv.gz")
  arguments = parser.parse_args()
  try:
    xprof()
  except ImportError as error:
    print(f"xprof cannot be imported ({error}); nothing was compared")
    return 0

  directories = arguments.programs or sorted((SOURCE / "testdata" / "programs").iterdir())
  failures = Failures()
  with tempfile.TemporaryDirectory() as folder:
    programs = Programs(arguments.build, folder)
    for directory in directories:
      compare_program(programs, directory, failures)
    if arguments.captures:
      for capture in sorted(arguments.captures.rglob("*.xplane.pb")):
        compare_capture(programs, f"{capture.parent.name}/{capture.name}", capture, failures)
    if arguments.graphs:
      for graphs in sorted(arguments.graphs.iterdir()):
        compare_graphs(programs, graphs, failures)
  print(f"{failures.count} failures" if failures.count else "all agree")
  return 1 if failures.count else 0


if __name__ == "__main__":
  sys.exit(main())
