// The text of a file, plain or compressed with gzip, a window at a time.
//
// A thread of its own inflates into a few windows while the caller reads the one before, so reading
// takes no longer than inflating, and memory does not grow with the file.  A window begins with
// what the caller had not read of the last one, so that whatever is shorter than a window is never
// split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "readers/mapped_file.h"

namespace jaxtrace {

/// How a text ended.
struct TextEnd {
  enum class How : std::uint8_t {
    clean,
    cut,       ///< The compressed file ends in the middle.
    damaged,   ///< It cannot be inflated any further.
    checksum,  ///< All of it could be inflated, but not to what was compressed.
    followed,  ///< Something that is not compressed follows.
  };
  How how = How::clean;
  std::uint64_t byte = 0;  ///< Of the file.
};

class TextWindows {
 public:
  /// `file` must outlive this.
  explicit TextWindows(const MappedFile& file);
  ~TextWindows();
  TextWindows(const TextWindows&) = delete;
  TextWindows& operator=(const TextWindows&) = delete;

  /// The next window: `unread`, which must be the end of the last one, and what follows it. Nothing
  /// follows if it is no longer than `unread`.  The last window is gone.
  std::string_view next(std::string_view unread);

  /// Up to where the file is in the windows so far.
  const char* reached() const { return reached_; }

  /// How many bytes of text there were so far.
  std::uint64_t text_bytes() const { return text_bytes_; }

  /// Known when nothing follows.
  TextEnd end() const { return end_; }

 private:
  class Inflater;

  std::string_view next_plain(std::string_view unread);

  std::string_view plain_;              // Of a plain file, what is in no window yet.
  std::unique_ptr<Inflater> inflater_;  // Of a compressed one.
  std::string joined_;  // A window whose unread part was longer than the room for it.
  const char* reached_;
  std::uint64_t text_bytes_ = 0;
  bool ended_ = false;
  TextEnd end_;
};

/// Whether the file is compressed with gzip.
bool is_gzip(std::string_view bytes);

}  // namespace jaxtrace
