// Text of instructions, taken apart.  Layouts and counters: LLVM's AMDGPU usage and operand pages;
// passes of matrix instructions: its scheduling models (SISchedule.td).
#include "att/isa.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "analysis/text.h"

#include "att/saturating.h"

namespace jaxtrace {
namespace {

using Counters = std::vector<WaitCounter>;

constexpr std::array<std::string_view, kWaitCounters> kNames = {
    "vmcnt",  "lgkmcnt", "expcnt", "vscnt",    "loadcnt",   "storecnt", "samplecnt",
    "bvhcnt", "dscnt",   "kmcnt",  "asynccnt", "tensorcnt", "xcnt"};

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && (is_blank(text.back()) || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::string_view after_mnemonic(std::string_view isa) {
  const std::string_view code = code_of(isa);
  const std::size_t end = code.find_first_of(" \t");
  return end == std::string_view::npos ? std::string_view{} : trimmed(code.substr(end));
}

/// All of the text as a decimal or 0x… number.
std::optional<std::int64_t> number(std::string_view text) {
  text = trimmed(text);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return {};
  return value;
}

std::optional<WaitCounter> counter_of(std::string_view name) {
  const auto at = std::ranges::find(kNames, name);
  if (at == kNames.end()) return {};
  return static_cast<WaitCounter>(at - kNames.begin());
}

/// "s_waitcnt 0xc07f": the fields are full of ones where there is nothing to wait for.
std::vector<CounterWait> unpacked(std::int64_t bits, int family) {
  const auto field = [bits](int low, int width) { return (bits >> low) & ((1 << width) - 1); };
  std::int64_t vm = 0, exp = 0, lgkm = 0, most_lgkm = 63;
  if (family >= 11) {
    exp = field(0, 3), lgkm = field(4, 6), vm = field(10, 6);
  } else {
    vm = field(14, 2) << 4 | field(0, 4);
    exp = field(4, 3);
    lgkm = field(8, family >= 10 ? 6 : 4);
    if (family < 10) most_lgkm = 15;
  }
  std::vector<CounterWait> waits;
  if (vm < 63) waits.push_back({WaitCounter::vm, vm});
  if (lgkm < most_lgkm) waits.push_back({WaitCounter::lgkm, lgkm});
  if (exp < 7) waits.push_back({WaitCounter::exp, exp});
  return waits;
}

/// "vmcnt(0) lgkmcnt(0)", also with "&" or "," between.
std::vector<CounterWait> named_waits(std::string_view text) {
  std::vector<CounterWait> waits;
  for (std::size_t open = text.find('('); open != std::string_view::npos;
       open = text.find('(', open + 1)) {
    std::size_t begin = open;
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    const std::size_t close = text.find(')', open);
    if (close == std::string_view::npos) break;
    const auto counter = counter_of(text.substr(begin, open - begin));
    const auto left = number(text.substr(open + 1, close - open - 1));
    if (counter && left) waits.push_back({*counter, *left});
  }
  std::ranges::sort(waits, {}, &CounterWait::counter);
  return waits;
}

/// gfx12: "s_wait_loadcnt 0x0", "s_wait_loadcnt_dscnt 0x103" (first in bits 13:8, second in 5:0).
std::vector<CounterWait> separate_waits(std::string_view names, std::string_view text) {
  const auto value = number(text);
  if (!value) return {};
  const std::size_t joint = names.find("cnt_");
  if (joint == std::string_view::npos) {
    const auto counter = counter_of(names);
    return counter ? std::vector<CounterWait>{{*counter, *value}} : std::vector<CounterWait>{};
  }
  const auto first = counter_of(names.substr(0, joint + 3));
  const auto second = counter_of(names.substr(joint + 4));
  if (!first || !second) return {};
  return {{*first, (*value >> 8) & 63}, {*second, *value & 63}};
}

std::vector<CounterWait> all_counters(int family) {
  using enum WaitCounter;
  if (family < 12) return {{vm, 0}, {lgkm, 0}, {exp, 0}, {vs, 0}};
  return {{exp, 0}, {load, 0}, {store, 0}, {sample, 0}, {bvh, 0}, {ds, 0}, {km, 0}};
}

bool writes_memory(std::string_view isa, std::string_view mnemonic) {
  if (contains(mnemonic, "_store")) return true;
  if (!contains(mnemonic, "_atomic")) return contains(mnemonic, "_wb");
  return !has_modifier(isa, "glc") && !contains(isa, "TH_ATOMIC_RETURN");
}

/// Counter of vector memory by family.
WaitCounter memory_counter(std::string_view isa, std::string_view mnemonic, int family) {
  if (family < 10) return WaitCounter::vm;
  const bool writes = writes_memory(isa, mnemonic);
  if (family < 12) return writes ? WaitCounter::vs : WaitCounter::vm;
  if (starts_with_any(mnemonic, {"image_sample", "image_gather", "image_msaa"})) {
    return WaitCounter::sample;
  }
  if (contains(mnemonic, "bvh")) return WaitCounter::bvh;
  if (contains(mnemonic, "_async_")) return WaitCounter::async;
  if (mnemonic.starts_with("tensor_")) return WaitCounter::tensor;
  return writes ? WaitCounter::store : WaitCounter::load;
}

/// Shape of a matrix instruction: the M of "16x16x32" and its K, and what follows.
struct Shape {
  int m = 0, k = 0;
  std::string_view type;  ///< "f8f6f4", "bf16", "xf32" …
};

std::optional<Shape> shape_of(std::string_view mnemonic) {
  const std::size_t first = mnemonic.find('x');
  if (first == std::string_view::npos) return {};
  std::size_t begin = first;
  while (begin > 0 && mnemonic[begin - 1] >= '0' && mnemonic[begin - 1] <= '9') --begin;
  Shape shape;
  int n = 0;
  const char* const end = mnemonic.data() + mnemonic.size();
  auto at = std::from_chars(mnemonic.data() + begin, end, shape.m);
  if (at.ec != std::errc{} || at.ptr == end || *at.ptr != 'x') return {};
  at = std::from_chars(at.ptr + 1, end, n);
  if (at.ec != std::errc{} || at.ptr == end || *at.ptr != 'x') return {};
  at = std::from_chars(at.ptr + 1, end, shape.k);
  if (at.ec != std::errc{}) return {};
  shape.type = {at.ptr, static_cast<std::size_t>(end - at.ptr)};
  if (shape.type.starts_with("_")) shape.type.remove_prefix(1);
  return shape;
}

/// Whether a format modifier, "cbsz:4", selects FP8 or BF8; absent means format 0, FP8.
bool is_fp8(std::string_view isa, std::string_view modifier) {
  const std::size_t at = isa.find(modifier);
  return at == std::string_view::npos || isa.substr(at + modifier.size()).starts_with("0") ||
         isa.substr(at + modifier.size()).starts_with("1");
}

}  // namespace

std::string_view code_of(std::string_view isa) {
  return trimmed(isa.substr(0, std::min(isa.find(';'), isa.find("//"))));
}

std::string_view mnemonic_of(std::string_view isa) {
  // Asked of millions of texts: it need not see where the line ends to find its first word.
  const auto* const begin = std::ranges::find_if_not(isa, is_blank);
  const auto* const end = std::find_if(
      begin, isa.end(), [](char c) { return is_blank(c) || c == ';' || c == '/' || c == '\r'; });
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::vector<std::string_view> operands_of(std::string_view isa) {
  std::vector<std::string_view> operands;
  std::string_view rest = after_mnemonic(isa);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    operands.push_back(trimmed(rest.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return operands;
}

bool has_modifier(std::string_view isa, std::string_view word) {
  std::string_view rest = after_mnemonic(isa);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(" \t,"), rest.size());
    if (rest.substr(0, end) == word) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::optional<std::int64_t> branch_target(const Instruction& instruction) {
  const std::string_view mnemonic = mnemonic_of(instruction.text);
  if (mnemonic != "s_branch" && !mnemonic.starts_with("s_cbranch_")) return {};
  const auto operand = number(after_mnemonic(instruction.text));
  if (!operand || *operand < 0 || *operand > 0xffff) return {};
  const std::int64_t dwords = static_cast<std::int16_t>(*operand);
  return saturating_add(instruction.address, 4 + 4 * dwords);
}

bool ends_flow(std::string_view mnemonic) {
  return mnemonic == "s_branch" ||
         starts_with_any(mnemonic, {"s_setpc", "s_swappc", "s_call", "s_endpgm", "s_rfe"});
}

std::string_view name_of(WaitCounter counter) {
  return kNames.at(static_cast<std::size_t>(counter));
}

std::vector<CounterWait> waits_of(std::string_view isa, int family) {
  const std::string_view mnemonic = mnemonic_of(isa);
  if (!mnemonic.starts_with("s_wait")) return {};
  const std::string_view text = after_mnemonic(isa);
  if (mnemonic == "s_waitcnt") {
    const auto bits = number(text);
    return bits ? unpacked(*bits, family) : named_waits(text);
  }
  if (mnemonic == "s_wait_idle") return all_counters(family);
  if (mnemonic.starts_with("s_wait_")) return separate_waits(mnemonic.substr(7), text);
  if (mnemonic.starts_with("s_waitcnt_")) {  // "s_waitcnt_vscnt null, 0x0"
    const auto operands = operands_of(isa);
    const auto counter = counter_of(mnemonic.substr(10));
    const auto left = operands.empty() ? std::nullopt : number(operands.back());
    if (counter && left) return {{*counter, *left}};
  }
  return {};
}

Outstanding outstanding_of(std::string_view isa, int family) {
  using enum WaitCounter;
  const std::string_view m = mnemonic_of(isa);
  const bool later = family >= 12;
  if (m.starts_with("flat_")) {
    return {{memory_counter(isa, m, family), later ? ds : lgkm}, false};
  }
  // A cache is invalidated without an answer, except that gfx9 to gfx12 report the write-back.
  if (starts_with_any(m, {"buffer_inv", "buffer_gl", "global_inv", "global_prefetch"})) return {};
  if (starts_with_any(m, {"buffer_", "tbuffer_", "global_", "scratch_", "image_", "tensor_"})) {
    return {{memory_counter(isa, m, family)}, true};
  }
  if (m.starts_with("ds_")) return {m == "ds_nop" ? Counters{} : Counters{later ? ds : lgkm}, true};
  if (starts_with_any(
          m, {"s_load_", "s_buffer_load_", "s_store_", "s_buffer_store_", "s_scratch_", "s_atomic_",
              "s_buffer_atomic_", "s_memtime", "s_memrealtime", "s_sendmsg_rtn"})) {
    return {{later ? km : lgkm}, false};
  }
  if (m == "s_sendmsg" || m == "s_sendmsghalt") return {{later ? km : lgkm}, true};
  if (m == "exp" || m == "export") return {{WaitCounter::exp}, true};
  return {};
}

bool is_matrix(std::string_view mnemonic) {
  return starts_with_any(mnemonic, {"v_mfma_", "v_smfmac_", "v_wmma_", "v_swmmac_"});
}

std::optional<int> matrix_passes(std::string_view isa, Arch arch) {
  const std::string_view mnemonic = mnemonic_of(isa);
  if (arch == Arch::other || !starts_with_any(mnemonic, {"v_mfma_", "v_smfmac_"})) return {};
  const auto shape = shape_of(mnemonic);
  if (!shape || (shape->m != 4 && shape->m != 16 && shape->m != 32)) return {};
  if (contains(mnemonic, "_f64_")) {
    if (shape->m == 4) return 4;
    return arch == Arch::gfx950 ? 16 : 8;
  }
  if (shape->m == 4) return 2;
  if (arch == Arch::gfx90a) return shape->m == 16 ? 8 : 16;
  const int half = shape->m == 16 ? 4 : 8;
  if (mnemonic.starts_with("v_smfmac_")) return half;
  if (shape->type.starts_with("f8f6f4")) {
    return is_fp8(isa, "cbsz:") || is_fp8(isa, "blgp:") ? 2 * half : half;
  }
  const bool shallow = shape->k < 8 && !shape->type.starts_with("xf32");
  return shallow ? 2 * half : half;
}

std::optional<std::int64_t> matrix_cycles(std::string_view isa, const DetectedArch& arch) {
  std::optional<int> passes;
  for (const Arch candidate : arch.candidates) {
    const auto of_candidate = matrix_passes(isa, candidate);
    if (!of_candidate || (passes && *passes != *of_candidate)) return {};
    passes = of_candidate;
  }
  return passes ? std::optional<std::int64_t>(4 * *passes) : std::nullopt;
}

std::optional<int> required_wait_states(int passes, Arch arch) {
  if (arch == Arch::other) return {};
  // LLVM's hazard recogniser: one state more on gfx950 from four passes on.
  return passes + 3 + (arch == Arch::gfx950 && passes >= 4 ? 1 : 0);
}

}  // namespace jaxtrace
