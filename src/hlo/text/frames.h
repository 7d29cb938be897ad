// The stack frame tables of HLO text, numbered anew as XLA numbers them when it reads a proto.
//
// Frames are numbered in the order in which instructions use them, a parent before its children,
// and files, functions and locations likewise; equal ones become one, and unused ones vanish.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace jaxtrace::pb {
class StackFrameIndexProto;
}

namespace jaxtrace::hlo {

class FrameTables {
 public:
  explicit FrameTables(const pb::StackFrameIndexProto& index);

  /// The new number of frame `id` of the proto, given out now if it has none yet.  0 for a frame
  /// that is not there, or whose chain of parents leads out of the index or in a circle.
  std::int32_t number(std::int32_t id);

  /// The four tables, each after an empty line; nothing if no frame has been numbered.
  void append(std::string& out) const;

 private:
  /// file, function, line, column, end line, end column
  using Location = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t,
                              std::int32_t>;
  using Frame = std::pair<std::int32_t, std::int32_t>;  ///< location, parent

  /// The new number of what the proto has as frame `id`, whose parent has `parent`; 0 if damaged.
  std::int32_t intern(std::int32_t id, std::int32_t parent);

  template <class Key>
  struct Table {
    std::vector<Key> rows;
    std::map<Key, std::int32_t> numbers;

    std::int32_t number(const Key& key) {
      const auto [at, added] = numbers.try_emplace(key, static_cast<std::int32_t>(rows.size() + 1));
      if (added) rows.push_back(key);
      return at->second;
    }
  };

  const pb::StackFrameIndexProto& index_;
  std::vector<std::int32_t> numbers_;  // By old id; kNew, kOpen, or the new number.
  Table<std::string_view> files_;
  Table<std::string_view> functions_;
  Table<Location> locations_;
  Table<Frame> frames_;
};

}  // namespace jaxtrace::hlo
