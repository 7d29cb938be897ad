// The order of the search, the first that has a location wins:
//
//   1. the instruction's own metadata
//   2. the root of its fusion (or wrapped computation), or what produces the root's value
//   3. the costliest member with a location: dot, convolution, reduce, scatter, sort, transpose
//   4. a member on the line that most members share
//   5. (fusions only) what produces an operand, up to three steps away
//   6. (fusions only) what uses the result, likewise
//
// A copy that a layout pass put in has no line of its own and is left without: to invent one would
// make somebody's line look slow.
#include "hlo/provenance.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_set>

namespace jaxtrace::hlo {
namespace {

constexpr int kNeighbourSteps = 3;
constexpr std::size_t kMaxMembers = 100'000;  // Nested computations are walked, cycles are not.

bool is_valid(const Program& program, InstructionId id) {
  return static_cast<std::size_t>(id) < program.instructions.size();
}

/// The chain of frames of an instruction, innermost first; those that name no file are left out.
std::vector<Location> frames_of(const Program& program, const Instruction& instruction) {
  std::vector<Location> stack;
  std::unordered_set<FrameId> seen;  // A damaged file may hold a chain that bites its tail.
  for (FrameId id = instruction.frame; id >= 1 && id <= program.frames.size();) {
    if (!seen.insert(id).second) break;
    const Frame& frame = program.frames[id - 1];
    if (!frame.file.empty()) stack.push_back({frame.file, frame.line, frame.function});
    id = frame.parent;
  }
  return stack;
}

bool has_location(const Program& program, InstructionId id) {
  const Instruction& instruction = program[id];
  return !instruction.source_file.empty() || !frames_of(program, instruction).empty();
}

/// JAX puts the name of an argument where op_name would stand: "params['w']" on a parameter.
bool has_op_name(const Instruction& instruction) {
  return !instruction.op_name.empty() && instruction.opcode != "parameter";
}

bool wraps(const Instruction& instruction) {
  return instruction.opcode == "fusion" || instruction.opcode == "async-start" ||
         instruction.opcode == "call";
}

/// Whether a member computes something, and so counts among the lines that a fusion mixes.
bool computes(const Instruction& instruction) {
  constexpr std::array<std::string_view, 4> kPlumbing = {"tuple", "get-tuple-element", "bitcast",
                                                         "fusion"};
  return std::ranges::find(kPlumbing, instruction.opcode) == kPlumbing.end();
}

/// Instructions inside a fusion or a wrapper, those of nested fusions included, without parameters
/// and constants.
std::vector<InstructionId> members_of(const Program& program, InstructionId id) {
  std::vector<InstructionId> members;
  std::unordered_set<ComputationId> seen;
  std::vector<InstructionId> open{id};
  while (!open.empty() && members.size() < kMaxMembers) {
    const InstructionId at = open.back();
    open.pop_back();
    for (const ComputationId called : program[at].called) {
      if (static_cast<std::size_t>(called) >= program.computations.size()) continue;
      if (!seen.insert(called).second) continue;
      for (const InstructionId member : program[called].instructions) {
        const Instruction& inner = program[member];
        if (wraps(inner)) open.push_back(member);
        if (inner.opcode == "parameter" || inner.opcode == "constant") continue;
        members.push_back(member);
      }
    }
  }
  return members;
}

constexpr std::array<std::string_view, 6> kByCost = {"dot",     "convolution", "reduce",
                                                     "scatter", "sort",        "transpose"};

/// Rank of a member as the reason for a fusion's existence; lower is costlier.
std::size_t cost_rank(const Instruction& instruction) {
  return static_cast<std::size_t>(std::ranges::find(kByCost, instruction.opcode) - kByCost.begin());
}

class Search {
 public:
  Search(const Program& program, const UserTest& user) : program_(program), user_(user) {}

  Provenance operator()(InstructionId id) {
    Provenance found;
    if (!is_valid(program_, id)) return found;
    const Instruction& instruction = program_[id];
    const std::vector<InstructionId> members =
        wraps(instruction) ? members_of(program_, id) : std::vector<InstructionId>{};

    InstructionId source = InstructionId::none;
    if (has_location(program_, id)) {
      source = id;
      found.origin = Origin::own;
    } else if (source = member_with_location(instruction, members); source != InstructionId::none) {
      found.origin = Origin::member;
    } else if (instruction.opcode == "fusion") {
      source = neighbour_with_location(id);
      if (source != InstructionId::none) found.origin = Origin::inherited;
    }

    if (source != InstructionId::none) set_stack(found, program_[source]);
    found.op_name = op_name(instruction, members, source);
    found.phase = phase_of(found.op_name);
    count_lines(members, found);
    return found;
  }

 private:
  using Key = std::tuple<std::string, std::int32_t, std::string>;

  /// The stack of an instruction that has a location.  JAX picks a frame itself and writes it as
  /// source_file; it counts where the chain has no user code, for chains are cut at ten frames.
  std::vector<Location> stack_of(const Instruction& instruction) const {
    std::vector<Location> stack = frames_of(program_, instruction);
    if (instruction.source_file.empty() || std::ranges::any_of(stack, user_)) return stack;
    Location source{instruction.source_file, instruction.source_line, {}};
    if (stack.empty() || user_(source)) stack.push_back(std::move(source));
    return stack;
  }

  Location paying_frame(const std::vector<Location>& stack) const {
    const auto user = std::ranges::find_if(stack, user_);
    return user == stack.end() ? stack.front() : *user;
  }

  void set_stack(Provenance& found, const Instruction& source) const {
    found.stack = stack_of(source);
    found.primary = found.stack.front();
    found.library = std::ranges::none_of(found.stack, user_);
    found.user = paying_frame(found.stack);
  }

  /// `start` or the nearest producer of its value that has a location, breadth first.
  InstructionId nearest_producer(InstructionId start, int steps) const {
    std::vector<InstructionId> level{start};
    std::unordered_set<InstructionId> seen{start};
    for (int step = 0; step <= steps && !level.empty(); ++step) {
      std::vector<InstructionId> next;
      for (const InstructionId id : level) {
        // A parameter's own location is where the program was called, not where work was asked for.
        if (program_[id].opcode != "parameter" && has_location(program_, id)) return id;
        for (const InstructionId operand : program_[id].operands) {
          if (is_valid(program_, operand) && seen.insert(operand).second) next.push_back(operand);
        }
      }
      level = std::move(next);
    }
    return InstructionId::none;
  }

  InstructionId member_with_location(const Instruction& instruction,
                                     const std::vector<InstructionId>& members) {
    if (members.empty()) return InstructionId::none;
    const Computation& wrapped = program_[instruction.called.front()];
    if (is_valid(program_, wrapped.root)) {
      if (const auto id = nearest_producer(wrapped.root, 8); id != InstructionId::none) return id;
    }
    InstructionId hero = InstructionId::none;
    for (const InstructionId id : members) {
      if (!has_location(program_, id) || cost_rank(program_[id]) == kByCost.size()) continue;
      if (hero == InstructionId::none || cost_rank(program_[id]) < cost_rank(program_[hero])) {
        hero = id;
      }
    }
    return hero != InstructionId::none ? hero : on_commonest_line(members);
  }

  InstructionId on_commonest_line(const std::vector<InstructionId>& members) {
    struct Lines {
      std::uint32_t members = 0;
      InstructionId first = InstructionId::none;
    };
    std::map<Key, Lines> lines;
    for (const InstructionId id : members) {
      if (!has_location(program_, id)) continue;
      Lines& line = lines[key_of(id)];
      if (line.members++ == 0) line.first = id;
    }
    const auto most = std::ranges::max_element(
        lines, {}, [](const auto& line) { return line.second.members; });  // The first of equals.
    return most == lines.end() ? InstructionId::none : most->second.first;
  }

  InstructionId neighbour_with_location(InstructionId id) {
    if (const auto producer = nearest_producer(id, kNeighbourSteps);
        producer != InstructionId::none) {
      return producer;
    }
    return nearest_user(id);
  }

  /// The nearest user of a value that has a location, breadth first, as for producers.
  InstructionId nearest_user(InstructionId start) {
    if (users_.empty()) fill_users();
    std::vector<InstructionId> level{start};
    std::unordered_set<InstructionId> seen{start};
    for (int step = 0; step < kNeighbourSteps && !level.empty(); ++step) {
      std::vector<InstructionId> next;
      for (const InstructionId id : level) {
        for (const InstructionId user : users_[static_cast<std::size_t>(id)]) {
          if (has_location(program_, user)) return user;
          if (seen.insert(user).second) next.push_back(user);
        }
      }
      level = std::move(next);
    }
    return InstructionId::none;
  }

  void fill_users() {
    users_.resize(program_.instructions.size());
    for (std::size_t i = 0; i < program_.instructions.size(); ++i) {
      for (const InstructionId operand : program_.instructions[i].operands) {
        if (!is_valid(program_, operand)) continue;
        users_[static_cast<std::size_t>(operand)].push_back(static_cast<InstructionId>(i));
      }
    }
  }

  /// The instruction's own, else that of the member (or neighbour) whose line is taken, else the
  /// costliest member's.
  std::string op_name(const Instruction& instruction, const std::vector<InstructionId>& members,
                      InstructionId source) const {
    if (has_op_name(instruction)) return instruction.op_name;
    if (source != InstructionId::none && has_op_name(program_[source])) {
      return program_[source].op_name;
    }
    const Instruction* best = nullptr;
    for (const InstructionId id : members) {
      const Instruction& member = program_[id];
      if (has_op_name(member) && (best == nullptr || cost_rank(member) < cost_rank(*best))) {
        best = &member;
      }
    }
    return best == nullptr ? std::string() : best->op_name;
  }

  void count_lines(const std::vector<InstructionId>& members, Provenance& found) {
    std::map<Key, std::uint32_t> counts;
    for (const InstructionId id : members) {
      if (computes(program_[id]) && has_location(program_, id)) ++counts[key_of(id)];
    }
    const Key paid(found.user.file, found.user.line, found.user.function);
    for (const auto& [key, count] : counts) {
      if (key == paid) {
        found.user_members = count;
      } else {
        const auto& [file, line, function] = key;
        found.other_lines.push_back({{file, line, function}, count});
      }
    }
    std::ranges::stable_sort(found.other_lines, std::greater{}, &MemberLine::members);
  }

  /// The paying frame of an instruction that has a location.  Many share a frame, and a user's
  /// regular expression is slow.
  Key key_of(InstructionId id) {
    const Instruction& instruction = program_[id];
    const std::tuple at(instruction.frame, instruction.source_file, instruction.source_line);
    const auto known = paying_.find(at);
    if (known != paying_.end()) return known->second;
    const Location frame = paying_frame(stack_of(instruction));
    return paying_.emplace(at, Key(frame.file, frame.line, frame.function)).first->second;
  }

  const Program& program_;
  const UserTest& user_;
  std::vector<std::vector<InstructionId>> users_;  // Filled when first asked for.
  std::map<std::tuple<FrameId, std::string, std::int32_t>, Key> paying_;
};

}  // namespace

bool is_user_code(const Location& frame) {
  if (frame.file.empty() || frame.file.front() == '<') return false;
  std::string path = "/" + frame.file;
  std::ranges::replace(path, '\\', '/');
  constexpr std::array<std::string_view, 4> kLibraries = {"/site-packages/", "/dist-packages/",
                                                          "/jax/", "/jaxlib/"};
  return std::ranges::none_of(kLibraries, [&](std::string_view library) {
    return path.find(library) != std::string::npos;
  });
}

std::vector<Provenance> provenances(const Program& program,
                                    std::span<const InstructionId> instructions,
                                    const UserTest& user) {
  Search search(program, user);
  std::vector<Provenance> found;
  found.reserve(instructions.size());
  for (const InstructionId id : instructions) found.push_back(search(id));
  return found;
}

}  // namespace jaxtrace::hlo
