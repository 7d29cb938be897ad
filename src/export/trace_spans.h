// Program runs and steps as lanes of a GPU.
#pragma once

#include <string_view>
#include <vector>

#include "export/trace_derived.h"
#include "export/trace_selection.h"

namespace jaxtrace {

/// Slices of a lane, each in a row of it.
struct SpanLane {
  struct Span {
    Picoseconds begin{0}, end{0};
    std::uint32_t text = 0;
    std::uint64_t kernels = 0;
    std::uint8_t row = 0;
    std::uint32_t execution = kNone;  ///< Of the program, as in kernels.csv
  };
  std::vector<Span> spans;  ///< By begin
  std::size_t rows = 0;
};

/// From the first to the last of a run's events on the device.
SpanLane module_spans(const Trace& trace, const Attribution& attribution, const SliceTexts& texts,
                      std::span<const std::uint32_t> events, CutSlices& cut);

/// Of the chosen steps; texts are made for their numbers.
SpanLane step_spans(const Steps& steps, const TraceSelection& selection, std::size_t timeline,
                    std::span<const std::uint32_t> texts, CutSlices& cut);

/// Texts by step.
std::vector<std::uint32_t> step_texts(const Steps& steps, SliceTexts& texts);

}  // namespace jaxtrace
