// Within an execution, places are compared one to one if both sides ran the same kernels in the
// same order.  If not (streams overlapped otherwise, or a record was lost), the kernels of each
// name are compared among themselves, so that one lost record does not shift all that follow.
#include "commands/attribute/check.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "attribution/ops.h"
#include "commands/attribute/kernels_csv.h"
#include "report/csv_writer.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMostCells = 4'000'000;  // Of one alignment of unequal sequences.

std::string_view instruction_name(const Side& side, std::uint32_t label_row) {
  const Label& label = side.attribution.labels[label_row];
  if (label.instruction == hlo::InstructionId::none) return side.trace.strings[label.named];
  return (*side.attribution.programs[label.program].hlo)[label.instruction].name;
}

/// A device as two captures can agree on it.
struct Place {
  std::uint32_t host;  ///< In order of host names.
  int ordinal;
  auto operator<=>(const Place&) const = default;
};

/// An execution of a program on a device: its events in launch order.
using ExecutionKey = std::tuple<std::uint32_t, Place, std::uint32_t>;  // program, device, ordinal
struct Executions {
  std::map<ExecutionKey, std::vector<std::size_t>> events;
  std::map<Place, DeviceId> devices;
};

Executions executions_of(const Side& side, const AttributeOptions& options) {
  Executions found;
  const Events& events = side.trace.events;
  for (const Lane& lane : side.trace.lanes) {
    if (lane.kind != LaneKind::stream || lane.device == DeviceId::none) continue;
    const Device& device = side.trace.devices[static_cast<std::size_t>(lane.device)];
    const Place place{static_cast<std::uint32_t>(device.host), device.ordinal};
    found.devices.emplace(place, lane.device);
    std::vector<std::size_t>* current = nullptr;
    ExecutionKey current_key;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const std::uint32_t program = side.attribution.labels[side.attribution.label[i]].program;
      const std::uint32_t execution = side.attribution.execution[i];
      if (program == kNone || execution == kNone) continue;
      if (options.program && side.attribution.programs[program].program_id != *options.program) {
        continue;
      }
      const ExecutionKey key(program, place, execution);
      if (current == nullptr || key != current_key) {
        current = &found.events[key];
        current_key = key;
      }
      current->push_back(i);
    }
  }
  const auto launch_key = [&](std::size_t i) {
    const std::uint64_t node = events.graph_node.empty() ? 0 : events.graph_node[i] & 0xffffffff;
    return std::tuple(events.correlation[i], node, events.begin[i], i);
  };
  for (auto& [key, list] : found.events) std::ranges::sort(list, {}, launch_key);
  return found;
}

/// Program here → program there.
std::map<std::uint32_t, std::uint32_t> pair_programs(const Side& here, const Executions& ran_here,
                                                     const Side& there, const Executions& ran_there,
                                                     std::vector<std::string>& unmatched) {
  using Name = std::pair<std::uint32_t, std::string_view>;  // Host, module.
  const auto by_name = [](const Side& side, const Executions& ran) {
    std::map<Name, std::vector<std::uint32_t>> programs;
    for (const auto& [key, events] : ran.events) {
      const AttributedProgram& program = side.attribution.programs[std::get<0>(key)];
      auto& list =
          programs[{static_cast<std::uint32_t>(program.host), side.trace.strings[program.module]}];
      if (list.empty() || list.back() != std::get<0>(key)) list.push_back(std::get<0>(key));
    }
    return programs;
  };
  const auto programs_there = by_name(there, ran_there);
  std::map<std::uint32_t, std::uint32_t> pairs;
  for (const auto& [name, programs] : by_name(here, ran_here)) {
    std::vector<std::uint32_t> free;
    if (const auto found = programs_there.find(name); found != programs_there.end()) {
      free = found->second;
    }
    std::vector<std::uint32_t> open;
    for (const std::uint32_t program : programs) {
      const auto same_id = std::ranges::find_if(free, [&](std::uint32_t candidate) {
        return there.attribution.programs[candidate].program_id ==
               here.attribution.programs[program].program_id;
      });
      if (same_id == free.end()) {
        open.push_back(program);
      } else {
        pairs[program] = *same_id;
        free.erase(same_id);
      }
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (i < free.size()) {
        pairs[open[i]] = free[i];
      } else {
        const AttributedProgram& program = here.attribution.programs[open[i]];
        unmatched.push_back(std::string(name.second) + '(' + program_id_text(program) + ')');
      }
    }
  }
  return pairs;
}

/// Names as numbers that mean the same on both sides.
class Names {
 public:
  std::uint32_t operator()(std::string_view name) {
    return ids_.emplace(name, static_cast<std::uint32_t>(ids_.size())).first->second;
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> ids_;
};

/// A kernel of an execution, by place in launch order.
struct Item {
  std::uint32_t kernel;
  std::uint32_t instruction;
  std::uint32_t position;
  std::size_t event;
};

class Numbered {
 public:
  Numbered(const Side& side, Names& names) : side_(side), names_(names) {
    for (std::uint32_t i = 0; i < side.attribution.labels.size(); ++i) {
      instructions_.push_back(names(instruction_name(side, i)));
    }
    kernels_.assign(side.trace.strings.size(), kNone);
  }

  std::vector<Item> items(const std::vector<std::size_t>& events) {
    std::vector<Item> items;
    items.reserve(events.size());
    for (const std::size_t event : events) {
      const StringId name = side_.trace.events.name[event];
      std::uint32_t& kernel = kernels_[static_cast<std::size_t>(name)];
      if (kernel == kNone) kernel = names_(side_.trace.strings[name]);
      items.push_back({kernel, instructions_[side_.attribution.label[event]],
                       static_cast<std::uint32_t>(items.size()), event});
    }
    return items;
  }

 private:
  const Side& side_;
  Names& names_;
  std::vector<std::uint32_t> instructions_;  // By label.
  std::vector<std::uint32_t> kernels_;       // By StringId; kNone until asked for.
};

class Comparison {
 public:
  Comparison(Check& result, Difference at) : result_(result), at_(at) {}

  void operator()(std::vector<Item> here, std::vector<Item> there) {
    if (std::ranges::equal(here, there, {}, &Item::kernel, &Item::kernel)) {
      one_to_one(here, there);
    } else {
      std::ranges::stable_sort(here, {}, &Item::kernel);
      std::ranges::stable_sort(there, {}, &Item::kernel);
      for (std::size_t i = 0, j = 0; i < here.size() || j < there.size();) {
        const std::uint32_t kernel =
            j == there.size()
                ? here[i].kernel
                : (i == here.size() ? there[j].kernel : std::min(here[i].kernel, there[j].kernel));
        const auto same = [&](const std::vector<Item>& items, std::size_t& at) {
          const std::size_t first = at;
          while (at < items.size() && items[at].kernel == kernel) ++at;
          return std::vector<Item>(items.begin() + static_cast<std::ptrdiff_t>(first),
                                   items.begin() + static_cast<std::ptrdiff_t>(at));
        };
        const std::vector<Item> some_here = same(here, i);
        const std::vector<Item> some_there = same(there, j);
        if (some_here.size() == some_there.size() ||
            some_here.size() * some_there.size() > kMostCells) {
          one_to_one(some_here, some_there);
        } else {
          align(some_here, some_there);
        }
      }
    }
  }

 private:
  void one_to_one(const std::vector<Item>& here, const std::vector<Item>& there) {
    for (std::size_t i = 0; i < std::max(here.size(), there.size()); ++i) {
      add(i < here.size() ? &here[i] : nullptr, i < there.size() ? &there[i] : nullptr);
    }
  }

  /// Longest common subsequence of instructions: what is left over was lost on one side.
  void align(const std::vector<Item>& here, const std::vector<Item>& there) {
    const std::size_t width = there.size() + 1;
    std::vector<std::uint32_t> best((here.size() + 1) * width, 0);
    for (std::size_t i = here.size(); i-- > 0;) {
      for (std::size_t j = there.size(); j-- > 0;) {
        best[i * width + j] = here[i].instruction == there[j].instruction
                                  ? best[(i + 1) * width + j + 1] + 1
                                  : std::max(best[(i + 1) * width + j], best[i * width + j + 1]);
      }
    }
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < here.size() && j < there.size()) {
      if (here[i].instruction == there[j].instruction) {
        add(&here[i++], &there[j++]);
      } else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) {
        add(&here[i++], nullptr);
      } else {
        add(nullptr, &there[j++]);
      }
    }
    while (i < here.size()) add(&here[i++], nullptr);
    while (j < there.size()) add(nullptr, &there[j++]);
  }

  void add(const Item* here, const Item* there) {
    if (here != nullptr && there != nullptr) {
      ++result_.kernels;
      if (here->instruction == there->instruction && here->kernel == there->kernel) {
        ++result_.agree;
        return;
      }
    } else {
      ++(here != nullptr ? result_.only_here : result_.only_there);
    }
    Difference difference = at_;
    difference.position = here != nullptr ? here->position : there->position;
    difference.here = here != nullptr ? here->event : kAbsent;
    difference.there = there != nullptr ? there->event : kAbsent;
    result_.differences.push_back(difference);
  }

  Check& result_;
  Difference at_;
};

}  // namespace

Check check(const Side& here, const Side& there, const AttributeOptions& options) {
  Check result;
  const Executions ran_here = executions_of(here, options);
  const Executions ran_there = executions_of(there, {});  // Ids may differ between captures.
  const auto pairs = pair_programs(here, ran_here, there, ran_there, result.unmatched_programs);

  Names names;
  Numbered numbered_here(here, names);
  Numbered numbered_there(there, names);
  for (const auto& [key, events] : ran_here.events) {
    const auto& [program, place, execution] = key;
    const auto pair = pairs.find(program);
    if (pair == pairs.end()) continue;
    const auto other = ran_there.events.find({pair->second, place, execution});
    if (other == ran_there.events.end()) {
      ++result.executions_only_here;
      continue;
    }
    ++result.executions;
    const std::size_t first = result.differences.size();
    Comparison compare(
        result, {.program = program, .device = ran_here.devices.at(place), .execution = execution});
    compare(numbered_here.items(events), numbered_there.items(other->second));
    std::ranges::stable_sort(result.differences.begin() + static_cast<std::ptrdiff_t>(first),
                             result.differences.end(), {}, &Difference::position);
  }
  for (const auto& [program, other] : pairs) {
    for (auto at =
             ran_there.events.lower_bound({other, Place{0, std::numeric_limits<int>::min()}, 0});
         at != ran_there.events.end() && std::get<0>(at->first) == other; ++at) {
      const auto& [id, place, execution] = at->first;
      if (!ran_here.events.contains({program, place, execution})) ++result.executions_only_there;
    }
  }
  return result;
}

void write_check_csv(const Check& check, const Side& here, const Side& there, std::ostream& out) {
  CsvWriter csv(out);
  for (const std::string_view name :
       {"host", "program_id", "module", "device", "execution", "position", "kernel_here",
        "instruction_here", "kernel_there", "instruction_there"}) {
    csv.cell(name);
  }
  csv.end_row();
  const auto event = [&](const Side& side, std::size_t at) {
    if (at == kAbsent) {
      csv.cell();
      csv.cell();
      return;
    }
    csv.cell(side.trace.strings[side.trace.events.name[at]]);
    csv.cell(instruction_name(side, side.attribution.label[at]));
  };
  for (const Difference& difference : check.differences) {
    const AttributedProgram& program = here.attribution.programs[difference.program];
    csv.cell(here.trace.strings[here.trace.hosts[static_cast<std::size_t>(program.host)].name]);
    csv.cell(program_id_text(program));
    csv.cell(here.trace.strings[program.module]);
    csv.cell(device_name(here.trace, difference.device));
    csv.cell(difference.execution);
    csv.cell(difference.position);
    event(here, difference.here);
    event(there, difference.there);
    csv.end_row();
  }
}

}  // namespace jaxtrace
