// StringPool: chunked storage and a hash table of ids with linear probing.
#include "jaxtrace/string_pool.h"

#include <cstring>
#include <functional>

namespace jaxtrace {
namespace {

constexpr std::uint32_t kNoId = 0xffffffff;
constexpr std::size_t kChunkBytes = 64 * 1024;

}  // namespace

StringPool::StringPool() : slots_(1024, kNoId) {
  intern("");
}

std::size_t StringPool::slot_of(std::string_view text) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>{}(text)&mask;
  while (slots_[slot] != kNoId && views_[slots_[slot]] != text) slot = (slot + 1) & mask;
  return slot;
}

StringId StringPool::intern(std::string_view text) {
  const std::size_t slot = slot_of(text);
  if (slots_[slot] != kNoId) return StringId{slots_[slot]};

  const auto id = static_cast<std::uint32_t>(views_.size());
  views_.push_back(store(text));
  slots_[slot] = id;
  if (views_.size() * 2 > slots_.size()) grow();
  return StringId{id};
}

StringId StringPool::find(std::string_view text) const {
  const std::uint32_t id = slots_[slot_of(text)];
  return id == kNoId ? StringId::empty : StringId{id};
}

std::string_view StringPool::store(std::string_view text) {
  if (text.size() > free_) {
    free_ = text.size() > kChunkBytes ? text.size() : kChunkBytes;
    chunks_.push_back(std::make_unique<char[]>(free_));
    chunk_end_ = chunks_.back().get() + free_;
  }
  char* const at = chunk_end_ - free_;
  if (!text.empty()) std::memcpy(at, text.data(), text.size());
  free_ -= text.size();
  return {at, text.size()};
}

void StringPool::grow() {
  slots_.assign(slots_.size() * 2, kNoId);
  for (std::uint32_t id = 0; id < views_.size(); ++id) slots_[slot_of(views_[id])] = id;
}

}  // namespace jaxtrace
