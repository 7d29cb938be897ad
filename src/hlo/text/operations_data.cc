// See operation.h.  Where data comes from, where it goes, and which part of it.

#include <algorithm>
#include <array>

#include "hlo/text/operation.h"
#include "hlo/text/shapes.h"
#include "hlo/text/shardings.h"
#include "hlo/text/windows.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {

void append_dimensions(std::string& out, const Operation& op) {
  append_list(out, ", dimensions=", op.proto.dimensions());
}

void append_copy_start(std::string& out, const Operation& op) {
  if (op.proto.has_cross_program_prefetch_index()) {
    append_field(out, ", cross_program_prefetch_index=", op.proto.cross_program_prefetch_index());
  } else {
    append_flag(out, ", cross_program_prefetch_index=0", op.proto.is_cross_program_prefetch());
  }
}

void append_domain(std::string& out, const Operation& op) {
  const auto side = [&](const char* name, bool has, const pb::OpSharding& sharding) {
    out += name;
    if (has) {
      append_sharding(out, sharding, ShardingMetadata::hidden);
    } else {
      out += "{}";
    }
  };
  // XLA writes the two the other way round than its proto calls them.
  side(", domain={kind=\"sharding\", entry=", op.proto.has_domain_exit_sharding(),
       op.proto.domain_exit_sharding());
  side(", exit=", op.proto.has_domain_entry_sharding(), op.proto.domain_entry_sharding());
  out += '}';
}

void append_dynamic_slice(std::string& out, const Operation& op) {
  append_list(out, ", dynamic_slice_sizes=", op.proto.dynamic_slice_sizes());
}

void append_gather(std::string& out, const Operation& op) {
  const pb::GatherDimensionNumbers& numbers = op.proto.gather_dimension_numbers();
  append_list(out, ", offset_dims=", numbers.offset_dims());
  append_list(out, ", collapsed_slice_dims=", numbers.collapsed_slice_dims());
  append_list(out, ", start_index_map=", numbers.start_index_map());
  if (numbers.operand_batching_dims_size() > 0) {
    append_list(out, ", operand_batching_dims=", numbers.operand_batching_dims());
  }
  if (numbers.start_indices_batching_dims_size() > 0) {
    append_list(out, ", start_indices_batching_dims=", numbers.start_indices_batching_dims());
  }
  append_field(out, ", index_vector_dim=", numbers.index_vector_dim());
  append_list(out, ", slice_sizes=", op.proto.gather_slice_sizes());
  append_flag(out, ", indices_are_sorted=true", op.proto.indices_are_sorted());
}

void append_get_tuple_element(std::string& out, const Operation& op) {
  append_field(out, ", index=", op.proto.tuple_index());
}

void append_infeed(std::string& out, const Operation& op) {
  if (op.proto.infeed_config().empty()) return;
  out += ", infeed_config=";
  append_quoted(out, op.proto.infeed_config());
}

void append_iota(std::string& out, const Operation& op) {
  append_field(out,
               ", iota_dimension=", op.proto.dimensions_size() > 0 ? op.proto.dimensions(0) : 0);
}

/// XLA maps over all dimensions, whatever the proto says.
void append_map(std::string& out, const Operation& op) {
  out += ", dimensions={";
  for (int i = 0; i < op.proto.shape().dimensions_size(); ++i) {
    if (i > 0) out += ',';
    append_int(out, i);
  }
  out += '}';
}

void append_outfeed(std::string& out, const Operation& op) {
  out += ", outfeed_shape=";
  append_shape(out, op.proto.outfeed_shape(), Layouts::shown);
  if (op.proto.outfeed_config().empty()) return;
  out += ", outfeed_config=";
  append_quoted(out, op.proto.outfeed_config());
}

void append_pad(std::string& out, const Operation& op) {
  out += ", padding=";
  append_padding(out, op.proto.padding_config());
}

void append_parameter(std::string& out, const Operation& op) {
  const auto& replicated = op.proto.parameter_replication().replicated_at_leaf_buffers();
  if (replicated.empty()) return;
  out += ", parameter_replication={";
  append_joined(out, replicated, ",",
                [](std::string& to, bool value) { to += value ? "true" : "false"; });
  out += '}';
}

void append_reshape(std::string& out, const Operation& op) {
  if (op.proto.dimensions_size() == 0 || op.proto.dimensions(0) == -1) return;
  append_field(out, ", inferred_dimension=", op.proto.dimensions(0));
}

void append_scatter(std::string& out, const Operation& op) {
  const pb::ScatterDimensionNumbers& numbers = op.proto.scatter_dimension_numbers();
  append_list(out, ", update_window_dims=", numbers.update_window_dims());
  append_list(out, ", inserted_window_dims=", numbers.inserted_window_dims());
  append_list(out, ", scatter_dims_to_operand_dims=", numbers.scatter_dims_to_operand_dims());
  if (numbers.input_batching_dims_size() > 0) {
    append_list(out, ", input_batching_dims=", numbers.input_batching_dims());
  }
  if (numbers.scatter_indices_batching_dims_size() > 0) {
    append_list(out, ", scatter_indices_batching_dims=", numbers.scatter_indices_batching_dims());
  }
  append_field(out, ", index_vector_dim=", numbers.index_vector_dim());
  append_flag(out, ", indices_are_sorted=true", op.proto.indices_are_sorted());
  append_flag(out, ", unique_indices=true", op.proto.unique_indices());
}

void append_slice(std::string& out, const Operation& op) {
  const auto& ranges = op.proto.slice_dimensions();
  const bool strided =
      std::ranges::any_of(ranges, [](const auto& range) { return range.stride() != 1; });
  out += ", slice={";
  append_joined(out, ranges, ", ", [&](std::string& to, const pb::SliceDimensions& range) {
    append_field(to, "[", range.start());
    append_field(to, ":", range.limit());
    if (strided) append_field(to, ":", range.stride());
    to += ']';
  });
  out += '}';
}

}  // namespace jaxtrace::hlo
