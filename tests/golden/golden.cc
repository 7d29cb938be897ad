// Runs the program on one case of testdata/cases and compares all that it wrote.
//
//   golden CASE                  one ctest each: compares
//   golden --update CASE…        writes the expected files anew; review the diff
//   golden --capture CASE DIR    only builds the case's capture, to run the program on by hand
//
// A case is a folder: `command` (comments with `#`, then one line of sh), folders of input (usually
// capture/, see support/golden_capture.h), and what must come of it: expected.out, expected.err,
// expected.rc (absent: empty, empty, 0), and in expected/ the files that the command leaves behind,
// no more and no fewer.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/golden_capture.h"
#include "support/program.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;  // By path relative to the case.

Files files_below(const fs::path& directory) {
  Files result;
  if (!fs::exists(directory)) return result;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    result[entry.path().lexically_relative(directory).string()] = read_file(entry.path());
  }
  return result;
}

std::string command_of(const fs::path& folder) {
  std::istringstream lines(read_file(folder / "command"));
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.empty() && line[0] != '#') return line;
  }
  throw std::runtime_error((folder / "command").string() + " has no command");
}

void build_inputs(const fs::path& folder, const fs::path& to) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory() && entry.path().filename() != "expected") {
      build_capture(entry.path(), to / entry.path().filename());
    }
  }
}

/// What a case must give: the streams, the exit code, and the files written, named as in the case.
Files actual(const fs::path& folder) {
  const ScratchDir scratch;
  build_inputs(folder, scratch.path());
  const Files inputs = files_below(scratch.path());
  const ProgramResult result = run_shell(command_of(folder), scratch.path());

  Files files;
  if (!result.out.empty()) files["expected.out"] = result.out;
  if (!result.err.empty()) files["expected.err"] = result.err;
  if (result.code != 0) files["expected.rc"] = std::to_string(result.code) + "\n";
  for (const auto& [name, bytes] : files_below(scratch.path())) {
    const auto input = inputs.find(name);
    if (input == inputs.end() || input->second != bytes) files["expected/" + name] = bytes;
  }
  return files;
}

Files expected(const fs::path& folder) {
  Files files = files_below(folder);
  std::erase_if(files, [](const auto& file) { return !file.first.starts_with("expected"); });
  return files;
}

void show_difference(const std::string& name, const std::string& want, const std::string& got) {
  const ScratchDir scratch;
  write_file(scratch.path() / "want", want);
  write_file(scratch.path() / "got", got);
  std::printf("%s differs (- expected, + actual):\n", name.c_str());
  const ProgramResult diff = run_shell("diff -u want got | tail -n +3 | head -60", scratch.path());
  std::printf("%s\n", diff.out.c_str());
}

bool compare(const fs::path& folder) {
  Files want = expected(folder);
  Files got = actual(folder);
  Files names = want;
  names.insert(got.begin(), got.end());
  bool same = true;
  for (const auto& [name, ignored] : names) {
    if (want.contains(name) && got.contains(name) && want[name] == got[name]) continue;
    show_difference(name, want[name], got[name]);
    same = false;
  }
  return same;
}

void update(const fs::path& folder) {
  const Files files = actual(folder);
  for (const auto& [name, ignored] : expected(folder)) fs::remove(folder / name);
  for (const auto& [name, bytes] : files) write_file(folder / name, bytes);
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 3 && words[0] == "--capture") {
    build_inputs(words[1], words[2]);
    return 0;
  }
  if (words.size() > 1 && words[0] == "--update") {
    for (std::size_t i = 1; i < words.size(); ++i) update(words[i]);
    return 0;
  }
  if (words.size() == 1) return compare(words[0]) ? 0 : 1;
  std::fputs("usage: golden CASE | golden --update CASE... | golden --capture CASE DIR\n", stderr);
  return 2;
}

}  // namespace
}  // namespace jaxtrace

int main(int argc, char** argv) {
  try {
    return jaxtrace::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "golden: %s\n", error.what());
    return 1;
  }
}
