// Programs as XLA compiled them, with XLA's own list of thunks beside them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace jaxtrace {

/// A row of thunks.csv: XLA's thunk sequence, command buffers and containers included.
struct Thunk {
  std::string where;  ///< "while.22:body/command_buffer_6"
  std::uint32_t id = 0;
  std::string kind;         ///< "kCustomKernel"
  std::string kernel;       ///< empty for library calls and copies
  std::string instruction;  ///< as the tracer names it
};

struct XlaProgram {
  std::string name;  ///< of the folder, such as "gpt-h100"
  std::string hlo;   ///< serialized HloProto
  std::vector<Thunk> thunks;
};

/// The programs of testdata/, of goldens/xla-gpu beside JAXTRACE_CAPTURES if that is set, and of
/// the folder JAXTRACE_PROGRAMS if that is set.  Those without thunks.csv are left out.
std::vector<std::filesystem::path> program_folders();

XlaProgram read_program(const std::filesystem::path& folder);

std::string gunzip(const std::filesystem::path& file);

}  // namespace jaxtrace
