#include "commands/skip_stats/sweep.h"

#include <algorithm>

namespace jaxtrace {

std::vector<std::string> names_apart(const std::vector<std::filesystem::path>& captures) {
  std::vector<std::string> names(captures.size());
  std::vector<std::filesystem::path> rest;
  for (const std::filesystem::path& capture : captures) {
    const std::filesystem::path plain = capture.lexically_normal();
    rest.push_back(plain.has_filename() ? plain : plain.parent_path());
  }
  std::vector<bool> extend(captures.size(), true);
  while (std::ranges::find(extend, true) != extend.end()) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!extend[i]) continue;
      const std::string part = rest[i].filename().string();
      names[i] = names[i].empty() ? part : part + "/" + names[i];
      rest[i] = rest[i].parent_path();
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      extend[i] = false;
      for (std::size_t j = 0; j < names.size(); ++j) {
        if (names[j] == names[i] && rest[j] != rest[i]) extend[i] = rest[i].has_filename();
      }
    }
  }
  return names;
}

SweepPoint sweep_point(const std::string& name, const SkipStats& stats, const Trace& trace) {
  SweepPoint point;
  point.name = name;
  point.steps = stats.steps.kept;
  if (stats.devices.empty()) return point;
  const Scope scope{trace, stats.works, stats.timelines, stats.steps};
  const Evidence evidence{scope,         stats.causes,     stats.devices,
                          stats.streams, stats.stragglers, stats.checks};
  const LatencyStats& latency = stats.devices[stats.verdict.device].steady_latency;
  point.used = latency.used;
  point.tklqt = latency.tklqt;
  if (latency.used > 0) {
    const std::int64_t total = latency.tklqt.count();
    point.per_launch_ps = total / static_cast<std::int64_t>(latency.used);
    if (point.steps > 0) point.per_step_ps = total / static_cast<std::int64_t>(point.steps);
  }
  point.queued_fraction = queued_fraction(evidence, stats.verdict.device);
  point.verdict = stats.verdict.why_inconclusive.empty() ? in_words(stats.verdict.decision)
                                                         : std::string("inconclusive");
  return point;
}

std::size_t turning_point(const std::vector<SweepPoint>& points) {
  std::optional<std::int64_t> floor;
  for (const SweepPoint& point : points) {
    if (point.per_launch_ps)
      floor = std::min(floor.value_or(*point.per_launch_ps), *point.per_launch_ps);
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].per_launch_ps && *points[i].per_launch_ps - *floor > *floor) return i;
  }
  return points.size();
}

Table sweep_table(const std::vector<SweepPoint>& points) {
  const std::size_t turn = turning_point(points);
  Table table{.id = "sweep",
              .caption = "",
              .columns = {{"capture"},
                          {"steps", Unit::count},
                          {"launches", Unit::count},
                          {"tklqt_per_step_ps", Unit::time, "TKLQT a step"},
                          {"tklqt_per_launch_ps", Unit::time, "a launch"},
                          {"queued_fraction", Unit::ratio, "queued"},
                          {"verdict"}},
              .rows = {}};
  const auto whole = [](const std::optional<std::int64_t>& value) {
    return value ? Cell{*value} : Cell{};
  };
  for (const SweepPoint& point : points) {
    table.rows.push_back(
        {point.name, static_cast<std::int64_t>(point.steps), static_cast<std::int64_t>(point.used),
         whole(point.per_step_ps), whole(point.per_launch_ps),
         point.queued_fraction ? Cell{*point.queued_fraction} : Cell{}, point.verdict});
  }
  table.caption =
      turn == points.size()
          ? "TKLQT over the captures: it does not turn up (no capture has over twice the "
            "least per launch)."
          : "TKLQT over the captures: it turns up at " + points[turn].name +
                ", the first with over twice the least per launch; from there launches "
                "wait for the GPU.";
  return table;
}

}  // namespace jaxtrace
