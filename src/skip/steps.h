// Where steps begin, which device work belongs to which, and which of them are kept.
//
// A device event belongs to the step in which it was launched, not to the one in which it ran:
// with asynchronous dispatch the host is a step or more ahead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "skip/timeline.h"

namespace jaxtrace {

enum class StepRule : std::uint8_t {
  annotation,  ///< jax.profiler.StepTraceAnnotation
  function,    ///< Outermost calls of one jitted function
  module_run,  ///< Runs of the program with the most device time
  period,      ///< A repeating sequence of kernel names
  none,        ///< The capture is one step, and nothing is said per step.
};

enum class StepFate : std::uint8_t {
  kept,
  first,        ///< Warm-up, and a pipeline that is not full yet
  no_work,      ///< No device work was launched in it
  other_count,  ///< Another number of kernels than most steps have
};

std::string_view name_of(StepRule rule);
std::string_view name_of(StepFate fate);

inline constexpr std::uint32_t kNoStep = 0xffffffff;

/// A step on one device.
struct DeviceStep {
  std::uint64_t events = 0;             ///< Device events
  std::uint64_t kernels = 0;            ///< Of class compute, collective and other
  std::uint64_t launches = 0;           ///< Distinct calls
  Picoseconds kernel_time{0};           ///< Sum of durations of all its timed events
  std::optional<Picoseconds> first;     ///< Begin of its first event
  std::optional<Picoseconds> last_end;  ///< The greatest end
  std::optional<Window> window;         ///< From `first` to the first event of the next step
  bool closed = false;                  ///< There is a next step; else `window` ends at `last_end`
};

struct Step {
  std::int64_t number = 0;          ///< step_num, else counted from 0
  std::uint32_t anchor = kNoEvent;  ///< The host event that is its first parent op
  std::optional<Window> host;       ///< That event's interval
  bool compiles = false;            ///< The host compiled something in it
  StepFate fate = StepFate::kept;
  /// From its first device event to that of the next, on the device where that is longest; if
  /// devices do not say, from its anchor's begin to that of the next.
  std::optional<Picoseconds> period;
  std::vector<DeviceStep> devices;  ///< By row of the timelines
};

struct Steps {
  StepRule rule = StepRule::none;
  std::string name;  ///< Of the annotation, function, program
  std::vector<Step> steps;
  std::vector<std::uint32_t> step_of;  ///< By device event: row of `steps`, or kNoStep
  std::size_t kept = 0;
  std::optional<std::size_t> median;  ///< Lower median by GPU period among the kept

  /// Kernels per step that most steps have, by device; of `counted` steps, `usual` have them on
  /// every device.
  std::vector<std::uint64_t> usual_kernels;
  std::size_t usual = 0, counted = 0;

  std::vector<Window> steady;  ///< By row of the timelines: the kept steps, on this device
};

struct StepOptions {
  std::string function;  ///< --step-fn: the jitted function whose calls are steps
};

Steps find_steps(const Trace& trace, const Works& works,
                 const std::vector<DeviceTimeline>& timelines, const StepOptions& options = {});

/// At least four of five counted steps have the usual number of kernels: else steps are wrongly
/// found or records were lost, and there is no median step.
bool has_usual_steps(const Steps& steps);

/// Functions that `--step-fn` may name: every f of a PjitFunction(f), sorted.
std::vector<std::string> step_functions(const Trace& trace);

}  // namespace jaxtrace
