// MappedFile on POSIX mmap.
#include "readers/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "jaxtrace/error.h"

namespace jaxtrace {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw InputError(path.string(), std::string("cannot be read: ") + std::strerror(error),
                   ExitCode::input_missing);
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Opening a pipe that nobody writes to would wait for ever.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) fail(path, errno);
  struct stat about {};
  if (::fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
    ::close(file);
    throw InputError(path.string(), "is not a regular file", ExitCode::input_missing);
  }
  size_ = static_cast<std::size_t>(about.st_size);
  if (size_ == 0) {
    ::close(file);
    return;
  }
  void* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
  const int error = errno;
  ::close(file);
  if (mapped == MAP_FAILED) fail(path, error);
  data_ = static_cast<const char*>(mapped);
  ::madvise(mapped, size_, MADV_SEQUENTIAL);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

void MappedFile::release(std::string_view part) const {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto offset = static_cast<std::uintptr_t>(part.data() - data_);
  const std::uintptr_t from = (offset + page - 1) / page * page;
  const std::uintptr_t to = (offset + part.size()) / page * page;
  if (from < to) ::madvise(const_cast<char*>(data_) + from, to - from, MADV_DONTNEED);
}

}  // namespace jaxtrace
