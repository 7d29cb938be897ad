// compare(): first lines that kept their number, then those whose text is found elsewhere in the
// same file, if it is there once before and once after.
#include "att/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace jaxtrace {
namespace {

using Stalls = std::map<std::string, std::int64_t>;

std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

Stalls stall_by_class(const CompareSide& side) {
  Stalls result;
  for (const Totals* totals : side.totals) {
    for (const ClassTotal& total : totals->classes) {
      std::int64_t& stall = result[std::string(name_of(total.stall_class))];
      stall = plus(stall, total.cycles.stall);
    }
  }
  return result;
}

Stalls stall_by_line(const CompareSide& side) {
  Stalls result;
  for (const Totals* totals : side.totals) {
    for (const LineTotal& line : totals->lines) {
      std::int64_t& stall = result[line.line];
      stall = plus(stall, line.cycles.stall);
    }
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The text of a line in one recording; empty if its source is not there.
std::string_view text_of(const CompareSide& side, const SourceLine& at) {
  for (const ThreadTrace* trace : side.traces) {
    const auto file = std::ranges::find(trace->sources, at.path, &SourceFile::path);
    if (file == trace->sources.end() || !at.number) continue;
    const auto index = static_cast<std::size_t>(*at.number - 1);
    if (index < file->lines.size()) return trimmed(file->lines[index]);
  }
  return {};
}

/// Lines of one recording by path and text; lines of one text are not told apart.
using Texts = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

Texts texts_of(const CompareSide& side, const Stalls& lines) {
  Texts result;
  for (const auto& [line, stall] : lines) {
    const SourceLine at = parse_line(line);
    const std::string_view text = text_of(side, at);
    if (!text.empty()) result[{std::string(at.path), std::string(text)}].push_back(line);
  }
  return result;
}

/// The name before of each line after that has another number or other text now.
std::map<std::string, std::string> moved_lines(const CompareSide& before,
                                               const Stalls& lines_before, const CompareSide& after,
                                               const Stalls& lines_after) {
  std::map<std::string, std::string> result;
  const Texts texts_before = texts_of(before, lines_before);
  for (const auto& [key, now] : texts_of(after, lines_after)) {
    const auto then = texts_before.find(key);
    if (then == texts_before.end() || now.size() != 1 || then->second.size() != 1) continue;
    if (now.front() != then->second.front()) result[now.front()] = then->second.front();
  }
  return result;
}

std::vector<Change> changes(const Stalls& before, const Stalls& after,
                            const std::map<std::string, std::string>& moved) {
  std::vector<Change> result;
  Stalls left = before;
  // A line that moved away must not be taken for the one that has its number now.
  for (const auto& [now, then] : moved) {
    const auto stall = left.find(then);
    result.push_back({.name = now, .was = then, .before = stall->second, .after = after.at(now)});
    left.erase(stall);
  }
  for (const auto& [name, stall] : after) {
    if (moved.contains(name)) continue;
    Change change{.name = name, .was = "", .before = std::nullopt, .after = stall};
    if (const auto then = left.find(name); then != left.end()) {
      change.before = then->second;
      left.erase(then);
    }
    result.push_back(std::move(change));
  }
  for (const auto& [name, stall] : left) {
    result.push_back({.name = name, .was = "", .before = stall, .after = std::nullopt});
  }
  return result;
}

}  // namespace

Comparison compare(const CompareSide& before, const CompareSide& after) {
  Comparison result;
  result.waves_before = before.waves;
  result.waves_after = after.waves;
  for (const Totals* totals : before.totals) result.before.add(totals->all);
  for (const Totals* totals : after.totals) result.after.add(totals->all);
  result.classes = changes(stall_by_class(before), stall_by_class(after), {});
  const Stalls lines_before = stall_by_line(before);
  const Stalls lines_after = stall_by_line(after);
  result.lines =
      changes(lines_before, lines_after, moved_lines(before, lines_before, after, lines_after));

  const bool per_wave = before.waves.value_or(0) > 0 && after.waves.value_or(0) > 0;
  const auto size_of = [&](const Change& change) {
    const double scale_before = per_wave ? static_cast<double>(*before.waves) : 1;
    const double scale_after = per_wave ? static_cast<double>(*after.waves) : 1;
    return std::abs(static_cast<double>(change.after.value_or(0)) / scale_after -
                    static_cast<double>(change.before.value_or(0)) / scale_before);
  };
  // Names are unique and sorted already, but for what is gone.
  std::ranges::stable_sort(result.classes, {}, &Change::name);
  std::ranges::stable_sort(result.lines, {}, &Change::name);
  std::ranges::stable_sort(result.classes, std::greater{}, size_of);
  std::ranges::stable_sort(result.lines, std::greater{}, size_of);
  return result;
}

}  // namespace jaxtrace
