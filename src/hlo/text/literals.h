// Constant values as HLO text: `{ { 1, 2 }, { 3, 4 } }`.
#pragma once

#include <cstdint>
#include <string>

namespace jaxtrace::pb {
class LiteralProto;
}

namespace jaxtrace::hlo {

enum class LiteralShapes : bool { hidden, shown };

/// Writes the value, each array after its shape and layout if `shapes` are shown.  Values that are
/// missing, or too many to write, print as `{...}`.
void append_literal(std::string& out, const pb::LiteralProto& literal, LiteralShapes shapes);

}  // namespace jaxtrace::hlo
