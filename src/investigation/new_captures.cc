// Each question has a condition on this capture; their order is that of use: a capture that is not
// whole first, then what the verdict hangs on, then what attribution left open, then kernels.
#include "investigation/new_captures.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "analysis/times.h"
#include "investigation/investigated.h"
#include "investigation/link_benchmark.h"
#include "investigation/remedies.h"
#include "investigation/roofline.h"
#include "investigation/top_kernels.h"
#include "jaxtrace/report.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMost = 8;
constexpr double kMuch = 0.05;  // Of GPU time or of a window: what is worth a recording

std::string percent(double share) {
  return for_people(share, Unit::ratio);
}

/// One word of sh.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char byte : text) out += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
  return out + "'";
}

struct Asking {
  const Investigated& in;
  const std::vector<CheckResult>& checks;
  const Roofline* roofline;
  bool amd;
  std::vector<NewCapture>& out;

  void ask(std::string question, std::string capture, std::string command) const {
    out.push_back({std::move(question), std::move(capture), std::move(command)});
  }
  bool failed(std::string_view id) const {
    const auto at = std::ranges::find(checks, id, &CheckResult::id);
    return at != checks.end() && (at->state == CheckState::warn || at->state == CheckState::fatal);
  }
  bool fatal(std::string_view id) const {
    const auto at = std::ranges::find(checks, id, &CheckResult::id);
    return at != checks.end() && at->state == CheckState::fatal;
  }
  bool found(std::string_view code) const {
    return std::ranges::any_of(in.trace.findings,
                               [&](const Finding& finding) { return finding.code == code; });
  }
  /// Share of GPU time in instructions whose cost the HLO does not fix.
  double unknown_cost() const {
    if (roofline == nullptr || roofline->all <= Picoseconds{0}) return 0;
    Picoseconds open = roofline->left_out[static_cast<std::size_t>(NotRooflined::unknown_cost)];
    for (const RooflineRow& row : roofline->rows) {
      if (!row.left_out && row.cost.estimate) add_time(open, row.total);
    }
    return static_cast<double>(open.count()) / static_cast<double>(roofline->all.count());
  }
  double loss(Loss which) const { return in.skip.verdict.shares.of(which); }
  Bound bound() const { return in.skip.verdict.decision.bound; }
  bool conclusive() const { return in.skip.verdict.why_inconclusive.empty(); }
};

/// What is missing: until it is there, nothing else is worth asking.
void ask_for_the_rest(const Asking& a) {
  if (a.fatal("graph-fan-out")) {
    a.ask("What did the kernels of graphs do, of which only the first was recorded?",
          "XLA_FLAGS=--xla_gpu_enable_command_buffer= COMMAND   # empty: graphs off",
          "jaxtrace investigate NEW");
  } else if (a.failed("buffer-limits") || a.found("events-dropped")) {
    a.ask("What came after the tracer's buffers were full?",
          a.amd ? "XLA_FLAGS=--xla_gpu_rocm_max_trace_events=16777216 COMMAND   # or fewer steps"
                : "options = jax.profiler.ProfileOptions(); options.advanced_configuration = "
                  "{\"gpu_max_activity_api_events\": 8388608, \"gpu_max_callback_api_events\": "
                  "8388608}; jax.profiler.start_trace(NEW, profiler_options=options)   # or fewer "
                  "steps",
          "jaxtrace investigate NEW");
  } else if (a.failed("coverage") || a.fatal("recorded")) {
    a.ask("What did the runs do whose kernels are missing?",
          a.amd ? "the same program under jax 0.8 or later (its rocprofiler-sdk tracer records all "
                  "GPUs): ten steps, then jax.block_until_ready, then jax.profiler.stop_trace()"
                : "the same program with no other profiler attached, and performance counters "
                  "allowed (NVreg_RestrictProfilingToAdminUsers=0): ten steps, then "
                  "jax.block_until_ready, then jax.profiler.stop_trace()",
          "jaxtrace investigate NEW");
  } else if (a.found("truncated") || a.found("damaged")) {
    a.ask(
        "What stood in the part of the file that is missing or damaged?",
        "the file copied again, or recorded again with jax.profiler.stop_trace() returning before "
        "the process ends",
        "jaxtrace investigate NEW");
  }
}

/// What the verdict hangs on.
void ask_about_steps(const Asking& a) {
  const Steps& steps = a.in.skip.steps;
  if (a.failed("python-tracer")) {
    a.ask("How long are steps and host calls without the Python tracer, which was on here?",
          "options = jax.profiler.ProfileOptions(); options.python_tracer_level = 0; "
          "jax.profiler.start_trace(NEW, profiler_options=options)",
          "jaxtrace skip-stats NEW");
  }
  if (steps.rule == StepRule::none || steps.kept < 5 || !has_usual_steps(steps)) {
    a.ask(
        steps.rule == StepRule::none ? "How long is one step, and which work is in it?"
                                     : "Are these steps what steps usually are?",
        "ten steps after warming up, each inside `with jax.profiler.StepTraceAnnotation(\"step\", "
        "step_num=i):`, with jax.block_until_ready before start_trace and before stop_trace",
        "jaxtrace skip-stats NEW");
  }
  if (a.failed("command-buffers")) {
    a.ask("What do launches cost with command buffers, which XLA switched off while profiling?",
          "XLA_FLAGS=--xla_enable_command_buffers_during_profiling=true COMMAND",
          "jaxtrace skip-stats NEW");
  }
  if (a.conclusive() && (a.bound() == Bound::host || a.bound() == Bound::mixed)) {
    a.ask("From which batch size on does the GPU, not the host, set the pace?",
          "the same program with batches 2, 4 and 8 times as large, a directory each",
          "jaxtrace skip-stats CAPTURE --sweep NEW2 NEW4 NEW8");
  }
  const DeviceStats* const device =
      a.in.skip.devices.empty() ? nullptr : &a.in.skip.devices[a.in.skip.verdict.device];
  if (device != nullptr && a.conclusive() && !a.failed("python-tracer")) {
    const Picoseconds unnamed = device->host_late[static_cast<std::size_t>(HostClass::none)];
    const Picoseconds window = device->steady.window.length();
    const double share = window <= Picoseconds{0} ? 0
                                                  : static_cast<double>(unnamed.count()) /
                                                        static_cast<double>(window.count());
    if (share >= kMuch) {
      a.ask(fmt::format("What does the host do in the {} of the window in which the GPU waits for "
                        "it and no host event is open?",
                        percent(share)),
            "options = jax.profiler.ProfileOptions(); options.host_tracer_level = 2; "
            "options.python_tracer_level = 1; jax.profiler.start_trace(NEW, "
            "profiler_options=options)   # for the names only: it slows the host",
            "jaxtrace skip-stats NEW --full");
    }
  }
  if (a.conclusive() && a.loss(Loss::device_wait) >= kMuch) {
    a.ask(
        fmt::format("What does the GPU wait for in {} of the window, though it was asked in time?",
                    percent(a.loss(Loss::device_wait))),
        a.amd ? "rocprofv3 --sys-trace -f csv -d sys -- COMMAND"
              : "nsys profile --trace=cuda,nvtx --cuda-graph-trace=node -o sys COMMAND",
        a.amd ? "jaxtrace kernels sys" : "nsys stats sys.nsys-rep");
  }
}

/// The run with a GPU in another place, so that it gets other data.
std::string with_gpu_moved(const Asking& a, const Device& moved) {
  std::vector<std::int64_t> order;
  for (const Device& device : a.in.trace.devices) {
    if (device.host == moved.host) order.push_back(device.ordinal);
  }
  if (order.size() < 2) return "the same run with the hosts in another order";
  std::ranges::sort(order);
  const auto at = std::ranges::find(order, moved.ordinal);
  std::iter_swap(at, at == order.begin() ? at + 1 : order.begin());
  return fmt::format("{}_VISIBLE_DEVICES={} COMMAND", a.amd ? "HIP" : "CUDA",
                     fmt::join(order, ","));
}

/// Other GPUs, and what moves between them.
void ask_about_devices(const Asking& a) {
  const Stragglers& stragglers = a.in.skip.stragglers;
  constexpr double kPersistent = 0.8;  // As the verdict's device is chosen
  if (stragglers.device && stragglers.persistence >= kPersistent && a.conclusive()) {
    const DeviceTimeline& timeline = a.in.skip.timelines[*stragglers.device];
    const Device& device = a.in.trace.devices[static_cast<std::size_t>(timeline.device)];
    a.ask(fmt::format("Is it GPU:{} that is late, or the data that it gets?", device.ordinal),
          with_gpu_moved(a, device), "jaxtrace skip-stats NEW");
  }
  if (a.conclusive() && a.bound() == Bound::comm) {
    a.ask(
        fmt::format("How fast are these links when no GPU is late: what busbw does {} say, beside "
                    "the bus bandwidths of collectives.csv?",
                    a.amd ? "rccl-tests" : "nccl-tests"),
        fmt::format("`{} -b 1M -e 1G -f 2 -g {}`", link_benchmark(a.in),
                    devices_with_events(a.in.skip.timelines)),
        "jaxtrace investigate CAPTURE");
  }
  if (a.failed("copies")) {
    a.ask("How long did the copies take that are not in the file?",
          a.amd ? "rocprofv3 --memory-copy-trace --kernel-trace -f csv -d copies -- COMMAND"
                : "nsys profile --trace=cuda -o copies COMMAND",
          a.amd ? "jaxtrace kernels copies" : "nsys stats copies.nsys-rep");
  }
}

void ask_about_attribution(const Asking& a) {
  const Attribution& attribution = a.in.attribution;
  std::int64_t unsure = 0, without_hlo = 0;
  for (std::size_t l = 0; l < attribution.labels.size(); ++l) {
    const Label& label = attribution.labels[l];
    const std::int64_t time = a.in.sums.label[l].total_ps;
    const bool none = label.rule == Rule::no_candidate || label.rule == Rule::whole_graph;
    constexpr std::uint16_t kUnsure = 700;
    if (none || (label.match != Match::none && label.confidence < kUnsure)) unsure += time;
    if (label.rule == Rule::no_hlo || label.rule == Rule::tracer_text) without_hlo += time;
  }
  const auto share = [&](std::int64_t time) {
    const std::int64_t all = a.in.sums.all.total_ps;
    return all == 0 ? 0.0 : static_cast<double>(time) / static_cast<double>(all);
  };
  if (share(without_hlo) >= kMuch) {
    a.ask(fmt::format("Which lines of Python take the {} of GPU time whose programs lack HLO?",
                      percent(share(without_hlo))),
          "options = jax.profiler.ProfileOptions(); options.enable_hlo_proto = True; "
          "jax.profiler.start_trace(NEW, profiler_options=options); and read the xplane.pb",
          "jaxtrace attribute NEW");
  }
  if (share(unsure) >= kMuch / 5) {
    a.ask(fmt::format("Which instructions run {} of GPU time, for which several fit or none?",
                      percent(share(unsure))),
          "XLA_FLAGS=--xla_gpu_enable_command_buffer= COMMAND   # empty: graphs off",
          "jaxtrace attribute CAPTURE --check NEW");
  }
}

/// What no timeline tells: why a kernel takes as long as it does.
void ask_about_kernels(const Asking& a) {
  constexpr std::size_t kKernels = 3;
  const std::vector<TopKernel> kernels = top_kernels(a.in, kKernels, kMuch);
  if (kernels.empty()) return;
  std::string all;
  double together = 0;
  for (const TopKernel& kernel : kernels) {
    all += (all.empty() ? "" : "|") + kernel.pattern;
    together += kernel.share;
  }
  const TopKernel& first = kernels.front();
  const std::string question =
      fmt::format("Why does {} take its {} of GPU time: what do its {} wait for?", first.name,
                  percent(first.share), a.amd ? "waves" : "warps");
  if (!a.amd) {
    a.ask(question,
          fmt::format("ncu --set full --kernel-name regex:{} --launch-skip 3 --launch-count 3 -o "
                      "top COMMAND",
                      quoted(all)),
          "ncu --import top.ncu-rep --page details");
    return;
  }
  a.ask(question,
        fmt::format("rocprofv3 --att --att-target-cu 1 --att-simd-select 0xf "
                    "--kernel-include-regex {} --kernel-iteration-range \"[3-4]\" -f csv -d att -- "
                    "COMMAND",
                    quoted(first.pattern)),
        "jaxtrace hotspot att --plan");
  std::string bytes =
      fmt::format("{} {} of GPU time: {} more than needed, and how near is memory to its peak?",
                  kernels.size() == 1 ? "That kernel takes" : "The first kernels take",
                  percent(together), kernels.size() == 1 ? "does it read" : "do they read");
  if (const double unknown = a.unknown_cost(); unknown >= kMuch) {
    bytes = fmt::format(
        "How many bytes do the kernels move whose cost the HLO does not fix ({} of "
        "GPU time), and how near is memory to its peak?",
        percent(unknown));
  }
  a.ask(bytes,
        fmt::format("rocprofv3 --pmc TCC_HIT_sum TCC_MISS_sum --kernel-include-regex {0} -f csv -d "
                    "hits -- COMMAND; rocprofv3 --pmc TCC_EA0_RDREQ_sum TCC_EA0_RDREQ_32B_sum "
                    "TCC_BUBBLE_sum --kernel-include-regex {0} -f csv -d reads -- COMMAND",
                    quoted(all)),
        "jaxtrace pmc-l2 hits reads");
}

}  // namespace

std::vector<NewCapture> new_captures(const Investigated& in, const std::vector<CheckResult>& checks,
                                     const Roofline* roofline) {
  std::vector<NewCapture> out;
  const Asking asking{in, checks, roofline, has_amd_gpu(in.trace), out};
  ask_for_the_rest(asking);
  // What a GPU-bound program lacks is not in any timeline.
  const bool kernels_first = asking.conclusive() && asking.bound() == Bound::gpu;
  if (kernels_first) ask_about_kernels(asking);
  ask_about_steps(asking);
  ask_about_devices(asking);
  ask_about_attribution(asking);
  if (!kernels_first) ask_about_kernels(asking);
  if (out.size() > kMost) out.resize(kMost);
  return out;
}

}  // namespace jaxtrace
