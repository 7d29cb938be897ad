// The capture in testdata/demo can be made again, byte for byte, as its README says.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/simulate.h"
#include "support/thunks.h"
#include "support/write_xplane.h"

namespace jaxtrace::synth {
namespace {

TEST(Demo, IsWhatItsReadmeSays) {
  const std::filesystem::path data = std::filesystem::path(JAXTRACE_SOURCE_DIR) / "testdata";
  const Program program = load_program(data / "programs" / "mlp_fsdp-mi300x");
  const std::string again =
      xspace_bytes(simulate({program}, {.style = Style::rocm, .devices = 2, .steps = 2}));
  const std::string kept = read_maybe_gzip(data / "demo" / "plugins" / "profile" /
                                           "2026_01_02_03_04_05" / "host0.xplane.pb");
  EXPECT_TRUE(again == kept) << again.size() << " bytes now, " << kept.size() << " in testdata";
  EXPECT_LT(kept.size(), 300'000u);
}

}  // namespace
}  // namespace jaxtrace::synth
