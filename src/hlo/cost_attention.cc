// Fused attention, whose cost XLA does not know: the products of queries, keys and values that its
// mask leaves.  An estimate, because kernels work in tiles and mask within them, and because
// backward passes differ in what they compute again; softmax is not counted.
//
//   __cudnn$fmhaSoftmax {"cudnn_fmha_backend_config":{"intermediate_tensor_shape":{"dimensions":
//                              ["2","16","2048","2048"]},"mask_type":"CAUSAL","sliding_window_length":0
//   te_fused_attn_forward_ffi  {attn_heads = 16 : i64, input_batch = 2 : i64, mask_type = 2 : i64,
//   …
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "hlo/cost_parts.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

using Json = nlohmann::json;

struct Attention {
  Count batch, heads, queries, keys;
  Count qk_depth, v_depth;  // of a head
  bool causal = false;
  bool to_last_key = false;  // The last query sees the last key, not the first the first.
  std::int64_t window = 0;   // Keys that a query sees at most, itself included; 0: all
  bool backward = false;
};

/// 1 + 2 + … + n, but no term more than `most`.
std::int64_t triangle(std::int64_t n, std::int64_t most) {
  if (n <= 0) return 0;
  const std::int64_t below = std::min(n, most);
  return below * (below + 1) / 2 + (n - below) * most;
}

/// Pairs of a query and a key that the mask leaves.
Count pairs(const Attention& a) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30U;
  if (!a.queries || !a.keys || *a.queries < 1 || *a.keys < 1 || *a.queries > kMost ||
      *a.keys > kMost) {
    return {};
  }
  if (!a.causal) return a.window == 0 ? times(a.queries, a.keys) : Count();
  // The first query sees `before` + 1 keys, each further one a key more.
  const std::int64_t most = a.window > 0 ? std::min(a.window, *a.keys) : *a.keys;
  const std::int64_t before = a.to_last_key ? *a.keys - *a.queries : 0;
  return triangle(before + *a.queries, most) - triangle(before, most);
}

/// Forward q·k and p·v.  Backward q·k again, and one product for each of the gradients of p, v, q
/// and k.
Count attention_flops(const Attention& a) {
  const Count forward = plus(a.qk_depth, a.v_depth);
  const Count backward = plus(times(3, a.qk_depth), times(2, a.v_depth));
  const Count products = times(times(a.batch, a.heads), pairs(a));
  return times(times(2, products), a.backward ? backward : forward);
}

const Json* find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

Count read_int(const Json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_string()) return {};
  std::int64_t number = 0;
  for (const char c : value.get_ref<const std::string&>()) {
    if (c < '0' || c > '9' || number > 1'000'000'000) return {};
    number = number * 10 + (c - '0');
  }
  return number;
}

std::optional<Attention> cudnn(const CostView& view, InstructionId id) {
  const Json config = Json::parse(view.program[id].backend_config, nullptr, false);
  const Json* fmha = find(config, "cudnn_fmha_backend_config");
  const Json* scores = fmha ? find(*fmha, "intermediate_tensor_shape") : nullptr;
  const Json* sizes = scores ? find(*scores, "dimensions") : nullptr;
  const Json* mask = fmha ? find(*fmha, "mask_type") : nullptr;
  if (sizes == nullptr || !sizes->is_array() || sizes->size() != 4) return {};
  const std::string text = mask && mask->is_string() ? mask->get<std::string>() : "NO_MASK";
  // How long the sequences are is data where they are padded.
  if (text != "NO_MASK" && text != "CAUSAL") return {};
  Attention a;
  a.batch = read_int((*sizes)[0]);
  a.heads = read_int((*sizes)[1]);
  a.queries = read_int((*sizes)[2]);
  a.keys = read_int((*sizes)[3]);
  a.causal = text == "CAUSAL";
  if (const Json* window = find(*fmha, "sliding_window_length")) {
    a.window = std::max<std::int64_t>(0, read_int(*window).value_or(0));
  }
  // The depth of a head comes last in both layouts, BTNH and BNTH.
  const pb::ShapeProto& q = view.shape(view.operand(id, 0));
  if (q.dimensions_size() != 4) return {};
  a.qk_depth = a.v_depth = q.dimensions(3);
  a.backward = view.program[id].custom_call_target.find("Backward") != std::string::npos;
  return a;
}

/// The number of `key = 16 : i64` in the text of an MLIR dictionary.
Count attribute(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '{';
    std::string_view rest = text.substr(at + key.size());
    if (!begins || !rest.starts_with(" = ")) continue;
    rest.remove_prefix(3);
    const bool negative = rest.starts_with('-');
    if (negative) rest.remove_prefix(1);
    std::int64_t number = 0;
    std::size_t digits = 0;
    for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9'; ++digits) {
      if (digits >= 12) return {};
      number = number * 10 + (rest[digits] - '0');
    }
    if (digits == 0) return {};
    return negative ? -number : number;
  }
  return {};
}

std::optional<Attention> transformer_engine(const CostView& view, InstructionId id) {
  const std::string_view config = view.program[id].backend_config;
  Attention a;
  a.batch = attribute(config, "input_batch");
  a.heads = attribute(config, "attn_heads");
  a.queries = attribute(config, "q_max_seqlen");
  a.keys = attribute(config, "kv_max_seqlen");
  a.qk_depth = attribute(config, "qk_head_dim");
  a.v_depth = attribute(config, "v_head_dim");
  // NVTE_Mask_Type of transformer_engine/fused_attn.h: none, padding, causal, padding causal,
  // causal from the bottom right, that with padding.  Padded and packed sequences are as long as
  // their data.
  const Count mask = attribute(config, "mask_type");
  if (!mask || (*mask != 0 && *mask != 2 && *mask != 4)) return {};
  if (attribute(config, "max_segments_per_seq").value_or(1) != 1) return {};
  a.causal = *mask != 0;
  a.to_last_key = *mask == 4;
  const std::int64_t left = attribute(config, "window_size_left").value_or(-1);
  if (left >= 0) a.window = left + 1;
  a.backward = view.program[id].custom_call_target.find("backward") != std::string::npos;
  return a;
}

}  // namespace

std::optional<LibraryCall> attention_call(const CostView& view, InstructionId id) {
  const std::string_view target = view.program[id].custom_call_target;
  if (!view.has_operands(id, 1)) return {};
  std::optional<Attention> attention;
  if (target.starts_with("__cudnn$fmha")) {
    attention = cudnn(view, id);
  } else {
    attention = transformer_engine(view, id);
  }
  if (!attention) return {};
  const Count flops = attention_flops(*attention);
  if (!flops || *flops < 0) return {};
  const int type = view.shape(view.operand(id, 0)).element_type();
  const MatrixPrecision matrix = matrix_precision(type, type, {});
  return LibraryCall{flops, matrix.precision, matrix.open, true};
}

}  // namespace jaxtrace::hlo
