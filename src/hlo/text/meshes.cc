// See meshes.h.  Writers have kept replica groups in several places over the years: a plain list,
// the same inside collective_device_list, an iota list, and the axes of a mesh.  The iota list
// inside collective_device_list (jaxlib 0.4.35 to 0.8) is one that XLA no longer reads: it prints
// `{}`.
#include "hlo/text/meshes.h"

#include <cstdint>

#include "hlo/text/append.h"
#include "hlo/text/iota.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

void append_iota_groups(std::string& out, const pb::IotaReplicaGroupListProto& list) {
  out += '[';
  append_int(out, list.num_replica_groups());
  out += ',';
  append_int(out, list.num_devices_per_group());
  out += "]<=";
  append_iota(out, make_iota(list.iota_reshape_dims(), list.iota_transpose_perm()));
}

template <class Groups>
void append_plain_groups(std::string& out, const Groups& groups) {
  out += '{';
  append_joined(out, groups, ",", [](std::string& to, const pb::ReplicaGroup& group) {
    append_braced(to, group.replica_ids());
  });
  out += '}';
}

}  // namespace

void append_mesh(std::string& out, const pb::MeshProto& mesh) {
  if (mesh.axes_size() == 0 && mesh.device_ids_size() == 1) {
    out += "maximal_mesh[device_id=";
    append_int(out, mesh.device_ids(0));
    out += ']';
    return;
  }
  out += "mesh[";
  append_joined(out, mesh.axes(), ",", [](std::string& to, const pb::MeshProto::MeshAxis& axis) {
    to += '\'';
    to += axis.name();
    to += "'=";
    append_int(to, axis.size());
  });
  out += ']';
  if (mesh.device_ids_size() > 0) {
    out += ", device_ids=(";
    append_ints(out, mesh.device_ids());
    out += ')';
  } else if (mesh.has_iota_transform()) {
    const Iota iota =
        make_iota(mesh.iota_transform().reshape_dims(), mesh.iota_transform().transpose_perm());
    if (iota.sizes.size() == 1) return;
    out += ", device_ids=(";
    append_iota(out, iota);
    out += ')';
  }
}

void append_axis(std::string& out, const pb::AxisRefProto& axis, const pb::MeshProto& mesh) {
  const std::int64_t index = axis.mesh_axis_index();
  if (index >= 0 && index < mesh.axes_size()) {
    out += '\'';
    out += mesh.axes(static_cast<int>(index)).name();
    out += '\'';
  } else {
    append_int(out, index);
  }
  if (!axis.has_sub_axis_info()) return;
  out += ":(";
  append_int(out, axis.sub_axis_info().pre_size());
  out += ')';
  append_int(out, axis.sub_axis_info().size());
}

void append_replica_groups(std::string& out, const pb::HloInstructionProto& instruction) {
  if (instruction.has_iota_collective_device_list()) {
    append_iota_groups(out, instruction.iota_collective_device_list());
  } else if (instruction.has_mesh_axes_replica_group_list()) {
    const auto& list = instruction.mesh_axes_replica_group_list();
    append_mesh(out, list.mesh());
    out += " {";
    append_joined(out, list.axes(), ",", [&](std::string& to, const pb::AxisRefProto& axis) {
      append_axis(to, axis, list.mesh());
    });
    out += '}';
  } else if (instruction.replica_groups_size() > 0) {
    append_plain_groups(out, instruction.replica_groups());
  } else {
    append_plain_groups(out, instruction.collective_device_list().replica_groups());
  }
}

}  // namespace jaxtrace::hlo
