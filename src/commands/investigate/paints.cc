// The first colour of a row is for light pages, the second for dark ones.  Text on a bar is black
// or white, whichever has the greater contrast (WCAG 2): 4.5 or more everywhere.
#include "commands/investigate/paints.h"

namespace jaxtrace {
namespace {

constexpr SvgPaint kPaints[] = {
    {"page", "fill", "#ffffff", "#0d1117"},
    {"outside", "fill", "#f3f4f6", "#161b22"},
    {"ink", "fill", "#1b1f24", "#e6edf3"},
    {"dim", "fill", "#57606a", "#9da5ae"},
    {"bold", "font-weight", "bold", "bold"},
    {"grid", "stroke", "#dde1e6", "#2a313c"},
    {"edge", "stroke", "#1b1f24", "#e6edf3"},
    {"arrival", "stroke", "#57606a", "#9da5ae"},
    {"dashes", "stroke-dasharray", "4 3", "4 3"},
    {"open", "fill", "none", "none"},
    {"thin", "stroke-width", "1", "1"},
    {"band", "stroke-width", "2.5", "2.5"},
    {"see", "fill-opacity", "0.75", "0.75"},
    {"black", "fill", "#000000", "#000000"},
    {"on-compute", "fill", "#ffffff", "#000000"},
    {"pen", "stroke", "#00000066", "#00000073"},
    {"fine", "stroke", "#00000026", "#00000033"},
    // Bars: names of BarClass, and grounds of hatched ones
    {"compute", "fill", "#0072b2", "#4aa3df"},
    {"collective-g", "fill", "#e69f00", "#f0b23c"},
    {"collective", "fill", "url(#collective-h)", "url(#collective-h)"},
    {"copy-g", "fill", "#1fb486", "#2cc295"},
    {"copy", "fill", "url(#copy-h)", "url(#copy-h)"},
    {"other", "fill", "#9a9a9a", "#8b949e"},
    {"late", "fill", "#d55e00", "#ff7b3a"},
    {"way", "fill", "#cc79a7", "#e39ac4"},
    {"queued", "fill", "#e3d200", "#e8dc57"},
    {"unknown-g", "fill", "#c4c8ce", "#6b7480"},
    {"unknown", "fill", "url(#unknown-h)", "url(#unknown-h)"},
    {"launch", "fill", "#8ecbf0", "#79b8e0"},
    {"python", "fill", "#d3d8df", "#aab2bc"},
    {"input-g", "fill", "#cbb6ee", "#b9a2e6"},
    {"input", "fill", "url(#input-h)", "url(#input-h)"},
    {"wait-g", "fill", "#eef1f4", "#97a0aa"},
    {"wait", "fill", "url(#wait-h)", "url(#wait-h)"},
    {"compile", "fill", "#c58b52", "#d09a63"},
    {"host", "fill", "#b3bac4", "#8f98a3"},
};

constexpr SvgHatch kHatches[] = {
    {"collective-h", "collective-g", "pen", "M0 6L6 0"},
    {"copy-h", "copy-g", "pen", "M3 0V6"},
    {"unknown-h", "unknown-g", "pen", "M0 6L6 0M0 0L6 6"},
    {"input-h", "input-g", "fine", "M1 3H4"},
    {"wait-h", "wait-g", "fine", "M0 0L6 6"},
};

struct Look {
  std::string_view fill, ground, text;
};
constexpr std::array<Look, kBarClasses> kLooks = {{{"compute", "compute", "on-compute"},
                                                   {"collective", "collective-g", "black"},
                                                   {"copy", "copy-g", "black"},
                                                   {"other", "other", "black"},
                                                   {"late", "late", "black"},
                                                   {"way", "way", "black"},
                                                   {"queued", "queued", "black"},
                                                   {"unknown", "unknown-g", "black"},
                                                   {"launch", "launch", "black"},
                                                   {"python", "python", "black"},
                                                   {"input", "input-g", "black"},
                                                   {"wait", "wait-g", "black"},
                                                   {"compile", "compile", "black"},
                                                   {"host", "host", "black"}}};

}  // namespace

std::span<const SvgPaint> all_paints() {
  return kPaints;
}

std::span<const SvgHatch> all_hatches() {
  return kHatches;
}

std::string_view fill_of(BarClass cls, double width) {
  constexpr double kHatch = 4;
  const Look& look = kLooks[static_cast<std::size_t>(cls)];
  return width < kHatch ? look.ground : look.fill;
}

std::string_view text_on(BarClass cls) {
  return kLooks[static_cast<std::size_t>(cls)].text;
}

}  // namespace jaxtrace
