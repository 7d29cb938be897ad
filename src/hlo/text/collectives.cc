// See collectives.h.
#include "hlo/text/collectives.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "hlo/text/append.h"
#include "hlo/text/meshes.h"
#include "hlo/text/shapes.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

using Proto = pb::HloInstructionProto;

void append_channel(std::string& out, const Proto& proto) {
  // Before 2020, an all-reduce had an id of its own for what is a channel now.
  const bool reduces = proto.opcode() == "all-reduce" || proto.opcode() == "all-reduce-start" ||
                       proto.opcode() == "reduce-scatter";
  const std::int64_t channel =
      reduces && proto.all_reduce_id() > 0 ? proto.all_reduce_id() : proto.channel_id();
  if (channel <= 0) return;
  out += ", channel_id=";
  append_int(out, channel);
}

/// How many numbers each slice of a collective-permute has: as many as the dimensions of what it
/// is cut from, once for each set of start indices.
std::vector<int> slice_ranks(const pb::ShapeProto& input, const pb::ShapeProto& starts) {
  const auto is_tuple = [](const pb::ShapeProto& shape) {
    return shape.element_type() == kTupleType;
  };
  std::vector<int> ranks;
  const bool nested = starts.tuple_shapes_size() > 0 && is_tuple(starts.tuple_shapes(0));
  if (!is_tuple(input)) {
    ranks.assign(nested ? static_cast<std::size_t>(starts.tuple_shapes_size()) : 1,
                 input.dimensions_size());
    return ranks;
  }
  const bool several = nested && starts.tuple_shapes(0).tuple_shapes_size() > 0 &&
                       is_tuple(starts.tuple_shapes(0).tuple_shapes(0));
  for (int i = 0; i < input.tuple_shapes_size(); ++i) {
    const int times =
        several && i < starts.tuple_shapes_size() ? starts.tuple_shapes(i).tuple_shapes_size() : 1;
    ranks.insert(ranks.end(), static_cast<std::size_t>(times),
                 input.tuple_shapes(i).dimensions_size());
  }
  return ranks;
}

void append_slice_sizes(std::string& out, const Proto& proto, const pb::ShapeProto* input,
                        const pb::ShapeProto* starts) {
  const auto& sizes = proto.dynamic_slice_sizes();
  if (sizes.empty()) return;
  std::vector<int> ranks;
  if (input != nullptr && starts != nullptr) ranks = slice_ranks(*input, *starts);
  if (ranks.empty()) ranks.push_back(sizes.size());
  out += ", slice_sizes={";
  int next = 0;
  append_joined(out, ranks, ",", [&](std::string& to, int rank) {
    to += '{';
    for (int i = 0; i < rank && next < sizes.size(); ++i, ++next) {
      if (i > 0) to += ',';
      append_int(to, sizes.Get(next));
    }
    to += '}';
  });
  out += '}';
}

void append_permutation(std::string& out, const Proto& proto, const pb::ShapeProto* input,
                        const pb::ShapeProto* starts) {
  out += ", source_target_pairs={";
  append_joined(out, proto.source_target_pairs(), ",",
                [](std::string& to, const pb::SourceTarget& pair) {
                  to += '{';
                  append_int(to, pair.source());
                  to += ',';
                  append_int(to, pair.target());
                  to += '}';
                });
  out += '}';
  append_slice_sizes(out, proto, input, starts);
}

}  // namespace

void append_collective_attributes(std::string& out, const Proto& proto, const pb::ShapeProto* input,
                                  const pb::ShapeProto* starts) {
  const std::string_view opcode = proto.opcode();
  append_channel(out, proto);
  if (opcode.starts_with("send") || opcode.starts_with("recv")) {
    if (proto.is_host_transfer()) out += ", is_host_transfer=true";
    return;
  }
  if (opcode.starts_with("collective-permute")) {
    append_permutation(out, proto, input, starts);
    return;
  }
  out += ", replica_groups=";
  append_replica_groups(out, proto);
  if (opcode == "collective-broadcast" || opcode == "ragged-all-to-all") return;
  if (proto.constrain_layout()) out += ", constrain_layout=true";

  const auto dimension = [&] {
    if (proto.dimensions_size() > 0) {
      out += ", dimensions=";
      append_braced(out, proto.dimensions());
    }
  };
  const auto device_ids = [&] {
    if (proto.use_global_device_ids()) out += ", use_global_device_ids=true";
  };
  if (opcode == "all-to-all") {
    dimension();
  } else if (opcode.starts_with("all-gather")) {
    dimension();
    device_ids();
  } else {
    device_ids();
    if (opcode == "reduce-scatter") dimension();
  }
}

}  // namespace jaxtrace::hlo
