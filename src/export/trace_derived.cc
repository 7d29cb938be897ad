// A stack of open slices for each lane, as for a call tree.
#include "export/trace_derived.h"

#include <algorithm>
#include <utility>

#include "analysis/times.h"

namespace jaxtrace {
namespace {

// Kernels of no known execution are cut into pieces of so many, to bound what is held.
constexpr std::size_t kMostHeld = 1U << 16U;

}  // namespace

void CutSlices::add(Picoseconds time) {
  ++count;
  longest = std::max(longest, time);
}

DerivedGroup group_of(const Trace& trace, std::vector<std::uint32_t> events) {
  DerivedGroup group;
  SliceRows rows(SliceRows::Inside::never, kSameTime);
  group.row.reserve(events.size());
  for (const std::uint32_t event : events) {
    group.row.push_back(rows.place(trace.events.begin[event], end_of(trace, event)));
    if (group.row.back() == kNotDrawn) ++group.left_out;
  }
  group.rows = rows.size();
  group.events = std::move(events);
  return group;
}

DerivedLanes::DerivedLanes(const Trace& trace, const Attribution& attribution,
                           const SliceTexts& texts, const DerivedGroup& group, std::uint8_t row,
                           Threads threads, CutSlices& cut)
    : trace_(trace),
      attribution_(attribution),
      texts_(texts),
      group_(group),
      row_(row),
      cut_(cut),
      frames_{threads.frames, {}, {}},
      scopes_{threads.scopes, {}, {}},
      instructions_{threads.instructions, {}, {}},
      pending_(read()) {}

bool DerivedLanes::next(DerivedSlice& slice) {
  if (given_ == slices_.size()) fill();
  if (given_ == slices_.size()) return false;
  slice = slices_[given_++];
  return true;
}

std::optional<DerivedLanes::Item> DerivedLanes::read() {
  while (at_ < group_.events.size() && group_.row[at_] != row_) ++at_;
  if (at_ == group_.events.size()) return std::nullopt;
  const std::uint32_t event = group_.events[at_++];
  return Item{event, trace_.events.begin[event], end_of(trace_, event)};
}

bool DerivedLanes::same_execution(const Item& a, const Item& b) const {
  const auto program = [&](const Item& item) {
    return attribution_.labels[attribution_.label[item.event]].program;
  };
  return program(a) == program(b) &&
         attribution_.execution[a.event] == attribution_.execution[b.event];
}

void DerivedLanes::fill() {
  slices_.clear();
  given_ = 0;
  std::size_t held = 0;
  while (pending_) {
    Item item = *pending_;
    pending_ = read();
    if (pending_ && pending_->begin < item.end) {
      cut_.add(item.end - pending_->begin);
      item.end = pending_->begin;
    }
    const std::uint32_t label = attribution_.label[item.event];
    const std::uint32_t instruction = texts_.instruction(label);
    // A kernel that comes again is the instruction's next run, as in a loop.
    const StringId name = trace_.events.name[item.event];
    const bool same = !instructions_.path.empty() && instructions_.path[0] == instruction &&
                      names_.insert(name).second;
    if (!same) names_ = {name};
    step(frames_, texts_.frames(label), item, frames_.path.size());
    step(scopes_, texts_.scopes(label), item, scopes_.path.size());
    step(instructions_, {&instruction, 1}, item, same ? 1 : 0);
    last_end_ = item.end;
    if (!pending_ || !same_execution(item, *pending_) || ++held == kMostHeld) break;
  }
  for (Nest* nest : {&frames_, &scopes_, &instructions_}) close(*nest, 0);
}

/// Leaves open what `path` shares with the one before, but no more than `keep` of it.
void DerivedLanes::step(Nest& nest, std::span<const std::uint32_t> path, const Item& item,
                        std::size_t keep) {
  const auto differ = std::ranges::mismatch(nest.path, path);
  const auto shared = static_cast<std::size_t>(differ.in1 - nest.path.begin());
  close(nest, std::min(shared, keep));
  for (std::size_t depth = nest.path.size(); depth < path.size(); ++depth) {
    nest.path.push_back(path[depth]);
    nest.open.push_back(slices_.size());
    slices_.push_back({item.begin, Picoseconds{0}, nest.thread, path[depth], 0});
  }
  for (const std::size_t slice : nest.open) ++slices_[slice].kernels;
}

void DerivedLanes::close(Nest& nest, std::size_t keep) {
  for (std::size_t depth = keep; depth < nest.open.size(); ++depth) {
    DerivedSlice& slice = slices_[nest.open[depth]];
    slice.duration = last_end_ - slice.begin;
  }
  nest.path.resize(keep);
  nest.open.resize(keep);
}

}  // namespace jaxtrace
