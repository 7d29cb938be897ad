// Cycles of a thread trace added up: by class of stall, source line, instruction and kernel.
//
// Every table adds up to the same totals.  A wait for several kinds of memory is divided among
// their classes where wave files tell how; what they do not tell stays MIXED-wait.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "att/stall_class.h"
#include "att/waits.h"
#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

/// Sums over instructions and waves; they stay at the largest number rather than overflow.
struct Cycles {
  std::int64_t hits = 0, latency = 0, stall = 0, idle = 0;

  std::int64_t issue() const { return latency - stall; }
  /// Of the waves' lives, but for what no instruction accounts for.
  std::int64_t of_waves() const;
  void add(const Cycles& other);
};

Cycles cycles_of(const Instruction& instruction);

/// Which line of a chain of inlined calls an instruction counts for.
enum class Inline : std::uint8_t {
  innermost,  ///< Where the code was written
  outermost,  ///< Where the kernel called it
  all,        ///< Each chain is a line of its own
};

/// Of "inner.py:3 -> outer.py:7" the part that counts; empty if there is no source.
std::string_view line_of(std::string_view source, Inline which);

struct SourceLine {
  std::string_view path;
  std::optional<std::int64_t> number;
};

/// "x:y.py:12" is line 12 of x:y.py; without a number at the end the whole is a path.
SourceLine parse_line(std::string_view line);

using StallByClass = std::array<std::int64_t, kStallClasses>;

struct ClassTotal {
  StallClass stall_class = StallClass::other;
  std::int64_t instructions = 0;  ///< Of this class itself
  Cycles cycles;                  ///< Of these, but stall also of divided waits
};

struct LineTotal {
  std::string line;  ///< Empty: instructions without a source
  std::vector<std::uint32_t> rows;
  Cycles cycles;
  StallByClass stall{};

  /// With the most stall; the first in the order of classes if several have.
  StallClass dominant() const;
};

struct KernelTotal {
  std::uint32_t kernel = 0;  ///< Row of ThreadTrace::kernels
  std::int64_t instructions = 0;
  Cycles cycles;
};

struct Totals {
  Cycles all;
  std::vector<StallClass> class_of;    ///< By row
  std::vector<ClassTotal> classes;     ///< With instructions; most stall first, then in order
  std::vector<LineTotal> lines;        ///< Most stall first, then by first row
  std::vector<KernelTotal> kernels;    ///< In order; all with instructions
  std::vector<std::uint32_t> stalled;  ///< Rows with stall; most first, then by row
  std::int64_t divided_cycles = 0;     ///< Stall of mixed waits that was divided
};

/// `waits` may be null.
Totals add_up(const ThreadTrace& trace, Inline which, int family, const WaitAnalysis* waits);

/// Cycles of `whole`, divided like `parts`, as integers; what rounding leaves over is not given
/// out.
std::vector<std::int64_t> divide(std::int64_t whole, const std::vector<std::int64_t>& parts);

}  // namespace jaxtrace
