// Colour and shape of a point both tell which roof its intensity runs into.
#include "commands/investigate/roofline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "analysis/times.h"
#include "commands/investigate/paints.h"
#include "commands/investigate/roofline_plot.h"
#include "report/svg_scale.h"
#include "report/text.h"
#include "report/words.h"

namespace jaxtrace {
namespace {

constexpr double kWidth = 1000, kPlotHeight = 470, kMargin = 14;
constexpr double kLeft = 96, kRight = kWidth - 34, kLine = 15;
constexpr double kTitleSize = 14, kText = kRooflineText;
constexpr std::size_t kLongestName = 90;

std::string title_of(const Roofline& roofline, const RooflinePlot& plot) {
  const std::string of =
      roofline.machine ? roofline.machine->name : std::string("no known machine");
  if (plot.points.empty()) return "Roofline of " + of + ": nothing to draw";
  return fmt::format("Roofline of {}: {}; areas are shares of GPU time", of,
                     counted(plot.drawable, "instruction"));
}

std::string machine_line(const Roofline& roofline) {
  if (!roofline.machine) {
    return "No roofs: " + (roofline.no_machine.empty() ? std::string("the machine is not known")
                                                       : roofline.no_machine);
  }
  return fmt::format("Roofs of {}{}, read and not measured: {}", roofline.machine->name,
                     roofline.chosen ? ", as --machine says" : "", roofline.machine->source);
}

/// What part of the time is drawn, and why the rest is not.
std::string time_line(const Trace& trace, const Roofline& roofline, const RooflinePlot& plot) {
  Picoseconds drawn{0}, without_flops{0};
  for (const PlotPoint& point : plot.points) add_time(drawn, roofline.rows[point.row].total);
  for (const RooflineRow& row : roofline.rows) {
    if (!row.left_out && !is_drawable(row)) add_time(without_flops, row.total);
  }
  const auto share = [&](Picoseconds time) {
    return share_text(time.count(), roofline.all.count());
  };
  std::set<DeviceId> gpus;
  for (const Lane& lane : trace.lanes) {
    if (lane.kind == LaneKind::stream && lane.count > 0) gpus.insert(lane.device);
  }
  std::string out =
      fmt::format("{} of the GPU time of {} is drawn", share(drawn), counted(gpus.size(), "GPU"));
  std::string rest;
  const auto add = [&](Picoseconds time, std::string_view what) {
    if (time > Picoseconds{0}) {
      rest += fmt::format("{}{} {}", rest.empty() ? "; not: " : ", ", what, share(time));
    }
  };
  add(plot.beyond, "beyond the axes");
  add(without_flops, "without FLOPs");
  for (std::size_t r = 0; r < kNotRooflined; ++r) {
    add(roofline.left_out[r], text(static_cast<NotRooflined>(r)));
  }
  return out + rest + ". Rates are of one GPU, over all instances of an instruction.";
}

/// Which instructions have no place.
std::string beyond_line(const Roofline& roofline, const RooflinePlot& plot) {
  const std::size_t others = plot.drawable - plot.points.size() - plot.left;
  std::string out =
      fmt::format("{} of {} instructions are drawn; ", plot.points.size(), plot.drawable);
  if (plot.left > 0) {
    out += fmt::format("{} below {:g} FLOP/byte ({} of GPU time) left out{}", plot.left,
                       std::pow(10, plot.intensity.low),
                       share_text(plot.left_time.count(), roofline.all.count()),
                       others > 0 ? ", " : ".");
  }
  if (others > 0) {
    out +=
        fmt::format("{}{} ({} of GPU time) lie beyond the axes or are too many.", others,
                    plot.left > 0 ? " others" : "",
                    share_text(plot.beyond.count() - plot.left_time.count(), roofline.all.count()));
  }
  return out;
}

std::string tooltip(const Ops& ops, const Roofline& roofline, const RooflineRow& row) {
  const Op& op = ops.rows[row.op];
  std::string out = fmt::format(
      "{} · {} · {} of GPU time · {} · {} · {:.4g} FLOP/byte",
      shortened(one_line(op.name), kLongestName), op.opcode,
      share_text(row.total.count(), roofline.all.count()),
      for_people(*row.flops_per_s, Unit::flops_per_second),
      row.bytes_per_s ? for_people(*row.bytes_per_s, Unit::bytes_per_second) : "–", *row.intensity);
  if (const auto share = row.peak_share()) {
    out += fmt::format(" · {} of the {} roof", for_people(*share, Unit::ratio), text(*row.bound));
  }
  if (row.cost.precision != hlo::Precision::none) {
    out += fmt::format(" · {}", hlo::text(row.cost.precision));
  }
  if (!op.source.user.file.empty()) {
    out += fmt::format(" · {}:{}", shortened(one_line(op.source.user.file), kLongestName),
                       op.source.user.line);
  }
  if (row.by == InstancesBy::guess) out += " · number of instances guessed";
  return out;
}

/// A circle below a compute roof, a square below memory's; of one size for the eye.
void draw_point(const PlotPoint& point, std::optional<Roof> bound, std::string_view more,
                std::string_view tip, SvgPage& page) {
  const std::string classes = std::string(bound == Roof::memory ? "collective-g"
                                          : bound               ? "compute"
                                                                : "host") +
                              " see " + std::string(more);
  if (bound != Roof::memory) return page.circle(classes, point.x, point.y, point.radius, tip);
  const double side = point.radius * 1.77;
  page.rect(classes, {point.x - side / 2, point.y - side / 2, side, side}, tip);
}

void draw_points(const Ops& ops, const Roofline& roofline, const RooflinePlot& plot,
                 SvgPage& page) {
  for (const PlotPoint& point : plot.points) {
    const RooflineRow& row = roofline.rows[point.row];
    const bool over = row.peak_share().value_or(0) > 1;
    const std::string more = std::string(over ? "edge band" : "edge thin") +
                             (row.by == InstancesBy::guess ? " dashes" : "");
    draw_point(point, row.bound, more, tooltip(ops, roofline, row), page);
  }
  for (const PlotPoint& point : plot.points) {
    if (point.label.empty()) continue;
    const Box& box = point.label_box;
    if (const auto& line = point.leader) {
      page.line("arrival thin", line->x1, line->y1, line->x2, line->y2);
    }
    page.text("ink", box.x, box.y + box.height - 2, kText, point.label);
  }
}

/// "100", "1000" below a thousand million; else as engineers write it.
std::string decade(double power) {
  constexpr double kWritten = 4;
  return std::abs(power) <= kWritten ? fmt::format("{:g}", std::pow(10, power))
                                     : fmt::format("1e{:g}", power);
}

/// "10 TFLOP/s" of 13
std::string decade_rate(double power) {
  constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  const double thousands = std::floor(power / 3);
  if (thousands < 0 || thousands >= static_cast<double>(std::size(kPrefixes))) {
    return fmt::format("1e{:g} FLOP/s", power);
  }
  return fmt::format("{:g} {}FLOP/s", std::pow(10, power - 3 * thousands),
                     kPrefixes[static_cast<std::size_t>(thousands)]);
}

void draw_axes(const RooflinePlot& plot, SvgPage& page) {
  const Box& area = plot.area;
  const double bottom = area.y + area.height;
  constexpr double kMostNames = 12;
  const double every_x = std::ceil((plot.intensity.high - plot.intensity.low) / kMostNames);
  for (double p = plot.intensity.low; p <= plot.intensity.high; p += every_x) {
    const double x = plot.intensity.at(std::pow(10, p));
    page.line("grid thin", x, area.y, x, bottom);
    page.text("dim", x, bottom + 15, kText, decade(p), "middle");
  }
  page.text("ink", area.x + area.width / 2, bottom + 33, kText, "FLOP/byte", "middle");
  const double every_y = std::ceil((plot.rate.high - plot.rate.low) / kMostNames);
  for (double p = plot.rate.low; p <= plot.rate.high; p += every_y) {
    const double y = plot.rate.at(std::pow(10, p));
    page.line("grid thin", area.x, y, area.x + area.width, y);
    page.text("dim", area.x - 6, y + 4, kText, decade_rate(p), "end");
  }
}

void draw_roofs(const RooflinePlot& plot, SvgPage& page) {
  for (const PlotRoof& roof : plot.roofs) {
    page.line("edge band", roof.line.x1, roof.line.y1, roof.line.x2, roof.line.y2);
    page.text("ink", roof.label_box.x, roof.label_box.y + roof.label_box.height - 2, kText,
              roof.label);
  }
}

void draw_legend(const Roofline& roofline, const RooflinePlot& plot, double base, SvgPage& page) {
  double x = kMargin;
  const auto add = [&](std::optional<Roof> bound, std::string_view more, std::string_view words) {
    draw_point({.row = 0,
                .x = x + 6,
                .y = base - 4,
                .radius = 5,
                .label = {},
                .label_box = {},
                .leader = {}},
               bound, more, "", page);
    page.text("ink", x + 17, base, kText, words);
    x += 17 + text_width(words, kText) + 18;
  };
  const auto any = [&](const auto& test) {
    return std::ranges::any_of(plot.points,
                               [&](const PlotPoint& p) { return test(roofline.rows[p.row]); });
  };
  if (any([](const RooflineRow& r) { return r.bound == Roof::compute; })) {
    add(Roof::compute, "edge thin", "below a compute roof");
  }
  if (any([](const RooflineRow& r) { return r.bound == Roof::memory; })) {
    add(Roof::memory, "edge thin", "below the memory roof");
  }
  if (any([](const RooflineRow& r) { return !r.bound; })) {
    add(std::nullopt, "edge thin", "no roof known");
  }
  if (any([](const RooflineRow& r) { return r.peak_share().value_or(0) > 1; })) {
    add(std::nullopt, "edge band", "thick: over its roof, so something is wrong");
  }
  if (any([](const RooflineRow& r) { return r.by == InstancesBy::guess; })) {
    add(std::nullopt, "edge thin dashes", "dashed: instances guessed");
  }
}

}  // namespace

std::string roofline_svg(const Trace& trace, const Ops& ops, const Roofline& roofline) {
  Box area{kLeft, 0, kRight - kLeft, kPlotHeight};
  RooflinePlot plot = roofline_plot(ops, roofline, area);
  const auto columns = static_cast<std::size_t>((kWidth - 2 * kMargin) / text_width("x", kText));
  std::vector<std::string> caption = wrapped(machine_line(roofline), columns);
  for (std::string& line : wrapped(time_line(trace, roofline, plot), columns)) {
    caption.push_back(std::move(line));
  }
  if (plot.points.size() < plot.drawable) {
    for (std::string& line : wrapped(beyond_line(roofline, plot), columns)) {
      caption.push_back(std::move(line));
    }
  }
  const double head = kMargin + 22 + static_cast<double>(caption.size()) * kLine;
  const bool empty = plot.points.empty();
  area.y = head + (empty ? 0 : 40);
  if (!empty) plot = roofline_plot(ops, roofline, area);
  const double height = empty ? head + kMargin : area.y + area.height + 44;

  const std::string title = title_of(roofline, plot);
  SvgPage page(kWidth, height, title, all_paints(), all_hatches());
  page.text("ink bold", kMargin, kMargin + 12, kTitleSize,
            fitted(title, kRight - kMargin, kTitleSize));
  for (std::size_t i = 0; i < caption.size(); ++i) {
    page.text("ink", kMargin, kMargin + 19 + static_cast<double>(i + 1) * kLine, kText, caption[i]);
  }
  if (!empty) {
    draw_legend(roofline, plot, head + 16, page);
    draw_axes(plot, page);
    draw_roofs(plot, page);
    draw_points(ops, roofline, plot, page);
  }
  return std::move(page).finish();
}

}  // namespace jaxtrace
