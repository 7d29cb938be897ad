// Rows found by a 64-bit id: metadata ids are small and dense in most planes, and program ids or
// hashes in some.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace jaxtrace {

template <typename Row>
class IdTable {
 public:
  /// The row of `id`, emptied if there was one: of a map's entries the last counts.
  Row& put(std::int64_t id) {
    if (Row* const known = find(id)) return *known = Row{};
    const auto index = static_cast<std::uint32_t>(rows_.size());
    rows_.emplace_back();
    if (is_dense(id)) {
      const auto slot = static_cast<std::size_t>(id);
      if (slot >= dense_.size()) dense_.resize(slot + slot / 2 + 64, kNoRow);
      dense_[slot] = index;
    } else {
      sparse_.emplace(id, index);
    }
    return rows_.back();
  }

  /// nullptr if there is none.
  [[gnu::always_inline]] Row* find(std::int64_t id) {
    if (is_dense(id)) {
      const auto slot = static_cast<std::size_t>(id);
      if (slot >= dense_.size() || dense_[slot] == kNoRow) return nullptr;
      return &rows_[dense_[slot]];
    }
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? nullptr : &rows_[found->second];
  }

  std::vector<Row>& rows() { return rows_; }

 private:
  static constexpr std::uint32_t kNoRow = 0xffffffff;
  static bool is_dense(std::int64_t id) { return id >= 0 && id < (1 << 20); }

  std::vector<Row> rows_;
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::int64_t, std::uint32_t> sparse_;
};

}  // namespace jaxtrace
