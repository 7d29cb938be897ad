// FLOPs and bytes of single instructions, worked out by hand.
#include "hlo/cost.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "support/hlo_lines.h"

namespace jaxtrace::hlo {
namespace {

using test::HloLines;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

TEST(CostOfDot, IsTwoForEachProductOfEachBatch) {
  HloLines hlo(R"(entry
    a = bf16[3,4,5] parameter
    b = bf16[3,5,6] parameter
    d = f32[3,4,6] dot a b)");
  auto& numbers = *hlo["d"].mutable_dot_dimension_numbers();
  numbers.add_lhs_batch_dimensions(0);
  numbers.add_rhs_batch_dimensions(0);
  numbers.add_lhs_contracting_dimensions(2);
  numbers.add_rhs_contracting_dimensions(1);
  const OpCost cost = hlo.cost("d");
  EXPECT_EQ(cost.flops, 2 * 3 * 4 * 5 * 6);
  EXPECT_EQ(cost.transcendentals, 0);
  EXPECT_EQ(cost.read_bytes, 2 * (3 * 4 * 5 + 3 * 5 * 6));
  EXPECT_EQ(cost.write_bytes, 4 * 3 * 4 * 6);
  EXPECT_EQ(cost.bytes, *cost.read_bytes + *cost.write_bytes);
  EXPECT_EQ(cost.precision, Precision::f16) << "by what is multiplied, not by the result";
  EXPECT_FALSE(cost.precision_open);
}

TEST(CostOfDot, PrecisionOfF32IsOpenUntilTheConfigurationSaysIt) {
  HloLines hlo(R"(entry
    a = f32[4,5] parameter
    b = f32[5,6] parameter
    d = f32[4,6] dot a b)");
  hlo["d"].mutable_dot_dimension_numbers()->add_lhs_contracting_dimensions(1);
  EXPECT_EQ(hlo.cost("d").precision, Precision::f32);
  EXPECT_TRUE(hlo.cost("d").precision_open);

  auto& config = *hlo["d"].mutable_precision_config();
  config.add_operand_precision(2);  // HIGHEST
  EXPECT_FALSE(hlo.cost("d").precision_open);
  config.clear_operand_precision();
  config.set_algorithm(9);  // ALG_DOT_TF32_TF32_F32
  EXPECT_EQ(hlo.cost("d").precision, Precision::tf32);
  config.set_algorithm(6);  // ALG_DOT_BF16_BF16_F32
  EXPECT_EQ(hlo.cost("d").precision, Precision::f16);
}

TEST(CostOfDot, OfMixedTypesIsOfTheWiderOne) {
  for (const auto& [lhs, rhs, expected] :
       {std::tuple("f8e4m3fn", "f8e4m3fn", Precision::f8), std::tuple("s8", "s8", Precision::i8),
        std::tuple("s4", "bf16", Precision::f16), std::tuple("f64", "f64", Precision::f64),
        std::tuple("f4e2m1fn", "f4e2m1fn", Precision::f4),
        std::tuple("s32", "s32", Precision::none)}) {
    HloLines hlo("entry\n a = " + std::string(lhs) + "[4,5] parameter\n b = " + rhs +
                 "[5,6] parameter\n d = f32[4,6] dot a b");
    hlo["d"].mutable_dot_dimension_numbers()->add_lhs_contracting_dimensions(1);
    EXPECT_EQ(text(hlo.cost("d").precision), text(expected)) << lhs << ' ' << rhs;
    EXPECT_EQ(hlo.cost("d").flops, 240);
  }
}

HloLines gemm_call(const std::string& config) {
  HloLines hlo(R"(entry
    a = bf16[4,5] parameter
    b = bf16[5,6] parameter
    d = (bf16[4,6], s8[4096]) custom-call a b)");
  hlo["d"].set_custom_call_target("__cublas$lt$matmul");
  hlo["d"].set_backend_config(config);
  return hlo;
}

TEST(CostOfLibraryCall, OfAGemmComesFromItsConfigurationWithoutTheScratch) {
  const auto hlo = gemm_call(
      R"({"operation_queue_id":"0","gemm_backend_config":{"mx_mode":3,"dot_dimension_numbers":{)"
      R"("lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"]}}})");
  EXPECT_EQ(hlo.cost("d").flops, 240);
  EXPECT_EQ(hlo.cost("d").write_bytes, 48);
  EXPECT_EQ(hlo.cost("d").read_bytes, 100);
  EXPECT_EQ(hlo.cost("d").precision, Precision::f16);
}

TEST(CostOfLibraryCall, IsUnknownWhereTheConfigurationIsDamaged) {
  for (
      const char* config :
      {"", "{", "[]", R"({"gemm_backend_config":7})",
       R"({"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["x"]}}})",
       R"({"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":[-1]}}})",
       R"({"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["2"]}}})"}) {
    EXPECT_FALSE(gemm_call(config).cost("d").flops) << config;
  }
  auto other = gemm_call("{}");
  other["d"].set_custom_call_target("my_kernel");
  EXPECT_FALSE(other.cost("d").flops);
  EXPECT_FALSE(other.cost("d").bytes);
}

/// 1-D, features last: input [batch, length, features], kernel [length, in, out].
void set_convolution(pb::HloInstructionProto& i, std::int64_t size) {
  auto& numbers = *i.mutable_convolution_dimension_numbers();
  numbers.set_input_batch_dimension(0);
  numbers.add_input_spatial_dimensions(1);
  numbers.set_input_feature_dimension(2);
  numbers.add_kernel_spatial_dimensions(0);
  numbers.set_kernel_input_feature_dimension(1);
  numbers.set_kernel_output_feature_dimension(2);
  numbers.set_output_batch_dimension(0);
  numbers.add_output_spatial_dimensions(1);
  numbers.set_output_feature_dimension(2);
  auto& window = *i.mutable_window()->add_dimensions();
  window.set_size(size);
  window.set_stride(1);
  window.set_window_dilation(1);
  window.set_base_dilation(1);
  i.set_feature_group_count(1);
  i.set_batch_group_count(1);
}

TEST(CostOfConvolution, CountsOnlyPlacesThatMeetTheInput) {
  HloLines hlo(R"(entry
    x = f32[2,8,3] parameter
    k = f32[3,3,5] parameter
    c = f32[2,8,5] convolution x k)");
  set_convolution(hlo["c"], 3);
  auto& window = *hlo["c"].mutable_window()->mutable_dimensions(0);
  window.set_padding_low(1);
  window.set_padding_high(1);
  // 8 outputs of 3 places each, but one at either end lies in the padding.
  EXPECT_EQ(hlo.cost("c").flops, 2 * 2 * 3 * 5 * (3 * 8 - 2));

  window.set_stride(2);
  hlo["c"].mutable_shape()->set_dimensions(1, 4);
  EXPECT_EQ(hlo.cost("c").flops, 2 * 2 * 3 * 5 * (3 * 4 - 1));

  // Every other place of a dilated input is a hole: of 15 places with one of padding each side,
  // outputs on an element meet one, outputs between two meet two.
  window.set_stride(1);
  window.set_base_dilation(2);
  hlo["c"].mutable_shape()->set_dimensions(1, 15);
  EXPECT_EQ(hlo.cost("c").flops, 2 * 2 * 3 * 5 * (8 * 1 + 7 * 2));
}

TEST(CostOfConvolution, OfGroupsIsOnlyWithinThem) {
  HloLines hlo(R"(entry
    x = f32[2,8,4] parameter
    k = f32[1,2,6] parameter
    c = f32[2,8,6] convolution x k)");
  set_convolution(hlo["c"], 1);
  hlo["c"].set_feature_group_count(2);
  EXPECT_EQ(hlo.cost("c").flops, 2 * 2 * (4 / 2) * 6 * 8);
}

TEST(CostOfConvolution, BackwardIsAsMuchAsForward) {
  HloLines hlo(R"(entry
    x = f32[2,9,3] parameter
    k = f32[3,3,5] parameter
    y = f32[2,4,5] parameter
    forward = (f32[2,4,5], u8[0]) custom-call x k
    input = (f32[2,9,3], u8[0]) custom-call y k
    filter = (f32[3,3,5], u8[64]) custom-call x y)");
  for (const char* name : {"forward", "input", "filter"}) {
    set_convolution(hlo[name], 3);
    hlo[name].mutable_window()->mutable_dimensions(0)->set_stride(2);
  }
  hlo["forward"].set_custom_call_target("__cudnn$convForward");
  hlo["input"].set_custom_call_target("__cudnn$convBackwardInput");
  hlo["filter"].set_custom_call_target("__cudnn$convBackwardFilter");
  for (const char* name : {"forward", "input", "filter"}) {
    EXPECT_EQ(hlo.cost(name).flops, 2 * 2 * 3 * 5 * (3 * 4)) << name;
  }
  EXPECT_EQ(hlo.cost("filter").write_bytes, 4 * 3 * 3 * 5) << "without scratch";
}

HloLines attention(const std::string& target, const std::string& config) {
  HloLines hlo(R"(entry
    q = bf16[2,64,4,16] parameter
    k = bf16[2,64,4,16] parameter
    v = bf16[2,64,4,16] parameter
    a = (bf16[2,64,4,16], f32[2,4,64], u8[512]) custom-call q k v)");
  hlo["a"].set_custom_call_target(target);
  hlo["a"].set_backend_config(config);
  return hlo;
}

std::string fmha_config(const std::string& mask, int window = 0) {
  return R"({"cudnn_fmha_backend_config":{"intermediate_tensor_shape":{"dimensions":["2","4","64",)"
         R"("64"]},"mask_type":")" +
         mask + R"(","sliding_window_length":)" + std::to_string(window) + "}}";
}

TEST(CostOfAttention, IsTheProductsThatTheMaskLeavesAsAnEstimate) {
  constexpr std::int64_t kHeads = 2 * 4, kPairs = 64 * 64, kCausal = 64 * 65 / 2;
  const auto flops = [](const std::string& target, const std::string& config) {
    return attention(target, config).cost("a").flops;
  };
  const OpCost all = attention("__cudnn$fmhaSoftmax", fmha_config("NO_MASK")).cost("a");
  EXPECT_EQ(all.flops, 2 * kHeads * kPairs * (16 + 16));
  EXPECT_TRUE(all.estimate);
  EXPECT_EQ(all.precision, Precision::f16);
  EXPECT_EQ(all.write_bytes, 2 * 2 * 64 * 4 * 16 + 4 * 2 * 4 * 64) << "without scratch";
  EXPECT_EQ(flops("__cudnn$fmhaSoftmax", fmha_config("CAUSAL")), 2 * kHeads * kCausal * 32);
  EXPECT_EQ(flops("__cudnn$fmhaSoftmaxBackward", fmha_config("CAUSAL")), 2 * kHeads * kCausal * 80)
      << "five products";
  EXPECT_EQ(flops("__cudnn$fmhaSoftmax", fmha_config("CAUSAL", 8)), 2 * kHeads * (8 * 64 - 28) * 32)
      << "each query sees 8 keys, but the first 7";
  EXPECT_FALSE(flops("__cudnn$fmhaSoftmax", fmha_config("PADDING"))) << "lengths are data";
  EXPECT_FALSE(flops("__cudnn$fmhaSoftmax", "{}"));

  const std::string te =
      "{attn_heads = 4 : i64, input_batch = 2 : i64, kv_max_seqlen = 64 : i64, mask_type = 2 : "
      "i64, "
      "max_segments_per_seq = 1 : i64, num_gqa_groups = 4 : i64, q_max_seqlen = 64 : i64, "
      "qk_head_dim = 16 : i64, v_head_dim = 8 : i64, window_size_left = -1 : i64}";
  EXPECT_EQ(flops("te_fused_attn_forward_ffi", te), 2 * kHeads * kCausal * (16 + 8));
  EXPECT_EQ(flops("te_fused_attn_backward_ffi", te), 2 * kHeads * kCausal * (3 * 16 + 2 * 8));
  EXPECT_FALSE(flops("te_fused_attn_forward_ffi", "{attn_heads = 4 : i64}"));
  for (const char* number : {"99999999999999999999", "999999999999", "-4", "x"}) {
    std::string damaged = te;
    damaged.replace(damaged.find("q_max_seqlen = 64") + 15, 2, number);
    EXPECT_FALSE(flops("te_fused_attn_forward_ffi", damaged)) << number;
  }
}

constexpr const char* kAdd = R"(add
    l = f32[] parameter
    r = f32[] parameter
    s = f32[] add l r
)";

TEST(CostOfReduce, IsTheReducerOnceForEachElementThatGoes) {
  HloLines hlo(std::string(kAdd) + R"(entry
    x = f32[8,16] parameter
    zero = f32[] constant
    sum = f32[8] reduce x zero calls add)");
  EXPECT_EQ(hlo.cost("sum").flops, 8 * 15);
  EXPECT_EQ(hlo.cost("sum").bytes, 4 * (8 * 16 + 1 + 8));
  EXPECT_EQ(hlo.cost("sum").precision, Precision::f32_vector);
}

TEST(CostOfElementwise, TranscendentalsAreCountedApart) {
  HloLines hlo(R"(body
    x = f32[100] parameter
    e = f32[100] exponential x
    m = f32[100] multiply e x
    t = f32[100] tanh m
  entry
    p = f32[100] parameter
    f = f32[100] fusion p calls body)");
  EXPECT_EQ(hlo.cost("f").flops, 100);
  EXPECT_EQ(hlo.cost("f").transcendentals, 200);
  EXPECT_EQ(hlo.cost("f").bytes, 800) << "nothing in between touches memory";
}

TEST(CostOfFusion, ReadsOnlyTheSlicesOfAParameter) {
  HloLines hlo(R"(body
    x = f32[1000] parameter
    i = s32[] parameter
    a = f32[10] slice x
    b = f32[10] dynamic-slice x i
    s = f32[10] add a b
  entry
    p = f32[1000] parameter
    i = s32[] parameter
    f = f32[10] fusion p i calls body)");
  EXPECT_EQ(hlo.cost("f").read_bytes, 4 * (10 + 10) + 4);
  EXPECT_EQ(hlo.cost("f").write_bytes, 40);
}

TEST(CostOfFusion, ReadsAParameterOnceHoweverOftenItIsUsed) {
  HloLines hlo(R"(body
    x = f32[1000] parameter
    t = f32[1000] reverse x
    a = f32[1000] add x t
    b = f32[1000] multiply a x
  entry
    p = f32[1000] parameter
    f = f32[1000] fusion p calls body)");
  EXPECT_EQ(hlo.cost("f").read_bytes, 4000);
}

TEST(CostOfFusion, OfAnUpdateInPlaceIsTheUpdate) {
  HloLines hlo(R"(body
    x = f32[1000] parameter
    u = f32[10] parameter
    i = s32[] parameter
    d = f32[1000] dynamic-update-slice x u i
  entry
    p = f32[1000] parameter
    u = f32[10] parameter
    i = s32[] parameter
    f = f32[1000] fusion p u i calls body)");
  EXPECT_EQ(hlo.cost("f").read_bytes, 40 + 4);
  EXPECT_EQ(hlo.cost("f").write_bytes, 40);
}

TEST(CostOfFusion, GathersReadWhatTheyPickAndWindowsWhatTheyCover) {
  HloLines gather(R"(body
    table = f32[50000,64] parameter
    ids = s32[16] parameter
    g = f32[16,64] gather table ids
  entry
    table = f32[50000,64] parameter
    ids = s32[16] parameter
    f = f32[16,64] fusion table ids calls body)");
  EXPECT_EQ(gather.cost("f").read_bytes, 4 * 16 * 64 + 4 * 16);

  HloLines window(std::string(kAdd) + R"(body
    x = f32[1000] parameter
    zero = f32[] constant
    w = f32[1000] reduce-window x zero calls add
    last = f32[1] slice w
  entry
    p = f32[1000] parameter
    f = f32[1] fusion p calls body)");
  window["w"].mutable_window()->add_dimensions()->set_size(1000);
  EXPECT_EQ(window.cost("f").read_bytes, 4000) << "the last cumulative sum takes them all";
}

TEST(CostOfFusion, LooksIntoNestedFusions) {
  HloLines hlo(R"(inner
    x = bf16[64,64] parameter
    half = bf16[32,64] slice x
    n = bf16[32,64] negate half
  body
    x = bf16[64,64] parameter
    y = bf16[64,64] parameter
    h = bf16[32,64] fusion x calls inner
    d = bf16[32,64] dot h y
  entry
    p = bf16[64,64] parameter
    q = bf16[64,64] parameter
    f = bf16[32,64] fusion p q calls body)");
  hlo["d"].mutable_dot_dimension_numbers()->add_lhs_contracting_dimensions(1);
  EXPECT_EQ(hlo.cost("f").flops, 2 * 32 * 64 * 64 + 32 * 64);
  EXPECT_EQ(hlo.cost("f").read_bytes, 2 * (32 * 64 + 64 * 64));
  EXPECT_EQ(hlo.cost("f").precision, Precision::f16) << "of most of it";
}

TEST(CostOfFusion, IsUnknownWithAnUnknownCallInside) {
  HloLines hlo(R"(body
    x = f32[8] parameter
    c = f32[8] custom-call x
  entry
    p = f32[8] parameter
    f = f32[8] fusion p calls body)");
  EXPECT_FALSE(hlo.cost("f").flops);
  EXPECT_EQ(hlo.cost("f").bytes, 64);
}

TEST(CostOfLoop, IsOneRoundAndSaysSo) {
  HloLines hlo(R"(body
    x = f32[8] parameter
    n = f32[8] negate x
  condition
    x = f32[8] parameter
    c = pred[] constant
  entry
    p = f32[8] parameter
    w = f32[8] while p calls body condition
    d = f32[8] copy w)");
  EXPECT_EQ(hlo.cost("w").flops, 8);
  EXPECT_TRUE(hlo.cost("w").estimate);
  EXPECT_EQ(hlo.cost("d").flops, 0) << "known to be none";
  EXPECT_EQ(hlo.cost("d").bytes, 64);
}

// A file may claim anything; what it claims must stay absent, not become a wrong number.
TEST(CostOfDamage, HugeShapesAreUnknown) {
  HloLines hlo(R"(entry
    a = f32[4,5] parameter
    b = f32[5,6] parameter
    d = f32[4,6] dot a b
    n = f32[4,6] negate d)");
  hlo["d"].mutable_dot_dimension_numbers()->add_lhs_contracting_dimensions(1);
  hlo["a"].mutable_shape()->set_dimensions(1, kHuge);
  EXPECT_FALSE(hlo.cost("d").flops);
  EXPECT_FALSE(hlo.cost("d").bytes);
  hlo["a"].mutable_shape()->set_dimensions(1, -5);
  EXPECT_FALSE(hlo.cost("d").flops);
  hlo["n"].mutable_shape()->set_dimensions(0, kHuge);
  EXPECT_FALSE(hlo.cost("n").flops);
  hlo["d"].mutable_dot_dimension_numbers()->set_lhs_contracting_dimensions(0, 9);
  EXPECT_FALSE(hlo.cost("d").flops);
}

TEST(CostOfDamage, NoCountIsNegative) {
  HloLines hlo(R"(entry
    a = f32[4,4] parameter
    b = f32[4,2] parameter
    t = f32[4,2] triangular-solve a b)");
  EXPECT_EQ(hlo.cost("t").flops, 2 * 4 * 4 * 2);
  hlo["a"].mutable_shape()->set_dimensions(1, -4);
  EXPECT_FALSE(hlo.cost("t").flops);
}

TEST(CostOfDamage, HugeWindowsEnd) {
  HloLines hlo(R"(entry
    x = f32[2,8,3] parameter
    k = f32[3,3,5] parameter
    c = f32[2,8,5] convolution x k)");
  set_convolution(hlo["c"], 3);
  auto& window = *hlo["c"].mutable_window()->mutable_dimensions(0);
  for (const std::int64_t n : {kHuge, -kHuge, std::numeric_limits<std::int64_t>::min()}) {
    window.set_padding_low(n);
    EXPECT_FALSE(hlo.cost("c").flops);
  }
  // One place of the input in 2^29; the others take too long to rule out one by one.
  window.set_padding_low(1);
  window.set_base_dilation(1 << 29);
  hlo["c"].mutable_shape()->set_dimensions(1, 1 << 29);
  EXPECT_FALSE(hlo.cost("c").flops);
  window.set_padding_low(0);
  window.set_base_dilation(1);
  hlo["k"].mutable_shape()->set_dimensions(0, kHuge);
  EXPECT_FALSE(hlo.cost("c").flops);
}

TEST(CostOfDamage, MissingOperandsAndCirclesAreUnknown) {
  HloLines hlo(R"(body
    x = f32[8] parameter
    n = f32[8] negate x
  entry
    p = f32[8] parameter
    f = f32[8] fusion p calls body
    s = f32[8] scatter p p p calls body
    r = f32[8] reduce p calls body
    ds = f32[8] dynamic-slice p p)");
  hlo["f"].add_operand_ids(1234);
  EXPECT_FALSE(hlo.cost("f").bytes);
  hlo["s"].clear_operand_ids();
  hlo["ds"].clear_operand_ids();
  hlo["r"].clear_called_computation_ids();
  for (const char* name : {"s", "r", "ds"})
    EXPECT_FALSE(hlo.cost(name).flops && hlo.cost(name).bytes);

  // A fusion of itself, and one whose root uses what comes later.
  hlo["n"].set_opcode("fusion");
  hlo["n"].add_called_computation_ids(1);
  EXPECT_FALSE(hlo.cost("f").flops);
  HloLines backwards(R"(body
    x = f32[8] parameter
    a = f32[8] negate x
    b = f32[8] negate a
  entry
    p = f32[8] parameter
    f = f32[8] fusion p calls body)");
  backwards["a"].set_operand_ids(0, backwards["b"].id());
  EXPECT_FALSE(backwards.cost("f").bytes);
}

TEST(CostOfDamage, AScatterWithoutOneUpdateAnArrayIsUnknown) {
  HloLines hlo(R"(body
    x = f32[8] parameter
    n = f32[8] negate x
  entry
    p = f32[8] parameter
    i = s32[2] parameter
    u = f32[2] parameter
    s = f32[8] scatter p i u calls body)");
  EXPECT_EQ(hlo.cost("s").read_bytes, 2 * 8 + 8);
  hlo["s"].add_operand_ids(hlo["u"].id());
  EXPECT_FALSE(hlo.cost("s").bytes) << "four operands: two arrays and one update";
}

TEST(CostOfDamage, DoublingsDoNotOverflow) {
  // Each reads the one before twice, in another order: 2^200 reads of 8 elements.
  std::string lines = "body\n v0 = f32[8] parameter\n";
  for (int i = 1; i <= 200; ++i) {
    const std::string before = "v" + std::to_string(i - 1), at = std::to_string(i);
    lines += " r" + at + " = f32[8] reverse " + before + "\n q" + at + " = f32[8] reverse " +
             before + "\n v" + at + " = f32[8] add r" + at + " q" + at + "\n";
  }
  lines += "entry\n p = f32[8] parameter\n f = f32[8] fusion p calls body\n";
  const HloLines hlo(lines);
  EXPECT_EQ(hlo.cost("f").read_bytes, 32);
  EXPECT_EQ(hlo.cost("f").flops, 200 * 8);
}

}  // namespace
}  // namespace jaxtrace::hlo
