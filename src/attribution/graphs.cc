// Graph launches.  Every launch of a command buffer runs the same commands, so one map a graph is
// learned over all its launches, on all devices, and each launch is read off it.
//
// CUDA numbers the nodes of a graph in the order of its commands: the union over all launches gives
// one complete sequence, whatever ran concurrently or was dropped, and that is aligned with the
// schedule once.  Without node ids each distinct sequence of names is aligned, twice: what the
// first pass finds in most launches, the second pass expects in all.
#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "attribution/durations.h"
#include "attribution/graph_site.h"
#include "attribution/solve.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kFewLaunches = 64;  // Launches of one sequence that merit a second look.
constexpr Cost kMayBeMissing = 20;  // Missing what may be absent, but is there in most launches.
constexpr Cost kPerNode = 5;        // Node ids that number the commands explain them for less.

/// One node of a graph, as its launches show it.
struct GraphNode {
  std::uint32_t event = 0;  ///< An event of the node, to take its name from.
  std::map<StringId, std::size_t> names;
};

/// Node index → what ran there.  nullopt if node ids do not serve: missing, repeated within a
/// launch (a loop inside the graph), or not standing for one kernel each.
std::optional<std::map<std::uint32_t, GraphNode>> nodes_of(const Bench& bench,
                                                           const std::vector<Launch>& launches) {
  const Events& e = bench.trace.events;
  if (e.graph_node.empty()) return {};
  std::map<std::uint32_t, GraphNode> nodes;
  std::size_t seen = 0;
  for (const Launch& launch : launches) {
    std::uint64_t before = 0;
    for (const std::uint32_t i : launch.events()) {
      const std::uint64_t node = e.graph_node[i];
      if (node == 0 || node == before) return {};
      before = node;
      GraphNode& at = nodes[node_index(node)];
      at.event = at.names.empty() ? i : at.event;
      ++at.names[e.name[i]];
      ++seen;
    }
  }
  std::size_t agreeing = 0;
  for (auto& [index, node] : nodes) {
    const auto most = std::ranges::max_element(node.names, {}, [&](const auto& n) {
      return std::pair(n.second, bench.trace.strings[n.first]);
    });
    agreeing += most->second;
    node.names = {*most};
  }
  if (agreeing * 50 < seen * 49) return {};
  return nodes;
}

/// The labels for the slots of one graph: a kernel's name may be unique within it.
class GraphLabels {
 public:
  GraphLabels(const Bench& bench, const std::vector<std::uint32_t>& slots) {
    const auto& schedule = bench.suspects.schedule();
    if (slots.empty()) return;
    const auto [least, most] = std::ranges::minmax(slots);
    std::map<std::string_view, std::vector<std::uint32_t>> by_name;
    for (std::uint32_t s = least; s <= most; ++s) {
      if (!schedule.slots[s].kernel_name.empty()) {
        by_name[schedule.slots[s].kernel_name].push_back(bench.suspects.instructions()[s]);
      }
    }
    for (auto& [name, instructions] : by_name) {
      std::ranges::sort(instructions);
      const auto end = std::unique(instructions.begin(), instructions.end());
      sharers_[name] = static_cast<std::size_t>(end - instructions.begin());
    }
  }

  std::uint32_t row(const Bench& bench, const Explained& explained, StringId name,
                    Rule by_order) const {
    const std::size_t everywhere = bench.suspects.sharers(name);
    std::size_t here = everywhere;
    if (everywhere > 1) {
      const auto at = sharers_.find(bare_kernel_name(bench.trace.strings[name]));
      here = at == sharers_.end() ? 0 : at->second;
    }
    Label label = label_of(bench, explained, name, here, by_order);
    if (label.rule == Rule::unique_name && everywhere > 1) label.rule = Rule::window_name;
    return bench.labels.row(label);
  }

 private:
  std::map<std::string_view, std::size_t> sharers_;
};

/// Flow whose missing costs follow what the launches showed.
std::vector<Cost> learned_miss(const Bench& bench, const std::map<std::uint32_t, std::size_t>& seen,
                               std::size_t launches) {
  std::vector<Cost> miss = bench.suspects.miss();
  if (seen.empty() || launches < 3) return miss;
  for (std::uint32_t s = seen.begin()->first; s <= seen.rbegin()->first; ++s) {
    const auto at = seen.find(s);
    const std::size_t count = at == seen.end() ? 0 : at->second;
    if (count * 2 > launches && miss[s] < kMayBeMissing) {
      miss[s] = kMayBeMissing;
    } else if (count * 20 < launches && launches >= 20) {
      miss[s] = std::min<Cost>(miss[s], 1);
    }
  }
  return miss;
}

/// Where concurrency puts kernels into another order, names and their numbers still tell: if as
/// many kernels of a name ran as the graph has slots for it, they are those slots, in order.
void settle_by_counts(const Bench& bench, std::span<const std::uint32_t> events,
                      const std::vector<std::uint32_t>& expected,
                      std::vector<Explained>& explained) {
  const auto& slots = bench.suspects.schedule().slots;
  std::map<std::string_view, std::vector<std::uint32_t>> slots_of;
  for (const std::uint32_t s : expected) {
    if (!slots[s].kernel_name.empty()) slots_of[slots[s].kernel_name].push_back(s);
  }
  std::map<std::string_view, std::vector<std::size_t>> kernels_of;
  for (std::size_t k = 0; k < events.size(); ++k) {
    const StringId name = bench.trace.events.name[events[k]];
    kernels_of[bare_kernel_name(bench.trace.strings[name])].push_back(k);
  }
  for (const auto& [name, kernels] : kernels_of) {
    const auto at = slots_of.find(name);
    if (at == slots_of.end() || at->second.size() != kernels.size()) continue;
    for (std::size_t j = 0; j < kernels.size(); ++j) {
      Explained& x = explained[kernels[j]];
      if (x.slot != at->second[j]) x = {.slot = at->second[j], .round = 0, .margin = 10, .tied = 1};
    }
  }
}

/// Kernels that concurrency moved past a neighbour have no place in a monotone explanation: they
/// take the nearest slot of their own name that nothing else took.
void settle_displaced(const Bench& bench, std::span<const std::uint32_t> events,
                      std::vector<Explained>& explained) {
  std::vector<std::uint32_t> taken;
  for (const Explained& x : explained) {
    if (x.slot != kNoSlot) taken.push_back(x.slot);
  }
  if (taken.empty() || taken.size() == explained.size()) return;
  std::ranges::sort(taken);
  const std::uint32_t least = taken.front();
  for (std::size_t k = 0; k < explained.size(); ++k) {
    if (explained[k].slot != kNoSlot || bench.out.label[events[k]] != kNone) continue;
    // The neighbour's slot says where in the schedule this is.
    std::uint32_t near = least;
    for (std::size_t j = k; j-- > 0;) {
      if (explained[j].slot != kNoSlot) {
        near = explained[j].slot;
        break;
      }
    }
    const Events& e = bench.trace.events;
    std::uint32_t best = kNoSlot, distance = 64;
    for (const Candidate& c : bench.suspects.of(e.name[events[k]], e.details[events[k]])) {
      if (c.cost > 5 || c.slot < least || std::ranges::binary_search(taken, c.slot)) continue;
      const std::uint32_t d = c.slot > near ? c.slot - near : near - c.slot;
      if (d < distance) {
        distance = d;
        best = c.slot;
      }
    }
    if (best == kNoSlot) continue;
    explained[k] = {.slot = best, .round = 0, .margin = 10, .tied = 1};
    taken.insert(std::ranges::lower_bound(taken, best), best);
  }
}

/// A library kernel that the tracer saw under one instruction only, and once in this launch, is
/// that one's work again, whatever ran beside it.
void settle_by_sight(const Bench& bench, std::span<const std::uint32_t> events, const Site& site,
                     std::vector<Explained>& explained) {
  const Events& e = bench.trace.events;
  std::map<StringId, std::size_t> runs;
  for (const std::uint32_t i : events) ++runs[e.name[i]];
  for (std::size_t k = 0; k < events.size(); ++k) {
    const hlo::InstructionId seen = bench.suspects.only_seen_for(e.name[events[k]]);
    if (seen == hlo::InstructionId::none || runs[e.name[events[k]]] > 1) continue;
    const auto& slots = bench.suspects.of(seen);
    const auto slot = std::ranges::lower_bound(slots, site.start, {}, &Candidate::slot);
    if (slot == slots.end() || slot->slot >= site.end) continue;
    const bool agreed =
        explained[k].slot != kNoSlot &&
        bench.suspects.instructions()[explained[k].slot] == static_cast<std::uint32_t>(seen);
    if (!agreed) explained[k] = {.slot = slot->slot, .round = 0, .margin = 20, .tied = 1};
  }
}

void solve_by_nodes(Bench& bench, const std::vector<Launch>& launches, const Site& site,
                    const Flow& flow, const std::map<std::uint32_t, GraphNode>& nodes) {
  std::vector<std::uint32_t> events;
  for (const auto& [index, node] : nodes) events.push_back(node.event);
  Alignment alignment = align(flow, within(pieces_of(bench, events), site), bounds_of(site),
                              bench.suspects.instructions());
  settle_displaced(bench, events, alignment.pieces);
  std::vector<std::uint32_t> slots;
  for (const Explained& x : alignment.pieces) {
    if (x.slot != kNoSlot) slots.push_back(x.slot);
  }
  const GraphLabels labels(bench, slots);
  std::unordered_map<std::uint32_t, std::uint32_t> row_of;
  std::size_t k = 0;
  for (const auto& [index, node] : nodes) {
    row_of[index] =
        labels.row(bench, alignment.pieces[k++], node.names.begin()->first, Rule::graph_node);
  }
  const Events& e = bench.trace.events;
  for (const Launch& launch : launches) {
    for (const std::uint32_t i : launch.events()) {
      const auto node = node_index(e.graph_node[i]);
      if (bench.out.label[i] != kNone || nodes.at(node).names.begin()->first != e.name[i]) continue;
      if (bench.out.labels[row_of[node]].match != Match::none) bench.out.label[i] = row_of[node];
    }
  }
}

/// Launches with the same kernels, explained together.
struct Sequence {
  std::span<const std::uint32_t> events;
  std::vector<std::size_t> launches;
  Alignment alignment;
};

/// The last launch of a device may be cut off by the end of the capture: it need not reach the end
/// of its graph.
Bounds bounds_for(const Site& site, const std::vector<Launch>& launches, const Sequence& sequence) {
  Bounds bounds = bounds_of(site);
  const bool cut = std::ranges::all_of(sequence.launches, [&](std::size_t l) {
    return launches[l].last == launches[l].group->events.size();
  });
  if (cut) bounds.last = kNoSlot;
  return bounds;
}

/// Equal kernels leave open which of them is missing; the times of each launch may tell.  Splits
/// undecided sequences into their launches.
void look_at_times(const Bench& bench, const std::vector<Launch>& launches, const Site& site,
                   const Flow& flow, std::vector<Sequence>& sequences) {
  std::vector<Sequence> decided, open;
  for (Sequence& sequence : sequences) {
    const bool look = undecided(sequence.alignment) && sequence.launches.size() <= kFewLaunches;
    (look ? open : decided).push_back(std::move(sequence));
  }
  const std::size_t first = decided.size();
  sequences = std::move(decided);
  for (const Sequence& sequence : open) {
    for (const std::size_t l : sequence.launches) {
      sequences.push_back({launches[l].events(), {l}, sequence.alignment});
    }
  }
  if (open.empty()) return;

  // First with what was clear without times, then with what times made clear.
  for (const Cost clear : {Cost{20}, Cost{4}}) {
    Durations durations;
    for (const Sequence& sequence : sequences) {
      for (const std::size_t l : sequence.launches) {
        durations.learn(bench.trace, launches[l].events(), sequence.alignment, clear);
      }
    }
    for (std::size_t q = first; q < sequences.size(); ++q) {
      const auto events = sequences[q].events;
      Timed timed(bench.trace, events, within(pieces_of(bench, events), site), durations);
      sequences[q].alignment = align(flow, timed.pieces(), bounds_for(site, launches, sequences[q]),
                                     bench.suspects.instructions());
    }
  }
}

void solve_by_order(Bench& bench, const std::vector<Launch>& launches, const Site& site,
                    const Flow& flow) {
  std::map<Fingerprint, std::size_t> known;
  std::vector<Sequence> sequences;  // In order of first appearance: devices, then time.
  for (std::size_t l = 0; l < launches.size(); ++l) {
    const auto events = launches[l].events();
    const auto [at, added] = known.try_emplace(fingerprint(bench, events), sequences.size());
    if (added) sequences.push_back({.events = events, .launches = {}, .alignment = {}});
    sequences[at->second].launches.push_back(l);
  }

  const auto explain = [&](const Flow& by) {
    for (Sequence& sequence : sequences) {
      sequence.alignment =
          align(by, within(pieces_of(bench, sequence.events), site),
                bounds_for(site, launches, sequence), bench.suspects.instructions());
    }
  };
  explain(flow);
  std::optional<Flow> expecting;
  std::vector<std::uint32_t> expected;  // slots that most launches run
  if (sequences.size() > 1) {
    std::map<std::uint32_t, std::size_t> seen;  // slot → launches in which it has a kernel
    for (const Sequence& sequence : sequences) {
      std::uint32_t before = kNoSlot;
      for (const Explained& x : sequence.alignment.pieces) {
        if (x.slot != kNoSlot && x.slot != before) seen[x.slot] += sequence.launches.size();
        before = x.slot;
      }
    }
    for (const auto& [slot, count] : seen) {
      if (count * 2 > launches.size()) expected.push_back(slot);
    }
    expecting.emplace(bench.suspects.schedule(), learned_miss(bench, seen, launches.size()), false);
    explain(*expecting);
  }
  const Flow& best = expecting ? *expecting : flow;
  look_at_times(bench, launches, site, best, sequences);

  std::vector<std::uint32_t> slots;
  for (Sequence& sequence : sequences) {
    if (sequence.alignment.cost > 0) {
      settle_by_counts(bench, sequence.events, expected, sequence.alignment.pieces);
    }
    settle_displaced(bench, sequence.events, sequence.alignment.pieces);
    settle_by_sight(bench, sequence.events, site, sequence.alignment.pieces);
    for (const Explained& x : sequence.alignment.pieces) {
      if (x.slot != kNoSlot) slots.push_back(x.slot);
    }
  }
  const GraphLabels labels(bench, slots);
  const Events& e = bench.trace.events;
  for (const Sequence& sequence : sequences) {
    std::vector<std::uint32_t> rows;
    for (std::size_t k = 0; k < sequence.events.size(); ++k) {
      rows.push_back(labels.row(bench, sequence.alignment.pieces[k], e.name[sequence.events[k]],
                                Rule::graph_order));
    }
    for (const std::size_t l : sequence.launches) {
      const auto events = launches[l].events();
      for (std::size_t k = 0; k < events.size(); ++k) {
        const bool found = bench.out.labels[rows[k]].match != Match::none;
        if (bench.out.label[events[k]] == kNone && found) bench.out.label[events[k]] = rows[k];
      }
    }
  }
}

void sort_by_begin(const Trace& trace, std::vector<Launch>& launches) {
  if (trace.events.graph_node.empty()) return;  // That is their order already.
  for (Launch& launch : launches) {
    const auto events =
        std::span(launch.group->events).subspan(launch.first, launch.last - launch.first);
    std::ranges::sort(events, {},
                      [&](std::uint32_t i) { return std::pair(trace.events.begin[i], i); });
  }
}

Cost cost_at(const Bench& bench, const Flow& flow, const std::vector<Piece>& pieces,
             const Site& site) {
  return align(flow, within(pieces, site), bounds_of(site), bench.suspects.instructions()).cost;
}

}  // namespace

void solve_graphs(Bench& bench) {
  auto graphs = launches_by_graph(bench);
  if (graphs.empty()) return;
  const Flow flow(bench.suspects.schedule(), bench.suspects.miss(), false);

  // Graph by graph, in the order of their names: what is learned must not depend on reading order.
  std::vector<StringId> order;
  for (const auto& [hlo_op, launches] : graphs) order.push_back(hlo_op);
  std::ranges::sort(order, {}, [&](StringId id) { return bench.trace.strings[id]; });
  for (const StringId hlo_op : order) {
    std::vector<Launch>& launches = graphs[hlo_op];
    if (const auto nodes = nodes_of(bench, launches)) {
      std::vector<std::uint32_t> events;
      for (const auto& [index, node] : *nodes) events.push_back(node.event);
      const auto pieces = pieces_of(bench, events);
      const auto site = find_site(bench, hlo_op, launches, flow, pieces);
      if (site && cost_at(bench, flow, pieces, *site) <=
                      kPerNode * static_cast<Cost>(std::min<std::size_t>(pieces.size(), 100'000))) {
        solve_by_nodes(bench, launches, *site, flow, *nodes);
        continue;
      }
    }
    // Without node ids, or where they number something else: in the order in which kernels began.
    sort_by_begin(bench.trace, launches);
    const auto longest =
        std::ranges::max_element(launches, {}, [](const Launch& l) { return l.last - l.first; });
    const auto site = find_site(bench, hlo_op, launches, flow, pieces_of(bench, longest->events()));
    if (site) solve_by_order(bench, launches, *site, flow);
  }
}

}  // namespace jaxtrace
