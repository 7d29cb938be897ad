// The predicted schedule against XLA's own thunk sequences, and on protos made to mislead it.
#include "hlo/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "proto/hlo.pb.h"
#include "support/xla_programs.h"

namespace jaxtrace::hlo {
namespace {

/// Thunks that launch nothing themselves.
bool is_container(const Thunk& thunk) {
  static const std::set<std::string, std::less<>> kKinds{
      "kCommandBuffer", "kWhile",      "kConditional",       "kAsyncStart",
      "kAsyncDone",     "kSequential", "kDynamicSliceFusion"};
  return kKinds.contains(thunk.kind);
}

Work work_of(const Thunk& thunk, Work otherwise) {
  static const std::map<std::string, Work, std::less<>> kWork{{"kCustomKernel", Work::own_kernel},
                                                              {"kKernel", Work::own_kernel},
                                                              {"kCublasLtMatmul", Work::gemm},
                                                              {"kGemm", Work::gemm},
                                                              {"kConvolution", Work::convolution},
                                                              {"kCopy", Work::copy},
                                                              {"kFft", Work::library},
                                                              {"kPartitionId", Work::fill},
                                                              {"kAllReduce", Work::collective},
                                                              {"kAllGather", Work::collective},
                                                              {"kAllToAll", Work::collective},
                                                              {"kReduceScatter", Work::collective}};
  const auto found = kWork.find(thunk.kind);
  return found == kWork.end() ? otherwise : found->second;
}

/// The conditions of loops with a known trip count are compiled, but not run.
bool never_runs(const Thunk& thunk, const std::set<std::string>& counted_loops) {
  return std::ranges::any_of(counted_loops, [&](const std::string& loop) {
    const std::string part = loop + ":condition";
    const std::size_t at = thunk.where.find(part);
    return at != std::string::npos && (at == 0 || thunk.where[at - 1] == '/');
  });
}

std::set<std::string> counted_loops(const Program& program, const Schedule& schedule) {
  std::set<std::string> names;
  for (const Node& node : schedule.nodes) {
    if (node.of == Node::Of::loop && node.trips) names.insert(program[node.instruction].name);
  }
  return names;
}

/// The numbers in the goldens of jax 0.4 are those of the folder's maker, not of XLA.
bool has_xla_numbers(std::string_view program) {
  return program.find("jax0435") == std::string_view::npos;
}

using Row = std::tuple<std::string, std::string, std::uint32_t>;  // instruction, kernel, thunk

class XlaSequence : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(XlaSequence, EveryLaunchIsPredictedInOrderWithItsKernelAndNumber) {
  const XlaProgram truth = read_program(GetParam());
  const auto program = parse_program(truth.hlo);
  ASSERT_TRUE(program);
  const Schedule schedule = build_schedule(*program);
  const bool numbers = has_xla_numbers(truth.name);

  const std::set<std::string> loops = counted_loops(*program, schedule);
  std::vector<Thunk> thunks;
  for (const Thunk& thunk : truth.thunks) {
    if (!is_container(thunk) && !never_runs(thunk, loops)) thunks.push_back(thunk);
  }
  std::vector<Row> expected;
  for (const Thunk& thunk : thunks) {
    expected.emplace_back(thunk.instruction, thunk.kernel, numbers ? thunk.id : 0);
  }
  // thunks.csv leaves out the copy before a triangular solve, whose container it flattens.
  std::set<std::uint32_t> known;
  for (const Thunk& thunk : truth.thunks) known.insert(thunk.id);
  const bool flattened = std::ranges::count(truth.thunks, "kSequential", &Thunk::kind) > 0;
  std::vector<Row> predicted;
  std::vector<Work> works;
  for (const Slot& slot : schedule.slots) {
    if (slot.work == Work::host_copy) continue;  // the predicates of loops and conditionals
    if (flattened && !known.contains(slot.thunk)) continue;
    const bool named = slot.work == Work::own_kernel;
    predicted.emplace_back((*program)[slot.instruction].name, named ? slot.kernel_name : "",
                           numbers ? slot.thunk : 0);
    works.push_back(slot.work);
  }
  ASSERT_EQ(predicted, expected);
  for (std::size_t i = 0; i < thunks.size(); ++i) {
    EXPECT_EQ(works[i], work_of(thunks[i], works[i])) << thunks[i].instruction;
  }
}

TEST_P(XlaSequence, LoopsAndConditionalsHaveXlasNumbers) {
  const XlaProgram truth = read_program(GetParam());
  if (!has_xla_numbers(truth.name)) GTEST_SKIP() << "no numbers of XLA's in this golden";
  const auto program = parse_program(truth.hlo);
  ASSERT_TRUE(program);
  std::map<std::string, std::uint32_t> predicted;
  for (const Node& node : build_schedule(*program).nodes) {
    if (node.of == Node::Of::loop || node.of == Node::Of::branch) {
      predicted[(*program)[node.instruction].name] = node.thunk;
    }
  }
  for (const Thunk& thunk : truth.thunks) {
    if (thunk.kind != "kWhile" && thunk.kind != "kConditional") continue;
    EXPECT_EQ(predicted[thunk.instruction], thunk.id) << thunk.instruction;
  }
}

TEST_P(XlaSequence, CommandBuffersAreNumberedAfterTheirFirstLaunch) {
  const XlaProgram truth = read_program(GetParam());
  const auto program = parse_program(truth.hlo);
  ASSERT_TRUE(program);
  std::set<std::uint32_t> numbers;
  for (const Slot& slot : build_schedule(*program).slots) numbers.insert(slot.thunk);
  constexpr std::string_view kPrefix = "command_buffer_";
  for (const Thunk& thunk : truth.thunks) {
    if (thunk.kind != "kCommandBuffer" || !thunk.instruction.starts_with(kPrefix)) continue;
    // A buffer may also begin with a loop or conditional, which has no slot.
    const auto number = static_cast<std::uint32_t>(std::stoul(thunk.instruction.substr(15)));
    const auto first = std::ranges::find(truth.thunks, number, &Thunk::id);
    ASSERT_NE(first, truth.thunks.end());
    if (is_container(*first)) continue;
    EXPECT_TRUE(numbers.contains(number)) << thunk.instruction;
  }
}

std::string test_name(const testing::TestParamInfo<std::filesystem::path>& info) {
  std::string name = info.param.filename();
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Programs, XlaSequence, testing::ValuesIn(program_folders()), test_name);

TEST(XlaSequenceData, GoldensAreThere) {
  if (std::getenv("JAXTRACE_CAPTURES") == nullptr) {
    GTEST_SKIP() << "JAXTRACE_CAPTURES is not set: only the programs of testdata/ were tried";
  }
  EXPECT_GE(program_folders().size(), 10U);
}

// ---- Programs made here

/// Builds modules instruction by instruction; ids are positions.
struct ModuleBuilder {
  pb::HloProto proto;
  std::int64_t next_id = 1;

  pb::HloComputationProto& computation(const std::string& name) {
    auto& c = *proto.mutable_hlo_module()->add_computations();
    c.set_name(name);
    c.set_id(proto.hlo_module().computations_size());
    proto.mutable_hlo_module()->set_entry_computation_id(c.id());
    return c;
  }
  pb::HloInstructionProto& add(pb::HloComputationProto& c, const std::string& opcode,
                               const std::string& name) {
    auto& i = *c.add_instructions();
    i.set_name(name);
    i.set_opcode(opcode);
    i.set_id(next_id++);
    i.mutable_shape()->set_element_type(11);  // F32
    c.set_root_id(i.id());
    return i;
  }
  Program parse() const {
    auto program = parse_program(proto.SerializeAsString());
    EXPECT_TRUE(program);
    return std::move(program).value_or(Program{});
  }
};

void set_predicate(pb::HloInstructionProto& i) {
  i.mutable_shape()->set_element_type(1);
}

std::vector<std::string> names(const Program& program, const Schedule& schedule) {
  std::vector<std::string> out;
  for (const Slot& slot : schedule.slots) out.push_back(program[slot.instruction].name);
  return out;
}

/// A loop over one FFT, whose condition also launches one.
ModuleBuilder loop_module(const std::string& backend_config) {
  ModuleBuilder m;
  auto& condition = m.computation("condition");
  m.add(condition, "fft", "test_work");
  set_predicate(m.add(condition, "parameter", "predicate"));
  const std::int64_t condition_id = condition.id();
  auto& body = m.computation("body");
  m.add(body, "fft", "body_work");
  const std::int64_t body_id = body.id();
  auto& entry = m.computation("entry");
  auto& loop = m.add(entry, "while", "while.1");
  loop.add_called_computation_ids(body_id);
  loop.add_called_computation_ids(condition_id);
  loop.set_backend_config(backend_config);
  m.add(entry, "fft", "after");
  return m;
}

TEST(Schedule, LoopOfKnownTripCountLeavesItsConditionOut) {
  for (const char* config : {R"({"known_trip_count":{"n":"12"},"dynamic_variables":[]})",
                             R"({ "known_trip_count" : { "n" : 12 }, "dynamic_variables":[] })"}) {
    const Program program = loop_module(config).parse();
    const Schedule schedule = build_schedule(program);
    EXPECT_EQ(names(program, schedule), (std::vector<std::string>{"body_work", "after"}));
    const auto loop = std::ranges::find(schedule.nodes, Node::Of::loop, &Node::of);
    ASSERT_NE(loop, schedule.nodes.end());
    EXPECT_EQ(loop->trips, 12U);
    // Numbers count the condition's thunk all the same: the loop 1, its test 2, its body 3.
    EXPECT_EQ(loop->thunk, 1U);
    EXPECT_EQ(schedule.slots[0].thunk, 3U);
    EXPECT_EQ(schedule.slots[1].thunk, 4U);
  }
}

TEST(Schedule, LoopOfUnknownTripCountTestsAndCopiesThePredicateFirst) {
  for (const char* config : {"", "{}", R"({"known_trip_count":{"n":"x"}})", "known_trip_count"}) {
    const Program program = loop_module(config).parse();
    const Schedule schedule = build_schedule(program);
    EXPECT_EQ(names(program, schedule),
              (std::vector<std::string>{"test_work", "while.1", "body_work", "after"}));
    EXPECT_EQ(schedule.slots[1].work, Work::host_copy);
    EXPECT_EQ(schedule.slots[1].bytes, 1);
  }
}

TEST(Schedule, CommandBufferOfTheHloIsAGraph) {
  ModuleBuilder m;
  auto& buffer = m.computation("command_buffer.3");
  m.add(buffer, "fft", "inside");
  const std::int64_t id = buffer.id();
  auto& entry = m.computation("entry");
  m.add(entry, "call", "call.7").add_called_computation_ids(id);
  const Program program = m.parse();
  const Schedule schedule = build_schedule(program);
  const auto graph = std::ranges::find(schedule.nodes, Node::Of::graph, &Node::of);
  ASSERT_NE(graph, schedule.nodes.end());
  EXPECT_EQ(program[graph->instruction].name, "call.7");
  EXPECT_EQ(graph->children.size(), 1U);
  EXPECT_EQ(names(program, schedule), std::vector<std::string>{"inside"});
}

TEST(Schedule, CollectiveOfGroupsOfOneIsACopy) {
  // Since jax 0.10 it stands in a start thunk and has a done all the same.
  for (const auto& [config, number] :
       {std::pair<const char*, std::uint32_t>{R"({"operation_queue_id":"0"})", 4},
        {R"({"wait_on_operation_queues":[],"device_type":""})", 2}}) {
    ModuleBuilder m;
    auto& entry = m.computation("entry");
    const std::int64_t x = m.add(entry, "parameter", "x").id();
    auto& start = m.add(entry, "all-reduce-start", "all-reduce-start");
    start.add_operand_ids(x);
    start.add_replica_groups()->add_replica_ids(0);
    start.add_replica_groups()->add_replica_ids(1);
    start.set_backend_config(config);
    const std::int64_t start_id = start.id();
    m.add(entry, "all-reduce-done", "all-reduce-done").add_operand_ids(start_id);
    m.add(entry, "fft", "after");
    const Schedule schedule = build_schedule(m.parse());
    ASSERT_EQ(schedule.slots.size(), 2U);
    EXPECT_EQ(schedule.slots[0].work, Work::copy);
    EXPECT_EQ(schedule.slots[0].bytes, 4);
    EXPECT_EQ(schedule.slots[1].thunk, number);
  }
}

TEST(Schedule, SlotsAreTheLeavesFromLeftToRight) {
  for (const auto& folder : program_folders()) {
    const auto program = parse_program(read_program(folder).hlo);
    const Schedule schedule = build_schedule(*program);
    std::vector<std::uint32_t> leaves;
    std::vector<std::uint32_t> stack{0};
    while (!stack.empty()) {
      const Node& node = schedule.nodes[stack.back()];
      stack.pop_back();
      if (node.of == Node::Of::slot) leaves.push_back(node.slot);
      if (node.of == Node::Of::loop) {
        EXPECT_EQ(node.children.size(), 1U);
      }
      stack.insert(stack.end(), node.children.rbegin(), node.children.rend());
    }
    ASSERT_EQ(leaves.size(), schedule.slots.size()) << folder;
    EXPECT_TRUE(std::ranges::is_sorted(leaves)) << folder;
  }
}

// ---- Damage

TEST(Schedule, ComputationsInACircleEnd) {
  ModuleBuilder m;
  auto& entry = m.computation("entry");
  m.add(entry, "fft", "work");
  m.add(entry, "call", "again").add_called_computation_ids(entry.id());
  EXPECT_GE(build_schedule(m.parse()).slots.size(), 1U);
}

TEST(Schedule, CallsThatFanOutEnd) {
  ModuleBuilder m;  // 2^60 visits if nobody counted
  std::int64_t inner = 0;
  for (int depth = 0; depth < 60; ++depth) {
    auto& c = m.computation("c" + std::to_string(depth));
    for (int twice = 0; twice < 2; ++twice) {
      auto& call = m.add(c, "call", "call" + std::to_string(m.next_id));
      if (inner != 0) call.add_called_computation_ids(inner);
    }
    inner = c.id();
  }
  EXPECT_TRUE(build_schedule(m.parse()).slots.empty());
}

TEST(Schedule, FusionsThatContainThemselvesEnd) {
  ModuleBuilder m;
  auto& fused = m.computation("fused");
  auto& a = m.add(fused, "add", "a");
  a.add_operand_ids(a.id() + 1);
  auto& b = m.add(fused, "fusion", "b");
  b.add_operand_ids(a.id());
  b.add_called_computation_ids(fused.id());
  auto& entry = m.computation("entry");
  m.add(entry, "fusion", "f").add_called_computation_ids(fused.id());
  const Program program = m.parse();
  EXPECT_EQ(build_schedule(program).slots.size(), 1U);
}

TEST(Schedule, MissingRootsAndOperandsAreSurvived) {
  ModuleBuilder m;
  auto& empty = m.computation("empty");
  auto& entry = m.computation("entry");
  for (const char* opcode : {"while", "conditional", "call", "fusion", "async-start", "async-done",
                             "sort", "copy", "copy-start", "all-reduce-start", "all-gather-done",
                             "custom-call", "get-tuple-element", "tuple", "bitcast"}) {
    m.add(entry, opcode, std::string("bare ") + opcode);
    auto& i = m.add(entry, opcode, std::string("hollow ") + opcode);
    i.add_called_computation_ids(empty.id());
    i.add_operand_ids(i.id());  // itself
    i.set_backend_config(R"({"fusion_backend_config":{"kind":"__custom_fusion",
        "custom_fusion_config":{"name":"dynamic_slice_fusion"}}})");
  }
  EXPECT_FALSE(build_schedule(m.parse()).nodes.empty());
}

TEST(Schedule, MangledProtosAreSurvived) {
  const std::string whole = read_program(program_folders().front()).hlo;
  std::uint64_t state = 12345;
  const auto random = [&] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  };
  for (int round = 0; round < 200; ++round) {
    std::string bytes = whole;
    for (int flips = 0; flips < 1 + round % 7; ++flips) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (const auto program = parse_program(bytes)) build_schedule(*program);
  }
}

}  // namespace
}  // namespace jaxtrace::hlo
