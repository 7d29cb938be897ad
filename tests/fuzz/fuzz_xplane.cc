// Any bytes may be given as an xplane file: the answer is a Trace whose rows refer to rows that are
// there, or an InputError.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/check_trace.h"
#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"

namespace {

using namespace jaxtrace;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A file in memory: the reader maps files.
  const int file = ::memfd_create("capture", 0);
  require(file >= 0);
  require(::write(file, data, size) == static_cast<ssize_t>(size));
  try {
    check_trace(read_capture("/proc/self/fd/" + std::to_string(file)));
  } catch (const InputError&) {
    // Most inputs are no captures.
  }
  ::close(file);
  return 0;
}
