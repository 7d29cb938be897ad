// The attributes of operations that talk to other devices.
#pragma once

#include <string>

namespace jaxtrace::pb {
class HloInstructionProto;
class ShapeProto;
}  // namespace jaxtrace::pb

namespace jaxtrace::hlo {

/// `input` and `starts` are the shapes of operands 0 and 2, null if there are none: they tell how
/// a collective-permute of slices groups its slice sizes.
void append_collective_attributes(std::string& out, const pb::HloInstructionProto& proto,
                                  const pb::ShapeProto* input, const pb::ShapeProto* starts);

}  // namespace jaxtrace::hlo
