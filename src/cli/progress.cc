// Drawn with carriage returns and spaces only, which every terminal understands.
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace jaxtrace {
namespace {

constexpr int kCells = 40;
constexpr int kColumns = kCells + 40;  // What erase() blanks: the bar and the figures after it.

/// A terminal that has gone away changes nothing.
void draw(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress(bool wanted)
    : wanted_(wanted && isatty(STDERR_FILENO) != 0),
      next_(Clock::now() + std::chrono::seconds(1)) {}

void Progress::update(std::uint64_t done, std::uint64_t total) {
  if (!wanted_ || total == 0) return;
  if (done >= total) return erase();

  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  const double share = static_cast<double>(done) / static_cast<double>(total);
  const int full = static_cast<int>(share * kCells);
  draw(fmt::format("\rreading [{:=<{}}{: <{}}] {:3.0f} % of {:.1f} MiB", "", full, "",
                   kCells - full, share * 100, static_cast<double>(total) / (1024 * 1024)));
  drawn_ = true;
}

void Progress::erase() {
  if (!drawn_) return;
  draw(fmt::format("\r{: <{}}\r", "", kColumns));
  drawn_ = false;
}

}  // namespace jaxtrace
