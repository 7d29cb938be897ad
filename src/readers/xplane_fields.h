// The fields of proto/xplane.proto as tags, for the cursor, which has no generated code.
#pragma once

#include <cstdint>

#include "readers/wire.h"

namespace jaxtrace {

inline constexpr std::uint32_t kSpacePlanes = wire_tag(1, WireType::bytes);
inline constexpr std::uint32_t kSpaceErrors = wire_tag(2, WireType::bytes);
inline constexpr std::uint32_t kSpaceWarnings = wire_tag(3, WireType::bytes);
inline constexpr std::uint32_t kSpaceHostnames = wire_tag(4, WireType::bytes);

inline constexpr std::uint32_t kPlaneName = wire_tag(2, WireType::bytes);
inline constexpr std::uint32_t kPlaneLines = wire_tag(3, WireType::bytes);
inline constexpr std::uint32_t kPlaneEventMetadata = wire_tag(4, WireType::bytes);
inline constexpr std::uint32_t kPlaneStatMetadata = wire_tag(5, WireType::bytes);
inline constexpr std::uint32_t kPlaneStats = wire_tag(6, WireType::bytes);

inline constexpr std::uint32_t kLineId = wire_tag(1, WireType::varint);
inline constexpr std::uint32_t kLineName = wire_tag(2, WireType::bytes);
inline constexpr std::uint32_t kLineTimestampNs = wire_tag(3, WireType::varint);
inline constexpr std::uint32_t kLineEvents = wire_tag(4, WireType::bytes);
inline constexpr std::uint32_t kLineDisplayName = wire_tag(11, WireType::bytes);

inline constexpr std::uint32_t kEventMetadataId = wire_tag(1, WireType::varint);
inline constexpr std::uint32_t kEventOffsetPs = wire_tag(2, WireType::varint);
inline constexpr std::uint32_t kEventDurationPs = wire_tag(3, WireType::varint);
inline constexpr std::uint32_t kEventStats = wire_tag(4, WireType::bytes);
inline constexpr std::uint32_t kEventNumOccurrences = wire_tag(5, WireType::varint);

inline constexpr std::uint32_t kStatMetadataId = wire_tag(1, WireType::varint);
inline constexpr std::uint32_t kStatDouble = wire_tag(2, WireType::fixed64);
inline constexpr std::uint32_t kStatUint64 = wire_tag(3, WireType::varint);
inline constexpr std::uint32_t kStatInt64 = wire_tag(4, WireType::varint);
inline constexpr std::uint32_t kStatString = wire_tag(5, WireType::bytes);
inline constexpr std::uint32_t kStatBytes = wire_tag(6, WireType::bytes);
inline constexpr std::uint32_t kStatRef = wire_tag(7, WireType::varint);
inline constexpr std::uint32_t kStatCompressed = wire_tag(8, WireType::bytes);

inline constexpr std::uint32_t kMapKey = wire_tag(1, WireType::varint);
inline constexpr std::uint32_t kMapValue = wire_tag(2, WireType::bytes);

inline constexpr std::uint32_t kMetadataId = wire_tag(1, WireType::varint);
inline constexpr std::uint32_t kMetadataName = wire_tag(2, WireType::bytes);
inline constexpr std::uint32_t kEventMetadataDisplayName = wire_tag(4, WireType::bytes);
inline constexpr std::uint32_t kEventMetadataStats = wire_tag(5, WireType::bytes);

}  // namespace jaxtrace
