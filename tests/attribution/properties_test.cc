// What must hold whatever the program: checked on random ones.  A failure prints its seed.
#include <array>
#include <sstream>

#include "attribution/scenario.h"
#include "commands/attribute/kernels_csv.h"
#include "commands/attribute/made_up.h"
#include "commands/attribute/scopes.h"
#include "hlo/schedule.h"
#include "jaxtrace/report.h"
#include "proto/xplane.pb.h"
#include "support/capture.h"

namespace jaxtrace::synth {
namespace {

constexpr std::uint64_t kSeeds = 100;

std::string seed_text(std::uint64_t seed) {
  return "seed " + std::to_string(seed);
}

/// Two programs, random trees, on a style and a number of devices that the seed picks.
Recording random_recording(std::uint64_t seed, int size = 25) {
  Random random(seed, "programs");
  const Program a = small_program("jit_a", random_nodes(random, size));
  const Program b = small_program("jit_b", random_nodes(random, size / 2), {.program_id = 19});
  const Style style = std::array{Style::cuda, Style::rocm, Style::roctracer}[seed % 3];
  return simulate({a, b}, {.style = style,
                           .devices = 1 + static_cast<int>(seed % 2),
                           .steps = 2,
                           .seed = seed,
                           .node_ids = seed % 4 < 2,
                           .most_trips = 3});
}

Recording damaged_recording(std::uint64_t seed) {
  Recording recording = random_recording(seed);
  drop_events(recording, 0.1, seed);
  add_foreign_copies(recording, 2, seed);
  if (seed % 2 == 0) strip_hlo_op(recording);
  return recording;
}

TEST(AttributeProperties, NothingMissingNothingWrong) {
  std::int64_t kernels = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Judged result = judged(random_recording(seed));
    EXPECT_EQ(result.verdict.wrong, 0) << seed_text(seed) << ": " << result.verdict;
    EXPECT_EQ(result.verdict.absent, 0) << seed_text(seed);
    kernels += result.verdict.events;
  }
  EXPECT_GT(kernels, 10'000);
}

/// Every table, as bytes, but the columns of kernels.csv that hold times of day.
struct Outputs {
  std::string kernels, tables;
};

Outputs outputs(const std::string& xspace) {
  const Judged result = judged(xspace, {});
  const Ops ops = find_ops(result.trace, result.attribution);
  const Counted counted = counted_labels(result.attribution, {});
  const Sums sums = add_up(result.trace, result.attribution, ops, counted);
  const Measured measured{result.trace, result.attribution, ops, sums};
  std::ostringstream kernels, tables;
  write_kernels_csv(result.trace, result.attribution, ops, counted, true, kernels);
  for (const Table& table : {ops_table(measured), lines_table(measured), scopes_table(measured),
                             how_table(measured), fusions_table(measured)}) {
    write_csv(table, tables);
  }
  return {kernels.str(), tables.str()};
}

TEST(AttributeProperties, OrderInTheFileDoesNotMatter) {
  for (std::uint64_t seed = 1; seed <= kSeeds; seed += 5) {
    const std::string bytes = xspace_bytes(damaged_recording(seed));
    const Outputs first = outputs(bytes);
    const Outputs again = outputs(bytes);
    EXPECT_TRUE(first.kernels == again.kernels && first.tables == again.tables)
        << "two runs differ, " << seed_text(seed);
    const pb::XSpace space = [&] {
      pb::XSpace parsed;
      parsed.ParseFromString(bytes);
      return parsed;
    }();
    const Outputs moved = outputs(bytes_of(shuffled(space, static_cast<std::uint32_t>(seed))));
    EXPECT_TRUE(first.kernels == moved.kernels) << seed_text(seed);
    EXPECT_EQ(first.tables, moved.tables) << seed_text(seed);
  }
}

TEST(AttributeProperties, ALaterSessionChangesOnlyStartTimes) {
  for (std::uint64_t seed = 2; seed <= kSeeds; seed += 10) {
    const Recording recording = damaged_recording(seed);
    Judged plain = judged(recording);
    const Judged later = judged(recording, {}, {.shift_ns = 123'456});
    ASSERT_EQ(plain.answers.size(), later.answers.size());
    for (std::size_t i = 0; i < plain.answers.size(); ++i) {
      const Answer &a = plain.answers[i], &b = later.answers[i];
      EXPECT_EQ(a.start_ps + 123'456'000, b.start_ps);
      EXPECT_TRUE(a.op == b.op && a.match == b.match && a.rule == b.rule &&
                  a.confidence == b.confidence && a.execution == b.execution)
          << a.op << " and " << b.op << ", " << seed_text(seed);
    }
    EXPECT_EQ(outputs(xspace_bytes(recording)).tables,
              outputs(xspace_bytes(recording, {.shift_ns = 123'456})).tables);
  }
}

TEST(AttributeProperties, EveryTableHoldsAllTimeAndAllKernels) {
  for (std::uint64_t seed = 1; seed <= kSeeds; seed += 4) {
    SCOPED_TRACE(seed_text(seed));
    Recording recording = damaged_recording(seed);
    if (seed % 3 == 0) recording.programs[1].hlo.clear();
    std::int64_t ps = 0, kernels = 0;
    each_event(recording, [&](const DeviceEvent& event) {
      ps += event.duration_ps;
      ++kernels;
    });
    const Judged result = judged(recording);
    const Ops ops = find_ops(result.trace, result.attribution);
    const Counted counted = counted_labels(result.attribution, {});
    const Sums sums = add_up(result.trace, result.attribution, ops, counted);
    const Measured measured{result.trace, result.attribution, ops, sums};
    EXPECT_EQ(sums.all.total_ps, ps);
    EXPECT_EQ(sums.all.kernels, kernels);
    for (const Table& table : {ops_table(measured), lines_table(measured), how_table(measured)}) {
      EXPECT_EQ(test::sum_of(table, "total_ps"), ps) << table.id;
      EXPECT_EQ(test::sum_of(table, "kernels"), kernels) << table.id;
    }
    EXPECT_EQ(test::sum_of(scopes_table(measured), "self_ps"), ps);
    std::int64_t by_match = 0;
    for (const char* column : {"exact_ps", "name_ps", "order_ps"}) {
      by_match += test::sum_of(ops_table(measured), column);
    }
    std::int64_t none = 0;
    for (const Answer& answer : result.answers) {
      if (answer.match == Match::none) none += answer.duration_ps;
    }
    EXPECT_EQ(by_match + none, ps);
  }
}

/// Own kernels and instructions of a program: what may run what.
struct Rules {
  std::set<std::string> kernels;                          ///< Names that XLA gave,
  std::set<std::pair<std::string, std::string>> allowed;  ///< and (kernel, instruction) pairs.
  std::set<std::string> silent;                           ///< Instructions without device work.
};

Rules rules_of(const hlo::Program& program) {
  Rules rules;
  for (const hlo::Slot& slot : hlo::build_schedule(program).slots) {
    if (slot.kernel_name.empty()) continue;
    rules.kernels.insert(slot.kernel_name);
    rules.allowed.emplace(slot.kernel_name, program[slot.instruction].name);
  }
  for (const hlo::Instruction& instruction : program.instructions) {
    const std::string& op = instruction.opcode;
    if (op == "parameter" || op == "constant" || op == "bitcast" || op == "tuple" ||
        op == "get-tuple-element" || op.ends_with("-done")) {
      rules.silent.insert(instruction.name);
    }
  }
  return rules;
}

TEST(AttributeProperties, NoKernelGoesWhereItCannotBelong) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Judged result = judged(damaged_recording(seed));
    std::map<std::int64_t, Rules> rules;
    for (const AttributedProgram& program : result.attribution.programs) {
      if (program.hlo) rules[program.program_id] = rules_of(*program.hlo);
    }
    for (const Answer& answer : result.answers) {
      const auto row = static_cast<std::size_t>(result.trace.events.annotation[answer.event]);
      const std::int64_t said = result.trace.annotations[row].program_id;
      EXPECT_TRUE(said == -1 || said == answer.program_id)
          << "another program, " << seed_text(seed);
      if (answer.op.empty()) continue;
      const Rules& of = rules.at(answer.program_id);
      EXPECT_FALSE(of.silent.contains(answer.op)) << answer.op << ", " << seed_text(seed);
      std::string bare = answer.kernel;
      if (bare.ends_with(".kd")) bare.resize(bare.size() - 3);
      if (answer.match == Match::exact || !of.kernels.contains(bare)) continue;
      EXPECT_TRUE(of.allowed.contains({bare, answer.op}))
          << bare << " as " << answer.op << ", " << seed_text(seed);
    }
  }
}

TEST(AttributeProperties, LabelsNeverGoBackWithinAnExecution) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Random random(seed, "straight");
    std::vector<Node> nodes;
    std::map<std::string, std::size_t> place;
    while (nodes.size() < 12) {
      std::vector<Node> part;
      for (std::uint64_t i = 1 + random.below(6); i > 0; --i) {
        const std::string name = "f." + std::to_string(place.size());
        place.emplace(name, place.size());
        part.push_back(fusion(name, "body " + std::to_string(random.below(5))));
      }
      if (random.chance(0.6)) {
        nodes.push_back(graph(part));
      } else {
        nodes.insert(nodes.end(), part.begin(), part.end());
      }
    }
    Recording recording = simulate({small_program("jit_step", nodes)}, {.steps = 3, .seed = seed});
    drop_events(recording, 0.1, seed);
    strip_hlo_op(recording);
    const Judged result = judged(recording);
    std::size_t last = 0;
    std::uint32_t execution = kNone;
    for (const Answer& answer : result.answers) {
      // What no monotone explanation holds is labelled by its name alone, and says so.
      if (answer.op.empty() || answer.confidence <= 700) continue;
      const std::size_t at = place.at(answer.op);
      EXPECT_TRUE(execution != answer.execution || at > last)
          << answer.op << " after place " << last << ", " << seed_text(seed);
      last = at;
      execution = answer.execution;
    }
  }
}

}  // namespace
}  // namespace jaxtrace::synth
