// Rates from counts: the number of instances is what goes wrong first, so most tests are about it.
#include "investigation/roofline.h"

#include <gtest/gtest.h>

#include <string>

#include "jaxtrace/readers.h"
#include "proto/hlo.pb.h"
#include "support/capture.h"
#include "support/mutate.h"
#include "support/simulate.h"
#include "support/small_program.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

using synth::fusion;
using synth::gemm;
using synth::loop;

/// Gives every GEMM call of a small program the shape of a product: x · x over all 1,024 elements,
/// once for each element of its result.
synth::Program with_products(synth::Program program) {
  pb::HloProto proto;
  proto.ParseFromString(program.hlo);
  for (auto& computation : *proto.mutable_hlo_module()->mutable_computations()) {
    for (auto& i : *computation.mutable_instructions()) {
      if (!i.custom_call_target().starts_with("__cublas$")) continue;
      i.add_operand_ids(i.operand_ids(0));
      i.set_backend_config(R"({"operation_queue_id":"0","gemm_backend_config":{)"
                           R"("dot_dimension_numbers":{"lhs_contracting_dimensions":["0"]}}})");
    }
  }
  program.hlo = proto.SerializeAsString();
  return program;
}
constexpr std::int64_t kGemmFlops = 2 * 1024 * 1024;

struct Analysed {
  Trace trace;
  Attribution attribution;
  Ops ops;
  Roofline roofline;

  const RooflineRow& of(const std::string& instruction) const {
    for (const RooflineRow& row : roofline.rows) {
      if (ops.rows[row.op].name == instruction) return row;
    }
    throw std::runtime_error("no row for " + instruction);
  }
};

Analysed analysed(Trace trace, const RooflineOptions& options = {}) {
  Analysed all{std::move(trace), {}, {}, {}};
  all.attribution = attribute(all.trace);
  all.ops = find_ops(all.trace, all.attribution);
  all.roofline = find_roofline(all.trace, all.attribution, all.ops, options);
  return all;
}

Analysed analysed(const synth::Recording& recording, const RooflineOptions& options = {}) {
  return analysed(read_bytes(synth::xspace_bytes(recording)), options);
}

synth::Recording run(const std::vector<synth::Node>& nodes,
                     const synth::SimulationOptions& options = {}) {
  return synth::simulate({with_products(synth::small_program("jit_step", nodes))}, options);
}

TEST(RooflineInstances, OutsideLoopsAreTheExecutionsHoweverManyKernels) {
  const auto all = analysed(run({fusion("a"), gemm("dot.7", {"gemm_main", "split_k_reduce"})},
                                {.devices = 2, .steps = 5}));
  const RooflineRow& dot = all.of("dot.7");
  EXPECT_EQ(dot.kernels, 20);
  EXPECT_EQ(dot.instances, 10);
  EXPECT_EQ(text(dot.by), "executions");
  EXPECT_FALSE(dot.uneven);
  EXPECT_EQ(dot.flops, 10 * kGemmFlops);
  EXPECT_EQ(dot.bytes, 10 * 3 * 4096);
  EXPECT_EQ(all.of("a").instances, 10);
}

TEST(RooflineInstances, InLoopsAreAsManyAsTheKernelsOfXlasOwnBeside) {
  const auto all = analysed(
      run({fusion("a"),
           loop("while.3", std::nullopt,
                {fusion("b"), gemm("dot.7", {"gemm_main", "split_k_reduce"}), fusion("c", "other")},
                {fusion("test")})},
          {.steps = 6, .least_trips = 7, .most_trips = 9}));
  const RooflineRow& b = all.of("b");
  EXPECT_EQ(b.instances, b.kernels);
  EXPECT_EQ(text(b.by), "kernels");
  const RooflineRow& dot = all.of("dot.7");
  EXPECT_EQ(dot.kernels, 2 * b.instances);
  EXPECT_EQ(dot.instances, b.instances);
  EXPECT_EQ(text(dot.by), "neighbours");
  EXPECT_EQ(dot.flops, b.instances * kGemmFlops);
}

TEST(RooflineInstances, WithoutNeighboursTheTripCountSaysIt) {
  const auto nodes = [](std::optional<std::uint64_t> trips) {
    return std::vector{
        fusion("a"),
        loop("while.1", 3U,
             {loop("while.3", trips, {gemm("dot.7", {"gemm_main", "split_k_reduce"})})})};
  };
  const auto known = analysed(run(nodes(4), {.steps = 2}));
  EXPECT_EQ(known.of("dot.7").kernels, 2 * 3 * 4 * 2);
  EXPECT_EQ(known.of("dot.7").instances, 2 * 3 * 4);
  EXPECT_EQ(text(known.of("dot.7").by), "trips");

  const auto guessed = analysed(run(nodes(std::nullopt), {.steps = 2}));
  EXPECT_EQ(guessed.of("dot.7").instances, guessed.of("dot.7").kernels / 2);
  EXPECT_EQ(text(guessed.of("dot.7").by), "guess");
}

TEST(RooflineInstances, ALostKernelIsSaidNotCounted) {
  synth::Recording recording =
      run({fusion("a"), gemm("dot.7", {"gemm_main", "split_k_reduce"}), fusion("b", "other")},
          {.steps = 5});
  bool gone = false;
  for (auto& line : recording.devices[0].lines) {
    std::erase_if(line.events, [&](const synth::DeviceEvent& event) {
      const bool hit = !gone && recording.strings[event.kernel] == "split_k_reduce";
      gone = gone || hit;
      return hit;
    });
  }
  ASSERT_TRUE(gone);
  const auto all = analysed(recording);
  EXPECT_EQ(all.of("dot.7").kernels, 9);
  EXPECT_EQ(all.of("dot.7").instances, 5);
  EXPECT_TRUE(all.of("dot.7").uneven);
  EXPECT_FALSE(all.of("a").uneven);
}

TEST(Roofline, TimeIsRooflinedOrLeftOutForAReason) {
  const auto all = analysed(run(
      {fusion("a"), gemm("dot.7"), synth::copy("copy.1"), synth::custom("call.9", "my_ffi", {"k1"}),
       synth::collective("all-reduce.3", "all-reduce")},
      {.devices = 2, .steps = 3}));
  EXPECT_FALSE(all.of("dot.7").left_out);
  EXPECT_EQ(all.of("copy.1").left_out, NotRooflined::copy);
  EXPECT_EQ(all.of("call.9").left_out, NotRooflined::unknown_cost);
  EXPECT_FALSE(all.of("call.9").flops) << "unknown, not 0";
  EXPECT_EQ(all.of("all-reduce.3").left_out, NotRooflined::collective);
  EXPECT_EQ(all.of("all-reduce.3").bound, std::nullopt);
  Picoseconds sum = all.roofline.rooflined, events{0};
  for (const Picoseconds part : all.roofline.left_out) sum += part;
  for (std::size_t i = 0; i < all.trace.device_events; ++i) events += all.trace.events.duration[i];
  EXPECT_EQ(sum, all.roofline.all);
  EXPECT_EQ(sum, events);
  EXPECT_GT(all.roofline.left_out[static_cast<std::size_t>(NotRooflined::unknown_cost)].count(), 0);
}

TEST(Roofline, SharesAreOfThePeaksOfTheMachine) {
  const auto all = analysed(run({fusion("a"), gemm("dot.7")}));
  ASSERT_TRUE(all.roofline.machine) << all.roofline.no_machine;
  EXPECT_EQ(all.roofline.machine->name, "H100 SXM");
  const RooflineRow& dot = all.of("dot.7");
  const double seconds = static_cast<double>(dot.total.count()) * 1e-12;
  EXPECT_DOUBLE_EQ(*dot.flops_per_s, static_cast<double>(*dot.flops) / seconds);
  EXPECT_DOUBLE_EQ(*dot.intensity,
                   static_cast<double>(*dot.flops) / static_cast<double>(*dot.bytes));
  EXPECT_NEAR(*dot.memory_share, *dot.bytes_per_s / 3.35e12, 1e-9);
  EXPECT_EQ(dot.bound, Roof::compute);
  EXPECT_EQ(dot.peak_share(), dot.compute_share);

  const auto chosen =
      analysed(run({fusion("a"), gemm("dot.7")}), {.machine = machine_named("MI300X")});
  EXPECT_TRUE(chosen.roofline.chosen);
  EXPECT_EQ(chosen.roofline.machine->name, "MI300X");
}

TEST(Roofline, KernelNamesSettleWhetherItIsTf32) {
  const auto precision = [](const char* kernel, std::optional<Machine> machine = {}) {
    const auto all = analysed(run({fusion("a"), gemm("dot.7", {kernel})}), {.machine = machine});
    const hlo::OpCost& cost = all.of("dot.7").cost;
    return std::string(hlo::text(cost.precision)) + (cost.precision_open ? "?" : "");
  };
  EXPECT_EQ(precision("sm90_xmma_gemm_f32f32_tf32f32_f32_nn"), "tf32");
  EXPECT_EQ(precision("ampere_sgemm_128x64_nn"), "f32");
  EXPECT_EQ(precision("cutlass_gemm"), "f32?");
  EXPECT_EQ(precision("cutlass_gemm", machine_named("MI355X")), "f32") << "there is no tf32";
}

TEST(Roofline, MoreThanThePeakIsSaid) {
  synth::Recording recording = run({fusion("a"), gemm("dot.7", {"sgemm"})});
  for (auto& line : recording.devices[0].lines) {
    for (auto& event : line.events) event.duration_ps = 1'000;  // 2 MFLOP in a nanosecond
  }
  const auto all = analysed(recording);
  EXPECT_GT(*all.of("dot.7").compute_share, 1) << "not cut off";
  ASSERT_EQ(all.roofline.findings.size(), 2U);
  EXPECT_EQ(all.roofline.findings[0].code, "flops-over-peak");
  EXPECT_EQ(all.roofline.findings[0].severity, Severity::error);
  EXPECT_NE(all.roofline.findings[0].message.find("dot.7"), std::string::npos);
  EXPECT_EQ(all.roofline.findings[1].code, "bytes-over-bandwidth");
  EXPECT_EQ(all.roofline.findings[1].severity, Severity::note);
}

TEST(Roofline, WithoutHloThereIsTimeButNoCost) {
  synth::Program program = synth::small_program("jit_step", {fusion("a"), gemm("dot.7")});
  program.hlo.clear();
  const auto all = analysed(synth::simulate({program}, {}));
  EXPECT_EQ(all.roofline.rooflined, Picoseconds{0});
  EXPECT_EQ(all.roofline.left_out[static_cast<std::size_t>(NotRooflined::no_hlo)],
            all.roofline.all);
  EXPECT_TRUE(all.roofline.findings.empty());
}

TEST(RooflineOfRealCaptures, CountsConvolutionsByExecution) {
  if (real_captures().empty()) GTEST_SKIP() << "JAXTRACE_CAPTURES is not set";
  const auto conv = analysed(read_capture(real_captures() / "jax-rocm/conv-mi300x-jax08"));
  const RooflineRow& row = conv.of("cudnn-conv.1");
  EXPECT_EQ(row.instances, 40) << "8 GPUs, 5 executions";
  EXPECT_EQ(row.kernels, 80) << "Im3d2Col and a GEMM";
  EXPECT_EQ(row.cost.flops, 32'715'571'200) << "XProf counts them for each of 79 kernels";
  EXPECT_EQ(row.flops, 40 * 32'715'571'200);

  const auto te = analysed(read_capture(real_captures() / "jax-rocm/te-attention-mi355x"));
  EXPECT_EQ(te.of("gemm_fusion_dot.1").instances, 5);
  const RooflineRow& attention = te.of("te_fused_attn_forward_ffi.10");
  EXPECT_EQ(attention.instances, 5) << "of two kernels each";
  EXPECT_TRUE(attention.cost.estimate);
  EXPECT_EQ(te.roofline.rooflined, te.roofline.all);
  Picoseconds attentions{0};
  for (const RooflineRow& each : te.roofline.rows) {
    if (te.ops.rows[each.op].name.starts_with("te_fused_attn")) attentions += each.total;
  }
  EXPECT_EQ(te.roofline.estimated, attentions);
  for (const RooflineRow& each : te.roofline.rows) {
    EXPECT_LE(each.peak_share().value_or(0), 1) << te.ops.rows[each.op].name;
  }
  EXPECT_TRUE(te.roofline.findings.empty());
}

}  // namespace
}  // namespace jaxtrace
