// "se3_sm0_sl1_wv12.json": which wave a file is of.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace jaxtrace {

/// Engine, SIMD, slot and number of the wave; absent for any other name.
std::optional<std::array<std::int64_t, 4>> wave_name(std::string_view name);

}  // namespace jaxtrace
