// One XPlane under construction: event and stat metadata are numbered as they are first used.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "jaxtrace/string_pool.h"
#include "support/wire_out.h"

namespace jaxtrace::synth {

/// Numbers texts 1, 2, 3 … in the order in which they are first asked for.
struct Numbering {
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::vector<std::string> names{};  ///< By number - 1
  std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> numbers{};
  std::vector<std::int64_t> of_id{};  ///< By StringId, 0 where not asked for yet

  std::int64_t operator()(std::string_view text) {
    const auto found = numbers.find(text);
    if (found != numbers.end()) return found->second;
    names.emplace_back(text);
    return numbers[names.back()] = static_cast<std::int64_t>(names.size());
  }
  std::int64_t operator()(const StringPool& strings, StringId id) {
    const auto row = static_cast<std::size_t>(id);
    if (row >= of_id.size()) of_id.resize(strings.size(), 0);
    if (of_id[row] == 0) of_id[row] = (*this)(strings[id]);
    return of_id[row];
  }
};

struct PlaneWriter {
  Numbering events{};  ///< XEventMetadata
  Numbering stats{};   ///< XStatMetadata, and the texts that stats refer to
};

/// Encoded XStats, one after another.
struct Stats {
  std::string bytes{};
  std::vector<std::size_t> ends{};

  void clear() {
    bytes.clear();
    ends.clear();
  }
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(bytes).substr(begin, ends[i] - begin);
  }
  /// `field` of XStat: 3 is uint64, 4 int64, 7 a reference.
  void add(std::int64_t key, std::uint32_t field, std::int64_t value) {
    put_number(bytes, 1, key);
    put_number(bytes, field, value);
    ends.push_back(bytes.size());
  }
};

inline void add_int(PlaneWriter& plane, Stats& to, std::string_view key, std::int64_t value) {
  to.add(plane.stats(key), 4, value);
}

inline void add_uint(PlaneWriter& plane, Stats& to, std::string_view key, std::uint64_t value) {
  to.add(plane.stats(key), 3, static_cast<std::int64_t>(value));
}

inline void add_ref(PlaneWriter& plane, Stats& to, std::string_view key, std::string_view value) {
  const std::int64_t id = plane.stats(key);
  to.add(id, 7, plane.stats(value));
}

inline void add_ref(PlaneWriter& plane, Stats& to, std::string_view key, const StringPool& strings,
                    StringId value) {
  const std::int64_t id = plane.stats(key);
  to.add(id, 7, plane.stats(strings, value));
}

}  // namespace jaxtrace::synth
