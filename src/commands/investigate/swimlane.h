// One step as lanes of bars on one time axis, before it is drawn: what two drawings share.
//
// Events narrower than a pixel are merged here, class by class, so that neither drawing grows with
// the capture; a bar keeps how many events it stands for and their exact time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skip/critical_path.h"
#include "skip/skip_stats.h"

namespace jaxtrace {

/// What a bar's colour and letter tell.
enum class BarClass : std::uint8_t {
  // Work of a GPU
  compute,
  collective,
  copy,  ///< memcpy and memset
  other,
  // A GPU without work, and waits on the critical path
  host_late,
  launch_path,
  queued,   ///< graph_internal, queued_short, queued_long
  unknown,  ///< unknown, tail
  // Host threads
  host_launch,
  host_python,
  host_input,
  host_wait,  ///< Waits and readbacks
  host_compile,
  host_other,
};
inline constexpr std::size_t kBarClasses = 14;

/// As the legends call it, and its letter in text.
std::string_view name_of(BarClass cls);
char letter_of(BarClass cls);

struct Bar {
  Window window;  ///< Inside the axis
  BarClass cls = BarClass::compute;
  std::uint64_t events = 1;  ///< Merged into it
  Picoseconds total{0};      ///< Their time inside the axis, exactly
  Picoseconds longest{0};    ///< Of one of them inside the axis
  std::string label;   ///< Of that one: the instruction, host event, or what a wait comes before
  std::string detail;  ///< Its kernel, if that is not the label
};

struct SwimLane {
  enum class Kind : std::uint8_t {
    calls,   ///< The outermost events of a thread
    thread,  ///< Its innermost events
    path,    ///< The critical path
    idle,    ///< A GPU without work, by why
    stream,
    folded,  ///< Streams with little work
  };
  Kind kind = Kind::stream;
  std::size_t group = 0;  ///< Row of Swimlane::groups; lanes of a group stand together.
  std::string label;
  std::vector<Bar> bars;           ///< By begin, then class
  std::vector<Picoseconds> ticks;  ///< Begins of launch calls, at most one a pixel
  std::uint64_t launches = 0;      ///< What the ticks stand for
};

struct SwimMark {
  Picoseconds at{0};
  std::string label;
  std::string detail;
};

/// From the call to the kernel.
struct SwimFlow {
  std::size_t from_lane = 0, to_lane = 0;
  Picoseconds from{0}, to{0};
  std::string label;
};

/// A stretch of the critical path and the lane it lies in.
struct SwimPath {
  Window window;
  std::size_t lane = 0;
};

struct Swimlane {
  std::string title;                 ///< Which step, of what, how long
  std::vector<std::string> caption;  ///< Who ends last, what it waited for; hosts and GPUs left out
  std::string consists;              ///< What the critical path consists of, by share
  std::vector<std::string> drawn;    ///< What else the drawing leaves out or merges
  Window axis;                       ///< What is drawn
  Picoseconds pixel{1};              ///< Below it bars are merged.
  Window step;                       ///< 0 of the scale is its begin.
  bool has_steps = true;             ///< Else `step` is the whole capture.
  std::vector<std::string> groups;   ///< Threads, the critical path, GPUs
  std::vector<SwimLane> lanes;       ///< By group
  std::vector<SwimMark> arrivals;    ///< Last arrivals at collectives, by time
  std::vector<SwimFlow> flows;
  std::vector<SwimPath> path;  ///< By time
  std::uint64_t events = 0;    ///< In all lanes but the path's, before merging
  std::uint64_t alone = 0;     ///< Of them drawn as a bar of their own
};

/// The step that is shown: the median; else the longest of the kept; else the first with work.
/// Absent: the capture has no GPU work.
std::optional<std::size_t> shown_step(const Steps& steps);

/// The HLO instruction of a device event as it was attributed; empty if there is none.
using InstructionOf = std::function<std::string_view(std::uint32_t event)>;

/// `path` is of the step that is to be shown.  `pixels` is how wide the axis will be.  Without
/// `instruction`, work is called what the tracer calls it, which in a graph is the graph.  Empty if
/// the path is.
Swimlane swimlane(const Trace& trace, const SkipStats& stats, const AlignedCollectives& collectives,
                  const CriticalPath& path, int pixels = 1000, InstructionOf instruction = {});

/// An SVG file.  Light or dark as the reader's system is; no script, nothing from elsewhere.
std::string svg(const Swimlane& swimlane);

/// Scale, lanes and legend, at most 30 lines; title and sentences are the caller's to print.
std::string ascii(const Swimlane& swimlane, std::size_t columns = 100);

}  // namespace jaxtrace
