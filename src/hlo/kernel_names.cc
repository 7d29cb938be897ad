#include "hlo/kernel_names.h"

#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {

std::string sanitised(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '$';
    if (!kept) c = '_';
  }
  return out;
}

void predict_kernel_names(const pb::HloProto&, Program& program) {
  for (Instruction& i : program.instructions) {
    if (i.opcode == "fusion") i.kernel_name = sanitised(i.name);
  }
}

}  // namespace jaxtrace::hlo
