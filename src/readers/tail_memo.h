// What the last bytes of an event meant, when they were met before.
//
// Tracers write an event's correlation id first and then what is the same for every run of its
// kernel: launch dimensions, program, instruction.  A capture of millions of events has a few
// thousand such endings, so comparing bytes replaces decoding seven stats out of eight.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "jaxtrace/trace.h"

namespace jaxtrace {

/// Holds for one plane, whose metadata gives the bytes their meaning.
class TailMemo {
 public:
  struct Entry {
    std::string tail;
    AnnotationId annotation = AnnotationId::none;
    DetailsId details = DetailsId::none;
  };

  /// The entry of `tail`; nullptr if it was not met lately.  Empty tails have none.
  const Entry* find(std::string_view tail) const {
    const Entry& entry = entries_[slot(tail)];
    return !tail.empty() && entry.tail == tail ? &entry : nullptr;
  }

  void put(std::string_view tail, AnnotationId annotation, DetailsId details) {
    Entry& entry = entries_[slot(tail)];
    entry.tail = tail;
    entry.annotation = annotation;
    entry.details = details;
  }

 private:
  static constexpr unsigned kBits = 12;

  static std::size_t slot(std::string_view tail) {
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ULL;  // Fibonacci hashing (Knuth 6.4).
    std::uint64_t hash = tail.size();
    while (tail.size() >= sizeof hash) {
      std::uint64_t word = 0;
      std::memcpy(&word, tail.data(), sizeof word);
      hash = (hash ^ word) * kFactor;
      hash ^= hash >> 32U;
      tail.remove_prefix(sizeof hash);
    }
    std::uint64_t word = 0;
    if (!tail.empty()) std::memcpy(&word, tail.data(), tail.size());
    return ((hash ^ word) * kFactor) >> (64U - kBits);
  }

  std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << kBits);
};

}  // namespace jaxtrace
