// What holds the program back: the rules, on shares of one device's steady window.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jaxtrace {

/// Losses in the order that breaks ties.
enum class Loss : std::uint8_t { compile, input, host, comm, memcpy, device_wait, unknown };
inline constexpr std::size_t kLosses = 7;

enum class Bound : std::uint8_t {
  inconclusive,
  gpu,
  compile,
  input,
  host,
  comm,
  memcpy,
  device_wait,
  unknown_idle,
  mixed,
};

/// Shares of the steady window; compute and losses sum to 1.
struct Shares {
  double compute = 0;
  std::array<double, kLosses> loss{};
  double of(Loss which) const { return loss[static_cast<std::size_t>(which)]; }
};

/// 0.15, 0.05 and 0.20 are XProf's own thresholds (kernel launch "high"; input "moderate", "high");
/// 0.80 and 0.03 are ours: removing any one cause beyond gains under 18 %; what steps differ by.
struct Thresholds {
  double high = 0.15;
  double gpu_bound = 0.80;
  double margin = 0.03;
  double input_moderate = 0.05;
  double input_high = 0.20;
  double remark = 0.03;
};

struct Decision {
  Bound bound = Bound::inconclusive;
  Loss first = Loss::compile, second = Loss::compile;  ///< The two greatest losses
  double margin = 0;                                   ///< Between them
  bool input_moderate = false;
};

/// Rules 1 to 4; 0 (`inconclusive`) is the caller's.
Decision decide(const Shares& shares, const Thresholds& thresholds = {});

std::string_view name_of(Loss loss);

/// The verdict that one loss alone makes.
Bound bound_of(Loss loss);

/// "GPU-bound", "mixed (host, communication)" …
std::string in_words(const Decision& decision);

}  // namespace jaxtrace
