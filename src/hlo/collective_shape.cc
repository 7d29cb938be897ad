// Groups of devices come in four spellings: lists (replica_groups), the same inside a device list,
// an iota that is reshaped and transposed, and axes of a mesh.  Only their sizes matter here.
#include "hlo/collective_shape.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "hlo/cost_parts.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

using Proto = pb::HloInstructionProto;

struct Entry {
  std::string_view opcode;
  CollectiveKind kind;
};
constexpr std::array kKinds = {
    Entry{"all-reduce", CollectiveKind::all_reduce},
    Entry{"all-gather", CollectiveKind::all_gather},
    Entry{"reduce-scatter", CollectiveKind::reduce_scatter},
    Entry{"all-to-all", CollectiveKind::all_to_all},
    Entry{"ragged-all-to-all", CollectiveKind::all_to_all},
    Entry{"collective-permute", CollectiveKind::permute},
    Entry{"collective-broadcast", CollectiveKind::broadcast},
    Entry{"send", CollectiveKind::send_recv},
    Entry{"recv", CollectiveKind::send_recv},
};

std::optional<CollectiveKind> kind_of(std::string_view opcode) {
  if (opcode.ends_with("-start")) opcode.remove_suffix(6);
  const auto* found = std::ranges::find(kKinds, opcode, &Entry::opcode);
  if (found == kKinds.end()) return {};
  return found->kind;
}

/// How many groups there are, and how many ids are in each.
struct Groups {
  Count groups, size;
  bool all = false;  // One group of everybody: the proto lists none.
};

Groups listed(const google::protobuf::RepeatedPtrField<pb::ReplicaGroup>& lists) {
  Groups found{lists.size(), lists.Get(0).replica_ids_size(), false};
  for (const auto& list : lists) {
    if (list.replica_ids_size() != lists.Get(0).replica_ids_size()) found.size.reset();
  }
  if (lists.size() == 1 && lists.Get(0).replica_ids().empty()) return {{}, {}, true};
  return found;
}

Groups of_iota(const pb::IotaReplicaGroupListProto& iota) {
  if (iota.num_replica_groups() < 1 || iota.num_devices_per_group() < 1) return {};
  return {iota.num_replica_groups(), iota.num_devices_per_group(), false};
}

Groups of_mesh(const pb::MeshAxesReplicaGroupListProto& list) {
  Count devices = 1, size = 1;
  for (const auto& axis : list.mesh().axes()) devices = times(devices, axis.size());
  for (const auto& ref : list.axes()) {
    if (ref.mesh_axis_index() < 0 || ref.mesh_axis_index() >= list.mesh().axes_size()) return {};
    const auto& axis = list.mesh().axes(static_cast<int>(ref.mesh_axis_index()));
    size = times(size, ref.has_sub_axis_info() ? ref.sub_axis_info().size() : axis.size());
  }
  if (!devices || !size || *size < 1 || *devices < 1 || *devices % *size != 0) return {};
  return {*devices / *size, size, false};
}

Groups groups_of(const Proto& proto) {
  if (!proto.replica_groups().empty()) return listed(proto.replica_groups());
  const auto& list = proto.collective_device_list();
  if (!list.replica_groups().empty()) return listed(list.replica_groups());
  if (list.has_iota_replica_group_list()) return of_iota(list.iota_replica_group_list());
  if (proto.has_iota_collective_device_list()) return of_iota(proto.iota_collective_device_list());
  if (proto.has_mesh_axes_replica_group_list())
    return of_mesh(proto.mesh_axes_replica_group_list());
  return {{}, {}, true};
}

struct Devices {
  Count replicas, partitions;  // absent if the proto does not say
};

Devices devices_of(const pb::HloModuleProto& module) {
  const auto& assignment = module.device_assignment();
  if (assignment.replica_count() < 1 || assignment.computation_count() < 1) return {};
  return {assignment.replica_count(), assignment.computation_count()};
}

/// Ids in groups are replicas, partitions or devices (XLA's CollectiveOpGroupMode); a group of
/// replicas may stand for all their partitions.
void find_participants(const Proto& proto, const Devices& devices, CollectiveShape& shape) {
  const Groups groups = groups_of(proto);
  const bool channel = proto.channel_id() > 0 || proto.all_reduce_id() > 0;
  const bool reduces = shape.kind == CollectiveKind::all_reduce ||
                       shape.kind == CollectiveKind::all_gather ||
                       shape.kind == CollectiveKind::reduce_scatter;
  const bool replicas_stand_for_all = channel && reduces && !proto.use_global_device_ids();
  if (groups.all) {
    const Count every = times(devices.replicas, devices.partitions);
    const Count ids = !channel ? devices.replicas : reduces ? every : devices.partitions;
    shape.participants = ids;
    if (every && ids && *ids > 0) shape.groups = *every / *ids;
    return;
  }
  shape.groups = groups.groups;
  shape.participants =
      replicas_stand_for_all ? times(groups.size, devices.partitions) : groups.size;
}

void find_partners(const Proto& proto, CollectiveShape& shape) {
  std::set<std::int64_t> ids;
  for (const auto& pair : proto.source_target_pairs()) {
    ids.insert(pair.source());
    ids.insert(pair.target());
  }
  if (!ids.empty()) shape.participants = static_cast<std::int64_t>(ids.size());
}

CollectiveShape shape_of(const CostView& view, InstructionId id, CollectiveKind kind,
                         const Devices& devices) {
  const Proto& proto = view.row(id);
  CollectiveShape shape{
      .instruction = id, .kind = kind, .bytes = {}, .participants = {}, .groups = {}};
  if (kind == CollectiveKind::send_recv) {
    // Beside the data, tokens and a context.
    if (view.has_operands(id, 1)) {
      shape.bytes = proto.opcode() == "send" ? bytes_of(view.shape(view.operand(id, 0)))
                    : proto.shape().tuple_shapes().empty()
                        ? Count()
                        : bytes_of(proto.shape().tuple_shapes(0));
    }
    find_partners(proto, shape);
    return shape;
  }
  Count in = view.has_operands(id, 1) ? Count(0) : Count();
  for (const InstructionId operand : view.program[id].operands) {
    in = plus(in, bytes_of(view.shape(operand)));
  }
  const Count out = bytes_of(collective_results(proto));
  if (in && out) shape.bytes = std::max(*in, *out);
  if (kind == CollectiveKind::permute) {
    find_partners(proto, shape);
  } else {
    find_participants(proto, devices, shape);
  }
  return shape;
}

}  // namespace

const pb::ShapeProto& collective_results(const Proto& proto) {
  const pb::ShapeProto& shape = proto.shape();
  if (!proto.opcode().ends_with("-start") || shape.tuple_shapes_size() < 2) return shape;
  const bool lists_operands =
      proto.operand_ids_size() == 1 || !shape.tuple_shapes(0).tuple_shapes().empty();
  return lists_operands && proto.opcode() != "all-reduce-start" ? shape.tuple_shapes(1) : shape;
}

std::string_view text(CollectiveKind kind) {
  constexpr std::array<std::string_view, 8> kTexts = {
      "all-reduce",         "all-gather",           "reduce-scatter", "all-to-all",
      "collective-permute", "collective-broadcast", "send-recv",      "several"};
  return kTexts[static_cast<std::size_t>(kind)];
}

bool is_collective(std::string_view opcode) {
  for (const std::string_view suffix : {"-start", "-done"}) {
    if (opcode.ends_with(suffix)) opcode.remove_suffix(suffix.size());
  }
  const auto kind = kind_of(opcode);
  return kind && *kind != CollectiveKind::send_recv;
}

std::vector<CollectiveShape> collective_shapes(const Program& program, std::string_view hlo_proto) {
  std::vector<CollectiveShape> shapes;
  if (hlo_proto.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return shapes;
  const google::protobuf::LogSilencer silencer;
  google::protobuf::Arena arena;
  auto& proto = *google::protobuf::Arena::CreateMessage<pb::HloProto>(&arena);
  if (!proto.ParseFromArray(hlo_proto.data(), static_cast<int>(hlo_proto.size()))) return shapes;
  const ProtoRows rows = proto_rows(proto);
  if (rows.size() != program.instructions.size()) return shapes;
  const CostView view{program, rows};
  const Devices devices = devices_of(proto.hlo_module());

  for (std::size_t n = 0; n < rows.size(); ++n) {
    const auto id = static_cast<InstructionId>(n);
    if (const auto kind = kind_of(program[id].opcode)) {
      shapes.push_back(shape_of(view, id, *kind, devices));
      continue;
    }
    if (program[id].opcode != "async-start" || program[id].called.empty()) continue;
    std::optional<CollectiveShape> wrapped;
    for (const InstructionId inner : program[program[id].called.front()].instructions) {
      const auto kind = kind_of(program[inner].opcode);
      if (!kind) continue;
      const CollectiveShape one = shape_of(view, inner, *kind, devices);
      if (!wrapped) {
        wrapped = one;
        continue;
      }
      // A group: one launch for all of them.
      if (one.kind != wrapped->kind) wrapped->kind = CollectiveKind::several;
      wrapped->bytes = plus(wrapped->bytes, one.bytes);
      if (one.participants != wrapped->participants) wrapped->participants.reset();
      if (one.groups != wrapped->groups) wrapped->groups.reset();
    }
    if (!wrapped) continue;
    wrapped->instruction = id;
    shapes.push_back(*wrapped);
  }
  return shapes;
}

}  // namespace jaxtrace::hlo
