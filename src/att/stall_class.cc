// Mnemonics by family: AMD's instruction set manuals for CDNA2, CDNA3, CDNA4, RDNA2 to RDNA4, and
// LLVM's AMDGPU assembly for gfx1250.
#include "att/stall_class.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace jaxtrace {
namespace {

struct Description {
  std::string_view name, cause;
};

/// In the order of StallClass.
constexpr std::array<Description, kStallClasses> kDescriptions = {{
    {"VMEM-load", "the load could not be issued: too many outstanding, or nothing to overlap"},
    {"VMEM-load(LDS)", "the load into LDS could not be issued"},
    {"VMEM-store", "the store could not be issued: the memory pipeline is full"},
    {"VMEM-atomic", "the atomic could not be issued: the memory pipeline is full"},
    {"CACHE", "caches were written back or invalidated"},
    {"SCRATCH", "spilled registers or stack in memory"},
    {"LDS", "the LDS was busy: many accesses, or bank conflicts"},
    {"LDS-xlane", "lanes exchanged data through the LDS"},
    {"SMEM", "the scalar load could not be issued"},
    {"VMEM-wait", "waits for vector memory to arrive"},
    {"VSTORE-wait", "waits for stores to finish"},
    {"LDS/SMEM-wait", "waits for LDS or scalar memory (lgkmcnt)"},
    {"LDS-wait", "waits for LDS"},
    {"SMEM-wait", "waits for scalar memory"},
    {"EXP-wait", "waits for exports"},
    {"MIXED-wait", "waits for several kinds of memory in one instruction"},
    {"ALL-wait", "waits until all memory operations are done"},
    {"ALU-wait", "waits for a result of the ALU"},
    {"barrier", "waits for the slowest wave of the workgroup"},
    {"barrier-signal", "signals a barrier, without waiting"},
    {"MFMA", "the matrix pipe was busy, or its result was needed too soon"},
    {"VALU", "the vector ALU was busy, or its operand was not ready"},
    {"TRANS", "the transcendental unit was busy"},
    {"ACC", "moves of accumulation registers: their result was not ready"},
    {"SALU", "the scalar ALU was busy, or the instruction was not fetched yet"},
    {"BRANCH", "the next instructions had to be fetched"},
    {"NOP", "waits that the compiler put in"},
    {"MSG", "a message to another unit"},
    {"other", "no known kind of instruction"},
}};

struct Prefix {
  std::string_view begin;
  StallClass stall_class;
};

using enum StallClass;

/// The first that fits.  Waits for counters and "… lds" loads are decided before.
constexpr Prefix kPrefixes[] = {
    {"s_barrier_signal", barrier_signal},
    {"s_barrier_init", barrier_signal},
    {"s_barrier_join", barrier_signal},
    {"s_barrier_leave", barrier_signal},
    {"s_barrier", barrier},
    {"ds_gws_barrier", barrier},
    {"s_wait_idle", all_wait},
    {"s_wait_alu", alu_wait},
    {"s_waitcnt_depctr", alu_wait},
    {"s_delay_alu", alu_wait},
    {"s_wait_event", export_wait},
    {"s_waitcnt", mixed_wait},
    {"s_wait_", mixed_wait},

    {"buffer_wb", cache},
    {"buffer_inv", cache},
    {"buffer_gl", cache},
    {"global_wb", cache},
    {"global_inv", cache},
    {"s_dcache", cache},
    {"s_icache", cache},

    {"scratch_", scratch},
    {"buffer_atomic", vmem_atomic},
    {"global_atomic", vmem_atomic},
    {"flat_atomic", vmem_atomic},
    {"image_atomic", vmem_atomic},
    {"buffer_store", vmem_store},
    {"global_store", vmem_store},
    {"flat_store", vmem_store},
    {"image_store", vmem_store},
    {"tbuffer_store", vmem_store},
    {"tensor_store", vmem_store},
    {"global_load_lds", vmem_load_lds},
    {"global_load_async", vmem_load_lds},
    {"tensor_load", vmem_load_lds},
    {"buffer_load", vmem_load},
    {"global_load", vmem_load},
    {"flat_load", vmem_load},
    {"tbuffer_load", vmem_load},
    {"global_prefetch", vmem_load},
    {"flat_prefetch", vmem_load},
    {"image_", vmem_load},

    {"ds_bpermute", lds_xlane},
    {"ds_permute", lds_xlane},
    {"ds_swizzle", lds_xlane},
    {"ds_bvh", lds},
    {"ds_", lds},
    {"lds_", lds},

    {"s_load_", smem},
    {"s_buffer_", smem},
    {"s_store_", smem},
    {"s_scratch_", smem},
    {"s_atomic_", smem},
    {"s_prefetch_", smem},
    {"s_atc_", smem},
    {"s_memtime", smem},
    {"s_memrealtime", smem},

    {"v_mfma_", matrix},
    {"v_smfmac_", matrix},
    {"v_wmma_", matrix},
    {"v_swmmac_", matrix},
    {"v_accvgpr_", acc},
    {"v_exp_", trans},
    {"v_log_", trans},
    {"v_rcp_", trans},
    {"v_rsq_", trans},
    {"v_sqrt_", trans},
    {"v_sin_", trans},
    {"v_cos_", trans},
    {"v_tanh_", trans},
    {"v_s_", trans},  // gfx12: the same on one lane, v_s_exp_f32.
    {"v_nop", nop},
    {"v_", valu},

    {"s_nop", nop},
    {"s_sleep", nop},
    {"s_sendmsg", message},
    {"s_branch", branch},
    {"s_cbranch", branch},
    {"s_call", branch},
    {"s_setpc", branch},
    {"s_swappc", branch},
    {"s_subvector_loop", branch},
    {"s_endpgm", branch},
    {"s_", salu},
};

}  // namespace

std::string_view name_of(StallClass stall_class) {
  return kDescriptions[static_cast<std::size_t>(stall_class)].name;
}

std::string_view cause_of(StallClass stall_class) {
  return kDescriptions[static_cast<std::size_t>(stall_class)].cause;
}

StallClass stall_class_of(WaitCounter counter) {
  switch (counter) {
    case WaitCounter::lgkm:
      return lds_smem_wait;
    case WaitCounter::exp:
      return export_wait;
    case WaitCounter::vs:
    case WaitCounter::store:
      return vstore_wait;
    case WaitCounter::ds:
      return lds_wait;
    case WaitCounter::km:
      return smem_wait;
    default:
      return vmem_wait;
  }
}

StallClass stall_class_of(std::string_view isa, int family) {
  const std::string_view mnemonic = mnemonic_of(isa);
  // Most of a family differ in the third letter, which spares a comparison of the rest.
  const auto* const found = std::ranges::find_if(kPrefixes, [&](const Prefix& prefix) {
    const std::string_view begin = prefix.begin;
    return mnemonic.size() >= begin.size() && (begin.size() < 3 || mnemonic[2] == begin[2]) &&
           mnemonic.starts_with(begin);
  });
  if (found == std::end(kPrefixes)) return other;
  if (found->stall_class == vmem_load && has_modifier(isa, "lds")) return vmem_load_lds;
  if (found->stall_class != mixed_wait) return found->stall_class;

  const std::vector<CounterWait> waits = waits_of(isa, family);
  if (waits.empty()) return mixed_wait;
  const StallClass first = stall_class_of(waits.front().counter);
  const bool same = std::ranges::all_of(
      waits, [&](const CounterWait& wait) { return stall_class_of(wait.counter) == first; });
  return same ? first : mixed_wait;
}

}  // namespace jaxtrace
