// Any bytes may be given to `jaxtrace attribute --write-trace`: viewers find no fault in the file,
// and every device event is in it or counted as left out.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "export/written_trace.h"
#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"

namespace {

using namespace jaxtrace;

void require(bool holds) {
  if (!holds) std::abort();
}

void write_all(const Trace& trace) {
  const Written whole(trace);
  require(faults_of(whole.view).empty());
  const Written part(trace, {.steps = StepRange{1, 3}, .device = 0});
  require(faults_of(part.view).empty());
  require(part.counts.device_events <= whole.counts.device_events);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = ::memfd_create("capture", 0);
  require(file >= 0);
  require(::write(file, data, size) == static_cast<ssize_t>(size));
  try {
    ReadOptions options;
    options.json = true;  // More captures with odd times than xplane files alone.
    write_all(read_capture("/proc/self/fd/" + std::to_string(file), options));
  } catch (const InputError&) {
    // Most inputs are no captures.
  }
  ::close(file);
  return 0;
}
