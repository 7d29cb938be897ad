// Bars before and after merging.
#pragma once

#include <functional>
#include <vector>

#include "commands/investigate/swimlane.h"

namespace jaxtrace {

/// An event, a gap or a stretch of the path, cut to the axis.
struct RawBar {
  Window window;
  BarClass cls = BarClass::compute;
  std::uint32_t event = kNoEvent;
};

struct BarLabel {
  std::string label, detail;
};
/// What to call a raw bar.
using NameBar = std::function<BarLabel(const RawBar&)>;

/// Merges neighbours of a class that are narrower than `pixel` and less than that apart.  What it
/// makes of them is at most some pixels wide, so that it still shows where there is more and where
/// less.  `raw` is by begin.
std::vector<Bar> merge_bars(const std::vector<RawBar>& raw, Picoseconds pixel, const NameBar& name);

BarClass class_of(WorkClass cls);
BarClass class_of(IdlePart part);
BarClass class_of(PathKind kind);
BarClass class_of(const HostName& name);

}  // namespace jaxtrace
