// Details texts, as their writers spell them:
//
//   CUDA, roctracer    regs:32 static_shared:0 dynamic_shared:49152 grid:108,1,1 block:256,1,1
//   occ_pct:50 rocprofiler-sdk     grid:64,1,1 block:256,1,1 private_mem:0 group_mem:0 occ_pct:0
//   copies             kind_src:device kind_dst:pinned size:655360 dest:0 async:1
//   fills              kind:device num_bytes:64 async:1
//
// Writers agree neither on the order nor on the set of keys, so every word is looked at by itself.
// A value that cannot be (a register count over 1024) is left out rather than reported.
#include "model/details.h"

#include <charconv>
#include <cstdint>
#include <optional>

namespace jaxtrace {
namespace {

// No GPU has more registers a thread: CUDA stops at 255, CDNA at 512 vector and accumulation
// registers together.  roctracer wrote uninitialised memory here.
constexpr std::uint32_t kMostRegisters = 1024;

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "x,y,z"; all zero unless every part is a number.
void read_dimensions(std::string_view text, std::uint32_t (&dimensions)[3]) {
  std::uint32_t read[3] = {0, 0, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t comma = text.find(',');
    if ((comma == std::string_view::npos) != (i == 2)) return;
    const auto value = number<std::uint32_t>(text.substr(0, comma));
    if (!value) return;
    read[i] = *value;
    if (i < 2) text.remove_prefix(comma + 1);
  }
  for (std::size_t i = 0; i < 3; ++i) dimensions[i] = read[i];
}

void read_word(std::string_view word, Details& details) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view key = word.substr(0, colon);
  const std::string_view value = word.substr(colon + 1);
  if (key == "grid") {
    read_dimensions(value, details.grid);
  } else if (key == "block") {
    read_dimensions(value, details.block);
  } else if (key == "size" || key == "num_bytes") {
    if (const auto bytes = number<std::uint64_t>(value)) details.bytes = bytes;
  } else if (key == "regs") {
    const auto registers = number<std::uint32_t>(value);
    if (registers && *registers <= kMostRegisters) details.registers = registers;
  }
}

}  // namespace

Details parse_details(Details::Of of, std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\r";
  Details details;
  details.of = of;
  std::size_t at = text.find_first_not_of(kBlanks);
  while (at != std::string_view::npos) {
    const std::size_t end = text.find_first_of(kBlanks, at);
    read_word(text.substr(at, end - at), details);
    at = text.find_first_not_of(kBlanks, end);
  }
  return details;
}

}  // namespace jaxtrace
