// Register numbers in operands, and the counts of kernel_trace.csv:
//
//   "LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count"
//   36864,0,16,0,32
//
// How the profiler fills them (rocprofiler-sdk, code_object.cpp): for gfx90a and gfx94x VGPR_Count
// is where the accumulators begin and Accum_VGPR_Count the rest of the allocation.  For every other
// GPU it took blocks of 4 registers, while gfx950 has blocks of 8, and no accumulators.  Proof: the
// kernel of the row above names v30, so it holds at least 31 registers, which 16 cannot be.
#include "att/registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "att/isa.h"

namespace jaxtrace {
namespace {

constexpr std::int64_t kMostOfAKind = 256;  // v0…v255, a0…a255
constexpr std::int64_t kMostScalars = 106;  // s0…s101, on gfx10 and later to s105
constexpr std::int64_t kMostUnified = 512;

std::int64_t rounded_up(std::int64_t value, std::int64_t block) {
  return (value + block - 1) / block * block;
}

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '.' || c == '$';
}

/// Reads digits at `at` and moves past them; -1 if there are none or far too many.
std::int64_t digits(std::string_view text, std::size_t& at) {
  std::int64_t value = -1;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    value =
        std::min<std::int64_t>(std::max<std::int64_t>(value, 0) * 10 + (text[at] - '0'), 1 << 20);
  }
  return value;
}

struct Range {
  std::int64_t first = -1, last = -1;  ///< -1: none
};

/// Registers of "12" or "[12:15]", what follows the letter.
Range range_at(std::string_view text, std::size_t at) {
  const bool brackets = at < text.size() && text[at] == '[';
  if (brackets) ++at;
  Range range;
  range.first = range.last = digits(text, at);
  if (!brackets) return at < text.size() && is_word(text[at]) ? Range{} : range;
  if (range.last >= 0 && at < text.size() && text[at] == ':') range.last = digits(text, ++at);
  return at < text.size() && text[at] == ']' ? range : Range{};
}

void count(std::int64_t& highest, std::int64_t last, std::int64_t most, std::int64_t& beyond) {
  if (last >= most) {
    ++beyond;
  } else {
    highest = std::max(highest, last + 1);
  }
}

void scan(std::string_view operands, RegisterScan& found) {
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const char kind = operands[k];
    if ((kind != 'v' && kind != 'a' && kind != 's') || (k > 0 && is_word(operands[k - 1])))
      continue;
    const std::int64_t last = range_at(operands, k + 1).last;
    if (last < 0) continue;
    if (kind == 'v') count(found.vgprs, last, kMostOfAKind, found.beyond);
    if (kind == 'a') count(found.accum, last, kMostOfAKind, found.beyond);
    if (kind == 's') count(found.sgprs, last, kMostScalars, found.beyond);
  }
}

Finding finding(Severity severity, std::string code, std::string message, std::string where) {
  return {severity, std::move(code), std::move(message), std::move(where)};
}

/// gfx950, accumulators reported as 0: VGPR_Count or twice that.
void count_gfx950(std::int64_t reported, std::int64_t needed, const std::string& file,
                  RegisterCount& result) {
  const bool fits_twice = rounded_up(needed, 8) == rounded_up(2 * reported, 8);
  const bool fits_once = rounded_up(needed, 8) == rounded_up(reported, 8);
  if (reported >= needed && fits_once && !fits_twice) {
    result.vgprs = reported;
    result.vgpr_source = fmt::format("VGPR_Count of {}", file);
    return;
  }
  result.vgprs = 2 * reported;
  result.vgpr_source = fmt::format("2 × VGPR_Count of {}", file);
  if (reported < needed) {
    result.findings.push_back(
        finding(Severity::note, "vgpr-count-halved",
                fmt::format("VGPR_Count {} is half of the allocation, as some SDKs write it for "
                            "gfx950: the instructions name {} registers, so {} is taken",
                            reported, needed, 2 * reported),
                file));
  } else if (!fits_twice) {
    result.otherwise = reported;
    result.findings.push_back(
        finding(Severity::note, "vgpr-count-ambiguous",
                fmt::format("some SDKs write half of the allocation for gfx950 and the "
                            "instructions name only {} registers, so VGPR_Count {} may be whole or "
                            "half: {} is taken",
                            needed, reported, 2 * reported),
                file));
  }
}

}  // namespace

std::int64_t RegisterScan::unified() const {
  return accum > 0 ? rounded_up(vgprs, 4) + accum : vgprs;
}

bool overlaps(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty() || a[0] != b[0] || (a[0] != 'v' && a[0] != 'a' && a[0] != 's')) {
    return false;
  }
  const Range first = range_at(a, 1), second = range_at(b, 1);
  return first.last >= 0 && second.last >= 0 && first.first <= second.last &&
         second.first <= first.last;
}

RegisterScan scan_registers(std::span<const Instruction> instructions) {
  RegisterScan found;
  for (const Instruction& instruction : instructions) {
    const std::string_view code = code_of(instruction.text);
    const std::size_t end = code.find_first_of(" \t");
    if (end != std::string_view::npos) scan(code.substr(end), found);
  }
  return found;
}

RegisterCount count_registers(Arch arch, const RegisterScan& seen,
                              const DispatchResources* resources) {
  RegisterCount result;
  const std::int64_t needed = seen.unified();
  if (seen.beyond > 0) {
    result.findings.push_back(finding(
        Severity::note, "register-beyond-file",
        fmt::format("{} operands name a register above 255 (or s105), which no wave of these GPUs "
                    "has: they are left out of the register count",
                    seen.beyond),
        "code.json"));
  }
  if (resources != nullptr) result.sgprs = resources->sgprs;
  const std::string file = resources != nullptr ? resources->file : "";
  if (resources != nullptr && resources->vgprs && *resources->vgprs >= 0 &&
      *resources->vgprs <= kMostUnified) {
    const std::int64_t reported = *resources->vgprs;
    std::int64_t accum = resources->accum_vgprs.value_or(0);
    const bool absurd = accum < 0 || accum > kMostUnified;
    if (absurd) {
      result.findings.push_back(finding(
          Severity::error, "accum-count-absurd",
          fmt::format("Accum_VGPR_Count {} is not possible (some SDKs compute it wrongly) and is "
                      "ignored",
                      accum),
          file));
    }
    if (arch == Arch::gfx950 && (absurd || accum == 0)) {
      count_gfx950(reported, needed, file, result);
    } else if (!absurd) {
      result.vgprs = reported + accum;
      result.vgpr_source = fmt::format("VGPR_Count + Accum_VGPR_Count of {}", file);
    } else if (seen.accum == 0) {
      result.vgprs = reported;
      result.vgpr_source = fmt::format("VGPR_Count of {}", file);
    }
    if (result.vgprs && *result.vgprs < needed) {
      result.findings.push_back(
          finding(Severity::error, "register-count-low",
                  fmt::format("{} registers by {}, but the instructions name {}: the latter is "
                              "taken",
                              *result.vgprs, result.vgpr_source, needed),
                  file));
      result.vgprs.reset();
    }
  }
  if (!result.vgprs && needed > 0) {
    result.vgprs = needed;
    result.vgpr_source = "registers named by the instructions";
    result.lower_bound = true;
  }
  return result;
}

}  // namespace jaxtrace
