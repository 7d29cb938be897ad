// Truth rows and events meet by place and time; of two events that share both, by kernel name.
#include "support/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "support/capture.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMistakesShown = 12;

std::string op_of(const Trace& trace, const Attribution& attribution, const Label& label) {
  if (label.match == Match::none) return "";
  if (label.instruction == hlo::InstructionId::none) {
    return std::string(trace.strings[label.named]);
  }
  return (*attribution.programs.at(label.program).hlo)[label.instruction].name;
}

std::string described(const Answer& answer) {
  return fmt::format("{} {} +{} {}{}: {} ({}, {}, {})", answer.device, answer.start_ps,
                     answer.duration_ps, answer.kernel.substr(0, 60),
                     answer.in_graph ? " in a graph" : "", answer.op.empty() ? "-" : answer.op,
                     text(answer.match), text(answer.rule), answer.confidence);
}

/// Cells of a line of CSV; quotes are only around commas.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back().push_back(c);
    }
  }
  return cells;
}

}  // namespace

std::vector<Answer> answers_of(const Trace& trace, const Attribution& attribution) {
  std::vector<Answer> answers;
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    const Device& device = trace.devices[static_cast<std::size_t>(lane.device)];
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const Label& label = attribution.labels.at(attribution.label.at(i));
      answers.push_back(
          {.host =
               std::string(trace.strings[trace.hosts[static_cast<std::size_t>(lane.host)].name]),
           .device = std::string(trace.strings[device.plane]),
           .line = std::string(trace.strings[lane.name]),
           .start_ps = trace.events.begin[i].count(),
           .duration_ps = trace.events.duration[i].count(),
           .kernel = std::string(trace.strings[trace.events.name[i]]),
           .program_id = label.program == kNone ? kNoProgram
                                                : attribution.programs.at(label.program).program_id,
           .op = op_of(trace, attribution, label),
           .match = label.match,
           .rule = label.rule,
           .confidence = label.confidence,
           .execution = attribution.execution.at(i),
           .kind = attribution.kind.at(i),
           .in_graph = attribution.in_graph.at(i),
           .event = i});
    }
  }
  std::ranges::sort(answers, {}, [](const Answer& a) {
    return std::tie(a.host, a.device, a.start_ps, a.line, a.event);
  });
  return answers;
}

std::ostream& operator<<(std::ostream& out, const Score& verdict) {
  out << verdict.right << " of " << verdict.events << " right, " << verdict.exact
      << " exact of which " << verdict.exact_wrong << " wrong, " << verdict.absent << " absent\n";
  for (const std::string& mistake : verdict.mistakes) out << "  " << mistake << '\n';
  return out;
}

Score judge(const std::vector<Answer>& answers, const std::vector<synth::TruthRow>& truth) {
  using Place =
      std::tuple<std::string_view, std::string_view, std::int64_t, std::int64_t, std::string_view>;
  std::multimap<Place, const Answer*> at;
  for (const Answer& a : answers) {
    at.emplace(Place(a.host, a.device, a.start_ps, a.duration_ps, a.kernel), &a);
  }
  Score verdict;
  const auto mistake = [&](std::string words) {
    if (verdict.mistakes.size() < kMistakesShown) verdict.mistakes.push_back(std::move(words));
  };
  for (const synth::TruthRow& row : truth) {
    const auto [first, last] =
        at.equal_range(Place(row.host, row.device, row.start_ps, row.duration_ps, row.kernel));
    auto found = first;
    // Goldens have no lines; where there are some, equal events of two streams are two rows.
    while (found != last && !row.line.empty() && found->second->line != row.line) ++found;
    if (found == last) {
      ++verdict.absent;
      mistake(fmt::format("no event for {} {} {}", row.device, row.start_ps, row.kernel));
      continue;
    }
    const Answer& answer = *found->second;
    at.erase(found);
    const bool right = answer.op == row.hlo_op;
    const bool exact = answer.match == Match::exact;
    ++verdict.events;
    ++(right ? verdict.right : verdict.wrong);
    verdict.exact += exact;
    verdict.exact_wrong += exact && !right;
    if (!right) {
      mistake(described(answer) + ", truth: " + (row.hlo_op.empty() ? "-" : row.hlo_op));
    }
  }
  return verdict;
}

std::vector<Answer> Judged::of(const std::string& kernel) const {
  std::vector<Answer> out;
  std::ranges::copy_if(answers, std::back_inserter(out),
                       [&](const Answer& a) { return a.kernel == kernel; });
  return out;
}

std::vector<std::string> Judged::ops(int device) const {
  const std::string plane = "/device:GPU:" + std::to_string(device);
  std::vector<std::string> out;
  for (const Answer& answer : answers) {
    if (answer.device == plane) out.push_back(answer.op);
  }
  return out;
}

std::map<std::string, int> Judged::counts() const {
  std::map<std::string, int> out;
  for (const Answer& answer : answers) ++out[answer.op];
  return out;
}

Judged judged(const synth::Recording& recording, const AttributeOptions& options,
              const synth::WriteOptions& write) {
  std::vector<synth::TruthRow> truth = truth_of(recording);
  for (synth::TruthRow& row : truth) {
    row.host = "host0";  // As read_bytes() names it.
    row.start_ps += write.shift_ns * 1000;
  }
  return judged(xspace_bytes(recording, write), std::move(truth), options);
}

Judged judged(const std::string& xspace, std::vector<synth::TruthRow> truth,
              const AttributeOptions& options) {
  Judged out{.trace = read_bytes(xspace),
             .attribution = {},
             .answers = {},
             .truth = std::move(truth),
             .verdict = {}};
  out.attribution = attribute(out.trace, options);
  out.answers = answers_of(out.trace, out.attribution);
  out.verdict = judge(out.answers, out.truth);
  return out;
}

std::vector<synth::TruthRow> read_truth(const std::string& csv, const std::string& host) {
  std::istringstream in(csv);
  std::string line;
  std::getline(in, line);
  std::vector<synth::TruthRow> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = cells_of(line);
    rows.push_back({.host = host,
                    .device = cells.at(0),
                    .line = "",
                    .start_ps = std::stoll(cells.at(1)),
                    .duration_ps = std::stoll(cells.at(2)),
                    .kernel = cells.at(3),
                    .hlo_op = cells.at(4),
                    .in_graph = cells.at(5) == "1",
                    .within = ""});
  }
  return rows;
}

}  // namespace jaxtrace
