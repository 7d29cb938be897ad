// Waits for memory: what they wait for, how long before it was issued, and what there is to put
// between.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "att/plan/patterns.h"
#include "att/saturating.h"

namespace jaxtrace {
namespace {

constexpr std::int64_t kNoWait = 8;       // A wait that does not wait takes 4 cycles.
constexpr std::int64_t kLdsLatency = 64;  // An LDS read without conflicts takes at least this long.
constexpr std::int64_t kDirectly = 16;    // Issued so few cycles before is "directly before".

constexpr std::int64_t kPrologueShare = 5;  // Percent of the waves' time

/// In the order in which they claim.
enum class Pattern : std::uint8_t {
  dma_drain,
  scale_near,
  vmem_in_loop,
  lds_near,
  smem_prologue,
  smem_in_loop,
  vmem_serial,
  vmem_late,
  lds_late,
  mixed,
  other,
};

PatternWords words_of(Pattern pattern, std::size_t waits) {
  switch (pattern) {
    case Pattern::dma_drain:
      return {"dma-drain", "a load into LDS is waited for directly after it is issued",
              "Double-buffer the LDS tile: load the next one while this one is used, and wait with "
              "vmcnt(N > 0)",
              "medium", kPrefetching};
    case Pattern::scale_near:
      return {
          "scale-near",
          "a narrow load, such as a scale, is issued much closer to its use than the wide loads "
          "of the same loop",
          "Issue the narrow loads first, before the wide ones", "easy", kReordering};
    case Pattern::vmem_in_loop:
      return {
          "vmem-in-loop",
          "memory is loaded inside the matrix loop with next to no matrix instruction between "
          "the load and its use",
          "Issue the loads one iteration earlier, or all of them before the matrix instructions "
          "(double buffering)",
          "medium", kPrefetching};
    case Pattern::lds_near:
      return {"lds-near", "LDS is read directly before the matrix instruction that needs it",
              "Read all LDS operands of the tile first, or those of the next step during this "
              "step's matrix instructions",
              "medium", kReordering};
    case Pattern::smem_prologue:
      return {
          "smem-prologue",
          "the kernel begins by waiting for its arguments, and is too short to make that cheap",
          "Preload kernel arguments into SGPRs, load them in one go, or let fewer workgroups do "
          "more work each (persistent kernel)",
          "medium", kRestructuring};
    case Pattern::smem_in_loop:
      return {"smem-in-loop", "a scalar load is waited for in every iteration",
              "Hoist the scalar load out of the loop, or issue it one iteration earlier", "easy",
              kReordering};
    case Pattern::vmem_serial:
      if (waits == 1) {
        return {"vmem-serial", "each wave loads, and waits for it with next to nothing in between",
                "Give each wave several independent loads to issue before the first wait: more "
                "elements for each work-item",
                "medium", kPrefetching};
      }
      return {"vmem-serial",
              "loads outside of any loop are each waited for before the next, with next to nothing "
              "in between",
              "Issue loads that do not depend on each other together, before the first wait",
              "easy", kPrefetching};
    case Pattern::vmem_late:
      return {"vmem-late", "memory takes longer than what lies between the load and its use",
              "Issue the loads earlier: one more stage of prefetching, or more work in between",
              "medium", kPrefetching};
    case Pattern::lds_late:
      return {"lds-late",
              "LDS takes longer than what lies between the access and the wait: many accesses are "
              "queued, or banks conflict",
              "Issue LDS accesses earlier and spread them over the math; where banks conflict "
              "(counter SQ_LDS_BANK_CONFLICT), pad or swizzle the tile",
              "medium", kRestructuring};
    case Pattern::mixed:
      return {"mixed-wait",
              "one instruction waits for several kinds of memory; which was late, only wave files "
              "would tell",
              "Wait for each kind where it is needed, with a number above 0 where possible", "easy",
              kRestructuring};
    case Pattern::other:
      break;
  }
  return {"wait", "an operation is waited for soon after it is issued",
          "Move independent work between the operation and the wait", "medium", kRestructuring};
}

bool is_vector_memory(WaitCounter c) {
  return c == WaitCounter::vm || c == WaitCounter::load || c == WaitCounter::sample ||
         c == WaitCounter::async || c == WaitCounter::tensor;
}

/// A matrix instruction is one of the next two.
bool matrix_follows(const PlanFacts& facts, std::uint32_t wait) {
  const std::size_t end = std::min<std::size_t>(facts.class_of.size(), std::size_t{wait} + 3);
  for (std::size_t k = wait + 1; k < end; ++k) {
    if (facts.class_of[k] == StallClass::matrix) return true;
  }
  return false;
}

/// By loop: the median distance at which its wide vector loads are waited for.
std::map<std::uint32_t, std::int64_t> wide_distances(const PlanFacts& facts) {
  std::map<std::uint32_t, std::vector<std::int64_t>> all;
  for (const WaitView& view : facts.waits) {
    const std::uint32_t loop = facts.loop_of(view.wait);
    if (loop == kNoLoop || !is_vector_memory(view.counter)) continue;
    const std::string_view mnemonic = mnemonic_of(facts.row(view.operation).text);
    if (bytes_of_lane(mnemonic) >= 16) all[loop].push_back(view.distance);
  }
  std::map<std::uint32_t, std::int64_t> medians;
  for (auto& [loop, distances] : all) {
    std::ranges::sort(distances);
    medians[loop] = distances[distances.size() / 2];
  }
  return medians;
}

Pattern pattern_of(const PlanFacts& facts, const WaitView& view,
                   const std::map<std::uint32_t, std::int64_t>& wide) {
  if (view.mixed) return Pattern::mixed;
  const Instruction& operation = facts.row(view.operation);
  const StallClass kind = facts.class_of[view.operation];
  const std::uint32_t loop = facts.loop_of(view.wait);
  if (is_vector_memory(view.counter)) {
    if (kind == StallClass::vmem_load_lds && view.left == 0 && view.distance < kDirectly) {
      return Pattern::dma_drain;
    }
    const std::int64_t bytes = bytes_of_lane(mnemonic_of(operation.text));
    const auto median = wide.find(loop);
    if (loop != kNoLoop && bytes > 0 && bytes <= 8 && median != wide.end() &&
        4 * view.distance < median->second) {
      return Pattern::scale_near;
    }
    if (facts.in_matrix_loop(view.wait) && view.distance < view.exposed &&
        view.matrix_between <= 2) {
      return Pattern::vmem_in_loop;
    }
    // A fourth of the latency between is more than address computations and the like.
    const bool serial = loop == kNoLoop && 4 * view.distance < view.exposed;
    return serial ? Pattern::vmem_serial : Pattern::vmem_late;
  }
  if (kind == StallClass::smem) {
    return loop == kNoLoop ? Pattern::smem_prologue : Pattern::smem_in_loop;
  }
  if (kind == StallClass::lds || kind == StallClass::lds_xlane) {
    return view.distance < kLdsLatency && matrix_follows(facts, view.wait) ? Pattern::lds_near
                                                                           : Pattern::lds_late;
  }
  return Pattern::other;
}

std::string evidence_of(const PlanFacts& facts, std::vector<WaitView> views) {
  std::ranges::stable_sort(views, std::ranges::greater{}, &WaitView::stall_cycles);
  std::string text;
  const std::size_t shown = std::min<std::size_t>(views.size(), 3);
  for (std::size_t k = 0; k < shown; ++k) {
    const WaitView& v = views[k];
    text += fmt::format(
        "{}{} waits for {}, issued {} cycles before, and stalls {} cycles more, {} "
        "times",
        k == 0 ? "" : "; ", named(facts, v.wait), named(facts, v.operation), v.distance,
        average(v.stall_cycles, facts.row(v.wait).hits), facts.row(v.wait).hits);
  }
  if (views.size() > shown) text += fmt::format("; {} more", views.size() - shown);
  text += facts.waves_replayed > 0
              ? fmt::format(" (distances from {} wave {})", facts.waves_replayed,
                            facts.waves_replayed == 1 ? "file" : "files")
              : " (distances estimated from averages)";
  return text;
}

/// What it takes to hold the loaded values longer.
std::string register_note(const PlanFacts& facts, const std::vector<WaitView>& views) {
  std::vector<std::uint32_t> loads;
  for (const WaitView& v : views) {
    if (facts.class_of[v.operation] == StallClass::vmem_load) loads.push_back(v.operation);
  }
  std::ranges::sort(loads);
  loads.erase(std::unique(loads.begin(), loads.end()), loads.end());
  std::int64_t extra = 0;
  for (const std::uint32_t row : loads) {
    extra += (bytes_of_lane(mnemonic_of(facts.row(row).text)) + 3) / 4;
  }
  if (extra == 0 || facts.occupancy.variants.empty()) return "";
  const auto& limits = facts.occupancy.variants.front().model.limits;
  const auto vgprs = std::ranges::find(limits, Resource::vgprs, &Limit::resource);
  if (vgprs == limits.end() || vgprs->allocated <= 0) return "";
  const std::int64_t waves = std::min<std::int64_t>(8, vgprs->available / vgprs->allocated);
  if (waves < 1) return "";
  const std::int64_t most = vgprs->available / waves / 8 * 8;
  if (vgprs->allocated + extra > most) {
    return fmt::format(
        "holding the loaded values longer takes about {} more VGPRs, and more than "
        "{} of them leave one wave a SIMD less",
        extra, most);
  }
  return fmt::format("about {} more VGPRs fit without losing a wave", extra);
}

using Key = std::tuple<Pattern, std::uint32_t, std::string_view>;

PlanCandidate candidate_of(PlanFacts& facts, Pattern pattern, const std::vector<WaitView>& views) {
  const PatternWords words = words_of(pattern, views.size());
  PlanCandidate c = begin_candidate(words);
  std::int64_t recoverable = 0, longest = 0;
  std::vector<WaitView> used;
  for (const WaitView& v : views) {
    const std::int64_t stall = facts.claim(v.wait, v.stall_cycles);
    if (stall == 0) continue;
    add_row(facts, c, v.wait, stall);
    used.push_back(v);
    const std::int64_t lost = facts.lost(v.wait, stall);
    const std::int64_t spare =
        std::max<std::int64_t>(0, facts.scope_of(v.wait).cover_of_one() - v.covered);
    const std::int64_t hits = facts.row(v.wait).hits;
    recoverable = saturating_add(recoverable, std::min(lost, saturating_multiply(hits, spare)));
    longest = std::max(longest, lost);
  }
  // Loads that are issued together wait as long as the longest.
  if (pattern == Pattern::vmem_serial) recoverable = std::max(recoverable, c.lost - longest);
  if (pattern == Pattern::smem_prologue) recoverable = c.lost;
  c.gain = factor_of(recoverable, words.factor);
  if (!is_worth_saying(facts, c)) return c;
  c.item.evidence = evidence_of(facts, used);
  c.item.assumption = "waves are alike and bandwidth is not the limit; " + facts.how_lost();
  const bool holds_longer = pattern == Pattern::vmem_in_loop || pattern == Pattern::vmem_late ||
                            pattern == Pattern::scale_near;
  if (const std::string note = holds_longer ? register_note(facts, used) : ""; !note.empty()) {
    c.item.assumption += "; " + note;
  }
  finish(facts, c);
  return c;
}

}  // namespace

void find_waits(PlanFacts& facts, std::vector<PlanCandidate>& found) {
  const auto wide = wide_distances(facts);
  std::map<Key, std::vector<WaitView>> groups;
  for (const WaitView& view : facts.waits) {
    if (view.exposed <= kNoWait || view.operation == kNoOperation) continue;
    groups[{pattern_of(facts, view, wide), facts.loop_of(view.wait), facts.source_of(view.wait)}]
        .push_back(view);
  }
  for (const auto& [key, views] : groups) {
    PlanCandidate c = candidate_of(facts, std::get<Pattern>(key), views);
    const bool small =
        c.item.pattern == "smem-prologue" && !facts.is_share(c.item.stall_cycles, kPrologueShare);
    if (!small) keep(facts, std::move(c), found);
  }
}

}  // namespace jaxtrace
