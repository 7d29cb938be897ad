// One pass over the events, lane by lane.
#include "attribution/sums.h"

#include <algorithm>
#include <limits>

namespace jaxtrace {
namespace {

void add_saturating(std::int64_t& sum, std::int64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) {
    sum = value > 0 ? std::numeric_limits<std::int64_t>::max()
                    : std::numeric_limits<std::int64_t>::min();
  }
}

enum class Said : std::uint8_t { nothing, instruction, wrapper };

/// What the tracer's hlo_op is worth on the events of one host, by annotation.
std::vector<Said> what_tracer_said(const Trace& trace, const Attribution& attribution,
                                   HostId host) {
  std::vector<Said> said;
  said.reserve(trace.annotations.size());
  for (const Annotation& annotation : trace.annotations) {
    const std::string_view op = trace.strings[annotation.hlo_op];
    if (op.empty()) {
      said.push_back(Said::nothing);
      continue;
    }
    const auto program =
        std::ranges::find_if(attribution.programs, [&](const AttributedProgram& candidate) {
          if (candidate.host != host) return false;
          return annotation.program_id == kNoProgram
                     ? candidate.module == annotation.hlo_module
                     : candidate.program_id == annotation.program_id;
        });
    if (program == attribution.programs.end() || !program->hlo) {
      said.push_back(op.starts_with("command_buffer") ? Said::nothing : Said::instruction);
      continue;
    }
    const hlo::InstructionId found = program->hlo->find(op);
    if (found == hlo::InstructionId::none) {
      said.push_back(Said::nothing);
      continue;
    }
    const std::string& opcode = (*program->hlo)[found].opcode;
    const bool wrapper = opcode == "call" || opcode == "while" || opcode == "conditional";
    said.push_back(wrapper ? Said::wrapper : Said::instruction);
  }
  return said;
}

/// Counts the distinct executions of each op on one device at a time.
class ExecutionCount {
 public:
  explicit ExecutionCount(std::size_t ops) : seen_(ops), count_(ops, 0) {}

  void see(std::uint32_t op, std::uint32_t execution) {
    std::vector<std::uint32_t>& seen = seen_[op];
    if (seen.empty()) touched_.push_back(op);
    if (seen.empty() || seen.back() != execution) seen.push_back(execution);
  }

  void end_device() {
    for (const std::uint32_t op : touched_) {
      std::vector<std::uint32_t>& seen = seen_[op];
      // Each lane comes in order; an op on several lanes needs sorting.
      if (!std::ranges::is_sorted(seen)) std::ranges::sort(seen);
      count_[op] += std::unique(seen.begin(), seen.end()) - seen.begin();
      seen.clear();
    }
    touched_.clear();
  }

  std::vector<std::int64_t> take() { return std::move(count_); }

 private:
  std::vector<std::vector<std::uint32_t>> seen_;
  std::vector<std::uint32_t> touched_;
  std::vector<std::int64_t> count_;
};

}  // namespace

void Cost::add(Match match, std::int64_t events, std::int64_t duration_ps) {
  kernels += events;
  add_saturating(total_ps, duration_ps);
  add_saturating(match_ps[static_cast<std::size_t>(match)], duration_ps);
}

void Cost::add(const Cost& other) {
  kernels += other.kernels;
  add_saturating(total_ps, other.total_ps);
  for (std::size_t i = 0; i < match_ps.size(); ++i) add_saturating(match_ps[i], other.match_ps[i]);
}

Counted counted_labels(const Attribution& attribution, const AttributeOptions& options) {
  Counted counted;
  for (const Label& label : attribution.labels) {
    const bool wanted =
        !options.program || (label.program != kNone &&
                             attribution.programs[label.program].program_id == *options.program);
    counted.shown.push_back(wanted);
    counted.label.push_back(wanted && label.rule != Rule::damaged);
  }
  return counted;
}

Sums add_up(const Trace& trace, const Attribution& attribution, const Ops& ops,
            const Counted& counted) {
  Sums sums;
  sums.label.resize(attribution.labels.size());
  ExecutionCount executions(ops.rows.size());
  std::vector<Said> said;
  const Lane* before = nullptr;

  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    if (before == nullptr || before->host != lane.host) {
      said = what_tracer_said(trace, attribution, lane.host);
    }
    if (before != nullptr && before->device != lane.device) executions.end_device();
    before = &lane;

    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const std::uint32_t label = attribution.label[i];
      const std::int64_t duration = trace.events.duration[i].count();
      const Match match = attribution.labels[label].match;
      if (!counted.label[label]) {
        Cost& aside = counted.shown[label] ? sums.damaged : sums.other_programs;
        aside.add(match, 1, duration);
        continue;
      }
      sums.label[label].add(match, 1, duration);
      const Said what = said[static_cast<std::size_t>(trace.events.annotation[i])];
      if (what != Said::nothing) add_saturating(sums.tracer_ps, duration);
      if (what == Said::wrapper) add_saturating(sums.tracer_wrapper_ps, duration);
      const std::uint32_t op = ops.of_label[label];
      const std::uint32_t execution = attribution.execution[i];
      if (op != kNone && execution != kNone) executions.see(op, execution);
    }
  }
  executions.end_device();
  sums.executions = executions.take();
  for (const Cost& cost : sums.label) sums.all.add(cost);
  return sums;
}

}  // namespace jaxtrace
