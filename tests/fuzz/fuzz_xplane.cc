// Any bytes may be given as an xplane file: the answer is a Trace whose rows refer to rows that are
// there, or an InputError.
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
  const MemoryFile file(data, size);
  try {
    check_trace(read_capture(file.path()));
  } catch (const InputError&) {
    // Most inputs are no captures.
  }
  return 0;
}
