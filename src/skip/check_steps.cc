// Whether steps are alike, and GPUs.
#include "skip/check_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace jaxtrace::check {
namespace {

StringId module_id(const Trace& trace, std::size_t event) {
  return trace.annotations[static_cast<std::size_t>(trace.events.annotation[event])].hlo_module;
}

bool is_copy(WorkClass cls) {
  return cls == WorkClass::memcpy || cls == WorkClass::memset;
}

}  // namespace

CheckResult step_count(const CheckInput& in) {
  const std::string id = "steps";
  const std::string expected =
      "three steps or more, the first dropped, nothing compiled in the kept";
  if (in.steps.rule == StepRule::none) {
    return failed(CheckState::warn, id, expected, "no steps were found",
                  "anything per step: the capture is taken as one");
  }
  std::size_t compiling = 0;
  for (const Step& step : in.steps.steps) {
    compiling += step.fate == StepFate::kept && step.compiles ? 1 : 0;
  }
  const std::string found = fmt::format("{} by {}, {} kept", in.steps.steps.size(),
                                        name_of(in.steps.rule), in.steps.kept);
  if (compiling > 0) {
    return failed(
        CheckState::warn, id, expected, fmt::format("{}; {} of the kept compile", found, compiling),
        "step times: they hold compilation", part_of(compiling, in.steps.kept, "kept steps"));
  }
  if (in.steps.kept < 3) {
    return failed(CheckState::warn, id, expected, found, "how usual these steps are");
  }
  return passed(id, expected, found);
}

CheckResult kernels_per_step(const CheckInput& in) {
  const std::string id = "kernels-per-step";
  if (in.steps.rule == StepRule::none) return not_applicable(id, "no steps");
  const std::string expected = "every step has as many kernels";
  const std::string found = fmt::format("{} of {} steps do", in.steps.usual, in.steps.counted);
  if (in.steps.usual == in.steps.counted) return passed(id, expected, found);
  return failed(
      CheckState::warn, id, expected, found,
      has_usual_steps(in.steps)
          ? "the others, which are left out"
          : "the median step, which is not given: steps are wrongly found or records lost",
      part_of(in.steps.counted - in.steps.usual, in.steps.counted, "steps"));
}

CheckResult same_work(const CheckInput& in) {
  const std::string id = "same-work";
  if (devices_with_events(in.timelines) < 2) return not_applicable(id, "one GPU");
  using Work = std::map<std::pair<std::string_view, std::string_view>, std::uint64_t>;
  // A kernel whose launch the tracer missed has no module, but the name of one that has.
  std::unordered_map<StringId, StringId> module_of;
  for (std::size_t i = 0; i < in.trace.device_events; ++i) {
    const StringId module = module_id(in.trace, i);
    if (module == StringId::empty) continue;
    const auto [at, added] = module_of.try_emplace(in.trace.events.name[i], module);
    if (at->second != module) at->second = StringId::empty;  // Two programs have it
  }
  std::vector<Work> works(in.timelines.size());
  std::vector<std::uint64_t> copies(in.timelines.size(), 0);
  for (std::size_t d = 0; d < in.timelines.size(); ++d) {
    for (const std::size_t l : in.timelines[d].lanes) {
      const Lane& lane = in.trace.lanes[l];
      for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
        StringId module = module_id(in.trace, i);
        if (module == StringId::empty && !is_copy(in.works.cls[i])) {
          const auto at = module_of.find(in.trace.events.name[i]);
          if (at != module_of.end()) module = at->second;
        }
        // Copies of inputs and outputs are often made by one GPU for all.
        if (module == StringId::empty) {
          ++copies[d];
        } else {
          ++works[d][{in.trace.strings[module], in.trace.strings[in.trace.events.name[i]]}];
        }
      }
    }
  }
  std::size_t first = 0;
  while (in.timelines[first].events == 0) ++first;
  std::vector<std::string> wrong;
  std::size_t empty = 0;
  for (std::size_t d = first + 1; d < in.timelines.size(); ++d) {
    if (in.timelines[d].events == 0) {
      ++empty;
      continue;
    }
    if (works[d] == works[first]) continue;
    for (const auto& [name, count] : works[first]) {
      const auto at = works[d].find(name);
      const std::uint64_t there = at == works[d].end() ? 0 : at->second;
      if (there == count) continue;
      wrong.push_back(fmt::format("{} ran {} {} times, {} {} times", plane_of(in, first),
                                  name.second, count, plane_of(in, d), there));
      break;
    }
    if (wrong.size() < d - first - empty) {
      wrong.push_back(
          fmt::format("{} ran kernels that {} did not", plane_of(in, d), plane_of(in, first)));
    }
  }
  const std::string expected = "all GPUs run the same kernels of their programs";
  if (wrong.empty()) {
    std::string found = "they do";
    if (std::ranges::max(copies) != std::ranges::min(copies)) {
      found += fmt::format("; work outside programs differs, {} to {} events",
                           std::ranges::min(copies), std::ranges::max(copies));
    }
    return passed(id, expected, found);
  }
  return failed(CheckState::warn, id, expected,
                wrong.size() > 2
                    ? fmt::format("{}; {} more GPUs differ", wrong[0], wrong.size() - 1)
                    : fmt::format("{}", fmt::join(wrong, "; ")),
                "comparisons of GPUs: pipeline or expert parallelism, or lost records",
                part_of(wrong.size(), devices_with_events(in.timelines), "GPUs with events"));
}

}  // namespace jaxtrace::check
