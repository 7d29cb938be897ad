// Any bytes may be given to `jaxtrace attribute --write-trace`: viewers find no fault in the file,
// and every device event is in it or counted as left out.
#include <cstddef>
#include <cstdint>
#include <string>

#include "export/written_trace.h"
#include "fuzz/memory_file.h"
#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"

namespace {

using namespace jaxtrace;

void write_all(const Trace& trace) {
  const Written whole(trace);
  require(faults_of(whole.view).empty());
  const Written part(trace, {.steps = StepRange{1, 3}, .device = 0});
  require(faults_of(part.view).empty());
  require(part.counts.device_events <= whole.counts.device_events);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  try {
    ReadOptions options;
    options.json = true;  // More captures with odd times than xplane files alone.
    write_all(read_capture(file.path(), options));
  } catch (const InputError&) {
    // Most inputs are no captures.
  }
  return 0;
}
