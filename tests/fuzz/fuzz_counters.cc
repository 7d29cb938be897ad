// Any bytes may be given to `jaxtrace pmc-l2`: every value belongs to a dispatch that is there, and
// the report is made of numbers that are.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "commands/pmc_l2/report.h"
#include "counters/l2.h"
#include "fuzz/memory_file.h"
#include "jaxtrace/error.h"

namespace {

using namespace jaxtrace;

void check(const CounterData& data) {
  std::size_t next = 0;
  for (const CountedDispatch& dispatch : data.dispatches) {
    require(dispatch.kernel < data.kernels.size() && dispatch.agent < data.agents.size());
    require(dispatch.recording < data.recordings.size());
    require(dispatch.first == next && dispatch.values > 0);
    next += dispatch.values;
  }
  require(next == data.values.size());
  for (const CounterValue& value : data.values) require(value.value >= 0);

  L2Options options;
  options.ideal_bytes = 1000;
  options.ea_channels = 2;
  options.peak = 1e12;
  for (const char* arch : {"", "gfx90a", "gfx942", "gfx950", "gfx1100"}) {
    options.arch = arch;
    const L2Result result = analyse_l2(data, options);
    std::uint64_t dispatches = 0;
    for (const L2Row& row : result.rows) {
      dispatches += row.dispatches;
      require(!row.read || row.read->bytes.low <= row.read->bytes.high);
      require(!row.hits || (row.hits->whole > 0 && row.hits->part <= row.hits->whole));
    }
    require(dispatches <= data.dispatches.size());
    std::ostringstream out;
    write_markdown(l2_report(data, result, options), out);
    write_json(l2_report(data, result, options), out);
    write_csv(l2_table(data, result, options), out);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  try {
    const std::vector<std::filesystem::path> files = {file.path()};
    check(read_counters(files));
  } catch (const InputError&) {
    // Most inputs hold no counter.
  }
  return 0;
}
