// Which Python line pays for an instruction.
//
// An instruction of a compiled program seldom carries one line: a fusion has many members, each
// with a stack of Python frames, and passes add instructions that have none.  Time must go to one
// line, or sums would not hold.  provenance() chooses it by a fixed order and says how it was
// found; docs/attribute.md tells the same story to users.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hlo/op_name.h"
#include "hlo/program.h"

namespace jaxtrace::hlo {

struct Location {
  std::string file;  ///< Empty: no location.
  std::int32_t line = 0;
  std::string function;  ///< Empty where only OpMetadata.source_file is known.

  bool operator==(const Location&) const = default;
};

/// Where the location of an instruction was found.
enum class Origin : std::uint8_t {
  none,       ///< nowhere
  own,        ///< on the instruction itself
  member,     ///< on a member of its fusion or wrapped computation
  inherited,  ///< on what produces its operands or uses its result: a guess
};

struct MemberLine {
  Location at;
  std::uint32_t members = 0;
};

struct Provenance {
  std::string op_name;
  Phase phase = Phase::other;
  Location primary;              ///< The innermost frame.
  Location user;                 ///< The frame that pays: user code, or `primary` if none is.
  bool library = false;          ///< No frame of the stack is user code.
  Origin origin = Origin::none;  ///< Of the location.
  std::vector<Location> stack;   ///< Innermost first.

  /// How the members of a fusion spread over lines: on `user`, and on others, most members first.
  std::uint32_t user_members = 0;
  std::vector<MemberLine> other_lines;
};

/// Whether a frame is user code.
using UserTest = std::function<bool(const Location&)>;

/// The default: outside site-packages, dist-packages, the packages jax and jaxlib, and code
/// without a file (`<string>`, `<frozen …>`).
bool is_user_code(const Location& frame);

/// The provenance of each of `instructions`, in their order.
std::vector<Provenance> provenances(const Program& program,
                                    std::span<const InstructionId> instructions,
                                    const UserTest& user = is_user_code);

}  // namespace jaxtrace::hlo
