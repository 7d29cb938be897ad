// A program as XLA:GPU runs it: the tree of thunks, and what the generator must know of each
// instruction.
//
// It comes either from a directory made by XLA's own compiler (hlo.pb.gz beside thunks.csv) or from
// a small program written in a test (small_program.h).  Nothing here uses src/: the truth must not
// come from the code that it judges.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace jaxtrace::pb {
class HloProto;
}

namespace jaxtrace::synth {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
};

struct Thunk;

struct ThunkSection {
  std::string name;  ///< "condition", "body", "true_branch", "branch_2" …, or empty
  std::vector<Thunk> thunks;
};

/// One row of thunks.csv with the rows below it.
struct Thunk {
  std::int64_t id = 0;
  std::string kind;         ///< XLA's: "kCustomKernel", "kWhile", "kCommandBuffer" …
  std::string kernel;       ///< As a profiler sees it; empty for library calls and copies.
  std::string instruction;  ///< The annotation: an HLO instruction, command_buffer_<n> or call<.n>
  Dim3 grid{}, block{};
  std::uint32_t shared_memory = 0;
  std::vector<ThunkSection> sections{};  ///< condition and body, branches, or one without a name
  /// What a library call launches, where a test says so; "Memset" and "Memcpy" stand for those.
  std::vector<std::string> launches{};
};

/// What the HLO says of an instruction.
struct Facts {
  std::string opcode;
  std::string op_name;
  std::string operand;  ///< Name of its first operand, to lead from a done to its start.
  std::optional<std::uint64_t> trips;  ///< known_trip_count of a while
  std::int64_t bytes = 4;              ///< Size of the result's arrays.
  std::string element = "f32";         ///< Type of the first array, as collective kernels spell it.
  std::int64_t group_size = 0;         ///< Devices per replica group; 0 if all or unknown.
};

struct Program {
  std::string module;
  std::int64_t program_id = 17;
  std::string hlo;  ///< Serialized HloProto; empty: the capture will carry none.
  std::vector<Thunk> thunks;
  std::map<std::string, Facts> facts;  ///< By instruction name.
};

/// Reads hlo.pb.gz and thunks.csv.  Throws std::runtime_error if either is missing.
Program load_program(const std::filesystem::path& directory);

/// The thunk tree of the text of a thunks.csv.
std::vector<Thunk> parse_thunks(const std::string& csv);

/// Fills `facts`, `module` and `hlo` from a proto.
void take_hlo(Program& program, const pb::HloProto& proto);

/// The bytes of a file, unzipped if they are gzip.  Throws std::runtime_error.
std::string read_maybe_gzip(const std::filesystem::path& file);

}  // namespace jaxtrace::synth
