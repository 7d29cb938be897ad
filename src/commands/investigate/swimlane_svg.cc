// The swimlane as SVG.  Bars stand where their times are, never wider than a pixel more; a bar of
// several events is as high as they fill its time.  What has no room for its text has a tooltip.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "commands/investigate/paints.h"
#include "commands/investigate/swimlane.h"
#include "commands/investigate/swimlane_words.h"
#include "report/svg.h"
#include "report/svg_scale.h"
#include "report/text.h"

namespace jaxtrace {
namespace {

constexpr double kWidth = 1200, kMargin = 14, kGutter = 186;
constexpr double kRight = kWidth - kMargin;
constexpr double kTitleSize = 14, kTextSize = 11, kSmallSize = 9.5;
constexpr double kLine = 15;  // Of the caption
constexpr double kGroupGap = 10, kLaneGap = 4;
constexpr double kLeastLabel = 30;  // Pixels of a bar that is worth a label
constexpr std::size_t kLongestName = 90;

double height_of(SwimLane::Kind kind) {
  switch (kind) {
    case SwimLane::Kind::idle:
      return 8;
    case SwimLane::Kind::folded:
      return 11;
    default:
      return 15;
  }
}

std::string name_text(std::string_view name) {
  return shortened(one_line(name), kLongestName);
}

/// What a bar says when one points at it.
std::string tooltip(const Swimlane& of, const Bar& bar) {
  const std::string label = bar.detail.empty()
                                ? name_text(bar.label)
                                : name_text(bar.label) + " (" + name_text(bar.detail) + ")";
  std::string when = fmt::format("from {} to {}", exact_us(bar.window.begin - of.step.begin),
                                 exact_us(bar.window.end - of.step.begin));
  if (bar.window.begin == of.axis.begin || bar.window.end == of.axis.end) {
    when += " (cut at the edge)";
  }
  if (bar.events == 1) {
    return fmt::format("{} · {} · {} · {}", label, name_of(bar.cls), exact_us(bar.total), when);
  }
  return fmt::format("{} of {} · {} in all · {} · longest: {}, {}", counted(bar.events, "event"),
                     name_of(bar.cls), exact_us(bar.total), when, label, exact_us(bar.longest));
}

/// Where everything stands.
struct Layout {
  const Swimlane& of;
  std::vector<std::string> caption{};
  double legend = 0, axis = 0, marks = 0, top = 0, bottom = 0, height = 0;
  std::vector<double> lane_top{};

  explicit Layout(const Swimlane& swimlane);

  double x(Picoseconds time) const {
    const auto span = static_cast<double>(of.axis.length().count());
    const auto from = static_cast<double>((time - of.axis.begin).count());
    return std::clamp(kGutter + (kRight - kGutter) * from / span, kGutter, kRight);
  }
  double lane_bottom(std::size_t lane) const {
    return lane_top[lane] + height_of(of.lanes[lane].kind);
  }
};

// ---- The legend

struct LegendEntry {
  enum class Shape : std::uint8_t { heading, bar, band, tick, flow, arrival };
  Shape shape;
  BarClass cls;
  std::string words;
};

std::vector<LegendEntry> legend_of(const Swimlane& of) {
  std::array<bool, kBarClasses> used{};
  bool ticks = false;
  for (const SwimLane& lane : of.lanes) {
    for (const Bar& bar : lane.bars) used[static_cast<std::size_t>(bar.cls)] = true;
    ticks = ticks || !lane.ticks.empty();
  }
  std::vector<LegendEntry> entries;
  std::string_view heading;
  for (std::size_t c = 0; c < kBarClasses; ++c) {
    const auto cls = static_cast<BarClass>(c);
    if (!used[c]) continue;
    const std::string_view of_cls = is_work(cls)               ? "GPU work:"
                                    : cls <= BarClass::unknown ? "GPU idle:"
                                                               : "host:";
    if (of_cls != heading)
      entries.push_back({LegendEntry::Shape::heading, {}, std::string(of_cls)});
    heading = of_cls;
    entries.push_back({LegendEntry::Shape::bar, cls, std::string(name_of(cls))});
  }
  entries.push_back({LegendEntry::Shape::heading, {}, "marks:"});
  entries.push_back({LegendEntry::Shape::band, {}, "critical path"});
  if (ticks) entries.push_back({LegendEntry::Shape::tick, {}, "launch call"});
  if (!of.flows.empty()) entries.push_back({LegendEntry::Shape::flow, {}, "from launch to kernel"});
  if (!of.arrivals.empty()) {
    entries.push_back({LegendEntry::Shape::arrival, {}, "last GPU arrives at a collective"});
  }
  return entries;
}

constexpr double kSwatch = 16;

double legend_width(const LegendEntry& entry) {
  if (entry.shape == LegendEntry::Shape::heading) return text_width(entry.words, kTextSize) + 6;
  return kSwatch + 5 + text_width(entry.words, kTextSize) + 12;
}

/// Calls `place` with each entry's position; returns how high the legend is.
template <typename Place>
double lay_legend(const std::vector<LegendEntry>& entries, const Place& place) {
  double x = kMargin, y = 0;
  for (const LegendEntry& entry : entries) {
    const double width = legend_width(entry);
    if (x > kMargin && x + width > kRight) {
      x = kMargin;
      y += kLine;
    }
    place(entry, x, y);
    x += width;
  }
  return y + kLine;
}

Layout::Layout(const Swimlane& swimlane) : of(swimlane) {
  const auto columns = static_cast<std::size_t>((kRight - kMargin) / text_width("x", kTextSize));
  const auto add = [&](const std::string& sentence) {
    for (std::string& line : wrapped(sentence, columns)) caption.push_back(std::move(line));
  };
  add(of.consists);
  for (const std::string& sentence : of.caption) add(sentence);
  for (const std::string& sentence : of.drawn) add(sentence);
  double y = kMargin + 22 + static_cast<double>(caption.size()) * kLine + 6;
  legend = y;
  y += lay_legend(legend_of(of), [](const LegendEntry&, double, double) {}) + 8;
  axis = y + kTextSize;
  marks = axis + 14;
  y = marks + 6;
  top = y;
  for (std::size_t l = 0; l < of.lanes.size(); ++l) {
    if (l > 0) y += of.lanes[l].group == of.lanes[l - 1].group ? kLaneGap : kGroupGap;
    lane_top.push_back(y);
    y += height_of(of.lanes[l].kind);
  }
  bottom = y + 4;
  height = bottom + 22;
}

void draw_legend(const Layout& at, SvgPage& page) {
  using Shape = LegendEntry::Shape;
  lay_legend(legend_of(at.of), [&](const LegendEntry& entry, double x, double y) {
    const double base = at.legend + y + 11, middle = base - 4;
    switch (entry.shape) {
      case Shape::heading:
        page.text("dim", x, base, kTextSize, entry.words);
        return;
      case Shape::bar:
        page.rect(fill_of(entry.cls, kSwatch), {x, base - 9, kSwatch, 11});
        break;
      case Shape::band:
        page.line("edge band", x, middle, x + kSwatch, middle);
        break;
      case Shape::tick:
        page.line("edge thin", x + kSwatch / 2, base - 9, x + kSwatch / 2, base - 4);
        break;
      case Shape::flow:
        page.path("edge thin open", fmt::format("M{} {}L{} {}", svg_number(x), svg_number(base - 9),
                                                svg_number(x + kSwatch), svg_number(base)));
        break;
      case Shape::arrival:
        page.line("arrival thin dashes", x + kSwatch / 2, base - 10, x + kSwatch / 2, base + 2);
        break;
    }
    page.text("ink", x + kSwatch + 5, base, kTextSize, entry.words);
  });
}

// ---- The axis

struct TimeUnit {
  std::string_view name;
  double picoseconds;
};

TimeUnit unit_of(Picoseconds span) {
  if (span < std::chrono::nanoseconds(2)) return {"ps", 1};
  if (span < std::chrono::microseconds(2)) return {"ns", 1e3};
  if (span < std::chrono::milliseconds(2)) return {"µs", 1e6};
  return span < std::chrono::seconds(2) ? TimeUnit{"ms", 1e9} : TimeUnit{"s", 1e12};
}

void draw_axis(const Layout& at, SvgPage& page) {
  const Swimlane& of = at.of;
  const TimeUnit unit = unit_of(of.axis.length());
  constexpr double kBetween = 90;  // Pixels
  const double span = static_cast<double>(of.axis.length().count()) / unit.picoseconds;
  const double step = round_step(span * kBetween / (kRight - kGutter));
  const auto first = static_cast<std::int64_t>(std::ceil(
      static_cast<double>((of.axis.begin - of.step.begin).count()) / unit.picoseconds / step));
  for (std::int64_t i = first;; ++i) {
    const double value = static_cast<double>(i) * step;
    const auto offset = static_cast<std::int64_t>(std::llround(value * unit.picoseconds));
    const Picoseconds time = of.step.begin + Picoseconds{offset};
    if (time >= of.axis.end) break;
    const double x = at.x(time);
    page.line("grid thin", x, at.axis + 3, x, at.bottom);
    const std::string words = fmt::format("{:.10g} {}", value, unit.name);
    const double half = text_width(words, kTextSize) / 2;
    if (x - half < kGutter - 20 || x + half > kRight) continue;
    page.text("dim", x, at.axis, kTextSize, words, "middle");
    page.text("dim", x, at.bottom + 13, kTextSize, words, "middle");
  }
  page.text("dim", kMargin, at.bottom + 13, kSmallSize,
            of.has_steps ? "time since step begin" : "time since first work");
}

// ---- Lanes

void draw_labels(const Layout& at, SvgPage& page) {
  const Swimlane& of = at.of;
  for (std::size_t l = 0; l < of.lanes.size(); ++l) {
    const SwimLane& lane = of.lanes[l];
    const double middle = (at.lane_top[l] + at.lane_bottom(l)) / 2;
    const std::string label = fitted(lane.label, 100, kSmallSize);
    page.text("dim", kGutter - 6, middle + 3.5, kSmallSize, label, "end",
              label == lane.label ? "" : name_text(lane.label));
    if (l > 0 && of.lanes[l - 1].group == lane.group) continue;
    const std::string& group = of.groups[lane.group];
    const double room = kGutter - 6 - text_width(label, kSmallSize) - 10 - kMargin;
    const std::string shown = fitted(group, room, kTextSize);
    page.text("ink bold", kMargin, middle + 4, kTextSize, shown, "start",
              shown == group ? "" : name_text(group));
  }
}

void draw_bar(const Layout& at, const Bar& bar, double top, double height, SvgPage& page) {
  const double x = at.x(bar.window.begin);
  double width = at.x(bar.window.end) - x;
  // A seam shows where one event ends and the next begins.
  width = width > 3 ? width - 0.5 : std::max(width, 0.6);
  double filled = height;
  if (bar.events > 1) {
    const double share =
        static_cast<double>(bar.total.count()) / static_cast<double>(bar.window.length().count());
    filled = std::max(1.0, height * std::min(share, 1.0));
  }
  page.rect(fill_of(bar.cls, width), {x, top + height - filled, width, filled},
            tooltip(at.of, bar));
  if (bar.events > 1 || width < kLeastLabel || height < 14) return;
  page.text(text_on(bar.cls), x + 3, top + height - 4, kSmallSize,
            fitted(bar.label, width - 6, kSmallSize));
}

void draw_lanes(const Layout& at, SvgPage& page) {
  const Swimlane& of = at.of;
  for (std::size_t l = 0; l < of.lanes.size(); ++l) {
    const SwimLane& lane = of.lanes[l];
    const double top = at.lane_top[l], height = height_of(lane.kind);
    page.line("grid thin", kGutter, top + height, kRight, top + height);
    for (const Bar& bar : lane.bars) draw_bar(at, bar, top, height, page);
    if (lane.ticks.empty()) continue;
    std::string data;
    for (const Picoseconds tick : lane.ticks) {
      data += fmt::format("M{} {}v4", svg_number(at.x(tick)), svg_number(top - 1));
    }
    page.path("edge thin", data, counted(lane.launches, "launch call"));
  }
}

/// One line below the lanes that the path lies in, with steps between them.
void draw_path(const Layout& at, SvgPage& page) {
  std::string stays, moves;
  for (const SwimPath& stretch : at.of.path) {
    const std::string y = svg_number(at.lane_bottom(stretch.lane) + 2);
    const std::string x = svg_number(at.x(stretch.window.begin));
    moves += moves.empty() ? "" : "V" + y;
    stays += fmt::format("M{} {}H{}", x, y, svg_number(at.x(stretch.window.end)));
    moves += fmt::format("M{} {}", svg_number(at.x(stretch.window.end)), y);
  }
  if (stays.empty()) return;
  page.path("edge thin open", moves);
  page.path("edge band open", stays);
}

void draw_flows(const Layout& at, SvgPage& page) {
  for (const SwimFlow& flow : at.of.flows) {
    const double x2 = at.x(flow.to), y2 = at.lane_top[flow.to_lane];
    // Of a launch long ago only the last of the way is drawn.
    constexpr double kStub = 12;
    const bool shown = flow.from >= at.of.axis.begin;
    const double x1 = shown ? at.x(flow.from) : std::max(x2 - kStub, kGutter);
    const double y1 = shown ? at.lane_top[flow.from_lane] + 2 : y2 - kStub;
    const std::string tip = name_text(flow.label);
    const std::string line =
        fmt::format("M{} {}L{} {}", svg_number(x1), svg_number(y1), svg_number(x2), svg_number(y2));
    page.path("edge thin open", line, tip);
    page.path("ink", fmt::format("M{} {}l-3 -5h6z", svg_number(x2), svg_number(y2)), tip);
    if (shown) page.circle("ink", x1, y1, 2, tip);
  }
}

/// Names stand in one row, as far as they do not run into each other.
void draw_marks(const Layout& at, SvgPage& page) {
  const Swimlane& of = at.of;
  const double begin = at.x(of.step.begin), end = at.x(of.step.end);
  page.line("edge thin", begin, at.marks - 8, begin, at.bottom);
  page.line("edge thin", end, at.marks - 8, end, at.bottom);
  const std::string_view first = of.has_steps ? "step begins" : "capture begins";
  const std::string_view last = of.has_steps ? "step ends" : "capture ends";
  page.text("ink", begin + 3, at.marks, kSmallSize, first);
  page.text("ink", end - 3, at.marks, kSmallSize, last, "end");
  double reached = begin + 3 + text_width(first, kSmallSize);
  const double limit = end - 3 - text_width(last, kSmallSize);
  // Threads take no part in collectives: the lines begin at the path.
  const auto path = std::ranges::find(of.lanes, SwimLane::Kind::path, &SwimLane::kind);
  const double top = at.lane_top[static_cast<std::size_t>(path - of.lanes.begin())] - 4;
  for (const SwimMark& mark : of.arrivals) {
    const double x = at.x(mark.at);
    page.line("arrival thin dashes", x, top, x, at.bottom, name_text(mark.detail));
    const std::string words = fitted(mark.label, 130, kSmallSize);
    const double width = text_width(words, kSmallSize);
    if (x + 3 < reached + 6 || x + 3 + width + 6 > limit) continue;
    page.line("arrival thin", x, at.marks - 8, x, at.marks + 2);
    page.text("dim", x + 3, at.marks, kSmallSize, words, "start", name_text(mark.detail));
    reached = x + 3 + width;
  }
}

}  // namespace

std::string svg(const Swimlane& swimlane) {
  if (swimlane.lanes.empty()) return "";
  const Layout at(swimlane);
  SvgPage page(kWidth, at.height, swimlane.title, all_paints(), all_hatches());
  page.text("ink bold", kMargin, kMargin + 12, kTitleSize,
            fitted(swimlane.title, kRight - kMargin, kTitleSize));
  for (std::size_t i = 0; i < at.caption.size(); ++i) {
    page.text("ink", kMargin, kMargin + 22 + static_cast<double>(i + 1) * kLine - 3, kTextSize,
              at.caption[i]);
  }
  draw_legend(at, page);
  const double begin = at.x(swimlane.step.begin), end = at.x(swimlane.step.end);
  page.rect("outside", {kGutter, at.top - 4, begin - kGutter, at.bottom - at.top + 4});
  page.rect("outside", {end, at.top - 4, kRight - end, at.bottom - at.top + 4});
  draw_axis(at, page);
  draw_labels(at, page);
  draw_lanes(at, page);
  draw_marks(at, page);
  draw_path(at, page);
  draw_flows(at, page);
  return std::move(page).finish();
}

}  // namespace jaxtrace
