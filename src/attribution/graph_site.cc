// Begin by annotation, end by what comes next.
#include "attribution/graph_site.h"

#include <algorithm>

namespace jaxtrace {
namespace {

constexpr Cost kPerPiece = 25;  // An honest site explains most of a launch for less than that.
constexpr Cost kOtherNumbering =
    15;                              // The annotation is believed unless others are better by this.
constexpr std::size_t kTries = 8;    // Other beginnings that are tried,
constexpr std::uint32_t kNear = 64;  // and how far from the annotated thunk number.

/// The instruction of a known event, else what its graph begins with: the slots that could be next.
const std::vector<Candidate>* slots_of(const Bench& bench, std::uint32_t event,
                                       std::vector<Candidate>& scratch) {
  if (const std::uint32_t row = bench.out.label[event]; row != kNone) {
    return &bench.suspects.of(bench.out.labels[row].instruction);
  }
  if (!bench.out.in_graph[event]) return nullptr;
  const auto [start, end] = bench.suspects.graph(bench.trace.strings[graph_of(bench, event)]);
  if (start == kNoSlot) return nullptr;
  scratch = {{start, 0, 0}};
  return &scratch;
}

/// The slot before which a launch must have ended, judged by the work that was launched next.
std::uint32_t end_before(const Bench& bench, const Flow& flow, StringId hlo_op, std::uint32_t start,
                         const Launch& launch) {
  const Group& group = *launch.group;
  const auto slots = static_cast<std::uint32_t>(bench.suspects.schedule().slots.size());
  if (launch.last == group.events.size()) return slots;
  if (group.executions_known && std::ranges::binary_search(group.executions, launch.last)) {
    return slots;
  }
  std::vector<Candidate> scratch;
  const std::uint32_t event = group.events[launch.last];
  const auto* next = slots_of(bench, event, scratch);
  if (bench.out.in_graph[event] && graph_of(bench, event) == hlo_op) {
    scratch = {{start, 0, 0}};  // The same graph again: wherever it starts, that is next.
    next = &scratch;
  }
  if (!next || next->empty()) return slots;
  const auto after = std::ranges::upper_bound(*next, start, {}, &Candidate::slot);
  if (after != next->end()) return after->slot;
  // Back to an earlier slot: a loop around both started over, so the graph ends within it.
  std::uint32_t end = slots;
  for (const Flow::Loop& loop : flow.loops(start)) {
    if (next->back().slot >= loop.first) end = loop.last;
  }
  return end;
}

std::uint32_t find_end(const Bench& bench, const Flow& flow, StringId hlo_op, std::uint32_t start,
                       const std::vector<Launch>& launches) {
  std::uint32_t end = kNoSlot;
  for (const Launch& launch : launches) {
    end = std::min(end, end_before(bench, flow, hlo_op, start, launch));
  }
  return end;
}

/// Slots that could begin the graph if XLA numbered its thunks otherwise: those that fit the first
/// kernel, nearest to the annotated number first.
std::vector<std::uint32_t> other_starts(const Bench& bench, std::uint32_t start,
                                        const Piece& first) {
  const auto& slots = bench.suspects.schedule().slots;
  std::vector<std::uint32_t> starts;
  for (const Candidate& c : first.candidates) {
    if (c.cost == 0 && c.slot != start) starts.push_back(c.slot);
  }
  const auto distance = [&](std::uint32_t s) {
    const std::uint32_t a = slots[s].thunk, b = slots[start].thunk;
    return std::pair(a > b ? a - b : b - a, s);
  };
  std::erase_if(starts, [&](std::uint32_t s) { return distance(s).first > kNear; });
  std::ranges::sort(starts, {}, distance);
  if (starts.size() > kTries) starts.resize(kTries);
  return starts;
}

}  // namespace

std::map<StringId, std::vector<Launch>> launches_by_graph(const Bench& bench) {
  std::map<StringId, std::vector<Launch>> graphs;
  const Events& e = bench.trace.events;
  for (Group* group : bench.groups) {
    const auto& events = group->events;
    for (std::size_t k = 0; k < events.size();) {
      const std::uint64_t id = e.correlation[events[k]];
      std::size_t end = k + 1;
      if (id == 0 || !bench.out.in_graph[events[k]]) {
        k = end;
        continue;
      }
      while (end < events.size() && e.correlation[events[end]] == id &&
             bench.out.in_graph[events[end]]) {
        ++end;
      }
      bool open = false;
      for (std::size_t j = k; j < end; ++j) open = open || bench.out.label[events[j]] == kNone;
      if (open) {
        graphs[graph_of(bench, events[k])].push_back({group, k, end});
      }
      k = end;
    }
  }
  return graphs;
}

std::vector<Piece> within(std::vector<Piece> pieces, const Site& site) {
  for (Piece& piece : pieces) {
    piece.from = site.start;
    piece.to = site.end;
  }
  return pieces;
}

Bounds bounds_of(const Site& site) {
  return {.start = site.start, .last = site.end == kNoSlot ? kNoSlot : site.end - 1};
}

std::optional<Site> find_site(const Bench& bench, StringId hlo_op,
                              const std::vector<Launch>& launches, const Flow& flow,
                              const std::vector<Piece>& pieces) {
  const auto [start, end] = bench.suspects.graph(bench.trace.strings[hlo_op]);
  if (pieces.empty() || start == kNoSlot) return {};
  if (end != kNoSlot) return Site{start, end};

  const auto there = [&](const Site& site) {
    return align(flow, within(pieces, site), bounds_of(site), bench.suspects.instructions());
  };
  const auto most = static_cast<Cost>(std::min<std::size_t>(pieces.size(), 100'000)) * kPerPiece;
  const auto try_start = [&](std::uint32_t s) {
    const Site closed{s, find_end(bench, flow, hlo_op, s, launches)};
    const Alignment inside = there(closed);
    // What was launched next may have been placed by a wrong number too: kernels past the end say
    // so.
    const bool beyond = std::ranges::any_of(inside.pieces, [&](const Explained& x) {
      return x.slot != kNoSlot && x.slot >= closed.end;
    });
    if (!beyond) return std::pair(closed, inside.cost);
    const Site open{s, kNoSlot};
    return std::pair(open, there(open).cost);
  };
  auto [best, least] = try_start(start);
  if (least <= kOtherNumbering) return best;
  for (const std::uint32_t other : other_starts(bench, start, pieces.front())) {
    const auto [site, c] = try_start(other);
    if (c + kOtherNumbering < least) {
      least = c + kOtherNumbering;
      best = site;
    }
  }
  if (least > most) return {};
  return best;
}

}  // namespace jaxtrace
