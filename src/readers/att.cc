// read_thread_trace: the instructions first, since the rest is looked up for them.
#include <algorithm>
#include <charconv>
#include <system_error>

#include "jaxtrace/error.h"
#include "jaxtrace/thread_trace_reader.h"
#include "readers/att_code.h"
#include "readers/att_notes.h"
#include "readers/att_parts.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

/// The number after `word` in "ui_output_agent_6426_dispatch_608".
std::optional<std::int64_t> number_after(std::string_view name, std::string_view word) {
  const std::size_t at = name.rfind(word);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = name.substr(at + word.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end == digits.data()) return std::nullopt;
  return number;
}

std::string name_of(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::absolute(path, error).lexically_normal();
  fs::path last = real.filename();
  if (last.empty()) last = real.parent_path().filename();
  std::string name = last.string();
  constexpr std::string_view kBefore = "stats_", kAfter = ".csv";
  if (name.starts_with(kBefore) && name.ends_with(kAfter)) {
    name = name.substr(kBefore.size(), name.size() - kBefore.size() - kAfter.size());
  }
  return name;
}

/// The stats CSV of a directory without code.json; empty if there is none.
fs::path stats_of(const ThreadTrace& trace) {
  const std::string name = "stats_" + trace.name + ".csv";
  for (const fs::path& place : {trace.directory, trace.directory / ".."}) {
    std::error_code ignored;
    if (fs::is_regular_file(place / name, ignored)) return place / name;
  }
  return {};
}

void read_instructions(const fs::path& path, ThreadTrace& trace,
                       const ThreadTraceOptions& options) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    trace.file = path.filename().string();
    read_att_stats(path, trace);
    return;
  }
  for (const char* name : {"code.json", "code.json.gz"}) {
    if (!fs::exists(trace.directory / name, ignored)) continue;
    trace.file = name;
    read_att_code(trace.directory / name, trace, options.progress);
    return;
  }
  const fs::path stats = stats_of(trace);
  if (stats.empty()) {
    throw InputError(path.string(),
                     "holds no code.json, and no stats CSV lies beside it, so the decoder wrote no "
                     "instructions: see that rocprof-trace-decoder is installed, and record again");
  }
  trace.file = stats.filename().string();
  read_att_stats(stats, trace);
  note(trace.findings, Severity::note, "att-from-stats",
       "there is no code.json, so instructions come from the stats CSV, which has no line numbers",
       trace.name + '/' + trace.file);
}

}  // namespace

ThreadTrace read_thread_trace(const fs::path& path, const ThreadTraceOptions& options) {
  ThreadTrace trace;
  std::error_code ignored;
  const bool directory = fs::is_directory(path, ignored);
  trace.directory = directory ? path : path.has_parent_path() ? path.parent_path() : fs::path(".");
  trace.name = name_of(path);
  trace.agent = number_after(trace.name, "agent_");
  trace.dispatch = number_after(trace.name, "dispatch_");
  if (directory) read_att_filenames(trace);
  read_instructions(path, trace, options);
  if (directory) {
    read_att_occupancy(trace);
    read_att_clock(trace);
    read_att_sources(trace);
  }
  read_att_resources(trace);
  return trace;
}

}  // namespace jaxtrace
