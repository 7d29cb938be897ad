// Where the points, roofs and labels of a roofline stand, before they are drawn.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "investigation/roofline.h"
#include "report/svg.h"

namespace jaxtrace {

/// A logarithmic axis over whole decades.
struct LogAxis {
  double low = 0, high = 0;  ///< Powers of ten
  double from = 0, to = 0;   ///< Pixels of both
  double at(double value) const;
};

struct Stroke {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

struct PlotPoint {
  std::size_t row = 0;  ///< Of Roofline::rows
  double x = 0, y = 0, radius = 0;
  std::string label;  ///< Empty: no room, or not one of the first
  Box label_box{};
  std::optional<Stroke> leader;  ///< To a label that stands far off
};

struct PlotRoof {
  Stroke line;
  std::string label;
  Box label_box{};
};

struct RooflinePlot {
  Box area;
  LogAxis intensity, rate;
  std::vector<PlotPoint> points;  ///< Largest first
  std::vector<PlotRoof> roofs;
  std::size_t drawable = 0;  ///< Instructions with FLOPs, bytes and a time
  Picoseconds beyond{0};     ///< Of those that the axes leave out or that are too many;
  std::size_t left = 0;      ///< of which so many have an intensity below the axis,
  Picoseconds left_time{0};  ///< and take so long.
};

constexpr double kRooflineText = 11;

/// No points if there is nothing to draw.
RooflinePlot roofline_plot(const Ops& ops, const Roofline& roofline, const Box& area);

/// Whether a row has a place: FLOPs, bytes and time are known and not 0.
bool is_drawable(const RooflineRow& row);

}  // namespace jaxtrace
