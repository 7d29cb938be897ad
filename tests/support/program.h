// Runs the built program, for tests of what only a process has: exit codes, streams, files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace jaxtrace {

struct ProgramResult {
  int code = 0;  ///< Exit code, or 128 + the signal that ended it.
  std::string out;
  std::string err;
};

/// Runs a line of sh in `directory`, where the word `jaxtrace` is the program under test.
ProgramResult run_shell(std::string_view line, const std::filesystem::path& directory);

/// A new, empty directory for one test, removed with everything in it by the destructor.
class ScratchDir {
 public:
  ScratchDir();
  ~ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace jaxtrace
