// See shardings.h.  Three generations print here: explicit device lists, iota lists, and the named
// axes of a mesh.
#include "hlo/text/shardings.h"

#include <algorithm>
#include <cstdint>

#include "hlo/text/append.h"
#include "hlo/text/iota.h"
#include "hlo/text/meshes.h"
#include "hlo/text/metadata.h"
#include "hlo/text/shapes.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

/// xla.OpSharding.Type
enum Type : int {
  type_replicated,
  type_maximal,
  type_tuple,
  type_other,
  type_manual,
  type_unknown,
  type_unreduced
};

/// One sharding is written once for each leaf of a tuple, up to this many bytes.
constexpr std::size_t kMostRepeated = std::size_t{1} << 20;

const char* tile_dim_name(int type) {
  switch (type) {
    case type_manual:
      return "manual";
    case type_maximal:
      return "maximal";
    case type_replicated:
      return "replicated";
    case type_unreduced:
      return "unreduced";
    default:
      return "error_type.";
  }
}

void append_tiles(std::string& out, const pb::OpSharding& sharding) {
  out += "devices=[";
  append_ints(out, sharding.tile_assignment_dimensions());
  out += ']';
  if (sharding.iota_reshape_dims_size() > 0) {
    out += "<=";
    append_iota(out, make_iota(sharding.iota_reshape_dims(), sharding.iota_transpose_perm()));
  } else {
    append_ints(out, sharding.tile_assignment_devices());
  }
  if (sharding.last_tile_dims_size() > 0) {
    out += " last_tile_dims={";
    append_joined(out, sharding.last_tile_dims(), ", ",
                  [](std::string& to, int type) { to += tile_dim_name(type); });
    out += '}';
  } else if (sharding.replicate_on_last_tile_dim()) {
    out += " last_tile_dim_replicate";
  }
}

/// Tiles over one device are no tiles.
bool is_single_tile(const pb::OpSharding& sharding) {
  if (sharding.iota_reshape_dims_size() == 0) return sharding.tile_assignment_devices_size() == 1;
  return std::ranges::all_of(sharding.iota_reshape_dims(),
                             [](std::int64_t size) { return size == 1; });
}

void append_sharding_metadata(std::string& out, const pb::OpSharding& sharding) {
  if (sharding.metadata_size() == 0) return;
  out += " metadata={";
  if (sharding.metadata_size() == 1) {
    append_op_metadata(out, sharding.metadata(0), sharding.metadata(0).stack_frame_id());
  } else {
    append_joined(out, sharding.metadata(), ", ", [](std::string& to, const auto& one) {
      to += '{';
      append_op_metadata(to, one, one.stack_frame_id());
      to += '}';
    });
  }
  out += '}';
}

template <class Axes>
void append_axes(std::string& out, const Axes& axes, const pb::MeshProto& mesh) {
  append_joined(out, axes, ", ", [&](std::string& to, const pb::AxisRefProto& axis) {
    append_axis(to, axis, mesh);
  });
}

template <class Axes>
void append_axis_set(std::string& out, const char* name, const Axes& axes,
                     const pb::MeshProto& mesh) {
  if (axes.empty()) return;
  out += name;
  append_axes(out, axes, mesh);
  out += '}';
}

/// `axes` are all axes of the mesh, in order, except that axes of size 1 may be left out.
template <class Axes>
bool covers_mesh(const Axes& axes, const pb::MeshProto& mesh) {
  int next = 0;
  for (int i = 0; i < mesh.axes_size(); ++i) {
    if (next < axes.size() && axes.Get(next).mesh_axis_index() == i) {
      if (axes.Get(next).has_sub_axis_info()) return false;
      ++next;
    } else if (mesh.axes(i).size() != 1) {
      return false;
    }
  }
  return next == axes.size();
}

void append_named_sharding(std::string& out, const pb::NamedSharding& sharding,
                           ShardingMetadata metadata) {
  const pb::MeshProto& mesh = sharding.mesh();
  const bool no_dimensions = sharding.dim_shardings_size() == 0;
  const bool single_device = mesh.axes_size() == 0 && mesh.device_ids_size() == 1;
  out += '{';
  append_mesh(out, mesh);
  if (single_device) {
    // The mesh says it all.
  } else if (no_dimensions && sharding.replicated_axes_size() == 0 &&
             sharding.unreduced_axes_size() == 0 && sharding.manual_axes_size() == 0) {
    out += ", replicated";
  } else if (no_dimensions && sharding.unreduced_axes_size() > 0 &&
             covers_mesh(sharding.unreduced_axes(), mesh)) {
    out += ", unreduced";
  } else if (no_dimensions && sharding.manual_axes_size() > 0 &&
             covers_mesh(sharding.manual_axes(), mesh)) {
    out += ", manual";
  } else {
    out += ", [";
    append_joined(out, sharding.dim_shardings(), ", ", [&](std::string& to, const auto& dimension) {
      to += '{';
      append_axes(to, dimension.axes(), mesh);
      if (!dimension.is_closed()) to += dimension.axes_size() == 0 ? "?" : ", ?";
      to += '}';
    });
    out += ']';
    append_axis_set(out, ", replicated={", sharding.replicated_axes(), mesh);
    append_axis_set(out, ", unreduced={", sharding.unreduced_axes(), mesh);
    append_axis_set(out, ", manual={", sharding.manual_axes(), mesh);
  }
  if (metadata == ShardingMetadata::shown && sharding.metadata_size() > 0) {
    out += ", metadata={";
    append_joined(out, sharding.metadata(), ", ", [](std::string& to, const auto& one) {
      to += '{';
      append_op_metadata(to, one, one.stack_frame_id());
      to += '}';
    });
    out += '}';
  }
  out += '}';
}

void append_kind(std::string& out, const pb::OpSharding& sharding) {
  switch (sharding.type()) {
    case type_replicated:
      out += "replicated";
      return;
    case type_manual:
      out += "manual";
      return;
    case type_unknown:
      out += "unknown";
      return;
    case type_unreduced:
      out += "unreduced";
      return;
    case type_maximal:
      out += "maximal device=";
      append_ints(out, sharding.tile_assignment_devices());
      return;
    default:
      if (is_single_tile(sharding)) {
        out += "replicated";
      } else {
        append_tiles(out, sharding);
      }
  }
}

}  // namespace

void append_sharding(std::string& out, const pb::OpSharding& sharding, ShardingMetadata metadata) {
  if (sharding.has_named_sharding()) {
    append_named_sharding(out, sharding.named_sharding(), metadata);
    return;
  }
  out += '{';
  if (sharding.type() == type_tuple) {
    for (int i = 0; i < sharding.tuple_shardings_size(); ++i) {
      append_list_separator(out, i);
      append_sharding(out, sharding.tuple_shardings(i), metadata);
    }
    out += '}';
    return;
  }
  append_kind(out, sharding);
  if (sharding.is_shard_group()) {
    out += sharding.shard_group_type() == 0 ? " shard_as " : " shard_like ";
    append_int(out, sharding.shard_group_id());
  }
  if (metadata == ShardingMetadata::shown) append_sharding_metadata(out, sharding);
  out += '}';
}

void append_sharding_of(std::string& out, const pb::OpSharding& sharding,
                        const pb::ShapeProto& shape, ShardingMetadata metadata) {
  if (shape.element_type() != kTupleType || sharding.type() == type_tuple) {
    append_sharding(out, sharding, metadata);
    return;
  }
  std::string one;
  append_sharding(one, sharding, metadata);
  // An empty tuple has one sharding all the same.
  const std::int64_t leaves = std::max<std::int64_t>(leaf_count(shape), 1);
  if (static_cast<std::size_t>(leaves) > kMostRepeated / one.size()) {
    out += one;
    return;
  }
  out += '{';
  for (int i = 0; i < static_cast<int>(leaves); ++i) {
    append_list_separator(out, i);
    out += one;
  }
  out += '}';
}

}  // namespace jaxtrace::hlo
