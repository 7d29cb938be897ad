// Collects rows of counter files, whatever their form, into a CounterData.
//
// The same dispatch may come several times: a counter a row, an instance of the cache a row, a file
// given twice, a file for each process.  What it is decides whether values are added or dropped, so
// rows are kept as they come and understood in finish().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "jaxtrace/counters.h"

namespace jaxtrace {

class CounterRows {
 public:
  CounterData& data() { return data_; }

  std::uint32_t add_recording(Recording recording);
  std::uint32_t kernel(std::string_view name);
  std::uint32_t agent(CountedAgent agent);

  /// The row of the dispatch with this kernel, agent, recording and dispatch number; new or known.
  std::uint32_t dispatch(const CountedDispatch& dispatch);

  /// One more value of a dispatch.  `part` tells rows of different parts of the chip apart, where a
  /// file has columns for that; else 0.
  void add(std::uint32_t dispatch, const CounterName& name, std::uint16_t part, double value);

  /// A counter that is none of L2, for a message.
  void other_counter(std::string_view name);

  CounterData finish() &&;

 private:
  enum class Form : std::uint8_t { sum, instance, raw };  // In the order of preference.

  struct Row {  // Millions of them: 16 bytes.
    std::uint32_t dispatch;
    std::uint16_t part;
    L2Counter counter;
    Form form;
    double value;
  };

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  void grow();
  std::size_t slot_of(const CountedDispatch& dispatch) const;
  void merge_agents();
  void merge_copies();
  void order();
  void take_values();
  double value_of(const Row* first, const Row* last);
  void note(Severity severity, const char* code, const char* message, std::uint64_t count);

  CounterData data_;
  std::vector<Row> rows_;
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> kernels_;
  std::vector<std::uint32_t> slots_;  // Open addressing over data_.dispatches; kFree where free.
  std::uint64_t rows_twice_ = 0, contradictions_ = 0, instances_ = 0, copies_ = 0;
};

}  // namespace jaxtrace
