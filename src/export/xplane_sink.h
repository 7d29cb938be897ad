// Where a rewritten file goes: a count, so that lengths are known before what they are lengths of,
// or a stream.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "readers/mapped_file.h"

namespace jaxtrace {

class XplaneSink {
 public:
  /// `out`: nullptr only counts.
  XplaneSink(const MappedFile& input, std::ostream* out) : input_(input), out_(out) {}

  bool counts_only() const { return out_ == nullptr; }
  std::uint64_t size() const { return size_; }

  void put(std::string_view bytes) {
    size_ += bytes.size();
    if (counts_only()) return;
    buffer_.append(bytes);
    if (buffer_.size() >= kBuffer) flush();
  }

  /// Counts what is known to come to `size` without it.
  void count(std::uint64_t size) { size_ += size; }

  /// A part of the input as it is.  Its pages are let go as they are written.
  void copy(std::string_view part) {
    if (part.size() < kBuffer || counts_only()) {
      put(part);
      return;
    }
    flush();
    size_ += part.size();
    for (; !part.empty(); part.remove_prefix(std::min(part.size(), kPiece))) {
      const std::string_view piece = part.substr(0, kPiece);
      out_->write(piece.data(), static_cast<std::streamsize>(piece.size()));
      input_.release(piece);
    }
  }

  /// Hands the last bytes on.
  void flush() {
    if (counts_only()) return;
    out_->write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
  }

  static constexpr std::size_t kPiece = std::size_t{4} * 1024 * 1024;
  static constexpr std::size_t kBuffer = std::size_t{256} * 1024;  ///< So that it stays in a cache.

 private:
  const MappedFile& input_;
  std::ostream* out_;
  std::string buffer_;
  std::uint64_t size_ = 0;
};

}  // namespace jaxtrace
