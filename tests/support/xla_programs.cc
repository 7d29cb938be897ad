// thunks.csv has no quoted fields.
#include "support/xla_programs.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

void add_folders(const fs::path& root, std::vector<fs::path>& out) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (fs::exists(entry.path() / "thunks.csv") && fs::exists(entry.path() / "hlo.pb.gz")) {
      found.push_back(entry.path());
    }
  }
  std::ranges::sort(found);
  out.insert(out.end(), found.begin(), found.end());
}

}  // namespace

std::vector<fs::path> program_folders() {
  std::vector<fs::path> folders;
  add_folders(fs::path(JAXTRACE_SOURCE_DIR) / "testdata" / "programs", folders);
  if (const char* captures = std::getenv("JAXTRACE_CAPTURES")) {
    const fs::path goldens = fs::path(captures) / ".." / "goldens" / "xla-gpu";
    if (fs::exists(goldens)) add_folders(goldens, folders);
  }
  if (const char* more = std::getenv("JAXTRACE_PROGRAMS")) add_folders(more, folders);
  return folders;
}

std::string gunzip(const fs::path& file) {
  std::string out;
  gzFile in = gzopen(file.c_str(), "rb");
  std::array<char, 1 << 16> buffer{};
  int n = 0;
  while (in != nullptr && (n = gzread(in, buffer.data(), buffer.size())) > 0) {
    out.append(buffer.data(), static_cast<std::size_t>(n));
  }
  if (in != nullptr) gzclose(in);
  return out;
}

XlaProgram read_program(const fs::path& folder) {
  XlaProgram program{.name = folder.filename(), .hlo = gunzip(folder / "hlo.pb.gz"), .thunks = {}};
  std::ifstream csv(folder / "thunks.csv");
  std::string line;
  std::getline(csv, line);  // the header
  while (std::getline(csv, line)) {
    std::istringstream fields(line);
    std::string depth;
    std::string id;
    Thunk thunk;
    std::getline(fields, depth, ',');
    std::getline(fields, thunk.where, ',');
    std::getline(fields, id, ',');
    std::getline(fields, thunk.kind, ',');
    std::getline(fields, thunk.kernel, ',');
    std::getline(fields, thunk.instruction, ',');
    thunk.id = static_cast<std::uint32_t>(std::stoul(id));
    if (!thunk.instruction.empty() && thunk.instruction.back() == '\r') {
      thunk.instruction.pop_back();
    }
    program.thunks.push_back(std::move(thunk));
  }
  return program;
}

}  // namespace jaxtrace
