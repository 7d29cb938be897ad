// A bar of each class may be open at once, so that classes that take turns below a pixel merge too.
#include "commands/investigate/bars.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "analysis/times.h"

namespace jaxtrace {

std::vector<Bar> merge_bars(const std::vector<RawBar>& raw, Picoseconds pixel,
                            const NameBar& name) {
  constexpr std::int64_t kWidest = 6;  // Pixels
  constexpr std::size_t kNoBar = static_cast<std::size_t>(-1);
  std::vector<Bar> bars;
  std::vector<std::size_t> longest;  // Row of `raw`
  std::array<std::size_t, kBarClasses> open;
  open.fill(kNoBar);
  for (std::size_t r = 0; r < raw.size(); ++r) {
    const Picoseconds length = raw[r].window.length();
    std::size_t& at = open[static_cast<std::size_t>(raw[r].cls)];
    const bool narrow = length < pixel;
    if (narrow && at != kNoBar) {
      Bar& bar = bars[at];
      const Picoseconds end = std::max(bar.window.end, raw[r].window.end);
      if (raw[r].window.begin - bar.window.end < pixel &&
          end - bar.window.begin <= kWidest * pixel) {
        bar.window.end = end;
        ++bar.events;
        add_time(bar.total, length);
        if (length > bar.longest) {
          bar.longest = length;
          longest[at] = r;
        }
        continue;
      }
    }
    at = narrow ? bars.size() : kNoBar;
    bars.push_back({.window = raw[r].window,
                    .cls = raw[r].cls,
                    .events = 1,
                    .total = length,
                    .longest = length,
                    .label = {},
                    .detail = {}});
    longest.push_back(r);
  }
  for (std::size_t b = 0; b < bars.size(); ++b) {
    BarLabel label = name(raw[longest[b]]);
    bars[b].label = std::move(label.label);
    bars[b].detail = std::move(label.detail);
  }
  std::ranges::stable_sort(bars, {},
                           [](const Bar& b) { return std::tuple(b.window.begin, b.cls); });
  return bars;
}

BarClass class_of(WorkClass cls) {
  switch (cls) {
    case WorkClass::compute:
      return BarClass::compute;
    case WorkClass::collective:
      return BarClass::collective;
    case WorkClass::memcpy:
    case WorkClass::memset:
      return BarClass::copy;
    case WorkClass::other:
      break;
  }
  return BarClass::other;
}

BarClass class_of(IdlePart part) {
  switch (part) {
    case IdlePart::host_late:
      return BarClass::host_late;
    case IdlePart::launch_path:
      return BarClass::launch_path;
    case IdlePart::graph_internal:
    case IdlePart::queued_short:
    case IdlePart::queued_long:
      return BarClass::queued;
    case IdlePart::unknown:
    case IdlePart::tail:
      break;
  }
  return BarClass::unknown;
}

BarClass class_of(PathKind kind) {
  switch (kind) {
    case PathKind::compute:
      return BarClass::compute;
    case PathKind::transfer:
    case PathKind::collective:
      return BarClass::collective;
    case PathKind::copy:
      return BarClass::copy;
    case PathKind::host_late:
      return BarClass::host_late;
    case PathKind::launch_path:
      return BarClass::launch_path;
    case PathKind::graph_internal:
    case PathKind::queued_short:
    case PathKind::queued_long:
      return BarClass::queued;
    case PathKind::unknown:
      break;
  }
  return BarClass::unknown;
}

BarClass class_of(const HostName& name) {
  if (name.wait) return BarClass::host_wait;
  switch (name.cls) {
    case HostClass::input:
      return BarClass::host_input;
    case HostClass::sync:
      return BarClass::host_wait;
    case HostClass::compile:
      return BarClass::host_compile;
    case HostClass::python:
      return BarClass::host_python;
    case HostClass::launch:
      return BarClass::host_launch;
    default:
      return BarClass::host_other;
  }
}

std::string_view name_of(BarClass cls) {
  constexpr std::array<std::string_view, kBarClasses> kNames = {
      "compute",     "collective", "copy, fill", "other work",     "host late",
      "launch path", "queued",     "unknown",    "launching",      "Python",
      "input",       "waiting",    "compiling",  "other host work"};
  return kNames[static_cast<std::size_t>(cls)];
}

char letter_of(BarClass cls) {
  constexpr std::string_view kLetters = "CXMohlq?LPIWJa";
  return kLetters[static_cast<std::size_t>(cls)];
}

}  // namespace jaxtrace
