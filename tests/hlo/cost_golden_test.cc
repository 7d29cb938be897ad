// FLOPs and bytes against XLA's own cost analyses, for every instruction of the programs and
// captures in goldens/cost beside the real captures.  The columns and what is wrong with them:
// goldens/cost/README.md; where ours differ on purpose: docs/roofline.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "hlo/cost.h"
#include "jaxtrace/readers.h"
#include "support/capture.h"
#include "support/xla_programs.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

using Row = std::map<std::string, std::string>;  // by column

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out(1);
  for (const char c : line) {
    if (c == ',') {
      out.emplace_back();
    } else if (c != '\r') {
      out.back() += c;
    }
  }
  return out;
}

std::vector<Row> read_rows(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> columns = fields(line);
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = fields(line);
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < columns.size() && i < cells.size(); ++i) row[columns[i]] = cells[i];
  }
  return rows;
}

/// The HLO protos that a golden file is about, by program id; 0 if it is one program.
std::map<std::string, std::string> protos_of(const fs::path& goldens, const std::string& name) {
  const fs::path program = goldens / "xla-gpu" / name / "hlo.pb.gz";
  if (fs::exists(program)) return {{"", gunzip(program)}};
  if (name.starts_with("samples-")) {
    return {{"", gunzip(goldens / "hlo-text" / "samples" / (name.substr(8) + ".hlo.pb.gz"))}};
  }
  const fs::path capture = name.starts_with("xla-cuda-")
                               ? real_captures() / "xla-cuda" / name.substr(9)
                               : real_captures() / "jax-rocm" / name;
  std::map<std::string, std::string> protos;
  const Trace trace = read_capture(capture);
  for (const Module& module : trace.modules) {
    protos[std::to_string(module.program_id)] = module.hlo_proto;
  }
  return protos;
}

std::optional<double> number(const Row& row, const char* column) {
  const std::string& cell = row.at(column);
  if (cell.empty()) return {};
  return std::stod(cell);
}

/// XLA keeps its counts in floats.
bool same(std::optional<std::int64_t> ours, std::optional<double> theirs, double tolerance) {
  if (!ours || !theirs) return !ours && !theirs;
  const auto value = static_cast<double>(*ours);
  return std::abs(value - *theirs) <= tolerance * std::max(value, *theirs);
}

bool is_any(const std::string& opcode, const std::set<std::string>& opcodes) {
  return opcodes.contains(opcode);
}

const std::set<std::string> kContainers = {"while", "call", "conditional", "async-start"};
// Bytes are ours alone: operands and results, once each.
const std::set<std::string> kCollectives = {"all-gather", "all-gather-start", "all-reduce-start",
                                            "reduce-scatter", "collective-permute-start"};

/// The FLOPs to trust: of library calls those of the dot or convolution that they are.
std::optional<double> right_flops(const Row& row) {
  if (!row.at("eq_flops").empty()) return number(row, "eq_flops");
  if (row.at("note").find("hlo: unknown") != std::string::npos) return {};
  return number(row, "hlo_flops");
}

/// The bytes to trust; empty where XLA has no figure that is one.
std::optional<double> right_bytes(const Row& row, const hlo::OpCost& cost, bool& judged) {
  const std::string& opcode = row.at("opcode");
  const auto generic = number(row, "hlo_bytes"), gpu = number(row, "gpu_bytes");
  judged = true;
  if (row.at("note").find("gpu: not visited") != std::string::npos) {
    // The generic analysis counts 0, or several times, what a fusion reads by parts.
    judged = opcode != "fusion" && generic.has_value();
    return generic;
  }
  // Reads the initial value once, not once for each result.
  if (opcode == "reduce") return generic;
  // XLA takes a window for elementwise; a slice of its results then reads a slice of its operand.
  const auto value = static_cast<double>(*cost.bytes);
  if (opcode == "fusion" && gpu && generic && *gpu < value && value <= *generic) return value;
  // XLA's analysis does not know this version's gemm.  The call it stands for has the figure, but
  // for the third operand where beta is not 0.
  if (opcode == "custom-call" && !gpu) {
    const auto plain = number(row, "eq_bytes");
    const auto written = static_cast<double>(*cost.write_bytes);
    judged = plain.has_value();
    return plain && value == *plain + written ? value : plain;
  }
  return gpu;
}

struct Tally {
  int flops = 0, transcendentals = 0, bytes = 0, unknown = 0, windows = 0, estimates = 0;
};

class CostGoldens : public testing::Test {
 protected:
  void SetUp() override {
    if (real_captures().empty()) GTEST_SKIP() << "JAXTRACE_CAPTURES is not set";
    goldens_ = real_captures() / ".." / "goldens";
    if (!fs::exists(goldens_ / "cost")) GTEST_SKIP() << "no goldens/cost beside the captures";
  }

  fs::path goldens_;
};

TEST_F(CostGoldens, AllFlopsAndAllBytesAreXlasOrExplained) {
  std::map<std::string, Tally> agree;  // by opcode
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(goldens_ / "cost")) {
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  ASSERT_GE(files.size(), 27U);
  for (const fs::path& file : files) {
    const std::string name = file.stem();
    struct Costed {
      hlo::Program program;
      std::vector<hlo::OpCost> costs;
    };
    std::map<std::string, Costed> programs;
    for (const auto& [id, bytes] : protos_of(goldens_, name)) {
      auto program = hlo::parse_program(bytes);
      if (!program) continue;
      auto costs = hlo::instruction_costs(*program, bytes);
      programs.emplace(id, Costed{std::move(*program), std::move(costs)});
    }
    for (const Row& row : read_rows(file)) {
      const std::string& opcode = row.at("opcode");
      if (opcode == "module") continue;
      const bool single = programs.contains("");
      const auto found = programs.find(single ? "" : row.at("program_id"));
      ASSERT_NE(found, programs.end()) << name << ' ' << row.at("program_id");
      const hlo::InstructionId id = found->second.program.find(row.at("instruction"));
      ASSERT_NE(id, hlo::InstructionId::none) << name << ' ' << row.at("instruction");
      const hlo::OpCost& cost = found->second.costs[static_cast<std::size_t>(id)];
      const std::string where = name + ' ' + row.at("instruction") + ' ' + opcode;
      Tally& tally = agree[opcode];
      // Sums inside are compared one by one; XLA's leave out, or subtract, library calls.
      if (is_any(opcode, kContainers)) continue;
      if (cost.estimate) {
        EXPECT_TRUE(row.at("instruction").starts_with("te_fused_attn")) << where;
        EXPECT_TRUE(row.at("hlo_flops").empty())
            << where << ": there is nothing to hold it against";
        ++tally.estimates;
        continue;
      }

      if (row.at("note").find("not separable") == std::string::npos) {
        const auto flops = right_flops(row);
        EXPECT_TRUE(same(cost.flops, flops, opcode == "fusion" ? 1e-5 : 1e-6))
            << where << ": " << cost.flops.value_or(-1) << ", not " << flops.value_or(-1);
        ++(flops ? tally.flops : tally.unknown);
        if (flops && opcode != "custom-call") {
          EXPECT_TRUE(same(cost.transcendentals, number(row, "hlo_transcendentals"), 1e-5))
              << where << ": " << cost.transcendentals.value_or(-1);
          ++tally.transcendentals;
        }
      }
      if (opcode.ends_with("-done") || opcode == "opt-barrier") {
        EXPECT_EQ(cost.bytes, 0) << where;  // It launches nothing.
        continue;
      }
      if (is_any(opcode, kCollectives) || opcode == "copy-start") continue;
      if (!cost.bytes && opcode == "custom-call" && row.at("eq_flops").empty()) continue;
      ASSERT_TRUE(cost.bytes) << where;
      bool judged = false;
      const auto bytes = right_bytes(row, cost, judged);
      if (!judged) continue;
      EXPECT_TRUE(same(cost.bytes, bytes, 1e-6))
          << where << ": " << *cost.bytes << ", not " << bytes.value_or(-1);
      ++tally.bytes;
      if (opcode == "fusion" && bytes != number(row, "gpu_bytes")) ++tally.windows;
    }
  }
  // So many there are, so that an empty comparison cannot pass.
  EXPECT_EQ(agree["dot"].flops, 358);
  EXPECT_EQ(agree["custom-call"].flops, 195);
  EXPECT_EQ(agree["convolution"].flops, 2);
  EXPECT_EQ(agree["reduce"].flops, 615);
  EXPECT_EQ(agree["fusion"].flops, 1783);
  EXPECT_EQ(agree["fusion"].transcendentals, 1783);
  EXPECT_EQ(agree["dot"].bytes, 358);
  EXPECT_EQ(agree["custom-call"].bytes, 195);
  EXPECT_EQ(agree["reduce"].bytes, 615);
  EXPECT_EQ(agree["fusion"].bytes, 1665);
  EXPECT_EQ(agree["fusion"].windows, 7) << "fusions in which XLA takes a window for elementwise";
  EXPECT_EQ(agree["custom-call"].unknown, 4) << "nobody knows";
  EXPECT_EQ(agree["custom-call"].estimates, 4);
  int flops = 0, bytes = 0;
  for (const auto& [opcode, tally] : agree) {
    flops += tally.flops + tally.unknown;
    bytes += tally.bytes;
  }
  RecordProperty("flops", flops);
  RecordProperty("bytes", bytes);
  std::printf("%d figures of FLOPs, %d of bytes\n", flops, bytes);
}

}  // namespace
}  // namespace jaxtrace
