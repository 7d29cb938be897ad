// Sums by row, loop and kernel.
#include "att/plan/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "att/saturating.h"

namespace jaxtrace {
namespace {

bool is_vector(StallClass c) {
  return c == StallClass::valu || c == StallClass::trans || c == StallClass::acc;
}

std::int64_t issue_of(const Instruction& i) {
  return std::max<std::int64_t>(0, saturating_subtract(i.latency_cycles, i.stall_cycles));
}

/// `part` of `whole`, of `all`, without overflow; estimates need no more than 53 bits.
std::int64_t portion(std::int64_t all, std::int64_t part, std::int64_t whole) {
  if (whole <= 0 || part <= 0) return 0;
  if (part >= whole) return all;
  return static_cast<std::int64_t>(static_cast<double>(all) * static_cast<double>(part) /
                                   static_cast<double>(whole));
}

std::string_view innermost(std::string_view source) {
  return source.substr(0, source.find(" -> "));
}

std::string_view file_of(std::string_view line) {
  return line.substr(0, line.rfind(':'));
}

std::int64_t number_of(std::string_view line) {
  std::int64_t number = 0;
  const std::size_t colon = line.rfind(':');
  if (colon == std::string_view::npos) return -1;
  for (const char c : line.substr(colon + 1)) {
    if (c < '0' || c > '9' || number > 1'000'000'000) return -1;
    number = number * 10 + (c - '0');
  }
  return number;
}

}  // namespace

std::int64_t PlanScope::cover_of_one() const {
  return times > 0 ? saturating_add(matrix_cycles, vector_issue) / times : 0;
}

PlanFacts::PlanFacts(const ThreadTrace& trace_in, const Loops& loops_in,
                     const WaitAnalysis& analysis, const OccupancyReport& occupancy_in,
                     const HiddenStall* hidden_in)
    : trace(trace_in),
      loops(loops_in),
      occupancy(occupancy_in),
      hidden(hidden_in),
      waves_replayed(analysis.waves) {
  for (const Instruction& i : trace.instructions) {
    latency_cycles = saturating_add(latency_cycles, i.latency_cycles);
    stall_cycles = saturating_add(stall_cycles, i.stall_cycles);
    wave_cycles = saturating_add(wave_cycles, saturating_add(i.latency_cycles, i.idle_cycles));
    class_of.push_back(stall_class_of(i.text, occupancy.arch.family));
    const bool matrix = class_of.back() == StallClass::matrix;
    matrix_cycles_of.push_back(matrix ? matrix_cycles(i.text, occupancy.arch).value_or(0) : 0);
    unclaimed_.push_back(std::max<std::int64_t>(0, i.stall_cycles));
  }
  sum_scopes();
  measure_math();
  view_waits(analysis);
  name_sources();
}

void PlanFacts::sum_scopes() {
  const auto rows = static_cast<std::uint32_t>(trace.instructions.size());
  first_loop_row_ = rows;
  around_.resize(loops.loops.size());
  for (std::uint32_t k = 0; k < around_.size(); ++k) {  // Those around come before.
    const Loop& loop = loops.loops[k];
    const bool went_round = loop.iterations > 0 && loop.entries.value_or(0) < loop.iterations;
    around_[k] = went_round ? k : loop.parent == kNoLoop ? kNoLoop : around_[loop.parent];
    if (went_round) first_loop_row_ = std::min(first_loop_row_, loop.head);
  }
  scopes_.resize(loops.loops.size());
  straight_.resize(std::max<std::size_t>(1, trace.kernels.size()));
  for (std::uint32_t k = 0; k < scopes_.size(); ++k) scopes_[k].times = loops.loops[k].iterations;
  for (PlanScope& scope : straight_) scope.times = loops.waves;
  for (std::uint32_t k = 0; k < rows; ++k) {
    const Instruction& i = row(k);
    const std::uint32_t loop = loop_of(k);
    PlanScope& scope = loop == kNoLoop
                           ? straight_[std::min<std::size_t>(i.kernel, straight_.size() - 1)]
                           : scopes_[loop];
    if (class_of[k] == StallClass::matrix) {
      scope.matrix_count = saturating_add(scope.matrix_count, i.hits);
      const std::int64_t pipe = saturating_multiply(matrix_cycles_of[k], i.hits);
      scope.matrix_cycles = saturating_add(scope.matrix_cycles, std::max(pipe, issue_of(i)));
    } else if (is_vector(class_of[k])) {
      scope.vector_issue = saturating_add(scope.vector_issue, issue_of(i));
    }
  }
  // What is in a loop is in the loop around it too; inner loops come later.
  for (std::uint32_t k = static_cast<std::uint32_t>(scopes_.size()); k-- > 0;) {
    if (around_[k] != k || loops.loops[k].parent == kNoLoop) continue;
    const std::uint32_t outer = around_[loops.loops[k].parent];
    if (outer == kNoLoop) continue;
    PlanScope& into = scopes_[outer];
    into.matrix_count = saturating_add(into.matrix_count, scopes_[k].matrix_count);
    into.matrix_cycles = saturating_add(into.matrix_cycles, scopes_[k].matrix_cycles);
    into.vector_issue = saturating_add(into.vector_issue, scopes_[k].vector_issue);
  }
}

void PlanFacts::measure_math() {
  if (!occupancy.measured || occupancy.measured->busy_cycles <= 0 || wave_cycles <= 0) return;
  waves_of_simd = static_cast<double>(occupancy.measured->wave_cycles) /
                  static_cast<double>(occupancy.measured->busy_cycles);
  std::int64_t matrix = 0, vector = 0;
  for (std::uint32_t k = 0; k < class_of.size(); ++k) {
    if (class_of[k] == StallClass::matrix) {
      const std::int64_t pipe = saturating_multiply(matrix_cycles_of[k], row(k).hits);
      matrix = saturating_add(matrix, std::max(pipe, issue_of(row(k))));
    } else if (is_vector(class_of[k])) {
      vector = saturating_add(vector, issue_of(row(k)));
    }
  }
  const auto share = [&](std::int64_t cycles) {
    return std::min(
        1.0, *waves_of_simd * static_cast<double>(cycles) / static_cast<double>(wave_cycles));
  };
  matrix_busy = share(matrix);
  math_busy = share(saturating_add(matrix, vector));
}

/// Dependencies of one wait and counter are added; stall is scaled from the waves seen to all.
void PlanFacts::view_waits(const WaitAnalysis& analysis) {
  std::unordered_map<std::uint32_t, std::array<std::int64_t, 2>> shared;  // Seen, not divided
  for (const WaitShare& share : analysis.shares) {
    auto& [seen, whole] = shared[share.wait];
    seen = saturating_add(seen, share.cycles);
    if (!share.counter) whole = saturating_add(whole, share.cycles);
  }
  std::size_t share = 0;
  for (std::size_t begin = 0; begin < analysis.dependencies.size();) {
    const WaitDependency& first = analysis.dependencies[begin];
    WaitView view;
    view.wait = first.wait;
    view.operation = kNoOperation;
    view.counter = first.counter;
    view.left = first.left;
    std::int64_t times = 0, distance = 0, matrix = 0, covered = 0, most = -1;
    std::size_t end = begin;
    for (; end < analysis.dependencies.size(); ++end) {
      const WaitDependency& d = analysis.dependencies[end];
      if (d.wait != view.wait || d.counter != view.counter) break;
      if (d.operation == kNoOperation) continue;
      times = saturating_add(times, d.times);
      distance = saturating_add(distance, d.distance_cycles);
      matrix = saturating_add(matrix, d.matrix_between);
      covered = saturating_add(covered, saturating_add(d.matrix_cycles, d.issue_cycles));
      if (d.exposed_cycles.value_or(0) > most) {
        most = d.exposed_cycles.value_or(0);
        view.operation = d.operation;
      }
    }
    begin = end;
    const Instruction& wait = row(view.wait);
    if (times == 0 || wait.hits <= 0) continue;
    while (share < analysis.shares.size() && analysis.shares[share].wait < view.wait) ++share;
    std::int64_t part = 0;
    for (std::size_t s = share; s < analysis.shares.size() && analysis.shares[s].wait == view.wait;
         ++s) {
      if (analysis.shares[s].counter == view.counter) part = analysis.shares[s].cycles;
    }
    const auto& [seen, whole] = shared[view.wait];
    view.mixed = part == 0 && whole > 0;
    view.stall_cycles = portion(wait.stall_cycles, view.mixed ? whole : part, seen);
    view.distance = distance / times;
    view.matrix_between = matrix / times;
    view.covered = covered / times;
    view.exposed = view.stall_cycles / wait.hits;
    if (view.stall_cycles > 0) waits.push_back(view);
  }
}

std::uint32_t PlanFacts::loop_of(std::uint32_t row) const {
  const std::uint32_t loop = loops.of[row];
  return loop == kNoLoop ? kNoLoop : around_[loop];
}

const PlanScope& PlanFacts::scope_of(std::uint32_t k) const {
  const std::uint32_t loop = loop_of(k);
  if (loop != kNoLoop) return scopes_[loop];
  return straight_[std::min<std::size_t>(row(k).kernel, straight_.size() - 1)];
}

bool PlanFacts::in_matrix_loop(std::uint32_t row) const {
  return loop_of(row) != kNoLoop && scope_of(row).matrix_count > 0;
}

/// A line that collects what the compiler made without a line of its own: the first of its file or
/// of the kernel, with stalls of many kinds from all over the kernel.
void PlanFacts::name_sources() {
  struct Line {
    std::int64_t stall = 0;
    std::uint32_t first = 0, last = 0;
    std::array<bool, kStallClasses> classes{};
  };
  std::unordered_map<std::string_view, Line> lines;
  std::unordered_map<std::string_view, std::int64_t> smallest;
  std::string_view first_line;
  const auto rows = static_cast<std::uint32_t>(trace.instructions.size());
  for (std::uint32_t k = 0; k < rows; ++k) {
    const std::string_view line = innermost(row(k).source);
    source_.push_back(line);
    if (line.empty()) continue;
    if (first_line.empty()) first_line = line;
    const auto [at, added] = lines.try_emplace(line);
    if (added) at->second.first = k;
    at->second.last = k;
    at->second.stall = saturating_add(at->second.stall, row(k).stall_cycles);
    if (row(k).stall_cycles > 0)
      at->second.classes.at(static_cast<std::size_t>(class_of[k])) = true;
    const std::int64_t number = number_of(line);
    const auto [least, fresh] = smallest.try_emplace(file_of(line), number);
    if (!fresh) least->second = std::min(least->second, number);
  }
  std::string_view top;
  for (const auto& [line, sums] : lines) {
    if (top.empty() || sums.stall > lines[top].stall ||
        (sums.stall == lines[top].stall && line < top)) {
      top = line;
    }
  }
  if (top.empty()) return;
  const Line& line = lines[top];
  const auto kinds = std::ranges::count(line.classes, true);
  const bool entry = top == first_line || number_of(top) == smallest[file_of(top)];
  if (lines.size() < 3 || !entry || kinds < 3 || 2 * (line.last - line.first) <= rows) return;
  artefacts.push_back(
      {std::string(top), line.stall,
       fmt::format(
           "an artefact of the debug information: {} kinds of stall from instructions {} to "
           "{}, most of them made by the compiler and put down to the kernel's first line",
           kinds, row(line.first).line, row(line.last).line)});
  std::string_view next;
  for (std::uint32_t k = rows; k-- > 0;) {
    if (source_[k] == top) {
      source_[k] = next;
    } else if (!source_[k].empty()) {
      next = source_[k];
    }
  }
}

std::int64_t PlanFacts::claim(std::uint32_t row, std::int64_t cycles) {
  const std::int64_t claimed = std::clamp<std::int64_t>(cycles, 0, unclaimed_[row]);
  unclaimed_[row] -= claimed;
  return claimed;
}

std::int64_t PlanFacts::lost(std::uint32_t row, std::int64_t stall) const {
  if (hidden != nullptr && hidden->stall_cycles[row] > 0) {
    return stall - portion(stall, hidden->hidden_cycles[row], hidden->stall_cycles[row]);
  }
  if (hidden != nullptr || !math_busy || *waves_of_simd <= 1) return stall;
  const double others = *math_busy * (*waves_of_simd - 1) / *waves_of_simd;
  return static_cast<std::int64_t>(static_cast<double>(stall) * (1 - others));
}

std::string PlanFacts::how_lost() const {
  if (hidden != nullptr) return "only stall counts in which the SIMD's math units were idle";
  if (!math_busy) return "an upper bound, as other waves may fill the time";
  if (*waves_of_simd < 1.05) return "there is no other wave on the SIMD to fill the time";
  return fmt::format("other waves of the SIMD do math in {:.0f} % of the time, which is taken off",
                     100 * *math_busy * (*waves_of_simd - 1) / *waves_of_simd);
}

bool PlanFacts::is_share(std::int64_t cycles, std::int64_t percent) const {
  return wave_cycles > 0 && 100 * static_cast<double>(cycles) >=
                                static_cast<double>(percent) * static_cast<double>(wave_cycles);
}

std::string percent(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return "–";
  return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string average(std::int64_t sum, std::int64_t times) {
  if (times <= 0) return "–";
  if (sum % times == 0) return std::to_string(sum / times);
  return fmt::format("{:.1f}", static_cast<double>(sum) / static_cast<double>(times));
}

}  // namespace jaxtrace
