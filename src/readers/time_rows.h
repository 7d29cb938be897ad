// The one way to fill a KernelTimes: names, devices and shapes are kept once, and finish() puts
// dispatches in order and takes the first beginning off all of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "jaxtrace/kernel_times.h"

namespace jaxtrace {

class TimeRows {
 public:
  KernelTimes& times() { return times_; }

  std::uint32_t kernel(std::string_view name);
  std::uint32_t device(const TimedDevice& device);
  std::uint32_t shape(const LaunchShape& shape);

  /// Begin and end in nanoseconds; an end before the begin, or a begin of 0, is counted as damage.
  void add(TimedDispatch dispatch, std::optional<std::int64_t> begin_ns,
           std::optional<std::int64_t> end_ns);

  KernelTimes finish() &&;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  KernelTimes times_;
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> kernels_;
  std::map<std::tuple<std::string, std::string>, std::uint32_t> devices_;  // By process and name.
  std::map<std::array<std::int64_t, 7>, std::uint32_t> shapes_;
  std::string last_kernel_;
  std::uint32_t last_kernel_row_ = 0xffffffff;
  LaunchShape last_shape_;
  std::uint32_t last_shape_row_ = 0xffffffff;
  std::uint64_t impossible_ = 0;
};

}  // namespace jaxtrace
