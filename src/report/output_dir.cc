// Everything that can go wrong is tried before the first rename; what still fails after that is
// undone with the old files, which are kept aside until all new ones are in place.
#include "report/output_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "jaxtrace/error.h"
#include "report/text.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStaging = ".jaxtrace-";
constexpr std::size_t kLongestName = 255;  // NAME_MAX of Linux file systems, in bytes.

/// What open(2) and its like said last.
std::string reason() {
  return std::error_code(errno, std::generic_category()).message();
}

bool something_is_at(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
}

/// A lock on a directory until it is closed, or this process ends; -1 if another has it, or there
/// is no such directory, or its file system knows no locks.
int locked(const fs::path& directory) {
  const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  close(descriptor);
  return -1;
}

/// Waits for its turn among processes that write to one directory; closed, it lets the next in.  -1
/// if the directory cannot be opened.  Where the file system knows no locks, nobody waits.
int turn(const fs::path& directory) {
  const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (descriptor >= 0 && flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
  }
  return descriptor;
}

/// Takes away what runs that were killed have left.
void remove_abandoned(const fs::path& directory) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored)) {
    if (!entry.path().filename().string().starts_with(kStaging)) continue;
    const int lock = locked(entry.path());
    if (lock < 0) continue;
    fs::remove_all(entry.path(), ignored);
    close(lock);
  }
}

/// Where a directory entry lies, without following it if it is a link itself.
fs::path entry(const fs::path& path) {
  std::error_code ignored;
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  return fs::weakly_canonical(parent, ignored) / path.filename();
}

std::string file_name(std::string name) {
  const auto unsafe = [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return letter == '/' || byte < 0x20 || byte == 0x7F;
  };
  std::ranges::replace_if(name, unsafe, '_');
  if (name.empty() || name[0] == '.') name.insert(name.begin(), '_');
  if (name.size() <= kLongestName) return name;

  std::size_t extension = name.rfind('.');
  if (extension != std::string::npos)
    extension = std::min(extension, name.rfind('.', extension - 1));
  const std::string end =
      extension == std::string::npos || name.size() - extension > 40 ? "" : name.substr(extension);
  return name.substr(0, kLongestName - end.size()) + end;
}

}  // namespace

OutputDir::OutputDir(fs::path directory, std::vector<fs::path> inputs, std::string option)
    : directory_(std::move(directory)), inputs_(std::move(inputs)), option_(std::move(option)) {
  try {
    std::error_code error;
    if (something_is_at(directory_) && !fs::is_directory(directory_, error)) {
      const bool broken = fs::is_symlink(directory_, error) && !fs::exists(directory_, error);
      fail(directory_, (broken ? "is a broken link; " : "is a file, not a directory; ") + option_ +
                           " chooses another place");
    }
    // "a/b/" has an empty last part, which is no directory to make.
    const fs::path whole = directory_.has_filename() ? directory_ : directory_.parent_path();
    for (fs::path missing = whole; !missing.empty() && !something_is_at(missing);
         missing = missing.parent_path()) {
      created_.insert(created_.begin(), missing);
    }
    if (!fs::create_directories(whole, error) && error) fail(directory_, error.message());

    // Between its making and its locking, another process would take the directory for abandoned.
    const int gate = turn(directory_);
    remove_abandoned(directory_);
    std::string pattern = (directory_ / (std::string(kStaging) + "XXXXXX")).string();
    const bool made = mkdtemp(pattern.data()) != nullptr;
    const std::string why = reason();
    if (made) {
      staging_ = pattern;
      lock_ = locked(staging_);
    }
    if (gate >= 0) close(gate);
    if (!made) fail(directory_, why);
  } catch (...) {
    take_away();
    throw;
  }
}

OutputDir::~OutputDir() {
  take_away();
}

std::ostream& OutputDir::file(std::string name) {
  const fs::path below = fs::path(folder_) / file_name(std::move(name));
  const fs::path path = staging_ / below;
  if (something_is_at(path)) fail(directory_ / below, "is to be written twice");
  if (!folder_.empty()) {
    std::error_code error;
    if (!fs::create_directory(staging_ / folder_, error) && error) {
      fail(directory_ / folder_, error.message());
    }
  }
  files_.push_back({below, std::make_unique<std::ofstream>(path, std::ios::binary)});
  if (!*files_.back().stream) fail(target(files_.back()), reason());
  return *files_.back().stream;
}

void OutputDir::write(std::string name, std::string_view content) {
  file(std::move(name)).write(content.data(), static_cast<std::streamsize>(content.size()));
  errno = 0;
  files_.back().stream->close();
  if (!*files_.back().stream) {
    fail(target(files_.back()), errno != 0 ? reason() : "the disk may be full");
  }
}

void OutputDir::commit() {
  for (const File& file : files_) {
    errno = 0;
    if (file.stream->is_open()) file.stream->close();
    if (!*file.stream) fail(target(file), errno != 0 ? reason() : "the disk may be full");
    std::error_code ignored;
    const fs::file_status there = fs::symlink_status(target(file), ignored);
    if (fs::is_directory(there)) fail(target(file), "a directory of that name is in the way");
    if (fs::exists(there) && !fs::is_regular_file(there) && !fs::is_symlink(there)) {
      fail(target(file), "a device, pipe or socket of that name is in the way");
    }
    const auto is_target = [&](const fs::path& input) {
      return entry(input) == entry(target(file));
    };
    if (std::ranges::any_of(inputs_, is_target)) {
      fail(target(file), "is a file of the capture; " + option_ + " chooses another place");
    }
  }

  const int gate = turn(directory_);  // Else the files of two runs could be mixed.
  const fs::path old = staging_ / ".old";
  std::vector<fs::path> made;
  std::size_t in_place = 0;
  fs::path at = directory_;  // What is being changed, to be named if that fails.
  try {
    make_folders(made, at);
    for (const File& file : files_) fs::create_directories((old / file.name).parent_path());
    for (; in_place < files_.size(); ++in_place) {
      const File& file = files_[in_place];
      at = target(file);
      if (something_is_at(target(file))) fs::rename(target(file), old / file.name);
      fs::rename(staging_ / file.name, target(file));
    }
  } catch (const fs::filesystem_error& error) {
    std::error_code ignored;
    for (std::size_t i = 0; i < in_place; ++i) fs::remove(target(files_[i]), ignored);
    for (const File& file : files_) {
      if (something_is_at(old / file.name)) fs::rename(old / file.name, target(file), ignored);
    }
    for (const fs::path& folder : made) fs::remove(folder, ignored);
    if (gate >= 0) close(gate);
    fail(at, error.code().message());
  }
  if (gate >= 0) close(gate);
  committed_ = true;
  take_away();
}

/// Adds to `made` what was not there before, as it goes: what fails later is taken away again.
void OutputDir::make_folders(std::vector<fs::path>& made, fs::path& at) const {
  for (const File& file : files_) {
    at = target(file).parent_path();
    if (fs::create_directory(at)) made.push_back(at);
  }
  at = directory_;
}

bool OutputDir::writes(const fs::path& file) const {
  return std::ranges::any_of(files_,
                             [&](const File& own) { return entry(target(own)) == entry(file); });
}

std::vector<std::string> OutputDir::names() const {
  std::vector<std::string> result;
  for (const File& file : files_) result.push_back(file.name.string());
  return result;
}

void OutputDir::fail(const fs::path& path, const std::string& what) const {
  throw OutputError(path.string(), "cannot be written: " + what);
}

void OutputDir::take_away() noexcept {
  std::error_code ignored;
  if (!staging_.empty()) fs::remove_all(staging_, ignored);
  staging_.clear();
  if (lock_ >= 0) close(lock_);
  lock_ = -1;
  if (committed_) return;
  for (auto made = created_.rbegin(); made != created_.rend(); ++made) {
    fs::remove(*made, ignored);  // Only if nothing else has come to be in it.
  }
}

void write_csv_file(const Table& table, OutputDir& directory) {
  write_csv(table, directory.file(table.id + ".csv"));
}

}  // namespace jaxtrace
