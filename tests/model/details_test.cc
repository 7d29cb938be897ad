// The texts that tracers write on kernels, copies and fills.
#include "model/details.h"

#include <gtest/gtest.h>

namespace jaxtrace {
namespace {

TEST(Details, KernelOfCuda) {
  const Details details = parse_details(
      Details::Of::kernel,
      "regs:32 static_shared:0 dynamic_shared:49152 grid:108,2,3 block:256,1,1 occ_pct:50");
  EXPECT_EQ(details.registers, 32U);
  EXPECT_EQ(details.grid[0], 108U);
  EXPECT_EQ(details.grid[2], 3U);
  EXPECT_EQ(details.block[0], 256U);
  EXPECT_FALSE(details.bytes.has_value());
}

TEST(Details, KernelOfRocprofilerSdk) {
  const Details details = parse_details(
      Details::Of::kernel, " grid:64,1,1 block:512,1,1 private_mem:0 group_mem:0 occ_pct:0");
  EXPECT_EQ(details.grid[0], 64U);
  EXPECT_FALSE(details.registers.has_value());
}

TEST(Details, ImpossibleRegistersAreAbsent) {
  const Details details =
      parse_details(Details::Of::kernel, "block:1,1,1 regs:2191500840 grid:2,1,1");
  EXPECT_FALSE(details.registers.has_value());
  EXPECT_EQ(details.grid[0], 2U);
}

TEST(Details, CopiesAndFills) {
  EXPECT_EQ(parse_details(Details::Of::memcpy, "kind:Unknown size:655360 dest:2 async:1").bytes,
            655360U);
  EXPECT_EQ(parse_details(Details::Of::memset, "kind:device num_bytes:64 async:0").bytes, 64U);
}

TEST(Details, NonsenseIsPassedOver) {
  const Details details =
      parse_details(Details::Of::kernel, "grid:1,2 block:1,x,3 regs: :7 what size:-1 \t");
  EXPECT_EQ(details.grid[0], 0U);
  EXPECT_EQ(details.block[0], 0U);
  EXPECT_FALSE(details.registers.has_value());
  EXPECT_FALSE(details.bytes.has_value());
}

}  // namespace
}  // namespace jaxtrace
