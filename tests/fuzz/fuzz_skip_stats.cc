// Any bytes may be given to `jaxtrace skip-stats`: parts sum to their whole (skip_stats() throws if
// not), and every writer gets through.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "commands/skip_stats/rows_csv.h"
#include "commands/skip_stats/summary.h"
#include "fuzz/memory_file.h"
#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"
#include "skip/skip_stats.h"

namespace {

using namespace jaxtrace;

void run(const Trace& trace) {
  const SkipStats stats = skip_stats(trace);
  require(stats.steps.step_of.size() == trace.device_events);
  const Found all = found(trace, stats);
  std::ostringstream out;
  write_rows_csv(all, out);
  write_gaps_csv(all, out);
  for (const bool full : {false, true}) {
    const Report report = summary(all, full);
    write_markdown(report, out);
    write_json(report, out);
    write_csv(report, out);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  try {
    run(read_capture(file.path()));
  } catch (const InputError&) {
    // Most inputs are no captures.
  }
  return 0;
}
