// See iota.h.
#include "hlo/text/iota.h"

#include <algorithm>
#include <cstddef>

#include "hlo/text/append.h"

namespace jaxtrace::hlo {
namespace {

bool is_permutation(const std::vector<std::int64_t>& numbers) {
  std::vector<bool> seen(numbers.size(), false);
  for (const std::int64_t number : numbers) {
    if (number < 0 || static_cast<std::size_t>(number) >= seen.size()) return false;
    if (seen[static_cast<std::size_t>(number)]) return false;
    seen[static_cast<std::size_t>(number)] = true;
  }
  return true;
}

void drop_size_one(Iota& iota) {
  std::vector<std::int64_t> new_number(iota.sizes.size(), -1);
  std::int64_t next = 0;
  for (std::size_t i = 0; i < iota.sizes.size(); ++i) {
    if (iota.sizes[i] != 1) new_number[i] = next++;
  }
  std::erase(iota.sizes, 1);
  for (std::int64_t& number : iota.permutation)
    number = new_number[static_cast<std::size_t>(number)];
  std::erase(iota.permutation, -1);
}

/// Merges runs of dimensions that stay neighbours; what was merged is left with size 1.
bool merge_runs(Iota& iota) {
  bool changed = false;
  for (std::size_t i = 1, base = 0; i < iota.permutation.size(); ++i) {
    const auto first = static_cast<std::size_t>(iota.permutation[base]);
    const auto dimension = static_cast<std::size_t>(iota.permutation[i]);
    if (first + (i - base) != dimension) {
      base = i;
      continue;
    }
    // Unsigned, because a damaged proto may make the product overflow.
    iota.sizes[first] =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(iota.sizes[first]) *
                                  static_cast<std::uint64_t>(iota.sizes[dimension]));
    iota.sizes[dimension] = 1;
    changed = true;
  }
  return changed;
}

}  // namespace

Iota canonical(Iota iota) {
  if (iota.sizes.size() != iota.permutation.size() || !is_permutation(iota.permutation)) {
    return iota;
  }
  while (iota.sizes.size() > 1) {
    drop_size_one(iota);
    if (!merge_runs(iota)) break;
  }
  return iota;
}

void append_iota(std::string& out, const Iota& iota) {
  out += '[';
  append_ints(out, iota.sizes);
  out += ']';
  if (iota.sizes.size() <= 1) return;
  out += "T(";
  append_ints(out, iota.permutation);
  out += ')';
}

}  // namespace jaxtrace::hlo
