#include "readers/trace_limit.h"

#include <algorithm>
#include <array>

#include "readers/json_scanner.h"
#include "readers/times.h"

namespace jaxtrace {
namespace {

// What the profiler keeps by default, up to jax 0.10 and since (openxla/xla#44702).
constexpr std::array<std::uint64_t, 2> kDefaults = {1'000'000, 5'000'000};

// Limits that people choose are multiples of this.
constexpr std::uint64_t kRound = 1000;

}  // namespace

void LimitWatch::see(const TraceEvent& event) {
  ++events_;
  if (!sorted_) return;  // Nothing else matters any more.
  const ThreadKey thread{event.process.value_or(-1), event.thread.value_or(-1)};
  if (events_ == 1 || thread != last_thread_) {
    ++changes_;
    threads_.insert(thread);
    last_thread_ = thread;
  }
  const auto begin = scaled(event.begin, kPicosecondsPower);
  sorted_ = begin && *begin >= last_begin_;
  if (begin) last_begin_ = *begin;
}

std::optional<TraceLimit> LimitWatch::limit() const {
  if (!sorted_ || events_ == 0) return std::nullopt;
  const bool is_default = std::find(kDefaults.begin(), kDefaults.end(), events_) != kDefaults.end();
  if (is_default) return TraceLimit{events_, false};
  // One thread after another may be in order of time by chance.
  const bool interleaved = changes_ > threads_.size();
  if (!interleaved || events_ % kRound != 0) return std::nullopt;
  return TraceLimit{events_, true};
}

}  // namespace jaxtrace
