// The swimlane as text: a letter a cell, that of the class which has most of the cell's time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "commands/investigate/swimlane.h"
#include "commands/investigate/swimlane_words.h"
#include "report/svg_scale.h"
#include "report/text.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kGutter = 20;
constexpr char kSlight = ',';           // There is something, in less than half of the cell.
constexpr std::size_t kMostLanes = 24;  // With head, scale and legend at most 30 lines

/// One row of letters, of one lane or of several.
struct Row {
  std::string label;
  std::vector<const SwimLane*> lanes;
  bool gpu = false;  ///< All lanes of a GPU
};

std::string padded(std::string_view text, std::size_t columns) {
  std::string out = shortened(one_line(text), columns);
  out.append(columns - std::min(columns, width(out)), ' ');
  return out;
}

std::string letters(const Swimlane& of, const Row& row, std::size_t cells) {
  std::vector<std::array<double, kBarClasses>> time(cells);
  const auto span = static_cast<double>(of.axis.length().count());
  const double cell = span / static_cast<double>(cells);
  for (const SwimLane* const lane : row.lanes) {
    for (const Bar& bar : lane->bars) {
      const auto begin = static_cast<double>((bar.window.begin - of.axis.begin).count());
      const auto end = static_cast<double>((bar.window.end - of.axis.begin).count());
      const double filled = static_cast<double>(bar.total.count()) / (end - begin);
      for (auto c = static_cast<std::size_t>(begin / cell); c < cells; ++c) {
        const double from = static_cast<double>(c) * cell;
        if (from >= end) break;
        time[c][static_cast<std::size_t>(bar.cls)] +=
            filled * (std::min(from + cell, end) - std::max(from, begin));
      }
    }
  }
  std::string out;
  for (const auto& of_cell : time) {
    double all = 0;
    for (const double part : of_cell) all += part;
    const auto most = std::ranges::max_element(of_cell);
    if (*most <= 0) {
      out += '.';
    } else if (!row.gpu && *most < cell - all) {
      out += kSlight;
    } else {
      out += letter_of(static_cast<BarClass>(most - of_cell.begin()));
    }
  }
  return out;
}

/// A row a lane; if that is too much, first threads are left out, then each GPU is one row.
std::vector<Row> rows_of(const Swimlane& of, std::string& left_out) {
  using Kind = SwimLane::Kind;
  std::vector<Row> threads, gpus, folded;
  std::size_t group = static_cast<std::size_t>(-1);
  Row path;
  for (const SwimLane& lane : of.lanes) {
    const std::string& name = of.groups[lane.group];
    const bool first = lane.group != group;
    group = lane.group;
    if (lane.kind == Kind::calls) continue;
    if (lane.kind == Kind::thread) {
      threads.push_back({name, {&lane}});
    } else if (lane.kind == Kind::path) {
      path = {name, {&lane}};
    } else {
      gpus.push_back({name + " " + lane.label, {&lane}});
      if (first) folded.push_back({name, {}, true});
      folded.back().lanes.push_back(&lane);
    }
  }
  const bool fits = threads.size() + 1 + gpus.size() <= kMostLanes;
  std::vector<Row>& shown = fits ? gpus : folded;
  if (!fits) left_out = "A GPU is one row: work of all its streams, and idle time. ";
  const std::size_t room = kMostLanes - 1 - std::min(shown.size(), kMostLanes - 2);
  if (threads.size() > room) {
    left_out += fmt::format("{} more threads are left out. ", threads.size() - room);
    threads.resize(room);
  }
  std::vector<Row> rows = std::move(threads);
  rows.push_back(std::move(path));
  for (Row& row : shown) rows.push_back(std::move(row));
  return rows;
}

/// Times over the cells at which they are.
std::string scale(const Swimlane& of, std::size_t cells) {
  constexpr double kPerMicrosecond = 1e6;
  const auto span = static_cast<double>(of.axis.length().count()) / kPerMicrosecond;
  const bool in_ms = span >= 2000;
  const double unit = in_ms ? 1000 : 1;
  const double step = round_step(span / unit * 12 / static_cast<double>(cells));
  const double lead =
      static_cast<double>((of.step.begin - of.axis.begin).count()) / kPerMicrosecond / unit;
  std::string line(cells, ' ');
  for (double value = 0; (value + lead) * unit < span; value += step) {
    const auto at =
        static_cast<std::size_t>((value + lead) * unit / span * static_cast<double>(cells));
    std::string words = fmt::format("|{:.6g}", value);
    if (value == 0) words += in_ms ? " ms" : " us";
    if (at + words.size() <= cells) line.replace(at, words.size(), words);
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

std::string ascii(const Swimlane& swimlane, std::size_t columns) {
  if (swimlane.lanes.empty()) return "";
  const std::size_t cells = std::max(columns, kGutter + 20) - kGutter;
  std::string left_out;
  const std::vector<Row> rows = rows_of(swimlane, left_out);
  std::string out = std::string(kGutter, ' ') + scale(swimlane, cells) + '\n';
  std::array<bool, 128> used{};
  for (const Row& row : rows) {
    const std::string line = letters(swimlane, row, cells);
    for (const char c : line) used[static_cast<std::size_t>(c)] = true;
    out += padded(row.label, kGutter - 1) + ' ' + line + '\n';
  }
  std::string legend;
  for (std::size_t c = 0; c < kBarClasses; ++c) {
    const auto cls = static_cast<BarClass>(c);
    if (!used[static_cast<std::size_t>(letter_of(cls))]) continue;
    legend += fmt::format("{}{} {}", legend.empty() ? "" : ", ", letter_of(cls), name_of(cls));
  }
  if (used[static_cast<std::size_t>('.')]) legend += ", . nothing";
  if (used[static_cast<std::size_t>(kSlight)]) legend += ", comma: less than half";
  legend += fmt::format("; {} a cell.",
                        time_text(swimlane.axis.length() / static_cast<std::int64_t>(cells)));
  for (const std::string& line : wrapped(left_out + legend, columns)) out += line + '\n';
  return out;
}

}  // namespace jaxtrace
