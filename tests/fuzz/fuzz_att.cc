// Any directory may be given to `jaxtrace hotspot`.  One input describes its files:
//
//   @@ code.json
//   {"code": …}
//   @@ se0_sm0_sl0_wv0.json
//   {"wave": …}
//
// What comes before the first name, or all of an input without one, is code.json.
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include "commands/hotspot/summary.h"
#include "commands/hotspot/tables.h"
#include "jaxtrace/error.h"
#include "jaxtrace/thread_trace_reader.h"
#include "support/program.h"

namespace jaxtrace {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

constexpr std::array kNames = {"code.json",
                               "code.json.gz",
                               "filenames.json",
                               "occupancy.json",
                               "realtime.json",
                               "snapshots.json",
                               "source_0_a.py",
                               "kernel_trace.csv",
                               "agent_info.csv",
                               "se0_sm0_sl0_wv0.json",
                               "se0_sm0_sl1_wv0.json",
                               "stats_ui_output_agent_1_dispatch_1.csv"};

void write(const std::filesystem::path& directory, std::string_view name, std::string_view bytes) {
  // Names of a fuzzer's own making would leave the directory.
  for (const std::string_view known : kNames) {
    if (name == known) std::ofstream(directory / known, std::ios::binary) << bytes;
  }
}

void unpack(std::string_view input, const std::filesystem::path& directory) {
  constexpr std::string_view kMark = "@@ ";
  std::string_view name = "code.json";
  while (true) {
    std::size_t next = input.starts_with(kMark) ? 0 : input.find("\n@@ ");
    const bool last = next == std::string_view::npos;
    if (!last && next > 0) ++next;
    write(directory, name, input.substr(0, next));
    if (last) return;
    input.remove_prefix(next + kMark.size());
    const std::size_t end = input.find('\n');
    name = input.substr(0, end);
    if (end == std::string_view::npos) return;
    input.remove_prefix(end + 1);
  }
}

void require_conserved(const Totals& totals) {
  Cycles classes, lines, kernels;
  for (const ClassTotal& total : totals.classes) classes.add(total.cycles);
  for (const LineTotal& total : totals.lines) lines.add(total.cycles);
  for (const KernelTotal& total : totals.kernels) kernels.add(total.cycles);
  for (const Cycles& sum : {classes, lines, kernels}) {
    require(sum.stall == totals.all.stall);
    require(sum.latency == totals.all.latency);
    require(sum.idle == totals.all.idle);
  }
  require(totals.all.stall <= totals.all.latency);
}

void report_all(const std::filesystem::path& directory) {
  HotspotOptions options;
  options.plan = options.detail = true;
  std::vector<std::unique_ptr<HotspotDispatch>> dispatches;
  for (const auto& path : find_thread_traces({directory})) {
    dispatches.push_back(std::make_unique<HotspotDispatch>(read_thread_trace(path)));
    HotspotDispatch& dispatch = *dispatches.back();
    dispatch.label = dispatch.trace.name;
    Verifier verifier;
    read_waves(dispatch.trace, [&](const Wave& wave) { verifier.add(wave); });
    dispatch.verification = verifier.finish(dispatch.trace);
    analyse(dispatch, options);
    require_conserved(dispatch.totals);
  }
  std::ostringstream out;
  write_instructions_csv(dispatches, out);
  for (auto* const table : {lines_csv, stalls_csv, waits_csv, loops_csv, occupancy_csv, plan_csv}) {
    write_csv(table(dispatches), out);
  }
  const Report report = hotspot_report(dispatches, options);
  write_markdown(report, out);
  write_json(report, out);
}

}  // namespace
}  // namespace jaxtrace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace jaxtrace;
  const ScratchDir scratch;
  const std::filesystem::path directory = scratch.path() / "ui_output_agent_1_dispatch_1";
  std::filesystem::create_directory(directory);
  unpack({reinterpret_cast<const char*>(data), size}, directory);
  try {
    report_all(directory);
  } catch (const InputError&) {
    // Most inputs are no thread traces.
  }
  return 0;
}
