// Iota device lists: 0, 1, 2 … reshaped and transposed, as `[8]` or `[2,4]T(1,0)`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jaxtrace::hlo {

/// The sizes of the reshape and the permutation of its dimensions.
struct Iota {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> permutation;
};

/// The same list in XLA's canonical form: no dimension of size 1, and none that could be merged
/// with its neighbour.  What is no permutation of the dimensions stays as it is.
Iota canonical(Iota iota);

template <class Sizes, class Permutation>
Iota make_iota(const Sizes& sizes, const Permutation& permutation) {
  return canonical({.sizes = {sizes.begin(), sizes.end()},
                    .permutation = {permutation.begin(), permutation.end()}});
}

/// `[8]`, `[2,4]T(1,0)`.
void append_iota(std::string& out, const Iota& iota);

}  // namespace jaxtrace::hlo
