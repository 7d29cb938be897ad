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
#include <utility>
#include <vector>

namespace jaxtrace {

/// Holds for one plane, whose metadata gives the bytes their meaning.
template <typename Meaning>
class TailMemo {
 public:
  /// What `tail` means; nullptr if it was not met lately.  Empty tails have no meaning.
  const Meaning* find(std::string_view tail) const {
    const Entry& entry = entries_[slot(tail)];
    return !tail.empty() && entry.tail == tail ? &entry.meaning : nullptr;
  }

  void put(std::string_view tail, Meaning meaning) {
    Entry& entry = entries_[slot(tail)];
    entry.tail = tail;
    entry.meaning = std::move(meaning);
  }

 private:
  struct Entry {
    std::string tail;
    Meaning meaning{};
  };

  static constexpr unsigned kBits = 12;

  /// The top bits of a sum of products: unlike a chain of them, the products do not wait for one
  /// another.
  static std::size_t slot(std::string_view tail) {
    std::uint64_t factor = 0x9e3779b97f4a7c15ULL;           // Odd, and stays so.
    constexpr std::uint64_t kStep = 0x6a09e667f3bcc908ULL;  // Any even number with mixed bits.
    std::uint64_t hash = tail.size() * kStep;
    std::uint64_t word = 0;
    for (; tail.size() >= sizeof word; tail.remove_prefix(sizeof word), factor += kStep) {
      std::memcpy(&word, tail.data(), sizeof word);
      hash += word * factor;
    }
    word = 0;
    if (!tail.empty()) std::memcpy(&word, tail.data(), tail.size());
    hash += word * factor;
    return hash >> (64U - kBits);
  }

  std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << kBits);
};

}  // namespace jaxtrace
