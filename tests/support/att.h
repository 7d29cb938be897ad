// Thread traces made for tests: directories as rocprofv3 writes them, from a few rows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "jaxtrace/thread_trace.h"
#include "support/program.h"

namespace jaxtrace::synth {

/// A row of code.json.
struct AttRow {
  std::string isa;
  std::int64_t line = 0;
  std::string source{};
  std::int64_t hits = 0, latency = 0, stall = 0, idle = 0;
};

inline constexpr const char* kAttHeader =
    "ISA, _, LineNumber, Source, Codeobj, Vaddr, Hit, Latency, Stall, Idle";

/// `{"code": […], "header": "…"}`: addresses go up by 4 from 0x1000.
std::string code_json(const std::vector<AttRow>& rows);

/// The same around rows that are JSON already; `header` is JSON too, or empty for none.
std::string code_json_raw(const std::string& rows, const std::string& header);

/// One executed instruction of a wave file.
struct AttStep {
  std::int64_t time = 0, category = 0, stall = 0, duration = 0, line = 0;
};

std::string wave_json(std::int64_t begin, std::int64_t end, const std::vector<AttStep>& steps,
                      const std::string& waits = "[]");

/// A directory ui_output_agent_7_dispatch_<dispatch> in a scratch directory.
class AttDir {
 public:
  explicit AttDir(std::int64_t dispatch = 1);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path parent() const { return path_.parent_path(); }
  /// Writes a file of the directory.
  void file(const std::string& name, const std::string& bytes) const;
  /// code.json of these rows.
  void code(const std::vector<AttRow>& rows) const { file("code.json", code_json(rows)); }
  ThreadTrace read() const;

 private:
  ScratchDir scratch_;
  std::filesystem::path path_;
};

/// Codes of a trace's findings, in order.
std::vector<std::string> codes(const std::vector<Finding>& findings);

}  // namespace jaxtrace::synth
