// No proto names the version that wrote it, so the decision rests on what the versions print
// differently.  Until jax 0.9 the backend configs of GPU instructions list the queues to wait for,
// until 0.6 without a device type, and those of loops have no dynamic variables.  Until 0.8
// metadata holds the source file itself, until 0.6 without the name that the instruction had when
// it was scheduled.  Seen in programs of jax 0.4.35, 0.5.3, 0.6.2, 0.7.2, 0.8.1, 0.9.2 and 0.10.2.
#include "hlo/emitter.h"

#include <string>
#include <string_view>

#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {

Emitter emitter_of(const Program& program, const ProtoRows& rows) {
  bool old_loop = false;
  bool files = false;
  bool scheduling_names = false;
  for (std::size_t n = 0; n < program.instructions.size(); ++n) {
    const Instruction& i = program.instructions[n];
    const auto has = [&](std::string_view key) {
      return i.backend_config.find(key) != std::string::npos;
    };
    if (has("\"wait_on_operation_queues\"")) {
      return has("\"device_type\"") ? Emitter::until_jax_0_9 : Emitter::until_jax_0_6;
    }
    if (has("\"operation_queue_id\"")) return Emitter::since_jax_0_10;
    if (i.opcode == "while" && has("\"known_") && !has("\"dynamic_variables\"")) old_loop = true;
    files = files || !i.source_file.empty();
    scheduling_names = scheduling_names || !rows[n]->metadata().scheduling_name().empty();
  }
  if (files && !scheduling_names) return Emitter::until_jax_0_6;
  return files || old_loop ? Emitter::until_jax_0_9 : Emitter::since_jax_0_10;
}

}  // namespace jaxtrace::hlo
