// Cycles per wave where both recordings say how many waves they traced, else as they are.
#include "commands/hotspot/baseline.h"

#include <fmt/format.h>

#include <string_view>

#include "commands/hotspot/sections.h"

namespace jaxtrace {
namespace {

struct Scale {
  explicit Scale(const Comparison& comparison)
      : per_wave(comparison.waves_before.value_or(0) > 0 &&
                 comparison.waves_after.value_or(0) > 0) {
    if (!per_wave) return;
    before = static_cast<double>(*comparison.waves_before);
    after = static_cast<double>(*comparison.waves_after);
  }

  bool per_wave;
  double before = 1, after = 1;
};

std::optional<double> scaled(std::optional<std::int64_t> cycles, double scale) {
  if (!cycles) return std::nullopt;
  return static_cast<double>(*cycles) / scale;
}

/// After against before: -0.25 is a quarter less.
std::optional<double> change(std::optional<double> before, std::optional<double> after) {
  if (!before || !after || *before == 0) return std::nullopt;
  return *after / *before - 1;
}

Table change_table(const char* id, std::string caption, const char* what,
                   const std::vector<Change>& changes, const Scale& scale, std::size_t most) {
  const std::string unit = scale.per_wave ? "_per_wave" : "_cycles";
  Table table{.id = id,
              .caption = std::move(caption),
              .columns = {{what},
                          {"before" + unit, Unit::cycles, "before"},
                          {"after" + unit, Unit::cycles, "after"},
                          {"difference" + unit, Unit::cycles, "difference"},
                          {"change", Unit::ratio}},
              .rows = {}};
  for (const Change& row : changes) {
    if (table.rows.size() == most) break;
    const auto before = scaled(row.before, scale.before);
    const auto after = scaled(row.after, scale.after);
    if (before.value_or(0) == after.value_or(0)) continue;  // changes.csv has them.
    std::string name = row.name.empty() ? "(no line)" : row.name;
    if (!row.was.empty()) name += " (was " + row.was + ")";
    table.rows.push_back({std::move(name), optional_cell(before), optional_cell(after),
                          after.value_or(0) - before.value_or(0),
                          optional_cell(change(before, after))});
  }
  return table;
}

std::string waves_text(std::optional<std::int64_t> waves) {
  return waves ? counted(*waves, "wave") : "an unknown number of waves";
}

}  // namespace

CompareSide side_of(Dispatches dispatches) {
  CompareSide side;
  side.waves = 0;
  for (const auto& dispatch : dispatches) {
    side.traces.push_back(&dispatch->trace);
    side.totals.push_back(&dispatch->totals);
    const auto waves = traced_waves(*dispatch);
    if (side.waves && waves) {
      *side.waves += *waves;
    } else {
      side.waves.reset();
    }
  }
  return side;
}

void add_comparison(Report& report, const Comparison& comparison, const HotspotOptions& options) {
  const Scale scale(comparison);
  const auto before = scaled(comparison.before.stall, scale.before);
  const auto after = scaled(comparison.after.stall, scale.after);
  const auto latency = change(scaled(comparison.before.latency, scale.before),
                              scaled(comparison.after.latency, scale.after));
  const auto stall = change(before, after);
  std::string text =
      fmt::format("Before, {} stalled {} cycles of {}; now {} stall {} of {}.",
                  waves_text(comparison.waves_before), count_text(comparison.before.stall),
                  count_text(comparison.before.latency), waves_text(comparison.waves_after),
                  count_text(comparison.after.stall), count_text(comparison.after.latency));
  if (stall && latency) {
    text += fmt::format(" {}: stall {}{}, latency {}{}.",
                        scale.per_wave ? "For one wave" : "Waves unknown, so in all",
                        *stall > 0 ? "+" : "", for_people(*stall, Unit::ratio),
                        *latency > 0 ? "+" : "", for_people(*latency, Unit::ratio));
  }
  report.blocks.emplace_back(Heading{"Before and after"});
  report.blocks.emplace_back(Prose{text});
  const std::string per = scale.per_wave ? ", cycles per wave" : "";
  for (Table table : {change_table("changes_by_class", "Stall by class" + per, "class",
                                   comparison.classes, scale, kStallClasses),
                      change_table("changes_by_line", "Stall by line" + per, "line",
                                   comparison.lines, scale, options.topk)}) {
    if (!table.rows.empty()) report.blocks.emplace_back(std::move(table));
  }
}

Table changes_csv(const Comparison& comparison) {
  const Scale scale(comparison);
  Table table{.id = "changes",
              .caption = "",
              .columns = {{"kind"},
                          {"name"},
                          {"name_before"},
                          {"stall_cycles_before", Unit::cycles},
                          {"stall_cycles_after", Unit::cycles},
                          {"waves_before", Unit::count},
                          {"waves_after", Unit::count},
                          {"change", Unit::ratio}},
              .rows = {}};
  const auto add = [&](const char* kind, const std::vector<Change>& changes) {
    for (const Change& row : changes) {
      table.rows.push_back({std::string(kind), text_cell(row.name),
                            text_cell(row.was.empty() && row.before ? row.name : row.was),
                            optional_cell(row.before), optional_cell(row.after),
                            optional_cell(comparison.waves_before),
                            optional_cell(comparison.waves_after),
                            optional_cell(change(scaled(row.before, scale.before),
                                                 scaled(row.after, scale.after)))});
    }
  };
  add("class", comparison.classes);
  add("line", comparison.lines);
  return table;
}

}  // namespace jaxtrace
