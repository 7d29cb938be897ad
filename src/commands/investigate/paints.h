// Colours of the drawings, for light and dark, and the order of the eye: work of GPUs in the hues
// of Okabe and Ito (Color Universal Design, 2008), which stay apart for colour-blind readers; lost
// time in warm ones; hosts in greys.  What could still be mistaken is hatched as well.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "commands/investigate/swimlane.h"
#include "report/svg.h"

namespace jaxtrace {

std::span<const SvgPaint> all_paints();
std::span<const SvgHatch> all_hatches();

/// The class that fills a bar of so many pixels, and that of text on it.
std::string_view fill_of(BarClass cls, double width);
std::string_view text_on(BarClass cls);

}  // namespace jaxtrace
