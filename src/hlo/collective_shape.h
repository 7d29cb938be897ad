// What a collective instruction moves, and between how many devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hlo/program.h"

namespace jaxtrace::hlo {

enum class CollectiveKind : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  permute,
  broadcast,
  send_recv,
  several,  ///< An asynchronous group of different ones
};

std::string_view text(CollectiveKind kind);  ///< "all-reduce"

/// Whether an instruction with this opcode moves data between devices together with those of other
/// devices, as its start and its done do.  Sends and receives go alone and are none.
bool is_collective(std::string_view opcode);

struct CollectiveShape {
  InstructionId instruction = InstructionId::none;  ///< The one that launches: a start, not a done
  CollectiveKind kind = CollectiveKind::all_reduce;

  /// The greater of what a device puts in and what it gets out: the size that nccl-tests reports.
  std::optional<std::int64_t> bytes;

  /// Devices of one group; absent if groups differ in size or the proto does not say how many
  /// devices there are.
  std::optional<std::int64_t> participants;
  std::optional<std::int64_t> groups;
};

/// In the order of their InstructionId.
std::vector<CollectiveShape> collective_shapes(const Program& program, std::string_view hlo_proto);

}  // namespace jaxtrace::hlo
