// Field numbers of proto/xplane.proto, for the cursor, which has no generated code.
#pragma once

#include <cstdint>

namespace jaxtrace {

inline constexpr std::uint32_t kSpacePlanes = 1;
inline constexpr std::uint32_t kSpaceErrors = 2;
inline constexpr std::uint32_t kSpaceWarnings = 3;
inline constexpr std::uint32_t kSpaceHostnames = 4;

inline constexpr std::uint32_t kPlaneName = 2;
inline constexpr std::uint32_t kPlaneLines = 3;
inline constexpr std::uint32_t kPlaneEventMetadata = 4;
inline constexpr std::uint32_t kPlaneStatMetadata = 5;
inline constexpr std::uint32_t kPlaneStats = 6;

inline constexpr std::uint32_t kLineId = 1;
inline constexpr std::uint32_t kLineName = 2;
inline constexpr std::uint32_t kLineTimestampNs = 3;
inline constexpr std::uint32_t kLineEvents = 4;
inline constexpr std::uint32_t kLineDisplayName = 11;

inline constexpr std::uint32_t kEventMetadataId = 1;
inline constexpr std::uint32_t kEventOffsetPs = 2;
inline constexpr std::uint32_t kEventDurationPs = 3;
inline constexpr std::uint32_t kEventStats = 4;
inline constexpr std::uint32_t kEventNumOccurrences = 5;

inline constexpr std::uint32_t kStatMetadataId = 1;
inline constexpr std::uint32_t kStatDouble = 2;
inline constexpr std::uint32_t kStatUint64 = 3;
inline constexpr std::uint32_t kStatInt64 = 4;
inline constexpr std::uint32_t kStatString = 5;
inline constexpr std::uint32_t kStatBytes = 6;
inline constexpr std::uint32_t kStatRef = 7;
inline constexpr std::uint32_t kStatCompressed = 8;

inline constexpr std::uint32_t kMapKey = 1;
inline constexpr std::uint32_t kMapValue = 2;

inline constexpr std::uint32_t kMetadataId = 1;
inline constexpr std::uint32_t kMetadataName = 2;
inline constexpr std::uint32_t kEventMetadataDisplayName = 4;
inline constexpr std::uint32_t kEventMetadataStats = 5;

}  // namespace jaxtrace
