// A progress bar for reads that take long enough to wonder.
#pragma once

#include <chrono>
#include <cstdint>

namespace jaxtrace {

/// Draws on stderr, from one second after its construction on, if that is a terminal; erased when
/// all is done and by the destructor.
class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress() { erase(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done, std::uint64_t total);
  void erase();

 private:
  using Clock = std::chrono::steady_clock;

  bool wanted_;
  bool drawn_ = false;
  Clock::time_point next_;  // When to draw again.
};

}  // namespace jaxtrace
