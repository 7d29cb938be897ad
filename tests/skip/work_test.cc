// What device events are, and how surely a call launched them.
#include "skip/work.h"

#include <gtest/gtest.h>

#include <string>

#include "skip/analysed.h"
#include "support/capture.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

TEST(Works, ACallThatOnlySharesTheIdIsAWeakJoin) {
  const Analysed a(R"(C s1 [10,11) launch [0,1) id 1 api hipLaunchKernel
                      C s1 [20,21) launch [2,3) id 2 api hipLaunchKernel
                      C s1 [30,31) launch [4,5) id 3 api hipStreamWaitEvent
                      C s1 [40,41) id 4)");
  EXPECT_EQ(a.works.join[0], Join::strong);
  EXPECT_EQ(a.works.join[1], Join::strong);
  EXPECT_EQ(a.works.join[2], Join::weak);
  EXPECT_EQ(a.works.join[3], Join::none);
}

TEST(Works, AKernelOnAnotherDeviceThanItsCallIsNotJoined) {
  const Analysed a(R"(C gpu0 s1 [10,11) launch [0,1) id 1 handle 47645
                      C gpu0 s1 [20,21) launch [2,3) id 2 handle 47645
                      C gpu1 s2 [10,11) launch [4,5) id 3 handle 47646
                      C gpu1 s2 [20,21) launch [6,7) id 4 handle 47646
                      C gpu0 s1 [30,31) launch [8,9) id 5 handle 47645
                      C gpu1 s2 [30,31) id 5)");
  std::size_t strong = 0, ambiguous = 0;
  for (std::size_t i = 0; i < a.trace.device_events; ++i) {
    if (a.trace.events.correlation[i] != 5) continue;
    const Lane& lane = a.trace.lanes[lane_of(a.trace, static_cast<std::uint32_t>(i))];
    if (static_cast<int>(lane.device) == 0) {
      strong += a.works.join[i] == Join::strong;
      EXPECT_EQ(a.works.fan_out[i], 1u);
    } else {
      ambiguous += a.works.join[i] == Join::ambiguous;
    }
  }
  EXPECT_EQ(strong, 1u);
  EXPECT_EQ(ambiguous, 1u);
}

struct Named {
  const char* row;
  WorkClass cls;
  WorkKind kind;
};

TEST(Works, TheLaunchingCallOutranksTheName) {
  const Named rows[] = {
      {"C s1 [0,1) name __amd_rocclr_copyBuffer.kd launch [0,1) api hipMemcpyDtoDAsync",
       WorkClass::memcpy, WorkKind::d2d},
      {"C s1 [0,1) name __amd_rocclr_fillBufferAligned.kd launch [0,1) api hipMemsetAsync",
       WorkClass::memset, WorkKind::unknown},
      {"M s1 [0,1) name MemcpyH2D", WorkClass::memcpy, WorkKind::h2d},
      {"M s1 [0,1) name MemcpyD2H", WorkClass::memcpy, WorkKind::d2h},
      {"M s1 [0,1) name MemcpyP2P", WorkClass::memcpy, WorkKind::p2p},
      {"S s1 [0,1)", WorkClass::memset, WorkKind::unknown},
      {"X s1 [0,1) name ncclDevKernel_AllGather_RING_LL", WorkClass::collective,
       WorkKind::all_gather},
      {"X s1 [0,1) name ncclDevKernel_ReduceScatter_Sum_f32_RING_LL", WorkClass::collective,
       WorkKind::reduce_scatter},
      {"C s1 [0,1) name my_kernel op all-to-all-start.3", WorkClass::collective,
       WorkKind::all_to_all},
      {"C s1 [0,1) name Cijk_Ailk_Bljk_SB.kd", WorkClass::compute, WorkKind::gemm},
      {"C s1 [0,1) name fmha_fwd_kernel", WorkClass::compute, WorkKind::attention},
      {"C s1 [0,1) name Im3d2Col.kd", WorkClass::compute, WorkKind::convolution},
      {"C s1 [0,1) name loop_transpose_fusion", WorkClass::compute, WorkKind::fusion},
      {"C s1 [0,1) name my_own_kernel", WorkClass::compute, WorkKind::custom},
  };
  for (const Named& row : rows) {
    const Analysed a{std::string(row.row)};
    EXPECT_EQ(name_of(a.works.cls[0]), name_of(row.cls)) << row.row;
    EXPECT_EQ(name_of(a.works.kind[0]), name_of(row.kind)) << row.row;
  }
}

TEST(Works, AFusionNamedAfterACollectiveIsNone) {
  const Analysed a("C s1 [0,1) name loop_all_reduce_fusion op fused-all-reduce.2");
  EXPECT_EQ(a.works.cls[0], WorkClass::compute);
}

TEST(Works, CopiesAndFillsStayWhatTheyAreInsideACustomCall) {
  const Analysed a("S s1 [0,1) op te_fused_attn_forward_ffi.10");
  EXPECT_EQ(a.works.cls[0], WorkClass::memset);
}

TEST(Works, CallsWithoutWorkAreCounted) {
  synth::Recording recording = rows::recording_of(R"(C s1 [10,11) launch [0,1) id 1
                                                     C s1 [20,21) launch [2,3) id 2)");
  recording.devices[0].lines[0].events.pop_back();
  const Analysed a(read_bytes(synth::xspace_bytes(recording)));
  EXPECT_EQ(a.works.calls, 2u);
  EXPECT_EQ(a.works.calls_without_work, 1u);
}

}  // namespace
}  // namespace jaxtrace
