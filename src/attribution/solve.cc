// What the two steps share: pieces, fingerprints, and how sure an answer is.
#include "attribution/solve.h"

#include <algorithm>

namespace jaxtrace {
namespace {

constexpr Cost kUnexplained = 50;    // A kernel for which no slot is found.
constexpr Cost kClear = 8;           // A margin that needs no further evidence.
constexpr Cost kIgnoredAnchor = 30;  // A known kernel that the order of the others contradicts.

}  // namespace

StringId graph_of(const Bench& bench, std::uint32_t event) {
  const auto hlo_op = [&](std::uint32_t i) {
    return bench.trace.annotations[static_cast<std::size_t>(bench.trace.events.annotation[i])]
        .hlo_op;
  };
  const StringId own = hlo_op(event);
  const std::uint32_t call = bench.launches.call[event];
  return own == StringId::empty && call != kNoEvent ? hlo_op(call) : own;
}

std::vector<Piece> pieces_of(const Bench& bench, std::span<const std::uint32_t> events) {
  std::vector<Piece> pieces;
  pieces.reserve(events.size());
  const Events& e = bench.trace.events;
  for (const std::uint32_t i : events) {
    const std::uint32_t row = bench.out.label[i];
    if (row != kNone) {
      const hlo::InstructionId known = bench.out.labels[row].instruction;
      pieces.push_back({.candidates = bench.suspects.of(known), .skip = kIgnoredAnchor});
    } else {
      pieces.push_back(
          {.candidates = bench.suspects.of(e.name[i], e.details[i]), .skip = kUnexplained});
    }
  }
  return pieces;
}

bool undecided(const Alignment& alignment) {
  return alignment.cost > 0 && std::ranges::any_of(alignment.pieces, [](const Explained& x) {
           return x.margin < kClear;
         });
}

Fingerprint fingerprint(const Bench& bench, std::span<const std::uint32_t> events) {
  Fingerprint print{events.size(), 0x51ed270b};
  const Events& e = bench.trace.events;
  for (const std::uint32_t i : events) {
    const std::uint32_t row = bench.out.label[i];
    // Launch dimensions differ from kernel to kernel, not from launch to launch of one kernel.
    const std::uint64_t what =
        row == kNone
            ? static_cast<std::uint64_t>(e.name[i]) << 32 | static_cast<std::uint64_t>(e.details[i])
            : ~static_cast<std::uint64_t>(bench.out.labels[row].instruction);
    print.a = (print.a ^ what) * 0x9e3779b97f4a7c15ULL;
    print.a ^= print.a >> 32;
    print.b = (print.b + what) * 0xd6e8feb86659fd93ULL;
    print.b ^= print.b >> 29;
  }
  return print;
}

Label label_of(const Bench& bench, const Explained& explained, StringId name, std::size_t sharers,
               Rule by_order) {
  Label label{.program = bench.program};
  if (explained.slot == kNoSlot) {
    label.rule = Rule::no_candidate;
    return label;
  }
  label.instruction = bench.suspects.schedule().slots[explained.slot].instruction;
  if (sharers == 1) {
    label.match = Match::name;
    label.rule = Rule::unique_name;
    label.confidence = explained.margin > 0 ? 980 : 900;
  } else if (sharers == 0 && bench.suspects.seen_only_for(name, label.instruction)) {
    label.match = Match::order;
    label.rule = Rule::warm_up;
    label.confidence = 970;
  } else if (explained.tied > 1) {
    label.match = Match::order;
    label.rule = Rule::ambiguous;
    label.confidence = static_cast<std::uint16_t>(1000 / explained.tied);
  } else {
    label.match = Match::order;
    label.rule = by_order;
    label.confidence = explained.margin >= 20 ? 950 : explained.margin >= 8 ? 850 : 700;
  }
  // Where one library call ends and the next begins is inferred, however well the kernels fit.
  if (bench.suspects.seen(explained.slot) && label.rule != Rule::warm_up) {
    label.confidence = std::min<std::uint16_t>(label.confidence, 850);
  }
  if (!bench.suspects.program().scheduled) {
    label.confidence = static_cast<std::uint16_t>(label.confidence * 6 / 10);
  }
  return label;
}

}  // namespace jaxtrace
