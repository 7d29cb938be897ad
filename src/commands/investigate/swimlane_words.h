// What the swimlane says in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/investigate/bars.h"
#include "report/words.h"

namespace jaxtrace {

struct SwimlaneBuilder;

/// "GPU:0", with its host if there are several
std::string gpu_name(const Trace& trace, const SkipStats& stats, std::size_t device);

/// "stream 16" of "Stream #16(MemcpyD2D,Compute)"; else the name itself.
std::string stream_name(std::string_view lane);

/// The instruction, and the kernel behind it; the kernel alone where the tracer says no more.
BarLabel event_label(const Trace& trace, std::uint32_t event, const InstructionOf& instruction);

/// All digits: "12.345678 µs"
std::string exact_us(Picoseconds time);

/// "1.234 ms"
std::string time_text(Picoseconds time);

bool is_wait(PathKind kind);
bool is_work(BarClass cls);

std::string swimlane_title(const Trace& trace, const SkipStats& stats, const CriticalPath& path);

/// What the path consists of, and on which GPUs.
std::string path_parts(const Trace& trace, const SkipStats& stats, const CriticalPath& path);

/// Who ends last, what the path waited for longest, and what of it is guessed.
std::vector<std::string> path_caption(SwimlaneBuilder& builder);

/// How much of it is drawn one by one.
std::string drawn_caption(const Swimlane& swimlane);

}  // namespace jaxtrace
