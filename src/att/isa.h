// What the text of one instruction says: mnemonic, operands, branch target, counters of a wait,
// and how long the matrix pipe is busy with it.
//
// Disassembly is all that a thread trace has of the program, so everything here goes by the
// mnemonic and the operands, never by a word somewhere in the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "att/arch.h"
#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

/// The text without its comment ("; …" or "// …") and outer blanks.
std::string_view code_of(std::string_view isa);

/// "v_mfma_f32_16x16x16_bf16"; empty if there is none.
std::string_view mnemonic_of(std::string_view isa);

/// What stands between commas after the mnemonic; the last may carry modifiers, "0 offen lds".
std::vector<std::string_view> operands_of(std::string_view isa);

/// Whether `word` is one of the modifiers at the end, as "lds" in "buffer_load_dword … offen lds".
bool has_modifier(std::string_view isa, std::string_view word);

// ---- Branches

/// Address that a branch with an immediate operand jumps to; absent for all else, symbolic targets
/// too.  The operand counts dwords from the end of the branch and is printed unsigned: 65363 is
/// -173.
std::optional<std::int64_t> branch_target(const Instruction& instruction);

/// s_branch, s_setpc…, s_endpgm: what never goes on to the next instruction.
bool ends_flow(std::string_view mnemonic);

// ---- Waits

/// The counters by which a wave waits, as instructions name them.  vm…vs: gfx9 to gfx11; load…x:
/// gfx12 and later, where exp stays.
enum class WaitCounter : std::uint8_t {
  vm,
  lgkm,
  exp,
  vs,
  load,
  store,
  sample,
  bvh,
  ds,
  km,
  async,
  tensor,
  x,
};
inline constexpr std::size_t kWaitCounters = 13;

/// "vmcnt", "lgkmcnt", "loadcnt" …
std::string_view name_of(WaitCounter counter);

/// Goes on when at most `left` operations of `counter` are outstanding.
struct CounterWait {
  WaitCounter counter = WaitCounter::vm;
  std::int64_t left = 0;

  bool operator==(const CounterWait&) const = default;
};

/// What the instruction waits for; empty if it is no wait for a counter.  `family` is 9 to 12, the
/// first number of the gfx name: a bare number operand is laid out differently in each.
std::vector<CounterWait> waits_of(std::string_view isa, int family);

/// How an operation counts.  It raises each counter by one when issued.
struct Outstanding {
  std::vector<WaitCounter> counters;
  bool ordered = true;  ///< Completes in the order of issue: all but scalar and flat memory
};

/// Empty counters for what nothing has to wait for.
Outstanding outstanding_of(std::string_view isa, int family);

// ---- Matrix instructions

/// v_mfma_…, v_smfmac_…, v_wmma_…, v_swmmac_….
bool is_matrix(std::string_view mnemonic);

/// Passes of four cycles that the matrix pipe is busy; absent where the shape or the GPU is not in
/// the tables.
std::optional<int> matrix_passes(std::string_view isa, Arch arch);

/// Cycles that the matrix pipe is busy with it; absent where the candidates for the GPU differ.
std::optional<std::int64_t> matrix_cycles(std::string_view isa, const DetectedArch& arch);

/// Wait states between an MFMA of so many passes and another instruction that reads its result,
/// except as the same accumulator.  Absent where not known.
std::optional<int> required_wait_states(int passes, Arch arch);

}  // namespace jaxtrace
