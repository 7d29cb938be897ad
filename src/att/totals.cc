// add_up().
#include "att/totals.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>

namespace jaxtrace {
namespace {

constexpr std::string_view kArrow = " -> ";

std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

std::size_t index(StallClass stall_class) {
  return static_cast<std::size_t>(stall_class);
}

/// How the stall of each mixed wait is divided among classes, by row.
using Divisions = std::map<std::uint32_t, StallByClass>;

Divisions divisions(const ThreadTrace& trace, const std::vector<StallClass>& class_of,
                    const WaitAnalysis* waits) {
  Divisions result;
  if (waits == nullptr || !waits->dynamic) return result;
  std::map<std::uint32_t, StallByClass> shares;
  for (const WaitShare& share : waits->shares) {
    if (share.wait >= class_of.size() || class_of[share.wait] != StallClass::mixed_wait) continue;
    const StallClass stall_class =
        share.counter ? stall_class_of(*share.counter) : StallClass::mixed_wait;
    std::int64_t& cycles = shares[share.wait][index(stall_class)];
    cycles = plus(cycles, share.cycles);
  }
  for (const auto& [row, share] : shares) {
    const std::int64_t stall = trace.instructions[row].stall_cycles;
    const std::vector<std::int64_t> parts = divide(stall, {share.begin(), share.end()});
    const std::int64_t given = std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
    StallByClass& division = result[row];
    std::ranges::copy(parts, division.begin());
    division[index(StallClass::mixed_wait)] += stall - given;
  }
  return result;
}

/// Classes by mnemonic and operands: listings repeat few of them, but for register numbers.
std::vector<StallClass> classes_of(const ThreadTrace& trace, int family) {
  std::vector<StallClass> result;
  result.reserve(trace.instructions.size());
  for (const Instruction& instruction : trace.instructions) {
    result.push_back(stall_class_of(instruction.text, family));
  }
  return result;
}

void add_up_lines(const ThreadTrace& trace, Inline which, const Divisions& divided,
                  Totals& totals) {
  std::unordered_map<std::string_view, std::size_t> of_line;
  std::vector<LineTotal>& lines = totals.lines;
  for (std::uint32_t row = 0; row < trace.instructions.size(); ++row) {
    const Instruction& instruction = trace.instructions[row];
    const std::string_view line = line_of(instruction.source, which);
    const auto [found, made] = of_line.try_emplace(line, lines.size());
    if (made) lines.push_back({.line = std::string(line), .rows = {}, .cycles = {}});
    LineTotal& total = lines[found->second];
    total.rows.push_back(row);
    total.cycles.add(cycles_of(instruction));
    if (const auto division = divided.find(row); division != divided.end()) {
      for (std::size_t i = 0; i < kStallClasses; ++i) {
        total.stall[i] = plus(total.stall[i], division->second[i]);
      }
    } else {
      std::int64_t& stall = total.stall[index(totals.class_of[row])];
      stall = plus(stall, instruction.stall_cycles);
    }
  }
  std::ranges::stable_sort(lines, std::greater{},
                           [](const LineTotal& line) { return line.cycles.stall; });
}

void add_up_classes(const ThreadTrace& trace, Totals& totals) {
  std::vector<ClassTotal> classes(kStallClasses);
  for (std::size_t i = 0; i < kStallClasses; ++i) {
    classes[i].stall_class = static_cast<StallClass>(i);
  }
  for (std::uint32_t row = 0; row < trace.instructions.size(); ++row) {
    ClassTotal& total = classes[index(totals.class_of[row])];
    ++total.instructions;
    total.cycles.add(cycles_of(trace.instructions[row]));
  }
  // Lines have the divided stall already.
  for (ClassTotal& total : classes) total.cycles.stall = 0;
  for (const LineTotal& line : totals.lines) {
    for (std::size_t i = 0; i < kStallClasses; ++i) {
      classes[i].cycles.stall = plus(classes[i].cycles.stall, line.stall[i]);
    }
  }
  std::erase_if(classes, [](const ClassTotal& total) {
    return total.instructions == 0 && total.cycles.stall == 0;
  });
  std::ranges::stable_sort(classes, std::greater{},
                           [](const ClassTotal& total) { return total.cycles.stall; });
  totals.classes = std::move(classes);
}

}  // namespace

std::int64_t Cycles::of_waves() const {
  return plus(latency, idle);
}

void Cycles::add(const Cycles& other) {
  hits = plus(hits, other.hits);
  latency = plus(latency, other.latency);
  stall = plus(stall, other.stall);
  idle = plus(idle, other.idle);
}

Cycles cycles_of(const Instruction& instruction) {
  return {instruction.hits, instruction.latency_cycles, instruction.stall_cycles,
          instruction.idle_cycles};
}

std::string_view line_of(std::string_view source, Inline which) {
  switch (which) {
    case Inline::innermost:
      return source.substr(0, source.find(kArrow));
    case Inline::outermost: {
      const std::size_t last = source.rfind(kArrow);
      return last == std::string_view::npos ? source : source.substr(last + kArrow.size());
    }
    case Inline::all:
      break;
  }
  return source;
}

SourceLine parse_line(std::string_view line) {
  const std::size_t colon = line.rfind(':');
  if (colon == std::string_view::npos) return {line, std::nullopt};
  const std::string_view digits = line.substr(colon + 1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 1) {
    return {line, std::nullopt};
  }
  return {line.substr(0, colon), number};
}

StallClass LineTotal::dominant() const {
  return static_cast<StallClass>(std::ranges::max_element(stall) - stall.begin());
}

std::vector<std::int64_t> divide(std::int64_t whole, const std::vector<std::int64_t>& parts) {
  __extension__ using Wide = __int128;
  Wide sum = 0;
  for (const std::int64_t part : parts) sum += part;
  std::vector<std::int64_t> result;
  result.reserve(parts.size());
  for (const std::int64_t part : parts) {
    result.push_back(sum == 0 ? 0 : static_cast<std::int64_t>(Wide{whole} * part / sum));
  }
  return result;
}

Totals add_up(const ThreadTrace& trace, Inline which, int family, const WaitAnalysis* waits) {
  Totals totals;
  totals.class_of = classes_of(trace, family);
  const Divisions divided = divisions(trace, totals.class_of, waits);
  for (const auto& [row, division] : divided) {
    totals.divided_cycles =
        plus(totals.divided_cycles,
             trace.instructions[row].stall_cycles - division[index(StallClass::mixed_wait)]);
  }
  totals.kernels.resize(trace.kernels.size());
  for (std::uint32_t row = 0; row < trace.instructions.size(); ++row) {
    const Instruction& instruction = trace.instructions[row];
    totals.all.add(cycles_of(instruction));
    if (instruction.kernel < totals.kernels.size()) {
      KernelTotal& kernel = totals.kernels[instruction.kernel];
      kernel.kernel = instruction.kernel;
      ++kernel.instructions;
      kernel.cycles.add(cycles_of(instruction));
    }
    if (instruction.stall_cycles > 0) totals.stalled.push_back(row);
  }
  std::erase_if(totals.kernels, [](const KernelTotal& kernel) { return kernel.instructions == 0; });
  std::ranges::stable_sort(totals.stalled, std::greater{},
                           [&](std::uint32_t row) { return trace.instructions[row].stall_cycles; });
  add_up_lines(trace, which, divided, totals);
  add_up_classes(trace, totals);
  return totals;
}

}  // namespace jaxtrace
