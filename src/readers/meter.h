// What happens beside reading a big file: progress is told, and pages that were read are let go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "readers/mapped_file.h"

namespace jaxtrace {

class Meter {
 public:
  using Tell = std::function<void(std::uint64_t done, std::uint64_t total)>;

  /// `total`: bytes that will be walked in all, every pass counted.
  Meter(Tell tell, std::uint64_t total) : tell_(std::move(tell)), total_(total) {}

  /// A walk over a part of `file` begins at `at`.
  void enter(const MappedFile& file, const char* at) {
    file_ = &file;
    from_ = at;
  }

  /// The walk has come to `at`, and needs nothing before it any more.
  void reach(const char* at) {
    if (at - from_ >= kStep) step(at);
  }

  /// The walk ends at `at`.
  void leave(const char* at) { step(at); }

  void finish() const {
    if (tell_) tell_(total_, total_);
  }

 private:
  static constexpr std::ptrdiff_t kStep = 8 * 1024 * 1024;

  void step(const char* at) {
    const std::string_view part(from_, static_cast<std::size_t>(at - from_));
    // Small parts share their pages with their neighbours, so there is nothing to let go.
    if (at - from_ >= kStep) file_->release(part);
    done_ += part.size();
    from_ = at;
    if (tell_) tell_(done_ < total_ ? done_ : total_, total_);
  }

  Tell tell_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  const MappedFile* file_ = nullptr;
  const char* from_ = nullptr;
};

}  // namespace jaxtrace
