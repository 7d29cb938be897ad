// TraceBuilder: appends to the columns and keeps one copy of what repeats.
#include "jaxtrace/trace_builder.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "model/details.h"
#include "model/order.h"

namespace jaxtrace {
namespace {

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  // The finaliser of splitmix64 (Steele, Lea, Flood 2014) over the running hash.
  std::uint64_t x = seed + 0x9e3779b97f4a7c15ULL + value;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

std::uint64_t pair_of(StringId a, StringId b) {
  return (static_cast<std::uint64_t>(a) << 32U) | static_cast<std::uint64_t>(b);
}

}  // namespace

std::size_t TraceBuilder::AnnotationHash::operator()(const Annotation& a) const {
  std::uint64_t hash = mix(pair_of(a.hlo_op, a.hlo_module), pair_of(a.op_name, a.prefix));
  hash = mix(hash, static_cast<std::uint64_t>(a.tf_op));
  hash = mix(hash, static_cast<std::uint64_t>(a.program_id));
  return mix(mix(mix(hash, a.graph_id), a.graph_exec_id), static_cast<std::uint64_t>(a.agent));
}

TraceBuilder::TraceBuilder() {
  trace_.annotations.emplace_back();
  annotation_ids_.emplace(Annotation{}, AnnotationId::none);
  trace_.details.emplace_back();
}

HostId TraceBuilder::add_host(std::string_view name, std::string_view file) {
  const auto id = HostId{static_cast<std::uint16_t>(trace_.hosts.size())};
  Host host{};
  host.name = intern(name);
  host.file = intern(file);
  trace_.hosts.push_back(host);
  return id;
}

DeviceId TraceBuilder::add_device(Device device) {
  const auto id = DeviceId{static_cast<std::uint32_t>(trace_.devices.size())};
  trace_.devices.push_back(device);
  return id;
}

void TraceBuilder::begin_lane(Lane lane) {
  lane.first = trace_.events.size();
  lane.count = 0;
  trace_.lanes.push_back(lane);
}

void TraceBuilder::reserve(std::size_t events) {
  Events& columns = trace_.events;
  const std::size_t size = columns.size() + events;
  columns.begin.reserve(size);
  columns.duration.reserve(size);
  columns.name.reserve(size);
  columns.annotation.reserve(size);
  columns.details.reserve(size);
  columns.correlation.reserve(size);
}

void TraceBuilder::add_event(const EventRow& row) {
  assert(!trace_.lanes.empty());
  Events& columns = trace_.events;
  if (row.graph_node != 0 && columns.graph_node.empty()) {
    columns.graph_node.reserve(columns.begin.capacity());
    columns.graph_node.resize(columns.size());
  }
  // The column is there from the first node id on, even if that is the very first event.
  if (row.graph_node != 0 || !columns.graph_node.empty()) {
    columns.graph_node.push_back(row.graph_node);
  }
  columns.begin.push_back(row.begin);
  columns.duration.push_back(row.duration);
  columns.name.push_back(row.name);
  columns.annotation.push_back(row.annotation);
  columns.details.push_back(row.details);
  columns.correlation.push_back(row.correlation);
  ++trace_.lanes.back().count;
}

void TraceBuilder::add_stat(StringId key, std::int64_t value) {
  assert(trace_.events.size() > 0);
  trace_.stats.push_back({trace_.events.size() - 1, key, value});
}

AnnotationId TraceBuilder::annotation(const Annotation& annotation) {
  const auto next = AnnotationId{static_cast<std::uint32_t>(trace_.annotations.size())};
  const auto [found, added] = annotation_ids_.try_emplace(annotation, next);
  if (added) trace_.annotations.push_back(annotation);
  return found->second;
}

DetailsId TraceBuilder::details(Details::Of of, StringId text) {
  if (text == StringId::empty) return DetailsId::none;
  const std::uint64_t key =
      (static_cast<std::uint64_t>(text) << 8U) | static_cast<std::uint64_t>(of);
  const auto next = DetailsId{static_cast<std::uint32_t>(trace_.details.size())};
  const auto [found, added] = details_ids_.try_emplace(key, next);
  if (added) {
    Details details = parse_details(of, this->text(text));
    details.text = text;
    trace_.details.push_back(details);
  }
  return found->second;
}

void TraceBuilder::note(Severity severity, std::string_view code, std::string message,
                        std::string where, std::uint64_t count) {
  std::string key(code);
  key.append(1, '\0').append(where).append(1, '\0').append(message);
  const auto [found, added] = finding_rows_.try_emplace(std::move(key), trace_.findings.size());
  if (added) {
    trace_.findings.push_back(
        {severity, std::string(code), std::move(message), std::move(where), count});
    return;
  }
  Finding& finding = trace_.findings[found->second];
  finding.severity = std::max(finding.severity, severity);
  finding.count += count;
}

Trace TraceBuilder::finish() && {
  put_in_order(trace_);
  return std::move(trace_);
}

}  // namespace jaxtrace
