// What names tell: of host calls, of kernels, of HLO instructions.
#pragma once

#include <string_view>

#include "skip/work.h"

namespace jaxtrace {

/// CUPTI names the host side of a copy "MemcpyH2D"; the HIP tracers by the API, "hipMemcpyAsync".
LaunchKind call_kind(std::string_view name);

struct NameClass {
  WorkClass cls = WorkClass::other;
  WorkKind kind = WorkKind::unknown;
};

/// By a device event's name alone; `other` where that tells nothing.
NameClass classify_name(std::string_view name);

/// From where to where a copy goes; `folded` is in small letters.
WorkKind copy_kind(std::string_view folded);
/// `memcpy_details` of CUPTI: "kind_src:device kind_dst:pinned size:…".
WorkKind copy_kind_of_details(std::string_view details);

/// By the kernel's name, else by the instruction; `op` may be empty.
WorkKind collective_kind(std::string_view name, std::string_view op);
/// An instruction that moves data between devices.  A fusion named after one is not.
bool is_collective_op(std::string_view op);

/// A kernel that a library brings, so that XLA cannot fuse it: cuBLAS, hipBLASLt, CK, cuDNN …
bool is_library_kernel(std::string_view name);

}  // namespace jaxtrace
