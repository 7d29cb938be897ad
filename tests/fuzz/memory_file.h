// What every fuzz target starts from: bytes as a file, since readers map files, and a way to fail.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string>

namespace jaxtrace {

inline void require(bool holds) {
  if (!holds) std::abort();
}

class MemoryFile {
 public:
  MemoryFile(const void* data, std::size_t size) : file_(::memfd_create("input", 0)) {
    require(file_ >= 0);
    require(::write(file_, data, size) == static_cast<ssize_t>(size));
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace jaxtrace
