// One function for each family of instructions, after XLA's thunk emitter (xla/service/gpu/
// thunk_emitter.cc): every launch here is one thunk there.
#include "hlo/launches.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "hlo/emitter.h"
#include "hlo/fusion_kind.h"
#include "hlo/shape.h"
#include "hlo/sort_kernels.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

struct Context {
  const ProtoRows& rows;
  const Buffers& buffers;
  const Program& program;
};

struct Found {
  std::vector<Launch> launches = {};
  std::uint8_t thunks_before = 0;
  std::uint8_t thunks_after = 0;
};

const pb::HloInstructionProto& row(const Context& c, InstructionId id) {
  return *c.rows[static_cast<std::size_t>(id)];
}

const pb::ShapeProto& leaf_shape(const pb::ShapeProto& shape, const ShapeIndex& index) {
  const pb::ShapeProto* at = &shape;
  for (const std::int64_t i : index) {
    if (i < 0 || i >= at->tuple_shapes_size()) break;
    at = &at->tuple_shapes(static_cast<int>(i));
  }
  return *at;
}

/// Whether two values share their memory; nullopt if the proto does not tell.
std::optional<bool> same_place(const Context& c, InstructionId a, const ShapeIndex& a_index,
                               InstructionId b, const ShapeIndex& b_index) {
  const auto from = slice_of(c.program, c.buffers, a, a_index);
  const auto to = slice_of(c.program, c.buffers, b, b_index);
  if (!from || !to) return {};
  return *from == *to;
}

std::optional<Collective> collective_of(std::string_view opcode) {
  if (opcode.ends_with("-start")) opcode.remove_suffix(6);
  struct Entry {
    std::string_view opcode;
    Collective collective;
  };
  static constexpr std::array kTable{Entry{"all-reduce", Collective::all_reduce},
                                     Entry{"all-gather", Collective::all_gather},
                                     Entry{"reduce-scatter", Collective::reduce_scatter},
                                     Entry{"all-to-all", Collective::send_recv},
                                     Entry{"ragged-all-to-all", Collective::send_recv},
                                     Entry{"collective-permute", Collective::send_recv},
                                     Entry{"collective-broadcast", Collective::broadcast},
                                     Entry{"send", Collective::send_recv},
                                     Entry{"recv", Collective::send_recv}};
  const auto* found = std::ranges::find(kTable, opcode, &Entry::opcode);
  if (found == kTable.end()) return {};
  return found->collective;
}

/// A dynamic slice as a memcpy; an update only if it is in place, else it is a kernel after all.
Launch dynamic_copy(const Context& c, InstructionId fusion, InstructionId root) {
  const Instruction& i = c.program[root];
  if (i.opcode != "dynamic-update-slice") {
    return {.work = Work::copy, .bytes = c.program[fusion].result_bytes};
  }
  if (i.operands.size() < 2) return {.work = Work::own_kernel};
  InstructionId at = i.operands[0];
  for (int n = 0; n < 8 && c.program[at].opcode == "bitcast" && !c.program[at].operands.empty();
       ++n) {
    at = c.program[at].operands[0];
  }
  const Instruction& target = c.program[at];
  const auto n = static_cast<std::size_t>(target.parameter_number);
  const bool in_place = target.opcode == "parameter" && n < c.program[fusion].operands.size() &&
                        same_place(c, c.program[fusion].operands[n], {}, fusion, {}).value_or(true);
  if (!in_place) return {.work = Work::own_kernel};
  return {.work = Work::copy, .bytes = byte_size(row(c, i.operands[1]).shape())};
}

/// What a fusion of dynamic slices does with the slices.
Launch slice_hero(const Context& c, InstructionId fusion) {
  Launch hero{.work = Work::copy};
  for (const InstructionId inner : c.program[c.program[fusion].called[0]].instructions) {
    const Instruction& i = c.program[inner];
    if (i.custom_call_target.starts_with("__cublas$")) {
      hero = {.work = Work::gemm, .inner = inner};
    } else if (i.opcode == "custom-call") {
      hero = {.work = Work::custom_call, .inner = inner};
    } else if (const auto collective = collective_of(i.opcode)) {
      hero = {.work = Work::collective, .collective = *collective, .inner = inner};
    } else if (i.opcode == "copy") {
      hero = {.work = Work::copy, .bytes = byte_size(row(c, inner).shape()), .inner = inner};
    }
  }
  return hero;
}

Found fusion(const Context& c, InstructionId id) {
  const auto roots = fusion_roots(c.program, id);
  const auto index_of = [&](std::size_t i) {
    return roots.size() > 1 ? ShapeIndex{static_cast<std::int64_t>(i)} : ShapeIndex{};
  };
  const auto bytes_of = [&](std::size_t i) {
    return byte_size(leaf_shape(row(c, id).shape(), index_of(i)));
  };
  Found found;
  switch (fusion_kind(c.program, c.rows, id)) {
    case FusionKind::kernel:
      found.launches.push_back({.work = Work::own_kernel});
      break;
    case FusionKind::library:
      found.launches.push_back({.work = Work::library});
      break;
    case FusionKind::copies:
      for (std::size_t i = 0; i < roots.size(); ++i) {
        const InstructionId parameter = copied_parameter(c.program, roots[i]);
        const auto n = static_cast<std::size_t>(c.program[parameter].parameter_number);
        const bool stays =
            n < c.program[id].operands.size() &&
            same_place(c, c.program[id].operands[n], {}, id, index_of(i)).value_or(false);
        if (!stays) found.launches.push_back({.work = Work::copy, .bytes = bytes_of(i)});
      }
      break;
    case FusionKind::dynamic_slice: {
      found.launches.push_back(slice_hero(c, id));
      found.thunks_before = 1;
      break;
    }
    case FusionKind::dynamic_copy:
      found.launches.push_back(dynamic_copy(c, id, roots[0]));
      break;
    case FusionKind::sort:
      break;
  }
  return found;
}

/// A sort, alone or as the root of a fusion: what is not in place is copied there first.
Found sort(const Context& c, InstructionId id) {
  const bool fused = c.program[id].opcode == "fusion";
  const InstructionId sort_id = fused ? fusion_roots(c.program, id)[0] : id;
  // A fused sort of several operands is itself the tuple.
  const auto& operands = c.program[sort_id].operands;
  Found found;
  for (std::size_t n = 0; n < operands.size(); ++n) {
    InstructionId from = operands[n];
    if (fused) {
      const Instruction& parameter = c.program[from];
      if (parameter.opcode != "parameter") continue;  // an iota, made by the kernel
      const auto at = static_cast<std::size_t>(parameter.parameter_number);
      if (at >= c.program[id].operands.size()) continue;
      from = c.program[id].operands[at];
    }
    const ShapeIndex index =
        operands.size() > 1 ? ShapeIndex{static_cast<std::int64_t>(n)} : ShapeIndex{};
    if (same_place(c, from, {}, id, index).value_or(false)) continue;
    found.launches.push_back({.work = Work::copy,
                              .bytes = byte_size(row(c, operands[n]).shape()),
                              .optional = c.buffers.empty()});
  }
  for (int n = sort_kernels(c.program, c.rows, sort_id); n > 0; --n) {
    found.launches.push_back({.work = Work::own_kernel});
  }
  return found;
}

Work custom_call_work(std::string_view target) {
  const auto is = [&](std::string_view start) { return target.starts_with(start); };
  if (is("__cublas$triangularSolve") || is("triangular_solve")) return Work::library;
  if (is("__cublas$")) return Work::gemm;
  if (is("__cudnn$convReorder")) return Work::library;
  if (is("__cudnn$conv")) return Work::convolution;
  if (is("__cudnn$fmha")) return Work::attention;
  if (is("__cudnn$") || is("__cusolver$")) return Work::library;
  if (is("__cub$DeviceScan")) return Work::library;
  if (is("__cub$")) return Work::sort;
  if (target == "__gpu$TopK" || target == "PadToStatic" || target == "SliceToDynamic" ||
      target == "__gpu$xla.gpu.triton" || target == "__gpu$xla.gpu.ptx") {
    return Work::own_kernel;
  }
  return Work::custom_call;
}

/// Custom calls that only mark something for the compiler.
bool launches_nothing(std::string_view target) {
  static constexpr std::array<std::string_view, 8> kNone{"Nop",
                                                         "Pin",
                                                         "Unpin",
                                                         "CreateBuffer",
                                                         "AllocateBuffer",
                                                         "Sharding",
                                                         "SPMDFullToShardShape",
                                                         "SPMDShardToFullShape"};
  return std::ranges::find(kNone, target) != kNone.end();
}

Found custom_call(const Context& c, InstructionId id) {
  const Instruction& i = c.program[id];
  Found found;
  if (launches_nothing(i.custom_call_target)) return found;
  const Work work = custom_call_work(i.custom_call_target);
  if (i.custom_call_target == "__cublas$triangularSolve" && i.operands.size() == 2 &&
      !same_place(c, i.operands[1], {}, id, {0}).value_or(false)) {
    found.launches.push_back({.work = Work::copy,
                              .bytes = byte_size(row(c, i.operands[1]).shape()),
                              .optional = c.buffers.empty()});
    found.thunks_after = 1;
  }
  found.launches.push_back({.work = work, .optional = work == Work::custom_call});
  return found;
}

/// The number of devices in each group of a mesh's axes; -1 if the axes are not of the mesh.
std::int64_t group_size(const pb::MeshAxesReplicaGroupListProto& groups) {
  std::int64_t size = 1;
  for (const auto& axis : groups.axes()) {
    const std::int64_t index = axis.mesh_axis_index();
    if (index < 0 || index >= groups.mesh().axes_size()) return -1;
    const std::int64_t part = axis.has_sub_axis_info()
                                  ? axis.sub_axis_info().size()
                                  : groups.mesh().axes(static_cast<int>(index)).size();
    if (part != 1) size = part;  // only whether it is 1 matters
  }
  return size;
}

/// Whether every group of a collective has one member, so that it is a copy.
bool degenerate(const pb::HloInstructionProto& in) {
  if (in.opcode().starts_with("collective-permute")) {
    return in.source_target_pairs_size() > 0 &&
           std::ranges::all_of(in.source_target_pairs(),
                               [](const auto& pair) { return pair.source() == pair.target(); });
  }
  const pb::CollectiveDeviceListProto& list = in.collective_device_list();
  const auto& groups = list.replica_groups_size() > 0 ? list.replica_groups() : in.replica_groups();
  if (!groups.empty()) {
    return std::ranges::all_of(groups, [](const auto& g) { return g.replica_ids_size() == 1; });
  }
  if (in.has_mesh_axes_replica_group_list()) {
    return group_size(in.mesh_axes_replica_group_list()) == 1;
  }
  const auto of_one = [](const pb::IotaReplicaGroupListProto& iota) {
    return iota.num_devices_per_group() == 1;
  };
  return of_one(in.iota_collective_device_list()) || of_one(list.iota_replica_group_list());
}

Found collective(const Context& c, InstructionId id, Collective kind) {
  Found found;
  const Instruction& i = c.program[id];
  if (degenerate(row(c, id)) && i.opcode != "ragged-all-to-all") {
    for (const InstructionId operand : i.operands) {
      found.launches.push_back({.work = Work::copy, .bytes = byte_size(row(c, operand).shape())});
    }
    found.thunks_after = i.operands.size() > 1 ? 1 : 0;
  } else {
    found.launches.push_back({.work = Work::collective, .collective = kind});
  }
  return found;
}

Found launches_of(const Context& c, InstructionId id) {
  const Instruction& i = c.program[id];
  const std::string_view op = i.opcode;
  const auto one = [](Launch launch) { return Found{.launches = {std::move(launch)}}; };
  if (op == "fusion") {
    return fusion_kind(c.program, c.rows, id) == FusionKind::sort ? sort(c, id) : fusion(c, id);
  }
  if (op == "sort") return sort(c, id);
  if (op == "custom-call") return custom_call(c, id);
  if (op == "copy") {
    const bool stays =
        !i.operands.empty() && same_place(c, i.operands[0], {}, id, {}).value_or(false);
    return one({.work = Work::copy, .bytes = i.result_bytes, .optional = stays});
  }
  if (op == "copy-start") {
    const std::int64_t bytes = i.operands.empty() ? -1 : byte_size(row(c, i.operands[0]).shape());
    return one({.work = Work::host_copy, .bytes = bytes});
  }
  if (op == "infeed" || op == "outfeed") return one({.work = Work::host_copy});
  if (op == "partition-id" || op == "replica-id") return one({.work = Work::fill, .bytes = 4});
  if (op == "fft") return one({.work = Work::library});
  if (op == "triangular-solve" || op == "cholesky") return one({.work = Work::library});
  if (op == "rng-get-and-update-state") return one({.work = Work::own_kernel});
  if ((op == "send" || op == "recv") && row(c, id).is_host_transfer()) {
    return one({.work = Work::host_copy});
  }
  if (const auto kind = collective_of(op)) return collective(c, id, *kind);
  return {};
}

}  // namespace

ProtoRows proto_rows(const pb::HloProto& proto) {
  ProtoRows rows;
  for (const auto& computation : proto.hlo_module().computations()) {
    for (const auto& instruction : computation.instructions()) rows.push_back(&instruction);
  }
  return rows;
}

void find_launches(const pb::HloProto& proto, const Buffers& buffers, Program& program) {
  const ProtoRows rows = proto_rows(proto);
  program.emitter = emitter_of(program, rows);
  for (std::size_t n = 0; n < program.instructions.size(); ++n) {
    Instruction& i = program.instructions[n];
    if (program[i.computation].fused) continue;
    Found found = launches_of({rows, buffers, program}, static_cast<InstructionId>(n));
    i.launches = std::move(found.launches);
    i.thunks_before = found.thunks_before;
    i.thunks_after = found.thunks_after;
    i.sync = i.backend_config.find("\"is_sync\":true") != std::string::npos;
  }
}

}  // namespace jaxtrace::hlo
