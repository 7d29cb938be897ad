// A file as memory, read-only, of any size.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace jaxtrace {

/// Maps a file for as long as it lives.  Movable, not copyable.
class MappedFile {
 public:
  /// Throws InputError (input_missing) if the file cannot be opened, read or mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile& operator=(MappedFile&&) = delete;

  std::string_view bytes() const { return {data_, size_}; }

  /// Takes the whole pages within `part` out of this process, whose memory they otherwise count
  /// towards.  The bytes stay readable: they are mapped again when touched.
  void release(std::string_view part) const;

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace jaxtrace
