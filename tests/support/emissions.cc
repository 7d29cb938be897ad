#include "support/emissions.h"

#include <fmt/format.h>

#include "support/library_kernels.h"
#include "support/random.h"

namespace jaxtrace::synth {
namespace {

std::string kernel_details(Style style, std::string_view name, Dim3 grid, Dim3 block,
                           std::uint32_t shared) {
  const std::string dims = fmt::format("grid:{},{},{} block:{},{},{}", grid.x, grid.y, grid.z,
                                       block.x, block.y, block.z);
  switch (style) {
    case Style::cuda:
      return fmt::format("regs:{} static_shared:0 dynamic_shared:{} {} occ_pct:{}",
                         16 + mix(7, name) % 112, shared, dims, shared > 32768 ? 25 : 100);
    case Style::rocm:  // the leading space is in real files
      return fmt::format(" {} private_mem:0 group_mem:{} occ_pct:0", dims, shared);
    case Style::roctracer:  // registers are garbage in real files
      return fmt::format("regs:{} static_shared:0 dynamic_shared:{} {} occ_pct:0", 2191487992u,
                         shared, dims);
  }
  return dims;
}

Emission kernel(Style style, const std::string& name, Dim3 grid, Dim3 block, std::uint32_t shared,
                bool xla) {
  Emission out{
      .name = name, .host_call = name, .details = kernel_details(style, name, grid, block, shared)};
  if (style == Style::rocm) {
    if (!name.starts_with("ncclDev")) out.name += ".kd";
    out.host_call = xla ? "hipModuleLaunchKernel" : "hipExtModuleLaunchKernel";
  }
  return out;
}

Emission copy(Style style, std::int64_t bytes) {
  switch (style) {
    case Style::cuda:
      return {
          .name = "MemcpyD2D",
          .host_call = "MemcpyD2D",
          .details = fmt::format("kind_src:device kind_dst:device size:{} dest:0 async:1", bytes),
          .kind = EventKind::memcpy};
    case Style::rocm: {
      Emission out = kernel(style, "__amd_rocclr_copyBuffer", {16, 1, 1}, {256, 1, 1}, 0, true);
      out.host_call = "hipMemcpyDtoDAsync";
      return out;
    }
    case Style::roctracer:
      return {.name = "CopyDeviceToDevice",
              .host_call = "hipMemcpyDtoDAsync",
              .details = fmt::format("kind:Unknown size:{} dest:0 async:1", bytes),
              .kind = EventKind::memcpy};
  }
  return {};
}

Emission fill(Style style, std::int64_t bytes) {
  if (style == Style::cuda) {
    return {.name = "Memset",
            .host_call = "Memset",
            .details = fmt::format("kind:Device num_bytes:{} async:1", bytes),
            .kind = EventKind::memset};
  }
  Emission out = kernel(style, "__amd_rocclr_fillBufferAligned", {4, 1, 1}, {256, 1, 1}, 0, true);
  out.host_call = style == Style::rocm ? "hipMemsetAsync" : out.name;
  return out;
}

bool any_of(std::string_view kind, std::initializer_list<std::string_view> kinds) {
  for (const std::string_view one : kinds) {
    if (kind == one) return true;
  }
  return false;
}

}  // namespace

std::vector<Emission> emissions(const Thunk& thunk, const Facts& facts, Style style,
                                std::uint64_t seed, std::size_t devices, std::uint64_t variation) {
  const std::string& kind = thunk.kind;
  if (!thunk.sections.empty() || kind.ends_with("Done") ||
      any_of(kind, {"kSequential", "kWaitForStreams", "kCommandBuffer", "kWhile", "kConditional",
                    "kAsyncStart", "kInfeed", "kOutfeed", "kHostSend", "kHostRecv"})) {
    return {};
  }
  if (!thunk.kernel.empty()) {
    return {kernel(style, thunk.kernel, thunk.grid, thunk.block, thunk.shared_memory, true)};
  }
  if (any_of(kind, {"kCopy", "kDeviceToDeviceCopy", "kDynamicMemcpy"})) {
    return {copy(style, facts.bytes)};
  }
  // XLA sets these four bytes by Memset32.
  if (any_of(kind, {"kPartitionId", "kReplicaId"})) return {fill(style, 4)};
  if (any_of(kind, {"kMemset32BitValue", "kMemzero"})) return {fill(style, facts.bytes)};
  if (is_collective(kind) && (facts.group_size == 1 || (facts.group_size == 0 && devices == 1))) {
    return {copy(style, facts.bytes)};  // a group of one only copies
  }
  std::vector<Emission> out;
  for (const std::string& name : thunk.launches) {
    out.push_back(name == "Memset"   ? fill(style, facts.bytes)
                  : name == "Memcpy" ? copy(style, facts.bytes)
                                     : kernel(style, name, {64, 1, 1}, {256, 1, 1}, 0, false));
  }
  if (!out.empty()) return out;
  for (const LibraryKernel& one : library_kernels(thunk, facts, style, seed, variation)) {
    out.push_back(one.fill
                      ? fill(style, 1 << 20)
                      : kernel(style, one.name, one.grid, one.block, one.shared_memory, false));
    out.back().collective = is_collective(kind);
  }
  return out;
}

Emission host_copy(Style style, std::int64_t bytes) {
  Emission out = copy(style, bytes);
  out.kind = EventKind::memcpy;
  out.name = style == Style::cuda ? "MemcpyD2H" : "CopyDeviceToHost";
  out.host_call = style == Style::cuda ? "MemcpyD2H" : "hipMemcpyDtoHAsync";
  if (style == Style::cuda) {
    out.details = fmt::format("kind_src:device kind_dst:pinned size:{} dest:0 async:1", bytes);
  }
  return out;
}

Emission control(Style style, std::string_view name) {
  Emission out = kernel(style, std::string(name), {1, 1, 1}, {1, 1, 1}, 0, true);
  out.control = true;
  return out;
}

}  // namespace jaxtrace::synth
