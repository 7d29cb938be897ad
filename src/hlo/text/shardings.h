// Shardings as HLO text: `{devices=[2,4]<=[8] last_tile_dim_replicate}`.
#pragma once

#include <string>

namespace jaxtrace::pb {
class OpSharding;
class ShapeProto;
}  // namespace jaxtrace::pb

namespace jaxtrace::hlo {

enum class ShardingMetadata : bool { hidden, shown };

void append_sharding(std::string& out, const pb::OpSharding& sharding, ShardingMetadata metadata);

/// The sharding of a value of `shape`: one that is no tuple stands for every leaf of a tuple.
void append_sharding_of(std::string& out, const pb::OpSharding& sharding,
                        const pb::ShapeProto& shape, ShardingMetadata metadata);

}  // namespace jaxtrace::hlo
