// Runs end up in one row unless they really overlap, as those of programs on different streams do.
#include "export/trace_spans.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "analysis/times.h"
#include "export/trace_text.h"

namespace jaxtrace {
namespace {

/// Sorts, gives out rows and cuts what reaches into the next by a little.
void arrange(SpanLane& lane, CutSlices& cut) {
  using Span = SpanLane::Span;
  std::ranges::sort(lane.spans, {}, [](const Span& span) {
    return std::tuple(span.begin, -span.end, span.text, span.kernels);
  });
  SliceRows rows(SliceRows::Inside::never, kSameTime);
  std::vector<Span*> last;
  for (Span& span : lane.spans) {
    span.row = rows.place(span.begin, span.end);
    if (span.row == kNotDrawn) continue;
    if (last.size() < rows.size()) last.resize(rows.size());
    Span*& before = last[span.row];
    if (before != nullptr && before->end > span.begin) {
      cut.add(before->end - span.begin);
      before->end = span.begin;
    }
    before = &span;
  }
  lane.rows = rows.size();
}

/// A period of kernel names is a guess, and a poor one if steps differ.
bool are_drawn(const Steps& steps) {
  return steps.rule != StepRule::none && (steps.rule != StepRule::period || has_usual_steps(steps));
}

}  // namespace

SpanLane module_spans(const Trace& trace, const Attribution& attribution, const SliceTexts& texts,
                      std::span<const std::uint32_t> events, CutSlices& cut) {
  SpanLane lane;
  std::unordered_map<std::uint64_t, std::size_t> known;
  for (const std::uint32_t event : events) {
    const std::uint32_t program = attribution.labels[attribution.label[event]].program;
    const std::uint32_t execution = attribution.execution[event];
    if (program == kNone || execution == kNone) continue;
    const std::uint64_t key = std::uint64_t{program} << 32U | execution;
    const auto [at, added] = known.try_emplace(key, lane.spans.size());
    const Picoseconds begin = trace.events.begin[event], end = end_of(trace, event);
    if (added) lane.spans.push_back({begin, end, texts.module(program), 0, 0, execution});
    SpanLane::Span& span = lane.spans[at->second];
    span.end = std::max(span.end, end);
    ++span.kernels;
  }
  arrange(lane, cut);
  return lane;
}

SpanLane step_spans(const Steps& steps, const TraceSelection& selection, std::size_t timeline,
                    std::span<const std::uint32_t> texts, CutSlices& cut) {
  SpanLane lane;
  if (!are_drawn(steps)) return lane;
  for (std::size_t s = 0; s < steps.steps.size(); ++s) {
    if (!selection.step.empty() && !selection.step[s]) continue;
    const DeviceStep& step = steps.steps[s].devices[timeline];
    if (!step.window) continue;
    lane.spans.push_back({step.window->begin, step.window->end, texts[s], step.events, 0, kNone});
  }
  arrange(lane, cut);
  return lane;
}

std::vector<std::uint32_t> step_texts(const Steps& steps, SliceTexts& texts) {
  std::vector<std::uint32_t> out;
  if (!are_drawn(steps)) return out;
  for (const Step& step : steps.steps) {
    SliceText text;
    append_member(text.name, "name", steps.name + ' ' + std::to_string(step.number));
    append_number(text.args, "step", step.number);
    append_member(text.args, "told_by", name_of(steps.rule));
    append_member(text.args, "fate", name_of(step.fate));
    out.push_back(texts.add(std::move(text)));
  }
  return out;
}

}  // namespace jaxtrace
