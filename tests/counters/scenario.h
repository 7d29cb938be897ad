// Counter files of one test, read and analysed as the program does.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/decide.h"
#include "counters/l2.h"
#include "support/counter_csv.h"
#include "support/program.h"

namespace jaxtrace {

class CountedFiles {
 public:
  /// Files by name; directories in names are made.
  CountedFiles(const std::map<std::string, std::string>& files, L2Options options)
      : options_(std::move(options)) {
    std::vector<std::filesystem::path> paths;
    for (const auto& [name, bytes] : files) {
      const std::filesystem::path path = scratch_.path() / name;
      std::filesystem::create_directories(path.parent_path());
      write_file(path, bytes);
      if (name.find("agent_info") == std::string::npos) paths.push_back(path);
    }
    data_ = read_counters(paths);
    result_ = analyse_l2(data_, options_);
  }

  const std::vector<L2Row>& rows() const { return result_.rows; }
  const L2Row& row(std::size_t i = 0) const { return result_.rows.at(i); }
  const L2Options& options() const { return options_; }
  const std::string& kernel(std::size_t i) const { return data_.kernels[row(i).kernel]; }
  const std::string& agent(std::size_t i) const { return data_.agents[row(i).agent].name; }
  const CounterData& data() const { return data_; }

  /// The finding with this code, of reading or of analysis; nullptr if there is none.
  const Finding* finding(std::string_view code) const {
    for (const auto* findings : {&data_.findings, &result_.findings}) {
      for (const Finding& finding : *findings) {
        if (finding.code == code) return &finding;
      }
    }
    return nullptr;
  }

 private:
  ScratchDir scratch_;
  L2Options options_;
  CounterData data_;
  L2Result result_;
};

inline L2Options with_arch(std::string arch) {
  L2Options options;
  options.arch = std::move(arch);
  return options;
}

inline L2Options with_ideal(double gigabytes, std::string arch = {}) {
  L2Options options = with_arch(std::move(arch));
  options.ideal_bytes = static_cast<std::int64_t>(gigabytes * 1e9 + 0.5);
  return options;
}

/// A counter of two dispatches of 3.014 ms, as in the worked example.
inline std::vector<CounterRow> twice(std::string_view counter, std::string_view value) {
  std::vector<CounterRow> rows(2);
  for (std::int64_t i = 0; i < 2; ++i) {
    CounterRow& row = rows[static_cast<std::size_t>(i)];
    row.dispatch = i + 1;
    row.counter = counter;
    row.value = value;
    row.begin_ns = 1'000'000 + i * 5'000'000;
    row.duration_ns = 3'014'000;
  }
  return rows;
}

inline std::vector<CounterRow> operator+(std::vector<CounterRow> rows,
                                         const std::vector<CounterRow>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

/// 2,496,000 hits and 144,326,000 misses in all.
inline std::vector<CounterRow> example_hits() {
  return twice("TCC_HIT_sum", "1248000") + twice("TCC_MISS_sum", "72163000");
}

/// 139,587,500 reads in all, none of 32 bytes.
inline std::vector<CounterRow> example_reads() {
  return twice("TCC_EA0_RDREQ_sum", "69793750") + twice("TCC_EA0_RDREQ_32B_sum", "0");
}

/// The same rows of another agent, process or kernel.
template <class Value>
std::vector<CounterRow> with(std::vector<CounterRow> rows, Value CounterRow::*field, Value value) {
  for (CounterRow& row : rows) row.*field = value;
  return rows;
}

}  // namespace jaxtrace
