// Any bytes may be given to `jaxtrace kernels`, as a database, a table or JSON: dispatches refer to
// rows that are there, and all tables add up to the same time.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "analysis/kernel_pattern.h"
#include "commands/kernels/att_yaml.h"
#include "commands/kernels/report.h"
#include "commands/kernels/sums.h"
#include "fuzz/memory_file.h"
#include "jaxtrace/error.h"

namespace {

using namespace jaxtrace;

void check(const std::vector<KernelRun>& runs) {
  for (const KernelRun& run : runs) {
    const KernelTimes& times = run.times;
    for (const TimedDispatch& dispatch : times.dispatches) {
      require(dispatch.kernel < times.kernels.size() && dispatch.device < times.devices.size());
      require(dispatch.shape < times.shapes.size() && dispatch.duration_ps >= -1);
    }
    for (const KernelSum& sum : times.sums) require(sum.kernel < times.kernels.size());
  }
  for (const std::int64_t skip : {0, 1}) {
    const KernelSums sums = add_up(runs, skip);
    std::int64_t calls = 0;
    for (const KernelSumRow& row : sums.kernels) {
      if (__builtin_add_overflow(calls, row.calls, &calls)) calls = INT64_MAX;
      require(row.total_ps >= 0 && row.untimed <= row.calls);
      require(!att_yaml(row.kernel).empty());
    }
    require(calls == sums.calls || sums.calls == INT64_MAX);
    for (const DeviceSumRow& row : sums.devices) require(row.busy_ps <= row.span_ps);
    std::ostringstream out;
    write_markdown(kernels_report(runs, sums, 20), out);
    write_json(kernels_report(runs, sums, 0), out);
    write_csv(kernels_table(sums), out);
    if (!sums.kernels.empty()) write_markdown(att_report(sums, sums.kernels.front()), out);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // SQLite wants a file with a name; which reader takes it, the bytes and the name decide.
  static const std::filesystem::path directory = [] {
    const auto made =
        std::filesystem::temp_directory_path() / ("jaxtrace-fuzz-" + std::to_string(::getpid()));
    std::filesystem::create_directories(made);
    return made;
  }();
  const bool database = size > 6 && data[0] == 'S' && data[1] == 'Q';
  const std::filesystem::path path = directory / (database ? "results.db" : "fuzz.csv");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const std::vector<std::filesystem::path> files = {path};
    check(read_kernel_runs(files).runs);
  } catch (const InputError&) {
    // Most inputs hold no kernel.
  }
  std::filesystem::remove(path);
  return 0;
}
