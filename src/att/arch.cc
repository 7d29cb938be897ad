// What gives a GPU away.  Instructions that only one GPU has: LLVM's AMDGPU feature tests
// (gfx950_asm_features.s, the gfx90a and gfx942 ones).  That gfx942 lacks nothing of what an
// instruction list shows is no proof of gfx942: gfx950 runs nearly everything that gfx942 runs, all
// but the xf32 matrix instructions.
#include "att/arch.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/text.h"
#include "att/isa.h"

namespace jaxtrace {
namespace {

constexpr std::int64_t kLdsBeforeGfx950 = 65536;

bool only_gfx950(std::string_view isa, std::string_view m) {
  if (starts_with_any(
          m, {"v_mfma_scale_", "ds_read_b64_tr_", "ds_read_b96_tr_b6", "v_permlane16_swap",
              "v_permlane32_swap", "v_cvt_scalef32_", "v_bitop3_", "v_prng_b32", "v_minimum3_f32",
              "v_maximum3_f32", "v_cvt_pk_bf16_f32", "v_ashr_pk_", "global_load_lds_dwordx3",
              "global_load_lds_dwordx4", "buffer_load_lds_dwordx"})) {
    return true;
  }
  if (m.starts_with("buffer_load_dwordx") && m != "buffer_load_dwordx2") {
    return has_modifier(isa, "lds");
  }
  if (!m.starts_with("v_mfma_")) return false;
  return contains(m, "_f8f6f4") || contains(m, "_16x16x32_f16") || contains(m, "_16x16x32_bf16") ||
         contains(m, "_32x32x16_f16") || contains(m, "_32x32x16_bf16") ||
         contains(m, "_16x16x64_i8") || contains(m, "_32x32x32_i8");
}

/// gfx940 spells matrix instructions with a "_" after the shape: "16x16x16_f16" for "16x16x16f16".
bool is_new_spelling(std::string_view m) {
  for (std::size_t x = m.rfind('x'); x != std::string_view::npos && x > 0;
       x = m.rfind('x', x - 1)) {
    const std::size_t end = m.find_first_not_of("0123456789", x + 1);
    if (end == x + 1) continue;  // "xf32"
    return end != std::string_view::npos && m[end] == '_';
  }
  return false;
}

bool is_vector_memory(std::string_view m) {
  return starts_with_any(m, {"buffer_", "global_", "flat_", "scratch_"});
}

/// What an instruction says of its GPU, from nothing to everything.
enum class Hint : std::uint8_t { none, gfx942_or_950, before_gfx942, gfx90a, gfx942, gfx950 };

Hint hint_of(std::string_view isa) {
  const std::string_view m = mnemonic_of(isa);
  if (only_gfx950(isa, m)) return Hint::gfx950;
  if (m.starts_with("v_mfma_")) {
    if (contains(m, "_xf32")) return Hint::gfx942;
    if (is_new_spelling(m)) return Hint::gfx942_or_950;
    return m.ends_with("_1k") || contains(m, "_f64_") ? Hint::gfx90a : Hint::before_gfx942;
  }
  if (m.starts_with("v_smfmac_") || m.starts_with("v_mov_b64") || m.starts_with("v_lshl_add_u64") ||
      m == "buffer_inv") {
    return Hint::gfx942_or_950;
  }
  if (is_vector_memory(m)) {
    if (has_modifier(isa, "sc0") || has_modifier(isa, "sc1") || has_modifier(isa, "nt")) {
      return Hint::gfx942_or_950;
    }
    if (has_modifier(isa, "glc") || has_modifier(isa, "slc")) return Hint::before_gfx942;
  }
  return Hint::none;
}

struct Strongest {
  Hint hint = Hint::none;
  const Instruction* instruction = nullptr;
};

Strongest strongest_hint(const ThreadTrace& trace) {
  Strongest found;
  for (const Instruction& instruction : trace.instructions) {
    const Hint hint = hint_of(instruction.text);
    if (hint > found.hint) found = {hint, &instruction};
    if (hint == Hint::gfx950) break;
  }
  return found;
}

std::vector<Arch> candidates_of(Hint hint) {
  switch (hint) {
    case Hint::none:
      return {Arch::gfx90a, Arch::gfx942, Arch::gfx950};
    case Hint::gfx942_or_950:
      return {Arch::gfx942, Arch::gfx950};
    case Hint::before_gfx942:
    case Hint::gfx90a:
      return {Arch::gfx90a};
    case Hint::gfx942:
      return {Arch::gfx942};
    case Hint::gfx950:
      return {Arch::gfx950};
  }
  return {};
}

std::string said_by(const Strongest& found) {
  return fmt::format("instruction {} ({})", found.instruction->line,
                     mnemonic_of(found.instruction->text));
}

/// 9 of "gfx90a", 11 of "gfx1100": all but the last two places.
int family_of(std::string_view name) {
  int family = 0;
  for (const char c : name.substr(3, name.size() - 5)) {
    if (c < '0' || c > '9') return 9;
    family = family * 10 + (c - '0');
  }
  return family;
}

void set_known(DetectedArch& found, std::string_view name, std::string evidence) {
  found.name = name;
  found.evidence = std::move(evidence);
  found.arch = arch_of(name).value_or(Arch::other);
  found.family = family_of(name);
  if (found.arch != Arch::other) found.candidates = {found.arch};
}

/// "ISA942" in the name of a Tensile kernel, "Cijk_…".
std::string_view named_by_kernel(const ThreadTrace& trace) {
  for (const TracedKernel& kernel : trace.kernels) {
    if (!kernel.symbol.starts_with("Cijk_")) continue;
    for (const Arch arch : {Arch::gfx90a, Arch::gfx942, Arch::gfx950}) {
      const std::string token = fmt::format("_ISA{}_", name_of(arch).substr(3));
      if (contains(kernel.symbol, token)) return name_of(arch);
    }
  }
  return {};
}

/// The one arch of all resources; empty if they say none, or differ.
std::string named_by_agents(const ThreadTrace& trace) {
  std::string name;
  for (const DispatchResources& r : trace.resources) {
    if (!arch_of(r.arch)) continue;
    if (!name.empty() && name != r.arch) return {};
    name = r.arch;
  }
  return name;
}

/// The most LDS that a workgroup of the dispatch has, by any variant.
std::int64_t most_lds(const ThreadTrace& trace) {
  std::int64_t most = 0;
  for (const DispatchResources& r : trace.resources) most = std::max(most, r.lds_bytes.value_or(0));
  return most;
}

void doubt(DetectedArch& found, std::string message) {
  found.findings.push_back({Severity::error, "arch-contradiction", std::move(message), found.name});
}

/// What is known may still contradict what the kernel does.
void cross_check(DetectedArch& found, const Strongest& strongest, std::int64_t lds) {
  if (found.arch == Arch::other) return;
  const std::vector<Arch> possible = candidates_of(strongest.hint);
  if (std::ranges::find(possible, found.arch) == possible.end()) {
    doubt(found, fmt::format("{} by {}, but {} does not exist there: occupancy may be wrong",
                             found.name, found.evidence, said_by(strongest)));
  }
  if (found.arch != Arch::gfx950 && lds > kLdsBeforeGfx950) {
    doubt(found, fmt::format("{} by {}, but the dispatch has {} bytes of LDS and a compute unit of "
                             "{} has {}: it cannot have run there",
                             found.name, found.evidence, lds, found.name, kLdsBeforeGfx950));
  }
}

std::string joined(const std::vector<Arch>& candidates) {
  std::string text;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    if (k > 0) text += k + 1 < candidates.size() ? ", " : " or ";
    text += name_of(candidates[k]);
  }
  return text;
}

void detect_from_program(DetectedArch& found, const Strongest& strongest, std::int64_t lds) {
  found.candidates = candidates_of(strongest.hint);
  found.evidence = strongest.instruction != nullptr ? said_by(strongest)
                                                    : "no agent_info.csv, and no instruction tells";
  if (lds > kLdsBeforeGfx950 && found.candidates.size() > 1) {
    found.candidates = {Arch::gfx950};
    found.evidence = fmt::format("{} bytes of LDS, more than earlier GPUs have", lds);
  }
  if (strongest.hint == Hint::before_gfx942) {
    found.name = "gfx9 (gfx90a or older)";  // gfx908 and before have other register files
  } else if (found.candidates.size() == 1) {
    found.arch = found.candidates.front();
    found.name = name_of(found.arch);
  } else {
    found.name = fmt::format("gfx9 ({})", joined(found.candidates));
  }
}

}  // namespace

std::string_view name_of(Arch arch) {
  switch (arch) {
    case Arch::other:
      return "";
    case Arch::gfx90a:
      return "gfx90a";
    case Arch::gfx942:
      return "gfx942";
    case Arch::gfx950:
      return "gfx950";
  }
  return "";
}

std::optional<Arch> arch_of(std::string_view name) {
  if (!name.starts_with("gfx") || name.size() < 6 || name.size() > 8) return {};
  const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (!std::ranges::all_of(name.substr(3), hex) || name[3] > '9') return {};
  for (const Arch arch : {Arch::gfx90a, Arch::gfx942, Arch::gfx950}) {
    if (name == name_of(arch)) return arch;
  }
  return Arch::other;
}

DetectedArch detect_arch(const ThreadTrace& trace, std::string_view asked) {
  DetectedArch found;
  const Strongest strongest = strongest_hint(trace);
  const std::int64_t lds = most_lds(trace);
  const std::string agent = named_by_agents(trace);
  if (arch_of(asked)) {
    set_known(found, asked, "--arch");
    if (!agent.empty() && agent != asked) {
      doubt(found, fmt::format("--arch says {}, but agent_info.csv says {}", asked, agent));
    }
  } else if (!agent.empty()) {
    set_known(found, agent, "agent_info.csv");
  } else if (!trace.gfxip.empty() && trace.gfxip != "9") {
    found.name = "gfx" + trace.gfxip;
    found.evidence = "filenames.json";
    found.family = trace.gfxip == "10" ? 10 : trace.gfxip == "11" ? 11 : 12;
  } else if (const std::string_view named = named_by_kernel(trace); !named.empty()) {
    set_known(found, named, "the kernel's name");
  } else {
    detect_from_program(found, strongest, lds);
    return found;
  }
  cross_check(found, strongest, lds);
  return found;
}

}  // namespace jaxtrace
