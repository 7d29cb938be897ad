#include "counters/fetch.h"

#include <algorithm>

namespace jaxtrace {
namespace {

bool has(std::span<const CounterFamily> families, CounterFamily family) {
  return std::ranges::find(families, family) != families.end();
}

/// Of a whole and its parts, the one part that is absent follows from the rest.
void complete(const std::optional<std::int64_t>& whole,
              std::initializer_list<std::optional<std::int64_t>*> parts) {
  if (!whole) return;
  std::int64_t rest = *whole;
  std::optional<std::int64_t>* absent = nullptr;
  for (std::optional<std::int64_t>* const part : parts) {
    if (*part) {
      rest -= **part;
    } else if (absent != nullptr) {
      return;
    } else {
      absent = part;
    }
  }
  if (absent != nullptr) *absent = rest;
}

}  // namespace

FetchFormula fetch_formula(std::string_view arch, std::span<const CounterFamily> families) {
  if (arch.starts_with("gfx94")) return FetchFormula::bubble;
  if (arch.starts_with("gfx95") || arch.starts_with("gfx12")) return FetchFormula::sizes_32_64_128;
  if (arch.starts_with("gfx10") || arch.starts_with("gfx11")) return FetchFormula::sizes_to_128;
  if (arch.starts_with("gfx9")) return FetchFormula::sizes_32_64;
  if (!arch.empty()) return FetchFormula::unknown;
  if (has(families, CounterFamily::tcc_ea0)) return FetchFormula::unknown_ea0;
  if (has(families, CounterFamily::tcc_ea)) return FetchFormula::sizes_32_64;
  if (has(families, CounterFamily::gl2c)) return FetchFormula::sizes_to_128;
  return FetchFormula::unknown;
}

CounterFamily family_of(FetchFormula formula, std::span<const CounterFamily> families) {
  switch (formula) {
    case FetchFormula::sizes_32_64:
      return CounterFamily::tcc_ea;
    case FetchFormula::sizes_to_128:
      return CounterFamily::gl2c;
    case FetchFormula::sizes_32_64_128:  // gfx950 and gfx12 name theirs differently.
      return has(families, CounterFamily::gl2c) ? CounterFamily::gl2c : CounterFamily::tcc_ea0;
    case FetchFormula::bubble:
    case FetchFormula::unknown_ea0:
    case FetchFormula::unknown:
      break;
  }
  return CounterFamily::tcc_ea0;
}

Sizes request_sizes(FetchFormula formula, const Counts& counts) {
  Sizes sizes{.all = of(counts, L2Counter::read),
              .of_32 = of(counts, L2Counter::read_32),
              .of_64 = of(counts, L2Counter::read_64),
              .of_96 = std::int64_t{0},
              .of_128 = of(counts, L2Counter::read_128)};
  switch (formula) {
    case FetchFormula::sizes_32_64:
      sizes.of_128 = 0;
      break;
    case FetchFormula::bubble:
      sizes.of_128 = of(counts, L2Counter::bubble);
      break;
    case FetchFormula::unknown_ea0: {
      // A bubble counter at 0 says nothing: on gfx950 it always is.
      const auto& bubble = of(counts, L2Counter::bubble);
      if (!sizes.of_128 && bubble && *bubble > 0) sizes.of_128 = bubble;
      break;
    }
    case FetchFormula::sizes_to_128:
      sizes.of_96 = of(counts, L2Counter::read_96);
      break;
    case FetchFormula::sizes_32_64_128:
    case FetchFormula::unknown:
      break;
  }
  complete(sizes.all, {&sizes.of_32, &sizes.of_64, &sizes.of_96, &sizes.of_128});
  if (!sizes.all && sizes.of_32 && sizes.of_64 && sizes.of_96 && sizes.of_128) {
    sizes.all = *sizes.of_32 + *sizes.of_64 + *sizes.of_96 + *sizes.of_128;
  }
  std::int64_t parts = 0;
  for (const auto* part : {&sizes.of_32, &sizes.of_64, &sizes.of_96, &sizes.of_128}) {
    sizes.contradict = sizes.contradict || part->value_or(0) < 0;
    parts += std::max<std::int64_t>(part->value_or(0), 0);
  }
  sizes.contradict = sizes.contradict || (sizes.all && parts > *sizes.all);
  return sizes;
}

std::optional<Range> read_bytes(FetchFormula formula, const Counts& counts) {
  const Sizes sizes = request_sizes(formula, counts);
  if (formula == FetchFormula::unknown || sizes.contradict || !sizes.all || !sizes.of_32 ||
      !sizes.of_96) {
    return std::nullopt;
  }
  const std::int64_t small = 32 * *sizes.of_32 + 96 * *sizes.of_96;
  const std::int64_t rest = *sizes.all - *sizes.of_32 - *sizes.of_96;
  if (sizes.of_128) {
    const std::int64_t bytes = small + 128 * *sizes.of_128 + 64 * (rest - *sizes.of_128);
    return Range{bytes, bytes};
  }
  return Range{small + 64 * rest, small + 128 * rest};
}

std::optional<std::int64_t> written_bytes(const Counts& counts) {
  const auto& all = of(counts, L2Counter::write);
  const auto& of_64 = of(counts, L2Counter::write_64);
  if (!all || !of_64 || *of_64 > *all) return std::nullopt;
  return 64 * *of_64 + 32 * (*all - *of_64);
}

std::vector<L2Counter> missing_sizes(FetchFormula formula, const Counts& counts) {
  std::vector<L2Counter> needed = {L2Counter::read, L2Counter::read_32};
  if (formula == FetchFormula::bubble || formula == FetchFormula::unknown_ea0) {
    needed.push_back(L2Counter::bubble);
  } else if (formula == FetchFormula::sizes_32_64_128) {
    needed = {L2Counter::read_32, L2Counter::read_64, L2Counter::read_128};
  } else if (formula == FetchFormula::sizes_to_128) {
    needed = {L2Counter::read_32, L2Counter::read_64, L2Counter::read_96, L2Counter::read_128};
  }
  const std::optional<Range> bytes = read_bytes(formula, counts);
  if (bytes && bytes->known()) return {};
  std::erase_if(needed, [&](L2Counter counter) { return of(counts, counter).has_value(); });
  return needed;
}

}  // namespace jaxtrace
