// The proto is parsed again for this: a Program keeps no shapes, and only a roofline asks for them.
#include "hlo/cost.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/stubs/logging.h>

#include <array>
#include <limits>

#include "hlo/cost_parts.h"
#include "hlo/shape.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

Count known(std::int64_t size) {
  return size < 0 ? Count() : Count(size);
}

}  // namespace

std::int64_t scaled_up(std::int64_t a, std::int64_t b, std::int64_t c) {
  __extension__ using Wide = __int128;
  if (a <= 0 || b <= 0) return 0;
  if (c <= 0) return std::numeric_limits<std::int64_t>::max();
  const Wide quotient = (static_cast<Wide>(a) * b + (c - 1)) / c;
  constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(quotient < kMost ? quotient : kMost);
}

const pb::ShapeProto& CostView::shape(InstructionId id) const {
  return row(id).shape();
}

bool CostView::has_operands(InstructionId id, std::size_t least) const {
  const std::size_t found = program[id].operands.size();
  return found >= least && static_cast<int>(found) == row(id).operand_ids_size();
}

Count elements_of(const pb::ShapeProto& shape) {
  return known(first_leaf_elements(shape));
}

Count elements_of_all(const pb::ShapeProto& shape) {
  if (shape.tuple_shapes().empty()) return elements_of(shape);
  Count sum = 0;
  for (const auto& part : shape.tuple_shapes()) sum = plus(sum, elements_of_all(part));
  return sum;
}

Count bytes_of(const pb::ShapeProto& shape) {
  return known(byte_size(shape));
}

std::string_view text(Precision precision) {
  constexpr std::array<std::string_view, kPrecisions> kTexts = {
      "", "f64 vector", "f32 vector", "f64", "f32", "tf32", "f16", "f8", "f4", "i8"};
  return kTexts[static_cast<std::size_t>(precision)];
}

std::vector<OpCost> instruction_costs(const Program& program, std::string_view hlo_proto) {
  std::vector<OpCost> costs(program.instructions.size());
  if (hlo_proto.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return costs;
  const google::protobuf::LogSilencer silencer;  // parse_program() said what is wrong with it.
  google::protobuf::Arena arena;
  auto& proto = *google::protobuf::Arena::CreateMessage<pb::HloProto>(&arena);
  if (!proto.ParseFromArray(hlo_proto.data(), static_cast<int>(hlo_proto.size()))) return costs;
  const ProtoRows rows = proto_rows(proto);
  if (rows.size() != costs.size()) return costs;

  const CostView view{program, rows};
  ArithmeticRules arithmetic(view);
  TrafficRules traffic(view);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const auto id = static_cast<InstructionId>(i);
    OpCost& cost = costs[i];
    if (const Arithmetic done = arithmetic.of(id); done.known) {
      cost.flops = done.all_flops();
      cost.transcendentals = done.transcendentals;
      cost.precision = done.precision();
      cost.precision_open = done.precision_open && cost.precision == Precision::f32;
      cost.estimate = done.estimate;
    }
    if (const Traffic moved = traffic.of(id); moved.read && moved.write) {
      cost.bytes = plus(moved.read, moved.write);
      cost.read_bytes = moved.read;
      cost.write_bytes = moved.write;
    }
  }
  return costs;
}

}  // namespace jaxtrace::hlo
