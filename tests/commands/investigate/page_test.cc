// The page and the digest, on worlds of every kind and on the real captures: short, whole, the same
// bytes every time, and saying what is true of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "commands/investigate/sections.h"
#include "jaxtrace/readers.h"
#include "support/capture.h"
#include "support/world_random.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::ptrdiff_t kMostLines = 250;
constexpr std::size_t kMostDigest = 4096;

std::string markdown(const Report& report) {
  std::ostringstream out;
  write_markdown(report, out);
  return std::move(out).str();
}

std::string json(const Report& report) {
  std::ostringstream out;
  write_json(report, out);
  return std::move(out).str();
}

/// What holds of every capture.
void expect_whole(const Investigation& all, const std::string& name) {
  const Report report = page(all, "0.0.0");
  const std::string text = markdown(report);
  EXPECT_LE(std::ranges::count(text, '\n'), kMostLines) << name;
  for (int step = 1; step <= 7; ++step) {
    EXPECT_NE(text.find("\n## " + std::to_string(step) + ". "), std::string::npos) << name << step;
  }
  const Json object = Json::parse(json(report));
  for (const char* key : {"schema", "version", "verdict", "checks", "budget", "attribution",
                          "roofline", "changes", "cannot_trust", "new_captures"}) {
    EXPECT_TRUE(object.contains(key)) << name << key;
  }
  for (const Json& row : object["cannot_trust"]) {
    if (!row["share"].is_null()) {
      EXPECT_GE(row["share"], 0) << name << row;
      EXPECT_LE(row["share"], 1) << name << row;
      EXPECT_FALSE(row["share_of"].is_null()) << name << row;
    }
  }
  const std::string brief = json(digest(all, "0.0.0"));
  EXPECT_LE(brief.size(), kMostDigest) << name;
  EXPECT_TRUE(Json::accept(brief)) << name;
}

Trace trace_of(const world::World& world) {
  return read_bytes(synth::xspace_bytes(world::run(world).recording));
}

TEST(InvestigatePage, IsShortAndWholeOnWorldsOfEveryKind) {
  for (std::uint64_t seed = 0; seed < 48; ++seed) {
    const Trace trace = trace_of(world::random_world(seed).world);
    expect_whole(investigate(trace, {}), "world " + std::to_string(seed));
  }
}

TEST(InvestigatePage, IsWholeWithoutAnyEvent) {
  const Trace trace;
  expect_whole(investigate(trace, {}), "nothing");
}

TEST(InvestigatePage, IsTheSameBytesEachTime) {
  const Trace trace = trace_of(world::random_world(3).world);
  const Investigation once = investigate(trace, {}), twice = investigate(trace, {});
  EXPECT_EQ(json(page(once, "0.0.0")), json(page(twice, "0.0.0")));
  EXPECT_EQ(markdown(page(once, "0.0.0")), markdown(page(twice, "0.0.0")));
}

TEST(InvestigatePage, ACommandBufferedStragglerIsFoundAndTheWhatIfIsTrue) {
  world::World world;
  world.devices = 4;
  world.collectives = 3;
  world.slow_device = 2;
  world.slow_percent = 60;
  world.graph = true;
  const Trace trace = trace_of(world);
  const Investigation all = investigate(trace, {});
  const Json object = Json::parse(json(page(all, "0.0.0")));
  EXPECT_EQ(object["verdict"]["straggler"], "GPU:2");
  const auto balance = std::ranges::find(object["changes"], "W3 balance", [](const Json& row) {
    return row["id"].get<std::string>();
  });
  ASSERT_NE(balance, object["changes"].end());
  world.slow_percent = 0;
  const auto truth = static_cast<double>(world::period(world::run(world)));
  EXPECT_NEAR((*balance)["step_ps"].get<double>() / truth, 1, 0.1);
}

TEST(InvestigatePage, RealCaptures) {
  if (real_captures().empty()) GTEST_SKIP() << "left out: JAXTRACE_CAPTURES is not set";
  int captures = 0;
  for (const char* set : {"jax-rocm", "xla-cuda", "tensorflow-cuda"}) {
    for (const auto& entry : fs::directory_iterator(real_captures() / set)) {
      if (!entry.is_directory()) continue;
      const Trace trace = read_capture(entry.path());
      expect_whole(investigate(trace, {}), entry.path().filename().string());
      ++captures;
    }
  }
  EXPECT_GE(captures, 3);
  RecordProperty("captures", captures);
}

TEST(InvestigatePage, ALegacyCaptureWithoutMostOfItsKernelsIsRefused) {
  if (real_captures().empty()) GTEST_SKIP() << "left out: JAXTRACE_CAPTURES is not set";
  const Trace trace = read_capture(real_captures() / "jax-rocm" / "conv-mi300x-legacy");
  const Json object = Json::parse(json(page(investigate(trace, {}), "0.0.0")));
  EXPECT_EQ(object["verdict"]["bound"], "inconclusive");
  double missing = 0;
  bool several_gpus = false;
  for (const Json& row : object["cannot_trust"]) {
    if (row["gravity"] != "fatal") continue;
    if (!row["share"].is_null()) missing = std::max(missing, row["share"].get<double>());
    several_gpus |=
        row["affects"].get<std::string>().find("more than one GPU") != std::string::npos;
  }
  EXPECT_GE(missing, 0.93);
  EXPECT_TRUE(several_gpus);
}

}  // namespace
}  // namespace jaxtrace
