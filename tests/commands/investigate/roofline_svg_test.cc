// The roofline's drawing: everything in its place, nothing over anything else.
#include "commands/investigate/roofline_svg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "commands/investigate/roofline_plot.h"
#include "commands/investigate/svg_check.h"
#include "support/random.h"

namespace jaxtrace {
namespace {

struct Made {
  Trace trace;
  Ops ops;
  Roofline roofline;

  /// An instruction that takes `time` microseconds.
  void add(const std::string& name, double flops_per_s, double intensity, std::int64_t time,
           hlo::Precision precision = hlo::Precision::f16) {
    RooflineRow row;
    row.op = static_cast<std::uint32_t>(ops.rows.size());
    row.total = std::chrono::microseconds(time);
    row.instances = 1;
    row.flops = 1;
    row.bytes = 1;
    row.flops_per_s = flops_per_s;
    row.bytes_per_s = flops_per_s / intensity;
    row.intensity = intensity;
    row.cost.precision = precision;
    if (roofline.machine) {
      const double peak = static_cast<double>(*roofline.machine->peak(precision));
      const double bandwidth = static_cast<double>(roofline.machine->bytes_per_s);
      row.compute_share = flops_per_s / peak;
      row.memory_share = *row.bytes_per_s / bandwidth;
      row.bound = intensity < peak / bandwidth ? Roof::memory : Roof::compute;
    }
    Op op;
    op.name = name;
    op.opcode = "fusion";
    ops.rows.push_back(std::move(op));
    roofline.all += row.total;
    roofline.rooflined += row.total;
    roofline.rows.push_back(std::move(row));
  }
  std::string svg() const { return roofline_svg(trace, ops, roofline); }
};

Made with_machine() {
  Made made;
  Machine machine;
  machine.name = "Made-up 1";
  machine.source = "a document";
  machine.flops_per_s.fill(100'000'000'000'000);
  machine.flops_per_s[static_cast<std::size_t>(hlo::Precision::f16)] = 1'000'000'000'000'000;
  machine.bytes_per_s = 1'000'000'000'000;
  made.roofline.machine = machine;
  return made;
}

/// Clusters as programs have them: many instructions of few intensities.
Made crowd(int count, std::uint64_t seed) {
  Made made = with_machine();
  synth::Random random(seed, "crowd");
  for (int i = 0; i < count; ++i) {
    const double intensity = std::pow(10, static_cast<double>(random.between(-2, 3)));
    const double rate = std::pow(10, static_cast<double>(random.between(900, 1400)) / 100);
    made.add("instruction_with_a_name." + std::to_string(i), rate, intensity,
             count - i + random.between(0, 3),
             random.chance(0.5) ? hlo::Precision::f16 : hlo::Precision::f32_vector);
  }
  return made;
}

bool has_text(const XmlFile& file, const std::string& words) {
  return std::ranges::any_of(file.elements, [&](const XmlElement& e) {
    return e.name == "text" && e.text.find(words) != std::string::npos;
  });
}

TEST(RooflineSvg, PutsAPointWhereItsRatesAre) {
  Made made = with_machine();
  made.add("dot.1", 1e14, 1000, 30);
  made.add("fusion.2", 1e11, 1, 10);
  const Box area{100, 50, 800, 400};
  const RooflinePlot plot = roofline_plot(made.ops, made.roofline, area);
  ASSERT_EQ(plot.points.size(), 2u);
  const PlotPoint &dot = plot.points[0], &fusion = plot.points[1];
  EXPECT_NEAR(dot.x, plot.intensity.at(1000), 1e-9);
  EXPECT_NEAR(dot.y, plot.rate.at(1e14), 1e-9);
  EXPECT_LT(dot.y, fusion.y);
  EXPECT_GT(dot.x, fusion.x);
  // Areas are as the shares are.
  EXPECT_NEAR(dot.radius * dot.radius / (fusion.radius * fusion.radius), 3, 1e-9);
  // A decade is as long everywhere.
  EXPECT_NEAR(plot.intensity.at(100) - plot.intensity.at(10),
              plot.intensity.at(1000) - plot.intensity.at(100), 1e-9);
  // The roofs meet where the peak is reached at full bandwidth.
  ASSERT_EQ(plot.roofs.size(), 2u);
  EXPECT_NEAR(plot.roofs[0].line.x1, plot.intensity.at(1e15 / 1e12), 1e-9);
  EXPECT_NEAR(plot.roofs[0].line.y1, plot.roofs[1].line.y2, 1e-9);
}

TEST(RooflineSvg, SaysWhatItShowsAndWhatNot) {
  Made made = with_machine();
  made.add("dot.1", 1e14, 1000, 60);
  made.add("copy.2", 1, 1, 20);
  made.roofline.rows[1].flops = 0;
  made.roofline.all += std::chrono::microseconds(20);
  made.roofline.left_out[static_cast<std::size_t>(NotRooflined::collective)] =
      std::chrono::microseconds(20);
  const XmlFile file = parse_xml(made.svg());
  ASSERT_EQ(file.problem, "");
  EXPECT_TRUE(has_text(file, "Roofline of Made-up 1: 1 instruction; areas are shares of GPU time"));
  EXPECT_TRUE(has_text(file, "Roofs of Made-up 1, read and not measured: a document"));
  EXPECT_TRUE(has_text(file,
                       "60.0 % of the GPU time of 0 GPUs is drawn; not: without FLOPs "
                       "20.0 %, collective 20.0 %."));
  EXPECT_TRUE(has_text(file, "f16 1.000 PFLOP/s"));
  EXPECT_TRUE(has_text(file, "memory 1.000 TB/s"));
  EXPECT_TRUE(has_text(file, "dot.1"));
  EXPECT_FALSE(has_text(file, "f32"));  // Nothing computes in it.
  EXPECT_FALSE(has_text(file, "thick"));
}

TEST(RooflineSvg, DrawsNoRoofOfAnUnknownMachine) {
  Made made;
  made.roofline.no_machine = "the device is not in the table";
  made.add("dot.1", 1e14, 1000, 60);
  const XmlFile file = parse_xml(made.svg());
  ASSERT_EQ(file.problem, "");
  EXPECT_TRUE(has_text(file, "No roofs: the device is not in the table"));
  EXPECT_TRUE(has_text(file, "no roof known"));
  EXPECT_FALSE(has_text(file, "memory"));
  EXPECT_TRUE(roofline_plot(made.ops, made.roofline, {0, 0, 100, 100}).roofs.empty());
}

TEST(RooflineSvg, MarksWhatIsOverItsRoof) {
  Made made = with_machine();
  made.add("dot.1", 3e15, 10'000, 60);
  EXPECT_TRUE(has_text(parse_xml(made.svg()), "thick: over its roof, so something is wrong"));
}

TEST(RooflineSvg, IsXmlWhoseTextsStandClear) {
  for (const int count : {0, 1, 2, 7, 40, 300, 1000}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(testing::Message() << count << " instructions, seed " << seed);
      const std::string drawn = crowd(count, seed).svg();
      const XmlFile file = parse_xml(drawn);
      ASSERT_EQ(file.problem, "");
      EXPECT_EQ(overlaps(file), std::vector<std::string>{});
      EXPECT_LT(drawn.size(), 200'000u);
      EXPECT_EQ(drawn, crowd(count, seed).svg());
    }
  }
}

TEST(RooflineSvg, LabelsCoverNoPointAndNoRoof) {
  const Made made = crowd(60, 3);
  const RooflinePlot plot = roofline_plot(made.ops, made.roofline, {90, 100, 870, 470});
  std::size_t labels = 0;
  for (const PlotPoint& point : plot.points) {
    if (point.label.empty()) continue;
    ++labels;
    const Box& box = point.label_box;
    for (const PlotPoint& other : plot.points) {
      const bool covered = other.x > box.x && other.x < box.x + box.width && other.y > box.y &&
                           other.y < box.y + box.height;
      EXPECT_FALSE(covered) << point.label;
    }
  }
  EXPECT_GE(labels, 5u);
}

TEST(RooflineSvg, BearsNamesOfAnySort) {
  for (const std::string& name : {std::string("<a href=\"x\">&"),
                                  std::string("\x01\xFF\xEF\xBF\xBF"), std::string(9000, 'n')}) {
    Made made = with_machine();
    made.add(name, 1e14, 1000, 60);
    made.ops.rows[0].source.user = {.file = name, .line = 3, .function = name};
    made.roofline.machine->name = name;
    made.roofline.machine->source = name;
    const XmlFile file = parse_xml(made.svg());
    EXPECT_EQ(file.problem, "");
    EXPECT_EQ(overlaps(file), std::vector<std::string>{});
  }
}

TEST(RooflineSvg, LeavesOutWhatIsDecadesAway) {
  Made made = with_machine();
  made.add("dot.1", 1e14, 1000, 1'000'000);
  made.add("tiny.2", 1e-3, 1e-9, 1);
  const RooflinePlot plot = roofline_plot(made.ops, made.roofline, {0, 0, 800, 400});
  EXPECT_EQ(plot.points.size(), 1u);
  EXPECT_EQ(plot.drawable, 2u);
  EXPECT_EQ(plot.beyond, Picoseconds(std::chrono::microseconds(1)));
  EXPECT_TRUE(has_text(parse_xml(made.svg()), "1 of 2 instructions are drawn"));
}

TEST(RooflineSvg, WhatComputesItsIndexOnlyDoesNotStretchTheAxis) {
  Made made = with_machine();
  made.add("dot.1", 1e14, 1000, 1'000'000);
  made.add("slice.2", 1e5, 1e-6, 500'000);
  made.add("slice.3", 1e5, 1e-7, 400'000);
  const RooflinePlot plot = roofline_plot(made.ops, made.roofline, {0, 0, 800, 400});
  EXPECT_EQ(plot.points.size(), 1u);
  EXPECT_GE(plot.intensity.low, -4);
  EXPECT_EQ(plot.left, 2u);
  EXPECT_EQ(plot.left_time, plot.beyond);
  EXPECT_TRUE(has_text(parse_xml(made.svg()), "1 of 3 instructions are drawn; 2 below"));

  Made alone = with_machine();
  alone.add("slice.2", 1e5, 1e-6, 500'000);
  EXPECT_EQ(roofline_plot(alone.ops, alone.roofline, {0, 0, 800, 400}).points.size(), 1u);
}

TEST(RooflineSvg, LabelsOfRoofsStandClear) {
  // Points as high as a lower roof, right of where it leaves the slope.
  Made made = with_machine();
  for (int i = 0; i < 60; ++i) {
    made.add("dot." + std::to_string(i), 9e13 * (1 + i % 5), 300.0 + 40 * i, 1'000);
  }
  made.add("add.1", 1e13, 50, 1'000, hlo::Precision::f32_vector);
  const RooflinePlot plot = roofline_plot(made.ops, made.roofline, {90, 100, 870, 470});
  ASSERT_EQ(plot.roofs.size(), 3u);
  for (const PlotRoof& roof : plot.roofs) {
    const Box& box = roof.label_box;
    for (const PlotPoint& point : plot.points) {
      const bool covered = point.x > box.x && point.x < box.x + box.width && point.y > box.y &&
                           point.y < box.y + box.height;
      EXPECT_FALSE(covered) << roof.label;
    }
    // The slope is the last: where it is at the label's right end, it is below the label.
    const Stroke& slope = plot.roofs.back().line;
    const double right = box.x + box.width;
    if (right > slope.x2) continue;
    const double y = slope.y1 + (right - slope.x1) / (slope.x2 - slope.x1) * (slope.y2 - slope.y1);
    EXPECT_LT(box.y + box.height, y) << roof.label;
  }
}

TEST(RooflineSvg, TimesWithoutEndDoNotOverflow) {
  Made made = with_machine();
  made.add("dot.1", 1e14, 1000, 1);
  made.add("dot.2", 1e14, 2000, 1);
  for (RooflineRow& row : made.roofline.rows) row.total = Picoseconds::max();
  made.roofline.all = Picoseconds::max();
  EXPECT_EQ(parse_xml(made.svg()).problem, "");
}

}  // namespace
}  // namespace jaxtrace
