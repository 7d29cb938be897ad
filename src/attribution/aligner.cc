// Beam search with a backward pass: the forward pass finds the cheapest explanation, the backward
// pass tells for each kernel how much worse the best other answer is.
#include "attribution/aligner.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace jaxtrace {
namespace {

constexpr Cost kOpenEnd = 30;       // Missing the beginning or the end of a cut sequence.
constexpr Cost kOutside = 60;       // A slot outside the range that the graph launch points at.
constexpr Cost kNoRoom = 8;         // Missing a kernel where time leaves no room for one.
constexpr Cost kHole = 4;           // Missing nothing where time leaves room for it.
constexpr Cost kBeamMargin = 400;   // Explanations this much worse than the best are dropped …
constexpr std::size_t kBeam = 192;  // … and so is what is left beyond this many,
constexpr std::size_t kWideBeam = 512;  // but while the first kernels place a cut sequence, more
constexpr std::size_t kWideSteps = 8;   // are kept.
constexpr std::size_t kWindow = 16384;  // Kernels whose columns are held at once,
constexpr std::size_t kOverlap = 256;   // of which the last are explained again with what follows.
constexpr std::size_t kAhead = 12;      // Equal slots looked at in front of a place,
constexpr std::size_t kRound = 3;       // and from the start of each loop around it.

struct Edge {
  std::uint32_t from;  // row of the previous step's states
  Cost cost;
};

/// What explains the kernels up to here: where the schedule stands, and how much it cost.
struct State {
  Place place;
  bool skipped = false;  // The kernel of this step has no slot; the place is an older kernel's.
  bool begun = false;    // Some kernel has had a slot.
  Cost cost = 0;
  Cost rest = kNever;  // Cheapest way from here to the end.
  std::vector<Edge> edges;

  std::uint32_t slot() const { return skipped ? kNoSlot : place.slot; }
};

struct Key {
  Place place;
  bool skipped, begun;
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t h = key.place.slot * 2654435761U + key.skipped * 97 + key.begun * 389;
    for (const std::uint32_t round : key.place.round) h = (h ^ round) * 0x9e3779b97f4a7c15ULL;
    return h ^ (h >> 29);
  }
};

/// The states of one step, found by place.
struct Column {
  static constexpr std::size_t kFew = 16;
  std::vector<State> states;
  std::unordered_map<Key, std::uint32_t, KeyHash> rows;

  static Key key_of(const State& state) { return {state.place, state.skipped, state.begun}; }

  /// Few states are found by looking at all of them; only wide columns are worth a table.
  std::uint32_t row_of(const Key& key) {
    const auto next = static_cast<std::uint32_t>(states.size());
    if (next <= kFew) {
      for (std::uint32_t r = 0; r < next; ++r) {
        if (key_of(states[r]) == key) return r;
      }
      return next;
    }
    if (rows.empty()) {
      for (std::uint32_t r = 0; r < next; ++r) rows.emplace(key_of(states[r]), r);
    }
    return rows.try_emplace(key, next).first->second;
  }

  void reach(const State& to, const Edge& edge, Cost total) {
    const std::uint32_t row = row_of({to.place, to.skipped, to.begun});
    if (row == states.size()) {
      states.push_back(to);
      states.back().cost = total;
    }
    State& state = states[row];
    state.cost = std::min(state.cost, total);
    state.edges.push_back(edge);
  }
};

class Search {
 public:
  Search(const Flow& flow, std::span<const Piece> pieces, const Bounds& bounds,
         std::span<const std::uint32_t> same)
      : flow_(flow), pieces_(pieces), bounds_(bounds), same_(same) {}

  /// Long sequences are explained window by window: an answer never depends on kernels thousands of
  /// places later, and the columns of a window are all that is kept.
  Alignment run() {
    Alignment answer;
    answer.pieces.resize(pieces_.size());
    State start;
    std::size_t first = 0;
    while (first < pieces_.size()) {
      const std::size_t last = std::min(pieces_.size(), first + kWindow);
      const bool end = last == pieces_.size();
      explain(start, first, last);
      close(end);
      const std::size_t kept = end ? last : last - kOverlap;
      start = answers(first, kept, answer);
      first = kept;
    }
    return answer;
  }

 private:
  Cost fit(const Piece& piece, const Candidate& candidate) const {
    const bool outside = candidate.slot < piece.from || candidate.slot >= piece.to;
    return candidate.cost + (outside ? kOutside : 0);
  }

  void lead_on(const State& from, std::uint32_t row, const Piece& piece, Column& column) {
    State skip = from;
    skip.edges.clear();
    skip.skipped = true;
    column.reach(skip, {row, piece.skip}, from.cost + piece.skip);

    const auto go = [&](const Place& to, Cost cost) {
      State state;
      state.place = to;
      state.begun = true;
      column.reach(state, {row, cost}, from.cost + cost);
    };
    if (!from.begun) {
      for (const Candidate& c : piece.candidates) {
        Cost cost = flow_.enter(c.slot);
        if (bounds_.start != kNoSlot) {
          // The graph starts at a known slot; what lies before that was never part of it.
          cost = c.slot < bounds_.start
                     ? kOutside
                     : std::max<Cost>(0, flow_.enter(c.slot) - flow_.enter(bounds_.start));
        } else if (bounds_.open_begin) {
          cost = std::min(cost, kOpenEnd);
        }
        go(Place{.slot = c.slot}, cost + fit(piece, c));
      }
      return;
    }

    const auto begin = piece.candidates.begin();
    const auto end = piece.candidates.end();
    const auto after =
        std::ranges::upper_bound(piece.candidates, from.place.slot, {}, &Candidate::slot);
    if (after != begin && (after - 1)->slot == from.place.slot && (after - 1)->again < kNever) {
      go(from.place, (after - 1)->again);
    }
    const auto try_moves = [&](auto c) {
      moves_.clear();
      flow_.moves(from.place, c->slot, moves_);
      for (const Flow::Move& move : moves_) {
        const bool missing = move.cost >= 2 * kNoRoom;
        const Cost room = piece.tight && missing ? kNoRoom : piece.loose && !missing ? kHole : 0;
        go(move.to, move.cost + room + fit(piece, *c));
      }
    };
    std::size_t tried = 0;
    for (auto c = after; c != end && tried < kAhead; ++c, ++tried) try_moves(c);
    for (const Flow::Loop& loop : flow_.loops(from.place.slot)) {
      auto c = std::ranges::lower_bound(piece.candidates, loop.first, {}, &Candidate::slot);
      tried = 0;
      for (; c != after && c->slot <= from.place.slot && tried < kRound; ++c, ++tried) {
        try_moves(c);
      }
    }
  }

  void explain(const State& start, std::size_t first, std::size_t last) {
    steps_.assign(last - first, {});
    for (std::size_t i = first; i < last; ++i) {
      Column column;
      if (i == first) {
        lead_on(start, 0, pieces_[i], column);
      } else {
        const auto& before = steps_[i - first - 1];
        for (std::uint32_t s = 0; s < before.size(); ++s) {
          lead_on(before[s], s, pieces_[i], column);
        }
      }
      steps_[i - first] = pruned(std::move(column.states), i < kWideSteps ? kWideBeam : kBeam);
    }
  }

  static std::vector<State> pruned(std::vector<State> states, std::size_t beam) {
    Cost best = kNever;
    for (const State& state : states) best = std::min(best, state.cost);
    std::erase_if(states, [&](const State& s) { return s.cost > best + kBeamMargin; });
    if (states.size() > beam) {
      const auto order = [](const State& a, const State& b) {
        return std::tie(a.cost, a.place.slot, a.place.round, a.skipped) <
               std::tie(b.cost, b.place.slot, b.place.round, b.skipped);
      };
      std::ranges::sort(states, order);
      states.resize(beam);
    }
    return states;
  }

  /// What is missing between the last kernel and the end of its graph, where that is known.
  Cost short_of_last(const State& state) {
    if (bounds_.last == kNoSlot || !state.begun || state.place.slot >= bounds_.last) return 0;
    moves_.clear();
    flow_.moves(state.place, bounds_.last, moves_);
    Cost least = kFar;
    for (const Flow::Move& move : moves_) least = std::min(least, move.cost);
    return std::min(least + flow_.miss(bounds_.last), kFar);
  }

  /// Fills State::rest, from the last column back.  `end`: the last column is the last kernel's.
  void close(bool end) {
    for (State& state : steps_.back()) {
      Cost cost = state.begun && end ? flow_.leave(state.place) : 0;
      if (bounds_.open_end) cost = std::min(cost, kOpenEnd);
      if (bounds_.start != kNoSlot) cost = end ? short_of_last(state) : 0;
      state.rest = cost;
    }
    for (std::size_t i = steps_.size(); i-- > 1;) {
      for (const State& state : steps_[i]) {
        for (const Edge& edge : state.edges) {
          State& before = steps_[i - 1][edge.from];
          before.rest = std::min(before.rest, edge.cost + state.rest);
        }
      }
    }
  }

  /// Reads the cheapest explanation off the columns, for the pieces [first, kept).  Returns where
  /// it stands after those.
  State answers(std::size_t first, std::size_t kept, Alignment& answer) const {
    // Of equally cheap explanations the one with the earliest slots wins, from the last kernel
    // back.
    std::uint32_t row = 0;
    Cost best = kNever;
    const auto& last = steps_.back();
    for (std::uint32_t s = 0; s < last.size(); ++s) {
      const Cost total = last[s].cost + last[s].rest;
      if (total < best || (total == best && earlier(last[s], last[row]))) {
        best = total;
        row = s;
      }
    }
    answer.cost = best;
    State stands;
    for (std::size_t i = steps_.size(); i-- > 0;) {
      const State& state = steps_[i][row];
      if (first + i < kept) {
        Explained& piece = answer.pieces[first + i];
        piece.slot = state.slot();
        piece.round = state.place.round[0];
        judge(steps_[i], state, best, piece);
        if (first + i + 1 == kept) stands = state;
      }
      if (i == 0) break;
      const State* from = nullptr;
      for (const Edge& edge : state.edges) {
        const State& before = steps_[i - 1][edge.from];
        if (before.cost + edge.cost != state.cost) continue;
        if (!from || earlier(before, *from)) {
          from = &before;
          row = edge.from;
        }
      }
    }
    return stands;
  }

  static bool earlier(const State& a, const State& b) {
    return std::tie(a.skipped, a.place.round, a.place.slot) <
           std::tie(b.skipped, b.place.round, b.place.slot);
  }

  /// How much worse is the best explanation of all kernels that gives this one another instruction?
  void judge(const std::vector<State>& step, const State& chosen, Cost best,
             Explained& answer) const {
    const auto instruction = [&](const State& s) {
      return s.skipped ? kNoSlot : same_[s.place.slot];
    };
    std::vector<std::uint32_t> equal;
    for (const State& state : step) {
      if (instruction(state) == instruction(chosen) || state.rest >= kNever) continue;
      const Cost worse = state.cost + state.rest - best;
      answer.margin = std::min(answer.margin, worse);
      if (worse == 0) equal.push_back(instruction(state));
    }
    std::ranges::sort(equal);
    const auto end = std::unique(equal.begin(), equal.end());
    answer.tied = 1 + static_cast<std::uint32_t>(end - equal.begin());
  }

  const Flow& flow_;
  std::span<const Piece> pieces_;
  const Bounds& bounds_;
  std::span<const std::uint32_t> same_;
  std::vector<std::vector<State>> steps_;
  std::vector<Flow::Move> moves_;
};

}  // namespace

Alignment align(const Flow& flow, std::span<const Piece> pieces, const Bounds& bounds,
                std::span<const std::uint32_t> same) {
  return Search(flow, pieces, bounds, same).run();
}

}  // namespace jaxtrace
