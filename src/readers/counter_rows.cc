// Dispatches are found by hash while rows come, and put in order once, at the end.
#include "readers/counter_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "jaxtrace/kernel_times.h"

namespace jaxtrace {
namespace {

constexpr std::uint32_t kFree = 0xffffffff;

auto scope(const CountedDispatch& dispatch) {
  return std::tuple(dispatch.recording, dispatch.agent, dispatch.dispatch, dispatch.kernel);
}

void add_family(CountedAgent& agent, CounterFamily family) {
  if (family == CounterFamily::any) return;
  if (std::ranges::find(agent.families, family) != agent.families.end()) return;
  agent.families.push_back(family);
}

}  // namespace

std::uint32_t CounterRows::add_recording(Recording recording) {
  data_.recordings.push_back(std::move(recording));
  return static_cast<std::uint32_t>(data_.recordings.size() - 1);
}

std::uint32_t CounterRows::kernel(std::string_view name) {
  name = without_descriptor(name);
  const auto known = kernels_.find(name);
  if (known != kernels_.end()) return known->second;
  const auto row = static_cast<std::uint32_t>(data_.kernels.size());
  data_.kernels.emplace_back(name);
  kernels_.emplace(std::string(name), row);
  return row;
}

std::uint32_t CounterRows::agent(CountedAgent agent) {
  const auto same = [&](const CountedAgent& known) {
    return known.name == agent.name && known.arch == agent.arch && known.product == agent.product;
  };
  const auto known = std::ranges::find_if(data_.agents, same);
  const auto row = static_cast<std::uint32_t>(known - data_.agents.begin());
  if (known == data_.agents.end()) data_.agents.push_back(std::move(agent));
  return row;
}

std::size_t CounterRows::slot_of(const CountedDispatch& dispatch) const {
  std::uint64_t hash = static_cast<std::uint64_t>(dispatch.dispatch);
  for (const std::uint32_t part : {dispatch.kernel, dispatch.agent, dispatch.recording}) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29U;
  }
  std::size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot] != kFree && scope(data_.dispatches[slots_[slot]]) != scope(dispatch)) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

void CounterRows::grow() {
  constexpr std::size_t kFirst = 1024;
  slots_.assign(std::max(kFirst, slots_.size() * 2), kFree);
  for (std::size_t i = 0; i < data_.dispatches.size(); ++i) {
    slots_[slot_of(data_.dispatches[i])] = static_cast<std::uint32_t>(i);
  }
}

std::uint32_t CounterRows::dispatch(const CountedDispatch& dispatch) {
  if (data_.dispatches.size() * 2 >= slots_.size()) grow();
  std::uint32_t& row = slots_[slot_of(dispatch)];
  if (row == kFree) {
    row = static_cast<std::uint32_t>(data_.dispatches.size());
    data_.dispatches.push_back(dispatch);
  }
  return row;
}

void CounterRows::add(std::uint32_t dispatch, const CounterName& name, std::uint16_t part,
                      double value) {
  const Form form = name.instance ? Form::instance : name.sum ? Form::sum : Form::raw;
  const auto instance = static_cast<std::uint16_t>(name.instance.value_or(part));
  rows_.push_back({dispatch, instance, name.counter, form, value});
  add_family(data_.agents[data_.dispatches[dispatch].agent], name.family);
}

void CounterRows::other_counter(std::string_view name) {
  constexpr std::size_t kMost = 100;
  constexpr std::size_t kLongest = 60;
  name = name.substr(0, kLongest);
  if (data_.other_counters.size() < kMost &&
      std::ranges::find(data_.other_counters, name) == data_.other_counters.end()) {
    data_.other_counters.emplace_back(name);
  }
}

/// An agent whose architecture one file knows and another does not is one agent.
void CounterRows::merge_agents() {
  std::vector<CountedAgent>& agents = data_.agents;
  std::vector<std::uint32_t> become(agents.size());
  for (std::uint32_t i = 0; i < agents.size(); ++i) {
    become[i] = i;
    if (!agents[i].arch.empty()) continue;
    const auto knows = [&](const CountedAgent& other) {
      return other.name == agents[i].name && !other.arch.empty();
    };
    if (std::ranges::count_if(agents, knows) != 1) continue;
    become[i] = static_cast<std::uint32_t>(std::ranges::find_if(agents, knows) - agents.begin());
  }
  for (std::uint32_t i = 0; i < agents.size(); ++i) {
    for (const CounterFamily family : agents[i].families) add_family(agents[become[i]], family);
  }
  for (CountedAgent& agent : agents) std::ranges::sort(agent.families);
  for (CountedDispatch& dispatch : data_.dispatches) dispatch.agent = become[dispatch.agent];
}

/// One dispatch in two files is one: known by the nanosecond it began, or by its process where a
/// file has no times.
void CounterRows::merge_copies() {
  if (data_.recordings.size() < 2) return;
  const auto& dispatches = data_.dispatches;
  const auto identity = [&](std::uint32_t row) {
    const CountedDispatch& at = dispatches[row];
    return std::tuple(at.begin_ns, at.dispatch, data_.recordings[at.recording].process.value_or(-1),
                      at.agent, at.kernel);
  };
  std::vector<std::uint32_t> known;
  for (std::uint32_t row = 0; row < dispatches.size(); ++row) {
    const CountedDispatch& at = dispatches[row];
    if (at.begin_ns > 0 || data_.recordings[at.recording].process) known.push_back(row);
  }
  std::ranges::stable_sort(known, {}, identity);
  std::vector<std::uint32_t> original(dispatches.size());
  std::iota(original.begin(), original.end(), 0U);
  for (std::size_t i = 1; i < known.size(); ++i) {
    if (identity(known[i]) != identity(known[i - 1])) continue;
    original[known[i]] = original[known[i - 1]];
    ++copies_;
  }
  if (copies_ == 0) return;
  for (Row& row : rows_) row.dispatch = original[row.dispatch];
}

/// Puts dispatches in order, and rows in the order of their dispatches.
void CounterRows::order() {
  if (!std::ranges::is_sorted(data_.dispatches, {}, scope)) {
    std::vector<std::uint32_t> rows(data_.dispatches.size());
    std::iota(rows.begin(), rows.end(), 0U);
    std::ranges::sort(rows, {}, [&](std::uint32_t row) { return scope(data_.dispatches[row]); });
    std::vector<CountedDispatch> sorted(rows.size());
    std::vector<std::uint32_t> rank(rows.size());
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      sorted[i] = data_.dispatches[rows[i]];
      rank[rows[i]] = i;
    }
    data_.dispatches = std::move(sorted);
    for (Row& row : rows_) row.dispatch = rank[row.dispatch];
  }
  const auto place = [](const Row& row) {
    return std::tuple(row.dispatch, row.counter, row.form, row.part);
  };
  if (!std::ranges::is_sorted(rows_, {}, place)) std::ranges::stable_sort(rows_, {}, place);
}

/// What a dispatch's rows of one counter come to.  The sum that the profiler made is preferred to
/// one of the instances, which may be of another pass.
double CounterRows::value_of(const Row* first, const Row* last) {
  const Form form = first->form;
  double sum = 0;
  for (const Row* row = first; row != last && row->form == form; ++row) {
    const bool again = row != first && row[-1].part == row->part;
    if (!again) {
      sum += row->value;
    } else if (row->value == row[-1].value) {
      ++rows_twice_;
    } else if (form == Form::raw) {
      sum += row->value;
      ++instances_;
    } else {
      ++contradictions_;
    }
  }
  return sum;
}

void CounterRows::take_values() {
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < data_.dispatches.size(); ++i) {
    CountedDispatch& dispatch = data_.dispatches[i];
    dispatch.first = data_.values.size();
    while (at < rows_.size() && rows_[at].dispatch == i) {
      std::size_t end = at;
      while (end < rows_.size() && rows_[end].dispatch == i &&
             rows_[end].counter == rows_[at].counter) {
        ++end;
      }
      data_.values.push_back({rows_[at].counter, value_of(rows_.data() + at, rows_.data() + end)});
      at = end;
    }
    dispatch.values = static_cast<std::uint32_t>(data_.values.size() - dispatch.first);
  }
  std::erase_if(data_.dispatches, [](const CountedDispatch& d) { return d.values == 0; });
}

void CounterRows::note(Severity severity, const char* code, const char* message,
                       std::uint64_t count) {
  if (count > 0) data_.findings.push_back({severity, code, message, "", count});
}

CounterData CounterRows::finish() && {
  merge_agents();
  merge_copies();
  order();
  slots_ = {};
  take_values();
  rows_ = {};
  note(Severity::note, "dispatch-twice",
       "a dispatch came in several files (same process, same number, same beginning) and counts "
       "once",
       copies_);
  note(Severity::note, "counter-twice",
       "a counter of one dispatch came again with the same value and counts once", rows_twice_);
  note(Severity::error, "counter-contradiction",
       "a counter of one dispatch came again with another value; the first counts",
       contradictions_);
  note(Severity::note, "instances-added",
       "values of one counter and dispatch differ, which are taken for instances of the cache and "
       "added",
       instances_);
  std::ranges::sort(data_.other_counters);
  return std::move(data_);
}

}  // namespace jaxtrace
