// The order of analyses: what needs single waves is fed in one pass over their files.
#include "commands/hotspot/dispatch.h"

#include <algorithm>

#include "att/select.h"
#include "jaxtrace/thread_trace_reader.h"

namespace jaxtrace {
namespace {

void append(std::vector<Finding>& all, const std::vector<Finding>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void read_all_waves(HotspotDispatch& dispatch) {
  const ThreadTrace& trace = dispatch.trace;
  const DetectedArch& arch = dispatch.occupancy.arch;
  WaitCollector waits(trace, arch);
  HiddenCollector hidden(trace, arch);
  append(dispatch.findings, read_waves(trace, [&](const Wave& wave) {
           waits.add(wave);
           hidden.add(wave);
         }));
  WaitAnalysis found = waits.finish();
  if (found.waves == 0) return;
  // With a part of a SIMD's waves, another wave's work would pass for idle time.
  if (found.waves >= trace.waves_listed) dispatch.hidden = hidden.finish();
  dispatch.waits = std::move(found);
}

}  // namespace

void analyse(HotspotDispatch& dispatch, const HotspotOptions& options) {
  const ThreadTrace& trace = dispatch.trace;
  append(dispatch.findings, trace.findings);
  dispatch.occupancy = occupancy_of(trace, options.arch);
  append(dispatch.findings, dispatch.occupancy.findings);
  dispatch.loops = find_loops(trace.instructions);
  dispatch.waits = static_waits(trace, dispatch.loops, dispatch.occupancy.arch);
  if (!trace.wave_files.empty()) read_all_waves(dispatch);
  dispatch.totals = add_up(trace, options.which, dispatch.occupancy.arch.family, &dispatch.waits);
  dispatch.plan = make_plan(trace, dispatch.loops, dispatch.waits, dispatch.occupancy,
                            dispatch.hidden ? &*dispatch.hidden : nullptr);
}

std::string_view main_kernel(const HotspotDispatch& dispatch) {
  const auto most = std::ranges::max_element(
      dispatch.totals.kernels, {}, [](const KernelTotal& total) { return total.cycles.latency; });
  if (most == dispatch.totals.kernels.end()) return {};
  return name_of(dispatch.trace.kernels[most->kernel]);
}

std::optional<std::int64_t> traced_waves(const HotspotDispatch& dispatch) {
  if (dispatch.trace.waves_listed > 0) {
    return static_cast<std::int64_t>(dispatch.trace.waves_listed);
  }
  if (dispatch.loops.waves > 0) return dispatch.loops.waves;
  return std::nullopt;
}

std::optional<double> ratio(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace jaxtrace
