#include "readers/time_rows.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace jaxtrace {
namespace {

constexpr std::uint32_t kNoRow = 0xffffffff;
constexpr std::int64_t kPerNs = 1000;
constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max() / kPerNs / 4;

}  // namespace

std::uint32_t TimeRows::kernel(std::string_view name) {
  if (last_kernel_row_ != kNoRow && name == last_kernel_) return last_kernel_row_;
  last_kernel_ = name;
  name = without_descriptor(name);
  const auto known = kernels_.find(name);
  if (known != kernels_.end()) return last_kernel_row_ = known->second;
  last_kernel_row_ = static_cast<std::uint32_t>(times_.kernels.size());
  times_.kernels.emplace_back(name);
  kernels_.emplace(std::string(name), last_kernel_row_);
  return last_kernel_row_;
}

std::uint32_t TimeRows::device(const TimedDevice& device) {
  const auto [known, added] = devices_.try_emplace(
      {device.process, device.name}, static_cast<std::uint32_t>(times_.devices.size()));
  if (added) times_.devices.push_back(device);
  return known->second;
}

std::uint32_t TimeRows::shape(const LaunchShape& shape) {
  if (last_shape_row_ != kNoRow && shape == last_shape_) return last_shape_row_;
  const auto number = [](const std::optional<std::int64_t>& value) { return value.value_or(-1); };
  const auto [known, added] = shapes_.try_emplace(
      {number(shape.grid), number(shape.workgroup), number(shape.vgprs), number(shape.accum_vgprs),
       number(shape.sgprs), number(shape.lds_bytes), number(shape.scratch_bytes)},
      static_cast<std::uint32_t>(times_.shapes.size()));
  if (added) times_.shapes.push_back(shape);
  last_shape_ = shape;
  return last_shape_row_ = known->second;
}

void TimeRows::add(TimedDispatch dispatch, std::optional<std::int64_t> begin_ns,
                   std::optional<std::int64_t> end_ns) {
  // Until finish(), begin_ps is in nanoseconds: those since 1970 do not fit in picoseconds.
  dispatch.begin_ps = begin_ns.value_or(0);
  const bool possible = begin_ns && end_ns && *begin_ns > 0 && *end_ns >= *begin_ns &&
                        *end_ns - *begin_ns <= kLongest;
  dispatch.duration_ps = possible ? (*end_ns - *begin_ns) * kPerNs : -1;
  impossible_ += possible ? 0 : 1;
  times_.dispatches.push_back(dispatch);
}

KernelTimes TimeRows::finish() && {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const TimedDispatch& dispatch : times_.dispatches) {
    if (dispatch.duration_ps >= 0) first = std::min(first, dispatch.begin_ps);
  }
  for (TimedDispatch& dispatch : times_.dispatches) {
    if (dispatch.duration_ps < 0) {
      dispatch.begin_ps = 0;
      continue;
    }
    dispatch.begin_ps = std::min(dispatch.begin_ps - first, kLongest) * kPerNs;
  }
  std::vector<std::uint32_t> order(times_.kernels.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t row) { return times_.kernels[row]; });
  std::vector<std::uint32_t> rank(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  std::ranges::stable_sort(times_.dispatches, {}, [&](const TimedDispatch& dispatch) {
    return std::tuple(dispatch.device, dispatch.begin_ps, rank[dispatch.kernel],
                      dispatch.duration_ps);
  });
  if (impossible_ > 0) {
    times_.findings.push_back(
        {Severity::error, "dispatch-times",
         "a dispatch ends before it begins, or begins at 0; it is counted and has no time",
         times_.file, impossible_});
  }
  return std::move(times_);
}

}  // namespace jaxtrace
