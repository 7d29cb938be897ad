// Patterns of host events, as seen in JAX captures on CUDA and ROCm.
#include "skip/host_class.h"

#include <algorithm>
#include <array>

#include "analysis/text.h"

namespace jaxtrace {
namespace {

template <std::size_t N>
bool contains_any(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return contains(text, part); });
}

/// "$file.py:12 function", as the Python tracer writes a frame.
bool is_frame(std::string_view name) {
  return name.starts_with('$');
}

constexpr auto kInputFrames = std::to_array<std::string_view>(
    {"dataloader", "data_loader", "grain", "tf_data", "tfdata", "dataset", "iterator", "prefetch"});
constexpr auto kInput = std::to_array<std::string_view>(
    {"DevicePut", "shard_args", "cpp_pjit_shard_arg_fallback", "BufferFromHost",
     "TransferLiteralToDevice", "TransferToDevice", "CopyToDevice", "IteratorGetNext",
     "Iterator::", "MemcpyHtoD", "MemcpyH2D"});
constexpr auto kSync = std::to_array<std::string_view>(
    {"StreamSynchronize", "EventSynchronize", "DeviceSynchronize", "CtxSynchronize",
     "BlockHostUntil", "block_until_ready", "BlockUntilReady", "PjRtBuffer::Await", "ToLiteral",
     "TransferLiteralFromDevice", "CopyToHost", "MemcpyDtoH", "MemcpyD2H"});
constexpr auto kCompileFrames = std::to_array<std::string_view>(
    {"pjit.py", "mlir.py", "lower", "compiler.py", "partial_eval.py"});
constexpr auto kCompile =
    std::to_array<std::string_view>({"Compile", "backend_compile", "trace_to_jaxpr", "Autotun"});
constexpr auto kPython = std::to_array<std::string_view>(
    {"PjitFunction", "ParseArguments", "PythonRefManager::CollectGarbage"});
constexpr auto kAlloc = std::to_array<std::string_view>(
    {"MemoryAllocation", "MemoryDeallocation", "DeviceMemAllocator::Alloc",
     "Build buffer allocations", "MakeOutputBuffers", "RecordUsage", "hipMalloc", "hipFree",
     "cuMemAlloc", "cuMemFree"});
constexpr auto kLaunch = std::to_array<std::string_view>(
    {"GpuExecutable::ExecuteThunks", "Thunks::", ":XLA GPU module", "LaunchKernel",
     "LaunchCooperativeKernel", "LaunchHostFunc", "GraphLaunch", "PJRT_LoadedExecutable_Execute",
     "ExecuteHelper", "command_buffer::"});
constexpr auto kCommunication =
    std::to_array<std::string_view>({"Rendezvous", "Clique", "ncclGroup", "ncclComm"});
constexpr auto kPool = std::to_array<std::string_view>(
    {"ThreadpoolListener::", "BufferSequencingEvent::", "ThenExecuteCallback"});

HostClass class_of_frame(std::string_view folded) {
  if (contains_any(folded, kInputFrames)) return HostClass::input;
  // What reads an array's value waits for it: jax/_src/array.py.
  if (contains(folded, "array.py:") &&
      (folded.ends_with(" _value") || folded.ends_with(" __array__"))) {
    return HostClass::sync;
  }
  if (contains(folded, "block_until_ready") || contains(folded, "try_to_block")) {
    return HostClass::sync;
  }
  if (contains(folded, "device_put") || contains(folded, "shard_args")) return HostClass::input;
  if (contains_any(folded, kCompileFrames)) return HostClass::compile;
  return HostClass::python;
}

}  // namespace

HostClass host_class(std::string_view name, bool is_op) {
  if (is_frame(name)) return class_of_frame(lower(name));
  if (contains_any(name, kInput)) return HostClass::input;
  if (contains_any(name, kSync)) return HostClass::sync;
  if (contains_any(name, kCompile)) return HostClass::compile;
  if (contains_any(name, kPython)) return HostClass::python;
  if (name.starts_with("ComputeSemaphoreAcquire") || name.starts_with("Wait for ")) {
    return HostClass::admission;
  }
  if (contains_any(name, kAlloc)) return HostClass::alloc;
  if (contains_any(name, kCommunication)) return HostClass::comm_setup;
  if (is_op || contains_any(name, kLaunch)) return HostClass::launch;
  if (name.starts_with("PjRt") && (contains(name, "Execute") || contains(name, "Execution"))) {
    return HostClass::launch;
  }
  if (contains_any(name, kPool)) return HostClass::pool;
  return HostClass::other;
}

std::string_view name_of(HostClass cls) {
  constexpr std::array<std::string_view, kHostClasses> kNames = {
      "input",  "sync",       "compile", "python", "admission", "alloc",
      "launch", "comm_setup", "pool",    "other",  "none"};
  return kNames[static_cast<std::size_t>(cls)];
}

bool is_wait(std::string_view name) {
  const HostClass cls = host_class(name);
  return cls == HostClass::admission ||
         (cls == HostClass::sync && !contains(name, "MemcpyDtoH") &&
          !contains(name, "MemcpyD2H")) ||
         contains(name, "Rendezvous");
}

std::string plain_host_name(std::string_view name) {
  if (is_frame(name)) return std::string(name);
  if (const std::size_t hash = name.find('#'); hash != std::string_view::npos && hash > 0) {
    name = name.substr(0, hash);
  }
  // A function's name stays: it says what was called.
  if (!name.starts_with("PjitFunction(")) {
    if (const std::size_t open = name.find('('); open != std::string_view::npos && open > 0) {
      name = name.substr(0, open);
    }
  }
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos && dot > 0 && dot + 1 < name.size() &&
      std::ranges::all_of(name.substr(dot + 1), [](char c) { return c >= '0' && c <= '9'; })) {
    name = name.substr(0, dot);
  }
  while (name.ends_with(' ') || name.ends_with(':')) name.remove_suffix(1);
  return std::string(name);
}

}  // namespace jaxtrace
