// Numbers as people read them.  Four significant digits: enough to see a change of one per mille,
// and few enough to compare down a column.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <span>

#include "jaxtrace/report.h"

namespace jaxtrace {
namespace {

struct Step {
  double size;  // In the base unit.
  std::string_view name;
};

constexpr Step kTimes[] = {{1, "ps"}, {1e3, "ns"}, {1e6, "µs"}, {1e9, "ms"}, {1e12, "s"}};
constexpr Step kBytes[] = {{1, "B"},
                           {1024.0, "KiB"},
                           {1024.0 * 1024, "MiB"},
                           {1024.0 * 1024 * 1024, "GiB"},
                           {1024.0 * 1024 * 1024 * 1024, "TiB"}};
// Rates are decimal, as vendors quote them.
constexpr Step kBandwidths[] = {
    {1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}};
constexpr Step kFlops[] = {
    {1, "FLOP/s"}, {1e6, "MFLOP/s"}, {1e9, "GFLOP/s"}, {1e12, "TFLOP/s"}, {1e15, "PFLOP/s"}};

/// 1234567 as 1,234,567.
std::string grouped(std::string digits) {
  const std::ptrdiff_t first = digits.starts_with('-') ? 1 : 0;
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > first; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string four_digits(double value) {
  const double size = std::abs(value);
  if (size >= 999.95) return grouped(fmt::format("{:.0f}", value));
  return fmt::format("{:.{}f}", value, size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3);
}

std::string scaled(double value, bool whole, std::span<const Step> steps) {
  std::size_t step = 0;
  // What would round up to the next unit is shown in it: 999.96 ns is 1.000 µs.
  while (step + 1 < steps.size() && std::abs(value) >= 0.99995 * steps[step + 1].size) ++step;
  const std::string number = step == 0 && (whole || value == 0)
                                 ? fmt::format("{:.0f}", value)
                                 : four_digits(value / steps[step].size);
  return fmt::format("{} {}", number, steps[step].name);
}

std::string percent(double ratio) {
  // A part is never called the whole, nor nothing.
  if (ratio > 0 && ratio < 0.0005) return "<0.1 %";
  if (ratio < 1 && ratio >= 0.9995) return ">99.9 %";
  return fmt::format("{:.1f} %", ratio * 100);
}

std::string number(double value, bool whole, Unit unit) {
  switch (unit) {
    case Unit::time:
      return scaled(value, whole, kTimes);
    case Unit::bytes:
      return scaled(value, whole, kBytes);
    case Unit::bytes_per_second:
      return scaled(value, whole, kBandwidths);
    case Unit::flops_per_second:
      return scaled(value, whole, kFlops);
    case Unit::ratio:
      return percent(value);
    case Unit::count:
    case Unit::cycles:
      return four_digits(value);
    case Unit::none:
      break;
  }
  return fmt::format("{:.4g}", value);
}

}  // namespace

std::string for_people(const Cell& cell, Unit unit) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* value = std::get_if<double>(&cell)) {
    return std::isfinite(*value) ? number(*value, false, unit) : "–";
  }
  if (const auto* value = std::get_if<std::int64_t>(&cell)) {
    if (unit == Unit::none) return fmt::format("{}", *value);  // An id, a line: not a quantity.
    if (unit == Unit::count || unit == Unit::cycles) return grouped(fmt::format("{}", *value));
    return number(static_cast<double>(*value), true, unit);
  }
  return "–";
}

}  // namespace jaxtrace
