// One XPlane under construction: event and stat metadata are numbered as they are first used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "support/random.h"
#include "support/wire_out.h"

namespace jaxtrace::synth {

// Field numbers of xplane.proto.
struct PlaneWriter {
  std::string lines;                        ///< XPlane.lines, encoded
  std::vector<std::string> event_metadata;  ///< XEventMetadata.name, by id - 1
  std::vector<std::string> stat_metadata;   ///< XStatMetadata.name, by id - 1
  std::unordered_map<std::string, std::int64_t> event_ids{};
  std::unordered_map<std::string, std::int64_t> stat_ids{};

  std::int64_t event_id(std::string_view name) { return number(event_ids, event_metadata, name); }
  std::int64_t stat_id(std::string_view name) { return number(stat_ids, stat_metadata, name); }

  static std::int64_t number(std::unordered_map<std::string, std::int64_t>& ids,
                             std::vector<std::string>& names, std::string_view name) {
    const auto [at, added] =
        ids.try_emplace(std::string(name), static_cast<std::int64_t>(names.size()) + 1);
    if (added) names.emplace_back(name);
    return at->second;
  }
};

/// An XStat holding a number: `field` 3 is uint64, 4 is int64, 7 a reference.
inline std::string number_stat(std::int64_t key, std::uint32_t field, std::int64_t value) {
  std::string out;
  put_number(out, 1, key);
  put_number(out, field, value);
  return out;
}

inline std::string int_stat(PlaneWriter& plane, std::string_view key, std::int64_t value) {
  return number_stat(plane.stat_id(key), 4, value);
}

inline std::string uint_stat(PlaneWriter& plane, std::string_view key, std::uint64_t value) {
  return number_stat(plane.stat_id(key), 3, static_cast<std::int64_t>(value));
}

inline std::string ref_stat(PlaneWriter& plane, std::string_view key, std::string_view value) {
  const std::int64_t id = plane.stat_id(key);
  return number_stat(id, 7, plane.stat_id(value));
}

}  // namespace jaxtrace::synth
