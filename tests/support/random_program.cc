// Random program trees: everything that small_program.h can spell, in random nesting, with bodies
// shared often, since shared kernel names are what makes attribution hard.
#include <fmt/format.h>

#include <utility>

#include "support/small_program.h"

namespace jaxtrace::synth {
namespace {

struct Growth {
  Random& random;
  int left;         ///< Instructions still to make
  int counter = 0;  ///< For names
};

std::string name(Growth& growth, std::string_view stem) {
  return fmt::format("{}.{}", stem, ++growth.counter);
}

Node random_fusion(Growth& growth) {
  constexpr std::string_view kStems[] = {"loop_add_fusion", "input_reduce_fusion",
                                         "gemm_fusion_dot", "wrapped_transpose"};
  const std::string_view stem = kStems[growth.random.below(4)];
  const std::string body = fmt::format("{} body {}", stem, growth.random.below(4));
  return fusion(name(growth, stem), body);
}

/// No fills of workspaces: nothing says whether one between two GEMMs is the first one's or the
/// second one's.
Node random_gemm(Growth& growth) {
  constexpr const char* kMain = "nvjet_hsh_128x128_64x4_1x2_h_bz_coopA_NNN";
  constexpr const char* kReduction = "void cublasLt::splitKreduce_kernel<32, 16, int, float>(int)";
  if (growth.random.chance(0.3)) return gemm(name(growth, "cublas-gemm"), {kMain, kReduction});
  return gemm(name(growth, "cublas-gemm"), {kMain});
}

/// What may stand in a command buffer.
Node random_command(Growth& growth) {
  --growth.left;
  switch (growth.random.below(8)) {
    case 0:
      return copy(name(growth, "copy"));
    case 1:
      return random_gemm(growth);
    default:
      return random_fusion(growth);
  }
}

std::vector<Node> commands(Growth& growth, std::int64_t low, std::int64_t high) {
  std::vector<Node> out;
  for (std::int64_t i = growth.random.between(low, high); i > 0; --i) {
    out.push_back(random_command(growth));
  }
  return out;
}

std::vector<Node> sequence(Growth& growth, int depth);

/// Parts are made one by one, since compilers differ in the order in which they evaluate arguments.
Node random_node(Growth& growth, int depth) {
  const std::uint64_t pick = growth.random.below(depth < 3 ? 16 : 11);
  --growth.left;
  if (pick < 4) return random_fusion(growth);
  if (pick < 7) return graph(commands(growth, 2, 8));
  switch (pick) {
    case 7:
      return collective(name(growth, "all-reduce"), "all-reduce");
    case 8: {
      std::vector<Node> meanwhile = commands(growth, 1, 3);
      Node started = collective(name(growth, "all-gather"), "all-gather");
      return async(name(growth, "all-gather-start"), {std::move(started)}, std::move(meanwhile));
    }
    case 9:
      return custom(name(growth, "custom-call"), "ffi_target");
    case 10:
      return nothing(name(growth, "bitcast"));
    case 11:
    case 12: {
      std::vector<Node> body = sequence(growth, depth + 1);
      const std::uint64_t trips = growth.random.below(5);
      return loop(name(growth, "while"), trips, std::move(body));
    }
    case 13: {
      std::vector<Node> condition = commands(growth, 0, 2);
      std::vector<Node> body = sequence(growth, depth + 1);
      return loop(name(growth, "while"), std::nullopt, std::move(body), std::move(condition));
    }
    default: {
      std::vector<Node> first = sequence(growth, depth + 1);
      std::vector<Node> second = sequence(growth, depth + 1);
      return branch(name(growth, "conditional"), {std::move(first), std::move(second)});
    }
  }
}

std::vector<Node> sequence(Growth& growth, int depth) {
  std::vector<Node> out;
  const std::int64_t count = growth.random.between(1, 5);
  for (std::int64_t i = 0; i < count && growth.left > 0; ++i) {
    out.push_back(random_node(growth, depth));
  }
  return out;
}

}  // namespace

std::vector<Node> random_nodes(Random& random, int size) {
  Growth growth{random, size};
  std::vector<Node> out;
  while (growth.left > 0) out.push_back(random_node(growth, 0));
  return out;
}

}  // namespace jaxtrace::synth
