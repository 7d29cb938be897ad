// Symbolic links to directories are not followed, so a loop cannot be walked for ever.
#include "readers/side_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "jaxtrace/error.h"

namespace jaxtrace {

namespace fs = std::filesystem;

bool is_counter_file(std::string_view name) {
  if (!name.ends_with(".csv")) return false;
  return name.find("counter_collection") != std::string_view::npos ||
         name.find("pmc_perf") != std::string_view::npos;
}

std::vector<fs::path> files_below(const fs::path& directory, NameTest test) {
  constexpr int kDeepest = 4;
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(directory, fs::directory_options::skip_permission_denied,
                                         error);
  if (error) {
    throw InputError(directory.string(), "cannot be listed: " + error.message(),
                     ExitCode::input_missing);
  }
  for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (entry->is_directory(ignored) && (entry.depth() == kDeepest || name.starts_with('.'))) {
      entry.disable_recursion_pending();
    } else if (!name.starts_with('.') && test(name) && entry->is_regular_file(ignored)) {
      files.push_back(entry->path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::vector<fs::path> find_files(std::span<const fs::path> inputs, NameTest test,
                                 std::string_view wanted, std::vector<Finding>& findings) {
  std::vector<fs::path> files;
  std::vector<fs::path> real;
  const auto add = [&](const fs::path& file) {
    std::error_code ignored;
    const fs::path canonical = fs::weakly_canonical(file, ignored);
    if (std::ranges::find(real, canonical) != real.end()) {
      findings.push_back(
          {Severity::note, "file-twice", "was given twice and is read once", file.string(), 1});
      return;
    }
    real.push_back(canonical);
    files.push_back(file);
  };
  for (const fs::path& input : inputs) {
    std::error_code ignored;
    if (!fs::is_directory(input, ignored)) {
      add(input);
      continue;
    }
    const std::vector<fs::path> below = files_below(input, test);
    if (below.empty()) {
      throw InputError(input.string(), fmt::format("is a directory without {}", wanted));
    }
    std::ranges::for_each(below, add);
  }
  return files;
}

std::uint64_t total_size(const std::vector<fs::path>& files) {
  std::uint64_t total = 0;
  for (const fs::path& file : files) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    if (!error) total += size;
  }
  return total;
}

void refuse_no_csv(const fs::path& path, std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.empty()) throw InputError(path.string(), "is empty");
  const auto refuse = [&](std::string_view start, const char* what) {
    if (bytes.starts_with(start)) throw InputError(path.string(), what);
  };
  refuse("\x1f\x8b"sv, "is compressed with gzip; gunzip it first");
  refuse("PK\x03\x04"sv, "is a zip archive; unpack it first");
  refuse(
      "SQLite format 3\0"sv,
      "is an SQLite database, no CSV; `jaxtrace kernels` reads kernel times of a results.db, and "
      "rocprofv3 -f csv writes counters as CSV");
  refuse("version https://git-lfs"sv, "is a Git LFS pointer; fetch the file itself first");
  refuse("\xff\xfe"sv, "is text in UTF-16; save it as UTF-8");
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (bytes[first] == '{' || bytes[first] == '[')) {
    throw InputError(path.string(), "is JSON, no CSV; rocprofv3 -f csv writes one");
  }
  if (bytes.substr(0, 4096).find('\0') != std::string_view::npos) {
    throw InputError(path.string(), "is no text and no CSV; rocprofv3 -f csv writes one");
  }
}

}  // namespace jaxtrace
