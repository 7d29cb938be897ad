// Programs by (host, program id), or by module name where that is unique.
#include "attribution/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace jaxtrace {
namespace {

class Directory {
 public:
  explicit Directory(std::vector<AttributedProgram>& rows) : rows_(rows) {
    for (std::uint32_t r = 0; r < rows.size(); ++r) file(r);
  }

  /// The program that an annotation names, added if the capture does not carry it.
  std::uint32_t named(HostId host, const Annotation& a) {
    if (a.program_id != kNoProgram) {
      const auto at = by_id_.find({host, a.program_id});
      // Program ids can be renumbered when a compiled program is loaded; the name decides then.
      if (at != by_id_.end() &&
          (a.hlo_module == StringId::empty || rows_[at->second].module == a.hlo_module)) {
        return at->second;
      }
    }
    if (a.hlo_module != StringId::empty) {
      if (const auto& same = by_name_[{host, a.hlo_module}]; same.size() == 1) return same[0];
    }
    if (a.program_id == kNoProgram) return kNone;
    if (const auto at = by_id_.find({host, a.program_id}); at != by_id_.end()) return at->second;
    rows_.push_back({.host = host,
                     .module = a.hlo_module,
                     .program_id = a.program_id,
                     .trace_module = kNone,
                     .hlo = {}});
    file(static_cast<std::uint32_t>(rows_.size() - 1));
    return static_cast<std::uint32_t>(rows_.size() - 1);
  }

  const std::vector<std::uint32_t>& with_name(HostId host, StringId module) {
    return by_name_[{host, module}];
  }

 private:
  void file(std::uint32_t row) {
    by_id_.emplace(std::pair(rows_[row].host, rows_[row].program_id), row);
    by_name_[{rows_[row].host, rows_[row].module}].push_back(row);
  }

  std::vector<AttributedProgram>& rows_;
  std::map<std::pair<HostId, std::int64_t>, std::uint32_t> by_id_;
  std::map<std::pair<HostId, StringId>, std::vector<std::uint32_t>> by_name_;
};

/// Sorts the rows, so that they do not depend on which event was seen first.
void sort_rows(const Trace& trace, Programs& programs) {
  std::vector<std::uint32_t> order(programs.rows.size());
  for (std::uint32_t r = 0; r < order.size(); ++r) order[r] = r;
  std::ranges::sort(order, {}, [&](std::uint32_t r) {
    const AttributedProgram& p = programs.rows[r];
    return std::tuple(p.host, p.program_id, trace.strings[p.module], p.trace_module);
  });
  std::vector<AttributedProgram> rows;
  std::vector<std::uint32_t> moved(order.size());
  for (std::uint32_t r = 0; r < order.size(); ++r) {
    moved[order[r]] = r;
    rows.push_back(std::move(programs.rows[order[r]]));
  }
  programs.rows = std::move(rows);
  for (std::uint32_t& p : programs.of_event) {
    if (p != kNone) p = moved[p];
  }
}

}  // namespace

Programs find_programs(const Trace& trace, const Launches& launches,
                       std::vector<Finding>& findings) {
  Programs programs;
  for (std::uint32_t m = 0; m < trace.modules.size(); ++m) {
    const Module& module = trace.modules[m];
    programs.rows.push_back({.host = module.host,
                             .module = module.name,
                             .program_id = module.program_id,
                             .trace_module = m,
                             .hlo = {}});
  }
  Directory directory(programs.rows);
  programs.of_event.assign(trace.device_events, kNone);

  // By annotation: there are few distinct ones.  Rows of a cache per host.
  constexpr std::uint32_t kUnasked = kNone - 1;
  std::vector<std::vector<std::uint32_t>> asked(trace.hosts.size());
  const auto by_annotation = [&](HostId host, AnnotationId id) {
    auto& known = asked[static_cast<std::size_t>(host)];
    if (known.empty()) known.assign(trace.annotations.size(), kUnasked);
    std::uint32_t& row = known[static_cast<std::size_t>(id)];
    if (row == kUnasked) {
      row = directory.named(host, trace.annotations[static_cast<std::size_t>(id)]);
    }
    return row;
  };
  std::map<std::uint32_t, std::uint32_t> program_of_run;  // run → the program of its annotated work
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      std::uint32_t& row = programs.of_event[i];
      row = by_annotation(lane.host, trace.events.annotation[i]);
      if (row == kNone && launches.call[i] != kNoEvent) {
        row = by_annotation(lane.host, trace.events.annotation[launches.call[i]]);
      }
      if (row != kNone && launches.interval[i] != kNoEvent) {
        program_of_run.emplace(launches.interval[i], row);
      }
    }
  }
  // What nothing names takes the program of the run around its call.
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      if (programs.of_event[i] != kNone || launches.interval[i] == kNoEvent) continue;
      if (const auto at = program_of_run.find(launches.interval[i]); at != program_of_run.end()) {
        programs.of_event[i] = at->second;
        continue;
      }
      const std::string_view name =
          module_of_interval(trace.strings[trace.events.name[launches.interval[i]]]);
      const auto& same = directory.with_name(lane.host, trace.strings.find(name));
      if (same.size() == 1) programs.of_event[i] = same[0];
    }
  }
  sort_rows(trace, programs);

  std::vector<bool> ran(programs.rows.size(), false);
  for (const std::uint32_t p : programs.of_event) {
    if (p != kNone) ran[p] = true;
  }
  for (std::uint32_t r = 0; r < programs.rows.size(); ++r) {
    AttributedProgram& row = programs.rows[r];
    if (!ran[r] || row.trace_module == kNone) continue;
    const Module& module = trace.modules[row.trace_module];
    if (module.hlo_proto.empty()) continue;
    row.hlo = hlo::parse_program(module.hlo_proto);
    if (!row.hlo) {
      findings.push_back(
          {.severity = Severity::error,
           .code = "unreadable-hlo",
           .message = "the HLO of this program is damaged: its kernels have no line",
           .where = fmt::format("{}({})", trace.strings[row.module], row.program_id)});
    }
  }
  return programs;
}

}  // namespace jaxtrace
