// snapshots.json names the source files that were copied into the directory:
//
//   {"/": {"FlyDSL": {"kernels": {"pa_decode.py": "source_0_pa_decode.py"}}}}
//
// The path of a file is the keys joined by "/", as instructions write it, elements such as "." and
// ".." included: it is a name to compare, and never opened.  What is opened is the value, and only
// if it is a plain name of a regular file in the directory itself: a capture may come from anyone.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "jaxtrace/error.h"
#include "readers/att_notes.h"
#include "readers/att_parts.h"
#include "readers/json_cursor.h"
#include "readers/mapped_file.h"
#include "readers/utf8.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestSource = std::uintmax_t{64} << 20U;
constexpr std::size_t kMostRefusals = 3;  // More of them say nothing new.

using Snapshots = std::map<std::string, std::string>;  // File in the directory by path.

/// Walks the tree without recursion: a hostile file may be nested by the million.
void read_tree(JsonCursor& at, Snapshots& snapshots) {
  std::string path, key, value;
  std::vector<std::size_t> lengths;  // Of `path` before each open object.
  if (!at.enter_object()) return;
  lengths.push_back(0);
  while (!lengths.empty()) {
    if (!at.next_key(key)) {
      if (at.failed()) return;
      path.resize(lengths.back());
      lengths.pop_back();
      continue;
    }
    const std::size_t length = path.size();
    if (!path.empty() && !path.ends_with('/')) path += '/';
    path += key;
    if (at.enter_object()) {
      lengths.push_back(length);
      continue;
    }
    if (at.string(value)) snapshots.emplace(path, value);
    path.resize(length);
  }
}

/// The paths that instructions name: "a.py:3 -> b.py:7" gives a.py and b.py.
std::set<std::string, std::less<>> named_paths(const ThreadTrace& trace) {
  std::set<std::string, std::less<>> paths;
  std::string_view last;
  for (const Instruction& instruction : trace.instructions) {
    if (instruction.source == last) continue;
    last = instruction.source;
    for (std::string_view chain = last; !chain.empty();) {
      constexpr std::string_view kArrow = " -> ";
      const std::size_t arrow = chain.find(kArrow);
      const std::string_view frame = chain.substr(0, arrow);
      const std::string_view path = frame.substr(0, frame.rfind(':'));
      if (!path.empty() && paths.find(path) == paths.end()) paths.emplace(path);
      if (arrow == std::string_view::npos) break;
      chain.remove_prefix(arrow + kArrow.size());
    }
  }
  return paths;
}

/// Why a file is not opened; empty if it may be.
std::string refusal(const fs::path& directory, const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos ||
      name.find('\0') != std::string::npos) {
    return "is outside of the directory";
  }
  std::error_code error;
  const fs::file_status status = fs::symlink_status(directory / name, error);
  if (!fs::exists(status)) return "is not there";
  if (fs::is_symlink(status)) return "is a link";
  if (!fs::is_regular_file(status)) return "is no regular file";
  if (fs::file_size(directory / name, error) > kLargestSource) return "is larger than 64 MiB";
  return "";
}

std::vector<std::string> split_lines(std::string_view bytes) {
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    std::string_view line = bytes.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(valid_utf8(line));
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  }
  return lines;
}

Snapshots read_snapshots(ThreadTrace& trace) {
  Snapshots snapshots;
  const fs::path path = trace.directory / "snapshots.json";
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(path, ignored))) return snapshots;
  std::string wrong;
  try {
    const MappedFile file(path);
    JsonCursor at(file.bytes());
    read_tree(at, snapshots);
    if (at.failed()) wrong = fmt::format("makes no sense from byte {} on", at.byte());
  } catch (const InputError&) {
    wrong = "cannot be read";
  }
  if (!wrong.empty()) {
    note(trace.findings, Severity::data_loss, "att-part-unreadable",
         wrong + "; sources that it does not name are not shown", trace.name + "/snapshots.json");
  }
  return snapshots;
}

}  // namespace

void read_att_sources(ThreadTrace& trace) {
  const Snapshots snapshots = read_snapshots(trace);
  if (snapshots.empty()) return;
  std::vector<std::string> refused;
  for (const std::string& path : named_paths(trace)) {
    const auto found = snapshots.find(path);
    if (found == snapshots.end()) continue;
    if (std::string why = refusal(trace.directory, found->second); !why.empty()) {
      // A file that was not copied along is no attack.
      if (why != "is not there") refused.push_back(found->second + ' ' + why);
      continue;
    }
    try {
      const MappedFile file(trace.directory / found->second);
      trace.sources.push_back({.path = path, .lines = split_lines(file.bytes())});
    } catch (const InputError&) {
      refused.push_back(found->second + " cannot be read");
    }
  }
  for (std::size_t i = 0; i < refused.size() && i < kMostRefusals; ++i) {
    note(trace.findings, Severity::error, "att-source-refused", refused[i] + ", so it is not shown",
         trace.name + "/snapshots.json");
  }
  if (refused.size() > kMostRefusals) {
    note(trace.findings, Severity::error, "att-source-refused",
         fmt::format("{} more sources are not shown", refused.size() - kMostRefusals),
         trace.name + "/snapshots.json");
  }
}

}  // namespace jaxtrace
