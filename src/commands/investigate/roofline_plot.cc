// Labels are placed greedily, those of the largest shares first, each where it covers neither a
// point nor another label; what finds no place has its tooltip only.
#include "commands/investigate/roofline_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/times.h"
#include "report/words.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMostPoints = 400;
constexpr std::size_t kMostLabels = 14;
constexpr double kLabelWidth = 190;
constexpr double kLeastIntensity = 1e-3;  // FLOP/byte; no GPU's knee is below 1
constexpr double kLeastRadius = 3, kMostRadius = 24;

bool overlap(const Box& a, const Box& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

bool inside(const Box& a, const Box& area) {
  return a.x >= area.x && a.y >= area.y && a.x + a.width <= area.x + area.width &&
         a.y + a.height <= area.y + area.height;
}

/// Whether a line passes through a box: it is cut to the box, side by side.
bool crosses(const Stroke& line, const Box& box) {
  double from = 0, to = 1;
  const auto cut = [&](double start, double delta, double low, double high) {
    if (delta == 0) return start > low && start < high;
    double a = (low - start) / delta, b = (high - start) / delta;
    if (a > b) std::swap(a, b);
    from = std::max(from, a);
    to = std::min(to, b);
    return from < to;
  };
  return cut(line.x1, line.x2 - line.x1, box.x, box.x + box.width) &&
         cut(line.y1, line.y2 - line.y1, box.y, box.y + box.height);
}

Box around(const PlotPoint& point) {
  return {point.x - point.radius, point.y - point.radius, 2 * point.radius, 2 * point.radius};
}

/// Whole decades around all values, with some room.
LogAxis axis_of(double least, double most, double from, double to) {
  constexpr double kRoom = 0.12;
  LogAxis axis{std::floor(std::log10(least) - kRoom), std::ceil(std::log10(most) + kRoom), from,
               to};
  if (axis.high - axis.low < 2) axis.high = axis.low + 2;
  return axis;
}

struct Peak {
  double rate;
  std::string label;
};

/// Of the precisions that are drawn; equal ones are one roof.
std::vector<Peak> peaks_of(const Roofline& roofline, const std::vector<std::size_t>& rows) {
  std::map<std::int64_t, std::string> found;
  if (!roofline.machine) return {};
  for (std::size_t p = 1; p < hlo::kPrecisions; ++p) {
    const auto precision = static_cast<hlo::Precision>(p);
    const std::optional<std::int64_t> peak = roofline.machine->peak(precision);
    const bool used = std::ranges::any_of(
        rows, [&](std::size_t r) { return roofline.rows[r].cost.precision == precision; });
    if (!peak || *peak <= 0 || !used) continue;
    std::string& label = found[*peak];
    label += (label.empty() ? "" : ", ") + std::string(hlo::text(precision));
  }
  std::vector<Peak> peaks;
  for (auto& [peak, label] : found) {
    peaks.push_back({static_cast<double>(peak),
                     label + ' ' + for_people(static_cast<double>(peak), Unit::flops_per_second)});
  }
  return peaks;
}

/// What labels must not cover.
struct Taken {
  std::vector<Box> boxes;
  std::vector<Stroke> strokes;

  bool hit(const Box& box) const {
    return std::ranges::any_of(boxes, [&](const Box& other) { return overlap(box, other); }) ||
           std::ranges::any_of(strokes, [&](const Stroke& line) { return crosses(line, box); });
  }
};

/// Left of where a level line leaves the slope, over which no point that is right can be; else the
/// first free place above or below the line, from its end leftwards.
Box place_on_line(const Stroke& line, double width, const Box& area, const Taken& taken) {
  constexpr double kHeight = kRooflineText;
  const Box knee{line.x1 - width - 10, line.y1 - kHeight - 1, width, kHeight};
  if (inside(knee, area) && !taken.hit(knee)) return knee;
  for (const double y : {-kHeight - 4, 4.0, -kHeight - 20, 20.0}) {
    for (double right = line.x2 - 4; right - width > line.x1; right -= 10) {
      const Box box{right - width, line.y1 + y, width, kHeight};
      if (!taken.hit(box)) return box;
    }
  }
  return {line.x2 - 4 - width, line.y1 - kHeight - 4, width, kHeight};
}

/// Left of a rising line, where no point that is right can be.
Box place_on_slope(const Stroke& line, double width, const Box& area, const Taken& taken) {
  Box box;
  for (const double along : {0.55, 0.7, 0.4, 0.85, 0.25}) {
    const double x = line.x1 + along * (line.x2 - line.x1);
    const double y = line.y1 + along * (line.y2 - line.y1);
    box = {std::max(x - width - 14, area.x + 4), y - kRooflineText - 4, width, kRooflineText};
    if (!taken.hit(box)) return box;
  }
  return box;
}

void add_roofs(const Roofline& roofline, const std::vector<Peak>& peaks, RooflinePlot& plot,
               Taken& taken) {
  if (!roofline.machine || roofline.machine->bytes_per_s <= 0) return;
  const auto bandwidth = static_cast<double>(roofline.machine->bytes_per_s);
  for (const Peak& peak : peaks) {
    const double y = plot.rate.at(peak.rate);
    plot.roofs.push_back(
        {{plot.intensity.at(peak.rate / bandwidth), y, plot.area.x + plot.area.width, y},
         peak.label,
         {}});
  }
  // Memory: up to the highest of them.
  const double least =
      std::max(std::pow(10, plot.intensity.low), std::pow(10, plot.rate.low) / bandwidth);
  const double most =
      peaks.empty() ? std::pow(10, plot.rate.high) / bandwidth : peaks.back().rate / bandwidth;
  plot.roofs.push_back({{plot.intensity.at(least), plot.rate.at(least * bandwidth),
                         plot.intensity.at(most), plot.rate.at(most * bandwidth)},
                        "memory " + for_people(bandwidth, Unit::bytes_per_second),
                        {}});
  for (const PlotRoof& roof : plot.roofs) taken.strokes.push_back(roof.line);
  for (PlotRoof& roof : plot.roofs) {
    const double width = text_width(roof.label, kRooflineText);
    const bool slope = &roof == &plot.roofs.back();
    roof.label_box = slope ? place_on_slope(roof.line, width, plot.area, taken)
                           : place_on_line(roof.line, width, plot.area, taken);
    taken.boxes.push_back(roof.label_box);
  }
}

constexpr std::size_t kNearPlaces = 8;

/// Where a label may stand beside its point: near, then farther off with a line to it.
std::vector<Box> places(const PlotPoint& point, double width) {
  constexpr double kHeight = kRooflineText;
  std::vector<Box> out;
  for (const double off : {3.0, 22.0, 44.0}) {
    const double r = point.radius + off;
    const double slant = 0.7 * r;
    out.push_back({point.x + r, point.y - kHeight / 2, width, kHeight});
    out.push_back({point.x - r - width, point.y - kHeight / 2, width, kHeight});
    out.push_back({point.x - width / 2, point.y - r - kHeight, width, kHeight});
    out.push_back({point.x - width / 2, point.y + r, width, kHeight});
    out.push_back({point.x + slant, point.y - slant - kHeight, width, kHeight});
    out.push_back({point.x + slant, point.y + slant, width, kHeight});
    out.push_back({point.x - slant - width, point.y - slant - kHeight, width, kHeight});
    out.push_back({point.x - slant - width, point.y + slant, width, kHeight});
  }
  return out;
}

Stroke leader_to(const PlotPoint& point, const Box& box) {
  return {point.x, point.y, std::clamp(point.x, box.x, box.x + box.width),
          std::clamp(point.y, box.y, box.y + box.height)};
}

void add_labels(const Ops& ops, const Roofline& roofline, RooflinePlot& plot, Taken& taken) {
  std::size_t labels = 0;
  for (std::size_t p = 0; p < plot.points.size() && labels < kMostLabels; ++p) {
    PlotPoint& point = plot.points[p];
    const std::string name =
        fitted(ops.rows[roofline.rows[point.row].op].name, kLabelWidth, kRooflineText);
    const std::vector<Box> candidates = places(point, text_width(name, kRooflineText));
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const Box& box = candidates[c];
      if (!inside(box, plot.area) || taken.hit(box)) continue;
      if (c >= kNearPlaces) {
        const Stroke leader = leader_to(point, box);
        const auto crossed = [&](const Box& other) { return crosses(leader, other); };
        // Points may lie under it: clusters are where labels have to go far.
        if (std::any_of(taken.boxes.begin() + static_cast<std::ptrdiff_t>(plot.points.size()),
                        taken.boxes.end(), crossed)) {
          continue;
        }
        point.leader = leader;
        taken.strokes.push_back(leader);
      }
      point.label = name;
      point.label_box = box;
      taken.boxes.push_back(box);
      ++labels;
      break;
    }
  }
}

/// Rows that make up nearly all of the time: what else there is may be many decades away.  So are
/// those with next to no arithmetic, such as a slice that computes its one index: unless there is
/// nothing else, they would push the others together.
std::vector<std::size_t> rows_that_count(const Roofline& roofline,
                                         const std::vector<std::size_t>& rows) {
  constexpr double kNearlyAll = 0.99;
  Picoseconds all{0}, reached{0};
  const auto counts = [&](std::size_t r) { return *roofline.rows[r].intensity >= kLeastIntensity; };
  const bool any = std::ranges::any_of(rows, counts);
  for (const std::size_t r : rows) add_time(all, roofline.rows[r].total);
  std::vector<std::size_t> out;
  for (const std::size_t r : rows) {
    if (any && !counts(r)) continue;
    if (static_cast<double>(reached.count()) > kNearlyAll * static_cast<double>(all.count())) break;
    add_time(reached, roofline.rows[r].total);
    out.push_back(r);
  }
  return out;
}

}  // namespace

double LogAxis::at(double value) const {
  return from + (to - from) * (std::log10(value) - low) / (high - low);
}

bool is_drawable(const RooflineRow& row) {
  return !row.left_out && row.flops.value_or(0) > 0 && row.bytes.value_or(0) > 0 &&
         row.intensity.value_or(0) > 0 && row.flops_per_s.value_or(0) > 0 &&
         std::isfinite(*row.intensity) && std::isfinite(*row.flops_per_s);
}

RooflinePlot roofline_plot(const Ops& ops, const Roofline& roofline, const Box& area) {
  RooflinePlot plot;
  plot.area = area;
  std::vector<std::size_t> rows;
  Picoseconds all{0}, drawn{0};
  for (std::size_t r = 0; r < roofline.rows.size(); ++r) {
    if (!is_drawable(roofline.rows[r])) continue;
    ++plot.drawable;
    add_time(all, roofline.rows[r].total);
    if (rows.size() < kMostPoints) rows.push_back(r);
  }
  if (rows.empty()) return plot;

  const std::vector<Peak> peaks = peaks_of(roofline, rows);
  std::vector<double> intensities, rates;
  for (const std::size_t r : rows_that_count(roofline, rows)) {
    intensities.push_back(*roofline.rows[r].intensity);
    rates.push_back(*roofline.rows[r].flops_per_s);
  }
  for (const Peak& peak : peaks) {
    rates.push_back(peak.rate);
    intensities.push_back(peak.rate / static_cast<double>(roofline.machine->bytes_per_s));
  }
  const auto [least_x, most_x] = std::ranges::minmax(intensities);
  const auto [least_y, most_y] = std::ranges::minmax(rates);
  plot.intensity = axis_of(least_x, most_x, area.x, area.x + area.width);
  plot.rate = axis_of(least_y, most_y, area.y + area.height, area.y);

  Taken taken;
  for (const std::size_t r : rows) {
    const RooflineRow& row = roofline.rows[r];
    const double share = static_cast<double>(row.total.count()) /
                         static_cast<double>(std::max<std::int64_t>(roofline.all.count(), 1));
    PlotPoint point{.row = r,
                    .x = plot.intensity.at(*row.intensity),
                    .y = plot.rate.at(*row.flops_per_s),
                    .radius = std::max(kLeastRadius, kMostRadius * std::sqrt(share)),
                    .label = {},
                    .label_box = {},
                    .leader = {}};
    if (!inside({point.x, point.y, 0, 0}, area)) {
      if (point.x < area.x) {
        ++plot.left;
        add_time(plot.left_time, row.total);
      }
      continue;
    }
    add_time(drawn, row.total);
    taken.boxes.push_back(around(point));
    plot.points.push_back(std::move(point));
  }
  plot.beyond = all - drawn;
  add_roofs(roofline, peaks, plot, taken);
  add_labels(ops, roofline, plot, taken);
  return plot;
}

}  // namespace jaxtrace
