// Counters of one ratio go into one pass, so that nothing has to be joined.  Writes decide nothing,
// so nobody is sent out for them.
#include "counters/collect.h"

#include <algorithm>

namespace jaxtrace {
namespace {

/// The counters of one figure.
std::vector<L2Counter> read_counters_of(FetchFormula formula) {
  using enum L2Counter;
  switch (formula) {
    case FetchFormula::sizes_32_64:
      return {read, read_32};
    case FetchFormula::bubble:
      return {read, read_32, bubble};
    case FetchFormula::sizes_32_64_128:
      return {read_32, read_64, read_128};
    case FetchFormula::sizes_to_128:
      return {read_32, read_64, read_96, read_128};
    case FetchFormula::unknown_ea0:
    case FetchFormula::unknown:
      break;
  }
  return {read, read_32, bubble};
}

std::vector<std::string> names(const std::vector<L2Counter>& counters, CounterFamily family) {
  std::vector<std::string> result;
  for (const L2Counter counter : counters) {
    const std::string_view name = counter_name(counter, family);
    if (!name.empty()) result.emplace_back(name);
  }
  return result;
}

}  // namespace

std::vector<std::vector<std::string>> passes_to_collect(const std::vector<L2Row>& rows) {
  std::vector<std::vector<std::string>> passes;
  const auto ask = [&](const std::vector<L2Counter>& counters, const L2Row& row) {
    std::vector<std::string> pass = names(counters, row.family);
    if (!pass.empty() && std::ranges::find(passes, pass) == passes.end()) {
      passes.push_back(std::move(pass));
    }
  };
  using enum L2Counter;
  for (const L2Row& row : rows) {
    if (!row.missing_hits.empty()) ask({hit, miss}, row);
    if (!row.missing_read.empty()) ask(read_counters_of(row.formula), row);
  }
  return passes;
}

}  // namespace jaxtrace
