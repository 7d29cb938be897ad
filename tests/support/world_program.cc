#include "support/world_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "support/random.h"

namespace jaxtrace::world {
namespace {

struct Family {
  const char *kernel, *hlo_op;
};

Op compute(const World& world, synth::Random& random, int index) {
  static constexpr std::array kFamilies = {
      Family{"loop_multiply_fusion", "loop_multiply_fusion"},
      Family{"input_reduce_fusion", "input_reduce_fusion"},
      Family{"wrapped_add", "wrapped_add"},
      Family{"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", "cublas-gemm"},
  };
  const Family& family = kFamilies[random.below(kFamilies.size())];
  // CUDA and roctracer give times in whole nanoseconds.
  const std::int64_t ns = random.between(world.kernel / 2000, world.kernel * 3 / 2000);
  const bool library = std::string_view(family.hlo_op) == "cublas-gemm";
  return {.length = ns * 1000,
          .kernel = library ? family.kernel : fmt::format("{}_{}", family.kernel, index),
          .hlo_op = fmt::format("{}.{}", family.hlo_op, index)};
}

/// The places of `count` things among `among`, evenly, neither before the first nor after the last.
std::vector<bool> spread_over(int count, int among) {
  std::vector<bool> out(static_cast<std::size_t>(among), false);
  for (int i = 0; i < count && i + 1 < among; ++i) {
    out[static_cast<std::size_t>((i + 1) * (among - 1) / (count + 1))] = true;
  }
  return out;
}

}  // namespace

std::vector<Op> program_of(const World& world) {
  synth::Random random(world.seed, "program");
  const std::vector<bool> collective = spread_over(world.collectives, world.kernels);
  const std::vector<bool> copy = spread_over(world.copies, world.kernels);
  // The host needs some launches to get ahead of what is hidden.
  const int ahead = world.kernels / 2;
  const std::vector<bool> hidden = spread_over(world.hidden_waits, world.kernels - ahead);

  std::vector<Op> ops;
  std::vector<int> open;  // collectives that the last kernel waits for
  std::vector<int> next;  // what the next kernel waits for
  int last = -1;          // kernel of the compute stream
  for (int i = 0; i < world.kernels; ++i) {
    const auto at = static_cast<std::size_t>(i);
    Op op = compute(world, random, i);
    op.waits = std::exchange(next, {});
    if (i >= ahead && hidden[static_cast<std::size_t>(i - ahead)]) op.hidden = world.hidden_wait;
    const bool aside = world.side_stream && i % 5 == 3 && i + 2 < world.kernels;
    if (aside) {
      op.stream = side_stream;
      if (last >= 0) op.waits.push_back(last);
    }
    if (i + 1 == world.kernels) op.waits.insert(op.waits.end(), open.begin(), open.end());
    ops.push_back(std::move(op));
    const int place = static_cast<int>(ops.size()) - 1;
    if (aside) {
      open.push_back(place);
    } else {
      last = place;
    }
    if (collective[at]) {
      ops.push_back({.work = DeviceOp::Work::collective,
                     .stream = communication_stream,
                     .length = world.transfer,
                     .kernel = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage)",
                     .hlo_op = fmt::format("all-reduce-start.{}", i),
                     .waits = {place}});
      (world.overlap ? open : next).push_back(place + 1);
    }
    if (copy[at]) {
      ops.push_back({.work = DeviceOp::Work::memcpy,
                     .stream = compute_stream,
                     .length = world.copy,
                     .kernel = "MemcpyD2D",
                     .hlo_op = fmt::format("copy.{}", i),
                     .waits = next});
    }
  }
  return ops;
}

}  // namespace jaxtrace::world
