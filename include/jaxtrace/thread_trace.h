// What an AMD thread trace (rocprofv3 ATT) holds of one dispatch: the instructions of its kernel
// with the shader cycles that the traced waves spent on each, and what lies beside them.
//
// It is no Trace: a thread trace has no timeline of the GPU, only cycles summed over waves, and a
// dispatch is read whole, alone.  Cycles never become time without the clock of realtime.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "jaxtrace/finding.h"

namespace jaxtrace {

/// One row of code.json.  All cycles are sums over the traced waves of the target CU.
struct Instruction {
  std::string text;       ///< Disassembly: "v_mfma_f32_32x32x8_f16 a[0:15], …"
  std::string source;     ///< As written: "file:line", an inlined chain joined by " -> ", or empty
  std::int64_t line = 0;  ///< LineNumber: order in the file, and the key that wave files use
  std::int64_t code_object = 0;
  std::int64_t address = 0;         ///< Vaddr
  std::int64_t hits = 0;            ///< Executions, once for each wave
  std::int64_t latency_cycles = 0;  ///< Stall + issue (gfx9) or execution (gfx10 and later)
  std::int64_t stall_cycles = 0;
  std::int64_t idle_cycles = 0;  ///< Before the instruction; not part of latency
  std::uint32_t kernel = 0;      ///< Row of ThreadTrace::kernels
  bool damaged = false;          ///< Its numbers cannot be: hits and cycles are 0, and unknown
};

/// A label row: which symbol the instructions after it belong to.  Row 0 may be nameless.
struct TracedKernel {
  std::string symbol;     ///< Mangled, as in the label; empty if the file has no label
  std::string demangled;  ///< Empty if not said
};

/// One executed instruction of one wave.
struct WaveStep {
  std::int64_t begin = 0;  ///< First attempt to issue, in shader cycles
  std::int64_t stall = 0;
  std::int64_t duration = 0;  ///< Stall included
  std::int64_t line = 0;      ///< Instruction::line
  std::uint8_t category = 0;  ///< 3 VMEM, 5 LDS, 6 VALU …: docs/formats.md
};

/// Lines of operations that a wait waited for, as the trace decoder found them.
struct WaveWait {
  std::int64_t line = 0;
  std::vector<std::int64_t> waits_for;
};

/// One wave file.  They are many and large, so they are handed out one by one, never kept.
struct Wave {
  std::string file;
  std::int64_t engine = 0, cu = 0, simd = 0, slot = 0, id = 0;
  std::int64_t begin = 0, end = 0;
  std::vector<WaveStep> steps;  ///< By begin.
  std::vector<WaveWait> waits;
};

/// occupancy.json: a wave began or ended.  By (engine, time, ends first).
struct OccupancyEvent {
  std::int64_t engine = 0, time = 0, cu = 0, simd = 0, slot = 0, kernel = 0;
  bool starts = false;
};

/// What kernel_trace.csv and agent_info.csv beside the directory say of the dispatch.  Absent where
/// they do not say, or say what cannot be.
struct DispatchResources {
  std::string kernel;        ///< As the CSV names it
  std::string file;          ///< Which CSV
  bool by_dispatch = false;  ///< Matched by kernel and dispatch id; else by name alone
  std::optional<std::int64_t> dispatch, workgroup_size, grid_size;  ///< Sizes in work-items
  std::optional<std::int64_t> vgprs, accum_vgprs, sgprs, lds_bytes, scratch_bytes;
  std::string arch;                           ///< Of its agent: "gfx942", empty if not known
  std::optional<std::int64_t> compute_units;  ///< Of its agent
};

/// A copied source file inside the directory.
struct SourceFile {
  std::string path;                ///< As instructions name it
  std::vector<std::string> lines;  ///< Valid UTF-8, damage replaced
};

/// Whether there are cycles to report, or why not: what `hotspot` says, with exit code 4.
enum class Timing : std::uint8_t {
  measured,
  none,         ///< No instruction, or no cycle on any
  zero_hits,    ///< A disassembly that no traced wave ran
  pc_sampling,  ///< Samples in the place of cycles
};

struct ThreadTrace {
  std::filesystem::path directory;  ///< As given
  std::string name;                 ///< Its last component: names the dispatch in every table
  std::optional<std::int64_t> agent, dispatch;  ///< From the name
  std::string gfxip;  ///< filenames.json: "9", "11" …; empty if not said
  std::vector<TracedKernel> kernels;
  std::vector<Instruction> instructions;  ///< By line, then row order in the file
  std::vector<SourceFile> sources;        ///< By path
  std::vector<std::string> wave_files;    ///< Names that exist in the directory, sorted
  std::uint64_t waves_listed = 0;         ///< By filenames.json, there or not
  std::vector<OccupancyEvent> occupancy;
  std::optional<double> clock_hz;            ///< From realtime.json
  std::vector<DispatchResources> resources;  ///< The match, or every variant that fits
  std::vector<Finding> findings;
  Timing timing = Timing::measured;
  std::string file;  ///< Whence the instructions: "code.json", "code.json.gz", the stats CSV
};

}  // namespace jaxtrace
