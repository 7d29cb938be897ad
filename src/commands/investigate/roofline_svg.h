// The roofline as a drawing.
#pragma once

#include <string>

#include "investigation/roofline.h"

namespace jaxtrace {

/// An SVG file: FLOPs a second over FLOPs a byte, both logarithmic; a point for each instruction of
/// which both are known, as large as its share of time; roofs where the machine is known.  Where
/// there is nothing to draw, it says why.
std::string roofline_svg(const Trace& trace, const Ops& ops, const Roofline& roofline);

}  // namespace jaxtrace
