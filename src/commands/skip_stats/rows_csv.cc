#include "commands/skip_stats/rows_csv.h"

#include <array>

#include "analysis/times.h"
#include "report/csv_rows.h"
#include "report/csv_writer.h"

namespace jaxtrace {
namespace {

constexpr std::array kRowColumns = std::to_array<std::string_view>({"device",
                                                                    "stream",
                                                                    "step",
                                                                    "seq",
                                                                    "name",
                                                                    "class",
                                                                    "subclass",
                                                                    "hlo_op",
                                                                    "hlo_module",
                                                                    "program_id",
                                                                    "start_us",
                                                                    "end_us",
                                                                    "dur_us",
                                                                    "correlation_id",
                                                                    "join",
                                                                    "launch_name",
                                                                    "launch_kind",
                                                                    "launch_thread",
                                                                    "launch_start_us",
                                                                    "launch_end_us",
                                                                    "fan_out",
                                                                    "graph_index",
                                                                    "t_l_us",
                                                                    "api_us",
                                                                    "queue_us",
                                                                    "launch_delay_us",
                                                                    "skew",
                                                                    "queued_at_launch",
                                                                    "gap_before_us",
                                                                    "gap_class",
                                                                    "hta_gap_class",
                                                                    "exposed_us"});

/// "GPU:0" of each device, and the text of a lane, as CSV already.
class Names {
 public:
  explicit Names(const Found& found) : found_(found) {
    for (std::size_t d = 0; d < found.stats.timelines.size(); ++d) {
      devices_.push_back(device_name(found, d));
    }
  }
  std::string_view device(std::size_t row) const { return devices_[row]; }
  std::string_view lane(std::uint32_t lane) const {
    return found_.trace.strings[found_.trace.lanes[lane].name];
  }
  std::string_view event(std::uint32_t event) const {
    return found_.trace.strings[found_.trace.events.name[event]];
  }

 private:
  const Found& found_;
  std::vector<std::string> devices_;
};

/// What the sweep over a device's whole span says of each event.
struct Swept {
  std::vector<Picoseconds> exposed;  ///< Time that went to the event's class through it
  std::vector<IdlePart> gap;         ///< The greatest part of the device gap that it ended
  std::vector<bool> ended_gap;
};

Swept sweep_all(const Found& found) {
  const std::size_t n = found.trace.device_events;
  Swept out{.exposed = std::vector<Picoseconds>(n, Picoseconds{0}),
            .gap = std::vector<IdlePart>(n, IdlePart::tail),
            .ended_gap = std::vector<bool>(n, false)};
  for (const DeviceTimeline& timeline : found.stats.timelines) {
    const auto ended = [&](const Gap& gap) {
      if (gap.next == kNoEvent) return;
      const IdleSplit split = split_gap(found.trace, found.stats.works, gap, found.stats.short_gap);
      std::size_t most = 0;
      for (std::size_t p = 1; p < kIdleParts; ++p) {
        if (split.parts[p] > split.parts[most]) most = p;
      }
      out.gap[gap.next] = static_cast<IdlePart>(most);
      out.ended_gap[gap.next] = true;
    };
    const auto exposed = [&](std::uint32_t event, Picoseconds time) { out.exposed[event] += time; };
    sweep(found.trace, found.stats.works, timeline.order, timeline.span,
          {.gap = ended, .exposed = exposed});
  }
  return out;
}

/// Of any instant, damaged or not.
Picoseconds since(Picoseconds instant, Picoseconds origin) {
  add_time(instant, -origin);
  return instant;
}

void write_launch_cells(const Found& found, const Names& names, std::size_t i, CsvWriter& csv) {
  const Trace& trace = found.trace;
  const Works& works = found.stats.works;
  const std::uint32_t call = works.launches.call[i];
  csv.cell(name_of(works.join[i]));
  if (call == kNoEvent) {
    csv.cell();
    csv.cell(name_of(LaunchKind::none));
    for (int empty = 0; empty < 5; ++empty) csv.cell();
    return;
  }
  csv.cell(names.event(call));
  csv.cell(name_of(works.launch_kind[i]));
  csv.cell(names.lane(works.thread[i]));
  csv.micros(since(trace.events.begin[call], found.origin).count());
  csv.micros(since(end_of(trace, call), found.origin).count());
  csv.cell(works.fan_out[i]);
  csv.cell(works.graph_index[i]);
}

void write_latency_cells(const Found& found, std::size_t i, Picoseconds last_end, bool first,
                         CsvWriter& csv) {
  const Trace& trace = found.trace;
  const Works& works = found.stats.works;
  if (!has_latency(works, i)) {
    for (int empty = 0; empty < 6; ++empty) csv.cell();
    return;
  }
  const std::uint32_t call = works.launches.call[i];
  const Picoseconds call_end = end_of(trace, call);
  const Latency of_event = latency(trace, works, i);
  of_event.value ? csv.micros(of_event.value->count()) : csv.cell();
  csv.micros(trace.events.duration[call].count());
  const Picoseconds queue = trace.events.begin[i] - call_end;
  queue >= Picoseconds{0} ? csv.micros(queue.count()) : csv.cell();
  csv.micros(std::max(Picoseconds{0}, queue).count());
  csv.cell(of_event.skew == Skew::ok        ? "ok"
           : of_event.skew == Skew::clamped ? "clamped"
                                            : "dropped");
  csv.cell(!first && trace.events.begin[call] < last_end ? "yes" : "no");
}

}  // namespace

void write_rows_csv(const Found& found, std::ostream& out) {
  const Trace& trace = found.trace;
  const Works& works = found.stats.works;
  const Steps& steps = found.stats.steps;
  const Names names(found);
  const Swept swept = sweep_all(found);
  CsvWriter csv(out);
  for (const std::string_view column : kRowColumns) csv.cell(column);
  csv.end_row();

  for (std::size_t d = 0; d < found.stats.timelines.size(); ++d) {
    for (const std::size_t l : found.stats.timelines[d].lanes) {
      const Lane& lane = trace.lanes[l];
      bool first = true;
      Picoseconds last_end{0};  // The greatest end so far on this stream
      for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
        const Annotation& said =
            trace.annotations[static_cast<std::size_t>(trace.events.annotation[i])];
        const Picoseconds begin = trace.events.begin[i];
        const Picoseconds end = end_of(trace, i);
        csv.cell(names.device(d));
        csv.cell(names.lane(static_cast<std::uint32_t>(l)));
        const std::uint32_t step = steps.step_of[i];
        step == kNoStep || steps.rule == StepRule::none ? csv.cell()
                                                        : csv.cell(steps.steps[step].number);
        csv.cell(i - lane.first);
        csv.cell(trace.strings[trace.events.name[i]]);
        csv.cell(name_of(works.cls[i]));
        csv.cell(name_of(works.kind[i]));
        csv.cell(trace.strings[said.hlo_op]);
        csv.cell(trace.strings[said.hlo_module]);
        said.program_id == kNoProgram ? csv.cell() : csv.cell(said.program_id);
        csv.micros(since(begin, found.origin).count());
        csv.micros(since(end, found.origin).count());
        csv.micros(trace.events.duration[i].count());
        trace.events.correlation[i] == 0 ? csv.cell() : csv.cell(trace.events.correlation[i]);
        write_launch_cells(found, names, i, csv);
        write_latency_cells(found, i, last_end, first, csv);
        !first&& begin > last_end ? csv.micros((begin - last_end).count()) : csv.cell();
        swept.ended_gap[i] ? csv.cell(name_of(swept.gap[i])) : csv.cell();
        first ? csv.cell()
              : csv.cell(name_of(hta_gap(trace, works, static_cast<std::uint32_t>(i), last_end)));
        works.timed[i] ? csv.micros(swept.exposed[i].count()) : csv.cell();
        csv.end_row();
        if (!works.timed[i]) continue;
        last_end = first ? end : std::max(last_end, end);
        first = false;
      }
    }
  }
}

void write_steps_csv(const Found& found, std::ostream& out) {
  constexpr std::size_t kAtOnce = 1000;
  write_csv(steps_table(found, 0, kAtOnce), out);
  for (std::size_t s = kAtOnce; s < found.stats.steps.steps.size(); s += kAtOnce) {
    write_csv_rows(steps_table(found, s, s + kAtOnce), out);
  }
}

void write_gaps_csv(const Found& found, std::ostream& out) {
  const Names names(found);
  const Steps& steps = found.stats.steps;
  CsvWriter csv(out);
  for (const std::string_view column : {"device", "step", "begin_ps", "length_ps"})
    csv.cell(column);
  for (std::size_t p = 0; p < kIdleParts; ++p) {
    csv.cell(std::string(name_of(static_cast<IdlePart>(p))) + "_ps");
  }
  for (const std::string_view column :
       {"after", "before", "top_cause", "top_cause_ps", "enabling_sync"}) {
    csv.cell(column);
  }
  csv.end_row();
  const auto name = [&](std::uint32_t event) {
    event == kNoEvent ? csv.cell() : csv.cell(names.event(event));
  };
  for (const ExplainedGap& gap : found.stats.causes.gaps) {
    csv.cell(names.device(gap.device));
    gap.step == kNoStep || steps.rule == StepRule::none ? csv.cell()
                                                        : csv.cell(steps.steps[gap.step].number);
    csv.cell((gap.gap.window.begin - found.origin).count());
    csv.cell(gap.gap.window.length().count());
    const IdleSplit split =
        split_gap(found.trace, found.stats.works, gap.gap, found.stats.short_gap);
    for (const Picoseconds part : split.parts) csv.cell(part.count());
    name(gap.gap.last);
    name(gap.gap.next);
    name(gap.top_event);
    gap.top_event == kNoEvent ? csv.cell() : csv.cell(gap.top_self.count());
    name(gap.sync);
    csv.end_row();
  }
}

}  // namespace jaxtrace
