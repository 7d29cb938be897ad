// How long kernels took, from whatever recorded it: profilers' tables, databases and captures.
//
// One KernelTimes is what one file (or one capture) says.  Where several files tell of the same
// run, one is believed and the others are compared with it; nothing is added up twice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jaxtrace/finding.h"
#include "jaxtrace/readers.h"

namespace jaxtrace {

/// One kernel under one name: profilers call it by its descriptor at times, "f(int) [clone .kd]",
/// "f.kd", "f(int) (.kd)".
std::string_view without_descriptor(std::string_view kernel);

/// What a launch asks for; absent where not said.
struct LaunchShape {
  std::optional<std::int64_t> grid;       ///< Work-items (threads) in all
  std::optional<std::int64_t> workgroup;  ///< Work-items of a workgroup
  std::optional<std::int64_t> vgprs;      ///< As the tool says: see docs/kernels.md on gfx950
  std::optional<std::int64_t> accum_vgprs;
  std::optional<std::int64_t> sgprs;
  std::optional<std::int64_t> lds_bytes;      ///< Of a workgroup
  std::optional<std::int64_t> scratch_bytes;  ///< Of a work-item

  bool operator==(const LaunchShape&) const = default;
};

/// A GPU as one process sees it.
struct TimedDevice {
  std::string name;     ///< "Agent 4", "GPU:0"
  std::string arch;     ///< "gfx942"; empty if not said
  std::string product;  ///< Likewise
  std::string process;  ///< "pid 146104", a host's name; empty if not said
};

struct TimedDispatch {
  std::uint32_t kernel = 0;
  std::uint32_t device = 0;
  std::uint32_t shape = 0;
  std::int64_t begin_ps = 0;      ///< Since the first dispatch of the source
  std::int64_t duration_ps = -1;  ///< -1 where the times are impossible
  std::int64_t correlation = -1;  ///< Joins it to a host call of its process; -1 if not said
};

/// What a source that only adds up says of a kernel.
struct KernelSum {
  std::uint32_t kernel = 0;
  std::int64_t calls = 0;
  std::int64_t total_ps = 0;
  std::optional<std::int64_t> least_ps, most_ps;
};

/// A host call that launches a graph.
struct GraphCall {
  std::int64_t correlation = 0;
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
};

/// In the order of preference.
enum class TimesOf : std::uint8_t { database, trace, json, stats, counters, capture };

struct KernelTimes {
  TimesOf source = TimesOf::trace;
  std::string file;  ///< As given by the user, or found beside what was given
  std::vector<std::string> kernels;
  std::vector<TimedDevice> devices;
  std::vector<LaunchShape> shapes;
  std::vector<TimedDispatch> dispatches;  ///< By device, begin, kernel name
  std::vector<KernelSum> sums;            ///< TimesOf::stats alone, which has no dispatches
  std::vector<GraphCall> graph_calls;     ///< By begin; of the API trace beside it
  bool api_trace = false;                 ///< There is one
  std::vector<std::string> notes;         ///< What was chosen where there was a choice
  std::vector<Finding> findings;
};

/// One run of a program.
struct KernelRun {
  KernelTimes times;
  std::vector<KernelTimes> others;  ///< What else tells of the run
};

struct KernelRuns {
  std::vector<KernelRun> runs;
  std::vector<std::filesystem::path> captures;  ///< Inputs that read_capture() reads
  std::vector<Finding> findings;
};

/// Reads every run of rocprofv3 that `inputs` hold: files, with what lies beside them, or
/// directories.  Throws InputError for what is missing, of another kind, damaged beyond use or
/// without a kernel.
KernelRuns read_kernel_runs(std::span<const std::filesystem::path> inputs,
                            const ReadOptions& options = {});

}  // namespace jaxtrace
