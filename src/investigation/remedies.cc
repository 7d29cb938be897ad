// Options are those of jax.profiler.ProfileOptions and of XLA's debug options (xla.proto); jax 0.8
// and later trace ROCm with rocprofiler-sdk, which lost none of what roctracer lost.
#include "investigation/remedies.h"

#include <algorithm>

#include "analysis/devices.h"
#include "jaxtrace/trace.h"

namespace jaxtrace {
namespace {

constexpr std::string_view kOffGraphs =
    "record with `XLA_FLAGS=--xla_gpu_enable_command_buffer=` (empty: off)";
constexpr std::string_view kSdk =
    "record again with jax 0.8 or later, which traces ROCm with rocprofiler-sdk";
constexpr std::string_view kLimits =
    "record fewer steps, or raise `gpu_max_activity_api_events`, `gpu_max_callback_api_events`";
constexpr std::string_view kLimitsAmd =
    "record fewer steps, or raise `XLA_FLAGS=--xla_gpu_rocm_max_trace_events=N`";
constexpr std::string_view kWait =
    "call `jax.block_until_ready` before `start_trace` and before `stop_trace`";
constexpr std::string_view kAgain =
    "copy the file again from where it was recorded, or record again";
constexpr std::string_view kSteps =
    "wrap each step in `jax.profiler.StepTraceAnnotation`, or name it with `--step-fn`";

constexpr Advice kAdvice[] = {
    // ---- Checks of skip-stats
    {"json", "",
     "let other tools read the xplane.pb, or raise "
     "`TF_PROFILER_TRACE_VIEWER_MAX_EVENTS` when recording"},
    {"join", "", "use the time budget, or record with `host_tracer_level` of 1 or more"},
    {"kernels-per-step", "", kSteps},
    {"same-work", "",
     "nothing, if parallelism means it so; else record again and compare "
     "devices.csv"},
    {"sums", "", "report it: this is a mistake of jaxtrace"},
    {"recorded", "",
     "let one profiler at a time subscribe, and allow access to performance "
     "counters; then record again",
     kSdk},
    {"launches", "", kWait},
    {"graph-fan-out", "", kOffGraphs},
    {"timing", "", "record again; the events are in kernels.csv under the rule `damaged`"},
    {"steps", "",
     "record ten steps after warming up, each in "
     "`jax.profiler.StepTraceAnnotation`"},
    {"clock", "", "use the time budget, which compares no clocks; record again for latencies"},
    {"overlap", "", "compare with `nsys profile --trace=cuda`",
     "compare with `rocprofv3 --sys-trace`, whose kernel_trace.csv has streams"},
    {"classified", "", "see in ops.csv which instructions run them"},
    {"device-of-call", "", "record with one process a GPU"},
    {"python-tracer", "the host's times, which the Python tracer makes longer",
     "record with `ProfileOptions.python_tracer_level = 0`"},
    {"command-buffers", "",
     "record with `XLA_FLAGS=--xla_enable_command_buffers_during_profiling=true`"},
    // ---- Checks of plausibility
    {"coverage", "", "record again, fewer steps, and let the last one end before `stop_trace`",
     kSdk},
    {"gpus", "",
     "record with all of them at work, or hide the others with "
     "`CUDA_VISIBLE_DEVICES`",
     "record with all of them at work, or hide the others with `HIP_VISIBLE_DEVICES`"},
    {"hlo", "",
     "record with `enable_hlo_proto = True`; keep compiled functions alive until `stop_trace`"},
    {"empty-steps", "", kSteps},
    {"edges", "", kWait},
    {"buffer-limits", "", kLimits, kLimitsAmd},
    {"copies", "", "compare with `nsys profile --trace=cuda`",
     "compare with `rocprofv3 --memory-copy-trace --kernel-trace`"},
    {"dominant-event", "", "record more steps"},
    {"outliers", "", "see them in kernels.csv; record again while nothing else uses the GPU"},
    {"collective-skew", "", "make the late GPU faster first; measure the network with nccl-tests",
     "make the late GPU faster first; measure the network with rccl-tests"},
    {"streams", "", "compare with `rocprofv3 --sys-trace`, whose kernel_trace.csv has streams"},
    {"host-clocks", "", "compare hosts by the length of their steps only"},
    {"registers", "", "use `ncu --section LaunchStats`",
     "use `rocprofv3 --kernel-trace -f csv`, then `jaxtrace kernels`"},
    {"occupancy", "", "use `ncu --section Occupancy`",
     "use `rocprofv3 --att`, then `jaxtrace hotspot`, which computes it"},
    // ---- Findings: something is missing
    {"truncated", "every total: what followed the cut is missing",
     "let `stop_trace` return before the process ends, and copy the whole file"},
    {"events-dropped", "every total: the tracer's buffers were full", kLimits, kLimitsAmd},
    {"json-event-limit", "everything after the last event kept",
     "read the xplane.pb of the same run"},
    {"no-device-events", "everything: nothing was recorded",
     "let one profiler at a time subscribe, and allow access to performance counters"},
    {"runs-without-kernels", "every total: kernels of whole runs are missing",
     "record again, and let the last step end before `stop_trace`", kSdk},
    {"launches-without-work", "busy time, a lower bound", kWait},
    {"graph-with-one-kernel", "times inside graphs: all kernels but the first are missing",
     kOffGraphs},
    {"whole-graphs", "which kernels ran inside graphs, and for how long each", kOffGraphs},
    {"at-event-limit", "the end of the capture", kLimits, kLimitsAmd},
    {"at-annotation-limit", "instructions of later kernels, found by name and order only",
     "record fewer steps, or raise `gpu_max_annotation_strings`"},
    // ---- Findings: something is wrong
    {"corrupt-timing", "the time of those events, which is in no sum", "record again"},
    {"nested-work", "times on those streams: one of each two is wrong", "record again"},
    {"hlo-does-not-fit", "lines and instructions of that program",
     "record in a fresh process, so that the program is compiled once"},
    {"profiler-error", "whatever the profiler could not do", "mend what it says, and record again"},
    {"damaged", "what stood at the damaged bytes", kAgain},
    {"damaged-event", "the events that were left out", kAgain},
    {"event-without-name", "what those events are", kAgain},
    {"time-out-of-range", "the times that were cut, and sums that hold them", kAgain},
    {"host-left-out", "everything about that host", "mend or record again the file named"},
    {"unreadable-hlo", "lines, FLOPs and bytes of that program", kAgain},
    // ---- Shares that were left out
    {"unattributed-no-program", "tables by instruction and line: this time is in none",
     "record a jitted JAX program with host_tracer_level of 1 or more"},
    {"unattributed-outside-execution", "tables by instruction and line: this time is in none",
     "nothing: transfers have no instruction; the time budget has their time"},
    {"unattributed-no-hlo", "tables by instruction and line: this time is in none",
     "record with `ProfileOptions.enable_hlo_proto = True`"},
    {"unattributed-no-candidate", "tables by instruction and line: this time is in none",
     "`jaxtrace attribute --check` with a capture made with `--xla_gpu_enable_command_buffer=`"},
    {"unattributed-control", "tables by instruction and line: this time is in none",
     "nothing: kernels that run a graph's loops are no instruction's"},
    {"unattributed-whole-graph", "tables by instruction and line: this time is in none",
     kOffGraphs},
    {"low-confidence", "which instruction and line this time belongs to",
     "`jaxtrace attribute --check` with a capture made with `--xla_gpu_enable_command_buffer=`"},
    {"no-line", "the table by line: this time is in none",
     "read what stands around the instruction in the program's .hlo.txt"},
    {"inherited-line", "lines of this time: they are those of neighbours in the program",
     "read the instruction in the program's .hlo.txt"},
    {"library-line", "lines of this time: a library's, since no frame is user code",
     "name your own code with `--user-re`"},
    {"not-rooflined", "the roofline, which is of the rest",
     "measure FLOPs and bytes with `ncu --set roofline`",
     "measure bytes with `rocprofv3 --pmc`, then `jaxtrace pmc-l2`"},
    {"no-peaks", "shares of a peak: none are given",
     "name one of the machines of docs/roofline.md with `--machine`"},
    {"guessed-instances", "rates of these instructions: how often they ran is inferred",
     "compare kernels with instances in roofline.csv"},
    {"estimated-cost", "FLOPs, bytes and rates of these instructions: they rest on an assumption",
     "measure them with `ncu --set roofline`",
     "measure bytes with `rocprofv3 --pmc`, then `jaxtrace pmc-l2`"},
    {"open-precision", "these instructions' shares of the compute peak",
     "set `jax_default_matmul_precision`, so that the HLO says it"},
    {"flops-over-peak", "rates of these instructions: no GPU can do that",
     "compare kernels with instances in roofline.csv; see that `--machine` is right"},
    {"unjoined", "launch latencies and idle parts of these events", kWait},
    {"unclassified", "what kind of work this is: it counts as compute",
     "see in ops.csv which instructions run it"},
    {"unexplained-idle", "why the GPU was idle in this time",
     "record with `ProfileOptions.host_tracer_level = 2`"},
    {"unnamed-host-time", "what the host did in this time",
     "record with `host_tracer_level = 2` (or `python_tracer_level = 1`, which slows the host)"},
    {"cut-host-events", "self times of those host events: they were cut to nest", "record again"},
    {"verdict", "the verdict and the estimates made from it",
     "record ten steps after warming up, with `python_tracer_level = 0`"},
};

constexpr Advice kOther = {"", "what the sentence says", "see docs/formats.md for this code"};

}  // namespace

const Advice& advice_on(std::string_view code) {
  const auto* const at = std::ranges::find(kAdvice, code, &Advice::code);
  return at == std::end(kAdvice) ? kOther : *at;
}

std::string_view remedy_for(const Advice& advice, const Trace& trace) {
  return advice.amd.empty() || !has_amd_gpu(trace) ? advice.remedy : advice.amd;
}

bool has_amd_gpu(const Trace& trace) {
  return std::ranges::any_of(trace.devices,
                             [&](const Device& device) { return is_amd(trace, device); });
}

}  // namespace jaxtrace
