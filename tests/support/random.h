// Seeded random numbers that are the same everywhere: splitmix64, and none of the standard
// distributions, whose results differ between libraries.
#pragma once

#include <cstdint>
#include <string_view>

namespace jaxtrace::synth {

/// One step of splitmix64 as a hash: equal inputs give equal, well-mixed outputs.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// A hash of a text under a seed, to give each name a property that does not depend on order.
constexpr std::uint64_t mix(std::uint64_t seed, std::string_view text) {
  std::uint64_t hash = mix(seed);
  for (const char c : text) hash = mix(hash ^ static_cast<unsigned char>(c));
  return hash;
}

struct Random {
  std::uint64_t state;

  explicit constexpr Random(std::uint64_t seed) : state(seed) {}
  /// A stream of its own for each purpose, so that one option never shifts what another draws.
  constexpr Random(std::uint64_t seed, std::string_view purpose) : state(mix(seed, purpose)) {}

  constexpr std::uint64_t next() {
    const std::uint64_t out = mix(state);
    state += 0x9e3779b97f4a7c15;
    return out;
  }
  /// In [0, count); 0 if count is 0.
  constexpr std::uint64_t below(std::uint64_t count) { return count == 0 ? 0 : next() % count; }
  /// In [low, high], both included.
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  /// True with the given probability.
  constexpr bool chance(double probability) {
    return static_cast<double>(next() >> 11) * 0x1.0p-53 < probability;
  }
};

}  // namespace jaxtrace::synth
