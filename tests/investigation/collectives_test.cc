// What collectives move, between how many, and how fast.
#include "investigation/collectives.h"

#include <gtest/gtest.h>

#include <string>

#include "hlo/collective_shape.h"
#include "support/capture.h"
#include "support/hlo_lines.h"
#include "support/simulate.h"
#include "support/small_program.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

using hlo::CollectiveKind;
using hlo::CollectiveShape;
using test::HloLines;

CollectiveShape shape_of(const HloLines& hlo, std::string_view name) {
  const std::string bytes = hlo.bytes();
  const auto program = hlo::parse_program(bytes);
  for (const CollectiveShape& shape : hlo::collective_shapes(*program, bytes)) {
    if ((*program)[shape.instruction].name == name) return shape;
  }
  throw std::runtime_error("no collective " + std::string(name));
}

TEST(CollectiveShapes, SizeIsTheGreaterOfWhatGoesInAndOut) {
  const HloLines hlo(R"(entry
    p = f32[8] parameter
    q = bf16[4] parameter
    ar = f32[8] all-reduce p
    ag = f32[32] all-gather p
    rs = f32[2] reduce-scatter p
    old = (f32[8], f32[32]) all-gather-start p
    several = ((f32[8], bf16[4]), (f32[32], bf16[16])) all-gather-start p q
    flat = (f32[32], bf16[16]) all-gather-start p q
    cp = (f32[8], f32[8], u32[], u32[]) collective-permute-start p)");
  EXPECT_EQ(shape_of(hlo, "ar").bytes, 32);
  EXPECT_EQ(shape_of(hlo, "ag").bytes, 128);
  EXPECT_EQ(shape_of(hlo, "rs").bytes, 32);
  EXPECT_EQ(shape_of(hlo, "old").bytes, 128) << "its operand is not a result";
  EXPECT_EQ(shape_of(hlo, "several").bytes, 128 + 32);
  EXPECT_EQ(shape_of(hlo, "flat").bytes, 128 + 32) << "as jax 0.10 writes it";
  EXPECT_EQ(shape_of(hlo, "cp").bytes, 32);
  EXPECT_EQ(shape_of(hlo, "cp").kind, CollectiveKind::permute);
}

TEST(CollectiveShapes, GroupsAreReadInAllSpellings) {
  HloLines hlo("entry\n p = f32[8] parameter\n ar = f32[8] all-reduce p");
  auto& ar = hlo["ar"];
  ar.set_channel_id(1);
  ar.set_use_global_device_ids(true);
  const auto check = [&](std::optional<std::int64_t> participants,
                         std::optional<std::int64_t> groups) {
    EXPECT_EQ(shape_of(hlo, "ar").participants, participants);
    EXPECT_EQ(shape_of(hlo, "ar").groups, groups);
  };
  check({}, {});  // All devices, however many there are
  for (int group = 0; group < 2; ++group) {
    auto& ids = *ar.add_replica_groups();
    for (int id = 0; id < 4; ++id) ids.add_replica_ids(4 * group + id);
  }
  check(4, 2);
  ar.mutable_replica_groups(1)->add_replica_ids(8);
  check({}, 2);  // Groups of different size
  ar.clear_replica_groups();
  auto& iota = *ar.mutable_collective_device_list()->mutable_iota_replica_group_list();
  iota.set_num_replica_groups(4);
  iota.set_num_devices_per_group(2);
  check(2, 4);
  ar.clear_collective_device_list();
  auto& mesh = *ar.mutable_mesh_axes_replica_group_list();
  for (const int size : {4, 2, 3}) mesh.mutable_mesh()->add_axes()->set_size(size);
  mesh.add_axes()->set_mesh_axis_index(0);
  mesh.add_axes()->set_mesh_axis_index(2);
  check(12, 2);
  auto& half = *mesh.mutable_axes(0)->mutable_sub_axis_info();
  half.set_pre_size(1);
  half.set_size(2);
  check(6, 4);
  mesh.mutable_axes(1)->set_mesh_axis_index(9);
  check({}, {});  // Damaged
}

TEST(CollectiveShapes, GroupsOfReplicasMayStandForTheirPartitions) {
  HloLines hlo("entry\n p = f32[8] parameter\n ar = f32[8] all-reduce p");
  hlo["ar"].add_replica_groups()->add_replica_ids(0);
  EXPECT_EQ(shape_of(hlo, "ar").participants, 1);
  hlo["ar"].set_channel_id(3);
  EXPECT_EQ(shape_of(hlo, "ar").participants, std::nullopt) << "how many partitions is not said";
  auto& assignment = *hlo.proto().mutable_hlo_module()->mutable_device_assignment();
  assignment.set_replica_count(1);
  assignment.set_computation_count(8);
  EXPECT_EQ(shape_of(hlo, "ar").participants, 8);
  hlo["ar"].clear_replica_groups();
  EXPECT_EQ(shape_of(hlo, "ar").participants, 8) << "everybody";
}

TEST(CollectiveShapes, AsynchronousStartsHaveWhatTheyWrap) {
  const HloLines hlo(R"(wrapped
    p = f32[8] parameter
    a = f32[8] all-to-all p
    b = f32[16] all-gather p
  entry
    p = f32[8] parameter
    s = (f32[8], f32[8]) async-start p calls wrapped)");
  EXPECT_EQ(shape_of(hlo, "s").kind, CollectiveKind::several);
  EXPECT_EQ(shape_of(hlo, "s").bytes, 32 + 64);
}

TEST(IsCollective, IsAskedOfOpcodesWithStartsAndDones) {
  for (const char* opcode :
       {"all-reduce", "all-reduce-start", "all-gather-done", "ragged-all-to-all",
        "collective-permute-start", "collective-broadcast", "reduce-scatter"}) {
    EXPECT_TRUE(hlo::is_collective(opcode)) << opcode;
  }
  for (const char* opcode : {"send", "recv-done", "copy-start", "async-start", "fusion", ""}) {
    EXPECT_FALSE(hlo::is_collective(opcode)) << opcode;
  }
}

TEST(BusBandwidth, HasTheFactorsOfNcclTests) {
  EXPECT_EQ(bus_factor(CollectiveKind::all_reduce, 8), 2.0 * 7 / 8);
  EXPECT_EQ(bus_factor(CollectiveKind::all_gather, 4), 0.75);
  EXPECT_EQ(bus_factor(CollectiveKind::reduce_scatter, 4), 0.75);
  EXPECT_EQ(bus_factor(CollectiveKind::all_to_all, 2), 0.5);
  EXPECT_EQ(bus_factor(CollectiveKind::permute, {}), 1.0);
  EXPECT_EQ(bus_factor(CollectiveKind::all_reduce, {}), std::nullopt);
  EXPECT_EQ(bus_factor(CollectiveKind::all_reduce, 1), std::nullopt);
  EXPECT_EQ(bus_factor(CollectiveKind::several, 8), std::nullopt);
}

/// Three steps of an all-reduce of 4,096 bytes between two devices, the second of which comes 30 us
/// later each time, to what takes 10 us once both are there.
synth::Recording two_devices(int participants) {
  synth::Program program = synth::small_program(
      "jit_step", {synth::fusion("a"), synth::collective("all-reduce.3", "all-reduce")});
  pb::HloProto proto;
  proto.ParseFromString(program.hlo);
  for (auto& computation : *proto.mutable_hlo_module()->mutable_computations()) {
    for (auto& i : *computation.mutable_instructions()) {
      if (i.opcode() != "all-reduce") continue;
      i.clear_replica_groups();
      i.clear_collective_device_list();
      i.set_use_global_device_ids(true);
      for (int id = 0; id < participants; ++id) {
        if (id == 0) i.add_replica_groups();
        i.mutable_replica_groups(0)->add_replica_ids(id);
      }
    }
  }
  program.hlo = proto.SerializeAsString();
  synth::Recording recording = synth::simulate({program}, {.devices = 2, .steps = 3});
  constexpr std::int64_t kUs = 1'000'000;
  for (std::size_t d = 0; d < 2; ++d) {
    for (auto& line : recording.devices[d].lines) {
      for (auto& event : line.events) {
        const std::int64_t begin = 10'000 * kUs + event.step * 1'000 * kUs;
        const bool collective = recording.strings[event.op] == "all-reduce.3";
        event.start_ps = begin + (collective ? 100 * kUs + (d == 1 ? 30 * kUs : 0) : 0);
        event.duration_ps = collective ? (d == 1 ? 10 * kUs : 40 * kUs) : kUs;
      }
    }
  }
  return recording;
}

std::vector<CollectiveRow> rows_of(const synth::Recording& recording) {
  const Trace trace = read_bytes(synth::xspace_bytes(recording));
  const Attribution attribution = attribute(trace);
  return find_collectives(trace, attribution, find_ops(trace, attribution));
}

TEST(Collectives, TransferBeginsWhenTheLastIsThere) {
  const auto rows = rows_of(two_devices(2));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].instances, 6);
  EXPECT_EQ(rows[0].bytes, 4096);
  EXPECT_EQ(rows[0].participants, 2);
  EXPECT_EQ(rows[0].total, Picoseconds{3 * 50'000'000});
  ASSERT_TRUE(rows[0].transfer);
  EXPECT_EQ(*rows[0].transfer, Picoseconds{6 * 10'000'000});
  EXPECT_EQ(rows[0].compared, 6);
  EXPECT_FALSE(rows[0].waiting_included);
  EXPECT_NEAR(*rows[0].algorithm_bandwidth, 4096 / 10e-6, 1);
  EXPECT_NEAR(*rows[0].bus_bandwidth, 4096 / 10e-6, 1) << "2 (n - 1) / n is 1";
}

TEST(Collectives, WithoutAllParticipantsTheWaitingIsIncluded) {
  const auto rows = rows_of(two_devices(8));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_FALSE(rows[0].transfer) << "six devices are not in the capture";
  EXPECT_TRUE(rows[0].waiting_included);
  EXPECT_NEAR(*rows[0].algorithm_bandwidth, 6 * 4096 / 150e-6, 1);
  EXPECT_NEAR(*rows[0].bus_bandwidth, *rows[0].algorithm_bandwidth * 2 * 7 / 8, 1);
}

}  // namespace
}  // namespace jaxtrace
