// HLO text against XLA's own printer, byte for byte, and against damage.
//
// testdata/hlo holds modules and what jaxlib 0.10.2 prints for them: made-up ones with every kind
// of operation, and programs that XLA compiled for GPUs.
#include "hlo/text.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "jaxtrace/readers.h"
#include "jaxtrace/trace.h"
#include "proto/hlo.pb.h"
#include "support/capture.h"
#include "support/random.h"

namespace jaxtrace::hlo {
namespace {

namespace fs = std::filesystem;

constexpr TextOptions kBare{.metadata = false, .backend_config = false};

/// The content of a file, gunzipped if it is a gzip.
std::string read(const fs::path& path) {
  std::string out;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return out;
  char buffer[1 << 16];
  for (int count = 0; (count = gzread(file, buffer, sizeof buffer)) > 0;) {
    out.append(buffer, static_cast<std::size_t>(count));
  }
  gzclose(file);
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// Fails with the first line that differs: whole modules are too long to read.
void expect_same(const std::optional<std::string>& got, const std::string& want,
                 const std::string& name) {
  ASSERT_TRUE(got.has_value()) << name;
  if (*got == want) return;
  const auto got_lines = lines_of(*got);
  const auto want_lines = lines_of(want);
  const auto [at, expected] = std::ranges::mismatch(got_lines, want_lines);
  ADD_FAILURE() << name << ", line " << at - got_lines.begin() + 1 << "\n  is     "
                << (at == got_lines.end() ? "(the end)" : *at) << "\n  not    "
                << (expected == want_lines.end() ? "(the end)" : *expected);
}

std::vector<fs::path> files_in(const fs::path& directory, std::string_view suffix) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().string().ends_with(suffix)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

const fs::path kTestdata = fs::path(JAXTRACE_SOURCE_DIR) / "testdata/hlo";

/// `name` of `name.hlo.pb.gz` or `name.hlo.txt.gz`.
std::string stem(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.substr(0, name.find(".hlo."));
}

TEST(HloText, IsWhatXlaPrints) {
  const auto protos = files_in(kTestdata, ".hlo.pb.gz");
  EXPECT_GE(protos.size(), 28u);
  for (const fs::path& proto : protos) {
    const std::string name = stem(proto);
    expect_same(print_module(read(proto)), read(kTestdata / (name + ".hlo.txt.gz")), name);
    const fs::path bare = kTestdata / (name + ".bare.hlo.txt.gz");
    if (fs::exists(bare)) expect_same(print_module(read(proto), kBare), read(bare), name);
  }
}

/// Real captures below the captures folder, by the name that the goldens give them.
std::vector<std::pair<std::string, fs::path>> captures_of(const fs::path& goldens) {
  std::vector<std::pair<std::string, fs::path>> found;
  for (const auto& entry : fs::recursive_directory_iterator(real_captures())) {
    if (!entry.path().string().ends_with(".xplane.pb")) continue;
    const std::string run = entry.path().parent_path().filename().string();
    for (const std::string& name : {run, "xla-cuda-" + run}) {
      if (fs::is_directory(goldens / name)) found.emplace_back(name, entry.path());
    }
  }
  std::ranges::sort(found);
  return found;
}

TEST(HloText, IsWhatXlaPrintsForRealCaptures) {
  if (real_captures().empty()) GTEST_SKIP() << "JAXTRACE_CAPTURES is not set";
  const fs::path goldens = real_captures() / "../goldens/hlo-text";
  std::size_t modules = 0;
  std::size_t texts = 0;
  for (const auto& [name, path] : captures_of(goldens)) {
    const Trace trace = read_capture(path);
    for (const Module& module : trace.modules) {
      const std::string file = std::string(trace.strings[module.name]) + "(" +
                               std::to_string(module.program_id) + ").hlo.txt.gz";
      if (!fs::exists(goldens / name / file)) continue;
      expect_same(print_module(module.hlo_proto), read(goldens / name / file), name + "/" + file);
      expect_same(print_module(module.hlo_proto, kBare), read(goldens / name / "bare" / file),
                  name + "/bare/" + file);
      modules += 1;
      texts += 2;
    }
  }
  for (const fs::path& text : files_in(goldens / "xla-gpu", ".hlo.txt.gz")) {
    const fs::path proto = goldens / "../xla-gpu" / stem(text) / "hlo.pb.gz";
    expect_same(print_module(read(proto)), read(text), stem(text));
    modules += 1;
    texts += 1;
  }
  std::cout << modules << " modules, " << texts << " texts compared\n";
  EXPECT_GE(modules, 47u);
}

// Damage.

pb::HloInstructionProto* add(pb::HloComputationProto& computation, std::int64_t id,
                             const char* name, const char* opcode) {
  pb::HloInstructionProto* instruction = computation.add_instructions();
  instruction->set_id(id);
  instruction->set_name(name);
  instruction->set_opcode(opcode);
  instruction->mutable_shape()->set_element_type(11);  // F32
  return instruction;
}

TEST(HloText, NamesWhatIsMissing) {
  pb::HloProto proto;
  pb::HloComputationProto& entry = *proto.mutable_hlo_module()->add_computations();
  proto.mutable_hlo_module()->set_name("damaged");
  entry.set_name("e");
  entry.set_root_id(2);
  auto* call = add(entry, 2, "c", "call");
  call->add_operand_ids(7);
  call->add_called_computation_ids(9);
  call->mutable_metadata()->set_op_name("f");
  call->mutable_metadata()->set_stack_frame_id(3);
  EXPECT_EQ(print_module(proto.SerializeAsString()),
            "HloModule damaged\n\n"
            "ENTRY %e () -> f32[] {\n"
            "  ROOT %c = f32[] call(null /*id=7*/), to_apply=null /*id=9*/, "
            "metadata={op_name=\"f\"}\n"
            "}\n\n");
}

TEST(HloText, PrintsEachInstructionAndComputationOnceWhenTheyGoInCircles) {
  pb::HloProto proto;
  pb::HloModuleProto& module = *proto.mutable_hlo_module();
  for (int i = 1; i <= 2; ++i) {
    pb::HloComputationProto& computation = *module.add_computations();
    computation.set_id(i);
    computation.set_name(i == 1 ? "a" : "b");
    computation.set_root_id(1);
    auto* first = add(computation, 1, i == 1 ? "x" : "p", "async-start");
    auto* second = add(computation, 2, i == 1 ? "y" : "q", "negate");
    first->add_operand_ids(2);
    first->add_called_computation_ids(3 - i);
    second->add_operand_ids(1);
    second->add_control_predecessor_ids(2);
  }
  const auto text = print_module(proto.SerializeAsString());
  ASSERT_TRUE(text.has_value());
  for (const char* name : {"%a (", "%b (", "%x = ", "%y = ", "%p = ", "%q = "}) {
    const std::size_t at = text->find(name);
    ASSERT_NE(at, std::string::npos) << name;
    EXPECT_EQ(text->find(name, at + 1), std::string::npos) << name;
  }
}

TEST(HloText, AsyncOperationsThatWrapThemselvesEnd) {
  pb::HloProto proto;
  pb::HloComputationProto& entry = *proto.mutable_hlo_module()->add_computations();
  entry.set_name("e");
  entry.set_root_id(1);
  add(entry, 1, "s", "async-start")->add_called_computation_ids(0);
  EXPECT_TRUE(print_module(proto.SerializeAsString()).has_value());
}

TEST(HloText, FramesThatGoInCirclesOrNowhereAreDropped) {
  pb::HloProto proto;
  pb::HloModuleProto& module = *proto.mutable_hlo_module();
  pb::StackFrameIndexProto& index = *module.mutable_stack_frame_index();
  index.add_file_names("a.py");
  index.add_function_names("f");
  auto* location = index.add_file_locations();
  location->set_file_name_id(1);
  location->set_function_name_id(1);
  location->set_line(3);
  const auto frame = [&](int file_location, int parent) {
    auto* added = index.add_stack_frames();
    added->set_file_location_id(file_location);
    added->set_parent_frame_id(parent);
  };
  frame(1, 2);  // 1 and 2 go in a circle,
  frame(1, 1);
  frame(1, 9);  // 3 has a parent outside the index,
  frame(5, 0);  // 4 lies nowhere,
  frame(1, 0);  // and 5 is sound.
  pb::HloComputationProto& entry = *module.add_computations();
  entry.set_name("e");
  for (int i = 1; i <= 5; ++i) {
    const std::string name = "x" + std::to_string(i);
    add(entry, i, name.c_str(), "negate")->mutable_metadata()->set_stack_frame_id(i);
  }
  const auto text = print_module(proto.SerializeAsString());
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("%x5 = f32[] negate(), metadata={stack_frame_id=1}\n"), std::string::npos);
  EXPECT_EQ(text->find("stack_frame_id=2"), std::string::npos);
  EXPECT_NE(text->find("\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n"),
            std::string::npos);
}

TEST(HloText, ALongNameUsedOftenDoesNotFillTheMemory) {
  pb::HloProto proto;
  pb::HloComputationProto& entry = *proto.mutable_hlo_module()->add_computations();
  entry.set_name("e");
  add(entry, 1, std::string(100'000, 'n').c_str(), "parameter");
  auto* tuple = add(entry, 2, "t", "tuple");
  for (int i = 0; i < 100'000; ++i) tuple->add_operand_ids(1);
  const std::string bytes = proto.SerializeAsString();
  const auto text = print_module(bytes);
  ASSERT_TRUE(text.has_value());
  EXPECT_LT(text->size(), (std::size_t{17} << 20) + 64 * bytes.size());
  EXPECT_NE(text->find("The rest is left out"), std::string::npos);
}

TEST(HloText, WhatIsNoProgramIsNoText) {
  EXPECT_FALSE(print_module("").has_value());
  EXPECT_FALSE(print_module("this is no proto").has_value());
}

TEST(HloText, SurvivesDamagedBytes) {
  for (const fs::path& file : files_in(kTestdata, ".hlo.pb.gz")) {
    const std::string bytes = read(file);
    const bool large = bytes.size() > 20'000;
    for (std::uint64_t seed = 1; seed <= (large ? 20u : 300u); ++seed) {
      synth::Random random(seed, file.filename().string());
      std::string damaged = bytes;
      for (std::uint64_t i = 0; i <= random.below(8); ++i) {
        damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
      }
      if (random.chance(0.2)) damaged.resize(random.below(damaged.size()));
      const auto text = print_module(damaged);
      const auto bare = print_module(damaged, kBare);
      EXPECT_EQ(text.has_value(), bare.has_value()) << file << ", seed " << seed;
    }
  }
}

// A chain in which every instruction also uses the first, scheduled backwards as far as ids go:
// work that grows with the square of the length would not end in a test's time.
TEST(HloText, LongProgramsTakeTimeInProportion) {
  constexpr int kLength = 100'000;
  pb::HloProto proto;
  pb::HloModuleProto& module = *proto.mutable_hlo_module();
  pb::HloComputationProto& entry = *module.add_computations();
  entry.set_name("e");
  entry.set_id(1);
  entry.set_root_id(1);
  add(entry, kLength, "p", "parameter");
  for (int i = kLength - 1; i >= 1; --i) {
    const std::string name = "x." + std::to_string(i);
    auto* instruction = add(entry, i, name.c_str(), "add");
    instruction->add_operand_ids(i + 1);
    instruction->add_operand_ids(kLength);
  }
  const auto unscheduled = print_module(proto.SerializeAsString());
  auto* sequence = module.mutable_schedule()->add_sequences();
  sequence->set_key(1);
  for (int i = kLength; i >= 1; --i) sequence->mutable_value()->add_instruction_ids(i);
  const auto scheduled = print_module(proto.SerializeAsString());
  ASSERT_TRUE(unscheduled && scheduled);
  EXPECT_EQ(unscheduled->substr(unscheduled->find('\n')), scheduled->substr(scheduled->find('\n')));
  EXPECT_NE(scheduled->find("\n  ROOT %x.1 = f32[] add(%x.2, %p)\n}\n"), std::string::npos);
}

}  // namespace
}  // namespace jaxtrace::hlo
