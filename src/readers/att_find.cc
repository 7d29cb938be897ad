// Finding thread traces.  rocprofv3 writes ui_output_agent_<agent>_dispatch_<id>/ below its output
// directory, with stats_<the same name>.csv beside it if CSV was asked for; people rename the
// directories, so what is in one decides: code.json, or the index filenames.json without it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>

#include "jaxtrace/error.h"
#include "jaxtrace/thread_trace_reader.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 8;  // rocprofv3 nests three levels; a whole disk is a mistake.
constexpr std::string_view kCollect =
    "; collect one with `rocprofv3 --att`, and see that kernel_include_regex fits the kernel's "
    "name";

bool is_stats(const std::string& name) {
  return name.starts_with("stats_ui_output_") && name.ends_with(".csv");
}

/// "ui_output_…" of "stats_ui_output_….csv".
std::string described_by(const std::string& stats) {
  constexpr std::size_t kBefore = 6, kAfter = 4;
  return stats.substr(kBefore, stats.size() - kBefore - kAfter);
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool has_code(const fs::path& directory) {
  return is_file(directory / "code.json") || is_file(directory / "code.json.gz");
}

bool is_thread_trace(const fs::path& directory) {
  return has_code(directory) || is_file(directory / "filenames.json") ||
         directory.filename().string().starts_with("ui_output_agent_");
}

/// By where it really is: the path to show.
using Found = std::map<std::string, fs::path>;

void add(Found& found, const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  found.emplace(error ? path.string() : real.string(), path);
}

void search(const fs::path& directory, int depth, Found& found) {
  if (is_thread_trace(directory)) {
    add(found, directory);
    return;
  }
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  std::ranges::sort(entries);
  for (const fs::path& entry : entries) {
    const std::string name = entry.filename().string();
    std::error_code ignored;
    if (is_stats(name) && is_file(entry)) {
      if (!fs::is_directory(directory / described_by(name), ignored)) add(found, entry);
    } else if (!name.starts_with('.') && depth < kDeepest &&
               fs::is_directory(fs::symlink_status(entry, ignored))) {
      search(entry, depth + 1, found);
    }
  }
}

/// "a/b/" is "a/b", and "" is here.
fs::path tidy(const fs::path& path) {
  fs::path result = path.lexically_normal();
  if (!result.has_filename() && result.has_parent_path() && result != result.root_path()) {
    result = result.parent_path();
  }
  return result.empty() ? "." : result;
}

/// What to say of a path that leads to no thread trace.
[[noreturn]] void refuse(const fs::path& path, bool directory) {
  std::error_code error;
  const std::string name = path.filename().string();
  if (directory) {
    throw InputError(path.string(),
                     "holds no thread trace (no code.json in it or below)" + std::string(kCollect));
  }
  std::string what = "is no thread trace";
  if (name.ends_with(".xplane.pb")) what = "is a capture of the JAX profiler, not a thread trace";
  if (name.ends_with(".att")) {
    what = "is an undecoded thread trace; give the ui_output_* directory that the decoder writes";
  }
  throw InputError(path.string(), what + std::string(kCollect));
}

}  // namespace

std::vector<fs::path> find_thread_traces(const std::vector<fs::path>& paths) {
  Found found;
  for (const fs::path& typed : paths) {
    const fs::path path = tidy(typed);
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      throw InputError(
          path.string(),
          "cannot be read: " + (error ? error.message() : std::string("No such file or directory")),
          ExitCode::input_missing);
    }
    const std::string name = path.filename().string();
    Found here;
    if (fs::is_directory(status)) {
      fs::directory_iterator readable(path, error);
      if (error) {
        throw InputError(path.string(), "cannot be listed: " + error.message(),
                         ExitCode::input_missing);
      }
      search(path, 0, here);
    } else if (name == "code.json" || name == "code.json.gz") {
      add(here, path.has_parent_path() ? path.parent_path() : fs::path("."));
    } else if (is_stats(name)) {
      add(here, path);
    }
    if (here.empty()) refuse(path, fs::is_directory(status));
    found.merge(here);
  }
  std::vector<fs::path> result;
  for (const auto& [real, path] : found) result.push_back(path);
  std::ranges::sort(result);
  return result;
}

}  // namespace jaxtrace
