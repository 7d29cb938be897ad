# Writes version.cc at build time, so that the git description is that of the sources built, and
# touches it only when it changed.  Called with -DVERSION= -DSOURCE= -DOUTPUT=.
execute_process(COMMAND git describe --tags --always --dirty
  WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE description ERROR_QUIET
  OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
# A tarball unpacked inside another repository is not described by that one.
set(JAXTRACE_VERSION ${VERSION})
if(EXISTS ${SOURCE}/.git AND NOT failed)
  string(APPEND JAXTRACE_VERSION " (${description})")
endif()
configure_file(${SOURCE}/src/cli/version.cc.in ${OUTPUT} @ONLY)
