// The settings are those of a recording of few waves that fits into memory: one compute unit, every
// SIMD of it, four shader engines, the third and fourth launch.
#include "commands/kernels/att_yaml.h"

#include <fmt/format.h>

#include "analysis/kernel_pattern.h"

namespace jaxtrace {

std::string att_yaml(std::string_view kernel) {
  std::string quoted;  // In single quotes YAML knows one escape: the quote, doubled.
  for (const char byte : include_regex(kernel))
    quoted += byte == '\'' ? "''" : std::string(1, byte);
  return fmt::format(R"(jobs:
  - kernel_include_regex: '{}'
    kernel_iteration_range: "[1, [3-4]]"   # skips warming up, traces launches 3 and 4
    output_file: out
    output_directory: kernel_trace_output
    output_format: [csv]
    truncate_kernels: true
    sys_trace: true
    advanced_thread_trace: true
    att_target_cu: 1                       # one compute unit keeps the output small
    att_shader_engine_mask: "0xf"
    att_simd_select: "0xf"
    att_buffer_size: "0x6000000"           # 96 MiB a shader engine; "0xC000000" if it was cut
)",
                     quoted);
}

}  // namespace jaxtrace
