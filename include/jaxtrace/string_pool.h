// Interned strings: every name in a capture is stored once and compared as a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace jaxtrace {

/// A string of one StringPool.  Numbers depend on the order of reading: never sort a report by
/// them.
enum class StringId : std::uint32_t { empty = 0 };

/// Owns the bytes of every distinct string, in chunks that never move, so views stay valid for as
/// long as the pool lives, even after it has been moved.
class StringPool {
 public:
  StringPool();

  StringId intern(std::string_view text);

  /// The id of `text` if it was ever interned, else StringId::empty.
  StringId find(std::string_view text) const;

  std::string_view operator[](StringId id) const { return views_[static_cast<std::size_t>(id)]; }
  std::size_t size() const { return views_.size(); }

 private:
  std::string_view store(std::string_view text);
  std::size_t slot_of(std::string_view text) const;
  void grow();

  std::vector<std::unique_ptr<char[]>> chunks_;
  char* chunk_end_ = nullptr;  // End of the last chunk,
  std::size_t free_ = 0;       // and how many bytes before it are free.
  std::vector<std::string_view> views_;
  std::vector<std::uint32_t> slots_;  // Open addressing; kNoId where free.
};

}  // namespace jaxtrace
