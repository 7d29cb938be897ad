// After EmitBitonicSortLLVMIR in xla/backends/gpu/codegen/llvm/llvm_emitter.cc.
#include "hlo/sort_kernels.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "hlo/shape.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {

int sort_kernels(const Program& program, const ProtoRows& rows, InstructionId sort) {
  const auto row = [&](InstructionId id) -> const pb::HloInstructionProto& {
    return *rows[static_cast<std::size_t>(id)];
  };
  const pb::HloInstructionProto& in = row(sort);
  const Instruction& i = program[sort];
  if (i.operands.empty() || in.dimensions().empty()) return 1;
  const pb::ShapeProto& keys = row(i.operands[0]).shape();
  const std::int64_t dimension = in.dimensions(0);
  if (dimension < 0 || dimension >= keys.dimensions_size()) return 1;
  const std::int64_t size = keys.dimensions(static_cast<int>(dimension));
  if (size < 2) return 1;
  const int stages = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size - 1)));

  std::uint64_t element_bytes = 0;  // of all operands together
  for (const InstructionId operand : i.operands) {
    const pb::ShapeProto& shape = row(operand).shape();
    const std::int64_t count = first_leaf_elements(shape);
    const std::int64_t bytes = byte_size(shape);
    if (count > 0 && bytes > 0) element_bytes += static_cast<std::uint64_t>(bytes / count);
  }
  constexpr std::uint64_t kSharedMemory = 49152;  // of a block on NVIDIA GPUs; AMD has 65536
  // 1024 threads, with 2 elements each, later 4.
  const std::uint64_t elements = program.emitter == Emitter::until_jax_0_6 ? 2048 : 4096;
  std::uint64_t tile =
      std::min({elements, kSharedMemory / std::max<std::uint64_t>(element_bytes, 1),
                std::uint64_t{1} << std::min(stages, 62)});
  tile = std::bit_floor(std::max<std::uint64_t>(tile, 1));

  int kernels = 0;
  bool open = false;
  for (int stage = 0; stage < std::min(stages, 62); ++stage) {
    for (int mask = stage; mask >= 0; --mask) {
      const std::uint64_t xor_mask =
          mask == stage ? (std::uint64_t{1} << (stage + 1)) - 1 : std::uint64_t{1} << mask;
      if (xor_mask < tile) {
        open = true;
        continue;
      }
      kernels += open ? 2 : 1;
      open = false;
    }
  }
  return kernels + (open ? 1 : 0);
}

}  // namespace jaxtrace::hlo
