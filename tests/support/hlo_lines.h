// HloProtos written down in a test, an instruction a line:
//
//   entry                                    a computation; the last one is the entry
//     p = f32[4,8] parameter
//     f = (f32[4], f32[4]) fusion p calls body
//
// The last instruction of a computation is its root; parameters number themselves.  What else an
// instruction has is set in its proto.
#pragma once

#include <string>
#include <string_view>

#include "hlo/cost.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::test {

class HloLines {
 public:
  /// Throws std::runtime_error at a line that says nothing.
  explicit HloLines(const std::string& lines);

  pb::HloInstructionProto& operator[](std::string_view instruction);
  pb::HloProto& proto() { return proto_; }
  std::string bytes() const { return proto_.SerializeAsString(); }

  /// Of the program as it is now.
  hlo::OpCost cost(std::string_view instruction) const;

 private:
  pb::HloProto proto_;
};

}  // namespace jaxtrace::test
