// Named device meshes and replica groups as HLO text.
#pragma once

#include <string>

namespace jaxtrace::pb {
class AxisRefProto;
class HloInstructionProto;
class MeshProto;
}  // namespace jaxtrace::pb

namespace jaxtrace::hlo {

/// `mesh['data'=2,'model'=4]`, with device_ids behind it unless they count up from 0.
void append_mesh(std::string& out, const pb::MeshProto& mesh);

/// `'data'`, or `'data':(2)4` for a part of an axis.  An axis that the mesh lacks prints its
/// number.
void append_axis(std::string& out, const pb::AxisRefProto& axis, const pb::MeshProto& mesh);

/// `{{0,1},{2,3}}`, `[2,4]<=[8]` or `mesh['a'=8] {'a'}`: whichever way the proto has them.
void append_replica_groups(std::string& out, const pb::HloInstructionProto& instruction);

}  // namespace jaxtrace::hlo
