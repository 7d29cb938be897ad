// Sorting events by thread.
#include "readers/trace_lanes.h"

#include <fmt/format.h>

#include <algorithm>

namespace jaxtrace {
namespace {

constexpr std::size_t kLaneRows = 1024;                  // As many are worth a lane of the builder.
constexpr std::size_t kAllRows = std::size_t{1} << 19U;  // 30 MB.

}  // namespace

TraceLanes::TraceLanes(const TraceNames& names, TraceHosts hosts, TraceBuilder& builder)
    : names_(names), files_(std::move(hosts)), builder_(builder), rows_(builder) {
  add_processes();
}

/// GPUs without events are devices, too.
void TraceLanes::add_processes() {
  for (const auto& [id, process] : names_.processes()) {
    if (process.gpu || process.is_host) process_of(id);
  }
}

TraceLanes::Process& TraceLanes::process_of(std::int64_t id) {
  const auto [found, added] = processes_.try_emplace(id);
  Process& process = found->second;
  const TraceProcess* const named = names_.process(id);
  if (!added || named == nullptr) return process;

  std::string name = named->host.empty() ? files_.file_host : named->host;
  if (files_.among_others && name != files_.file_host) name = files_.file_host + "/" + name;
  const auto [host, new_host] = hosts_.try_emplace(name);
  if (new_host) host->second = builder_.add_host(name, files_.path);
  process.host = host->second;
  if (!named->gpu) return process;

  const auto [device, new_device] = devices_.try_emplace({process.host, named->plane});
  if (new_device) {
    Device row{};
    row.host = process.host;
    row.plane = builder_.intern(named->plane);
    row.ordinal = *named->gpu;
    device->second = builder_.add_device(row);
  }
  process.device = device->second;
  return process;
}

bool TraceLanes::is_read(const OpenLane& lane) {
  return lane.role != ThreadRole::unknown && lane.role != ThreadRole::left_out;
}

TraceLanes::OpenLane& TraceLanes::lane_of(const ThreadKey& key) {
  if (last_ != nullptr && last_->key == key) return *last_;
  const auto [found, added] = lanes_.try_emplace(key);
  last_ = &found->second;
  if (added) {
    last_->key = key;
    last_->role = names_.role_of(key);
    last_->put_off = last_->role == ThreadRole::unknown || last_->role == ThreadRole::ops;
    if (!last_->put_off && is_read(*last_)) open(*last_);
  }
  return *last_;
}

/// Makes a lane of the Trace of one whose role is known.
void TraceLanes::open(OpenLane& lane) {
  lane.process = &process_of(lane.key.process);
  const bool device_work = lane.role != ThreadRole::thread;
  const std::string* const name = names_.thread(lane.key);
  lane.lane = {lane.process->host, device_work ? LaneKind::stream : LaneKind::host,
               lane.process->device, builder_.intern(name == nullptr ? "" : *name),
               lane.key.thread};
}

void TraceLanes::add(const TraceEvent& event) {
  OpenLane& lane = lane_of({event.process.value_or(-1), event.thread.value_or(-1)});
  if (lane.put_off == second_ && is_read(lane)) {
    read(lane, event);
  } else if (!second_) {
    ++lane.events;
  }
}

void TraceLanes::read(OpenLane& lane, const TraceEvent& event) {
  const TraceLaneKind kind{lane.role != ThreadRole::thread, lane.role == ThreadRole::ops};
  rows_.read(event, kind, builder_.host(lane.process->host).origin_ns, row_);
  Oddities& odd = lane.process->odd;
  if (!row_.timed) {
    ++odd.timeless;
    return;
  }
  if (row_.far_off) ++odd.far_off;
  if (!row_.named) ++odd.unnamed;
  if (kind.device_work && row_.memory) {
    ++odd.memory;
    return;
  }
  if (kind.device_work) ++lane.process->device_events;
  for (const auto& [key, value] : row_.numbers) {
    lane.numbers.push_back({lane.rows.size(), key, value});
  }
  lane.rows.push_back(row_.row);
  ++pending_;
  if (lane.rows.size() >= kLaneRows) flush(lane);
  if (pending_ >= kAllRows) flush_all();
}

void TraceLanes::flush(OpenLane& lane) {
  if (lane.rows.empty()) return;
  if (flushed_ != &lane) builder_.begin_lane(lane.lane);
  flushed_ = &lane;
  const std::vector<EventRow> rows = std::exchange(lane.rows, {});
  const std::vector<EventStat> numbers = std::exchange(lane.numbers, {});
  auto number = numbers.begin();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    builder_.add_event(rows[i]);
    for (; number != numbers.end() && number->event == i; ++number) {
      builder_.add_stat(number->key, number->value);
    }
  }
  pending_ -= rows.size();
}

void TraceLanes::flush_all() {
  for (auto& [key, lane] : lanes_) flush(lane);
}

/// What the events of a lane are that were put off, now that all names are known.
void TraceLanes::settle(OpenLane& lane) {
  lane.role = names_.role_of(lane.key);
  const TraceProcess* const process = names_.process(lane.key.process);
  if (lane.role == ThreadRole::unknown && process != nullptr) {
    // A host's thread may have no name; without one, work on a GPU could be anything.
    lane.role = process->is_host ? ThreadRole::thread : ThreadRole::left_out;
  } else if (lane.role == ThreadRole::ops && names_.has_streams(lane.key.process)) {
    lane.role = ThreadRole::left_out;
  }
  lane.put_off = is_read(lane);
  if (lane.put_off) open(lane);
}

bool TraceLanes::begin_second_pass() {
  bool any = false;
  for (auto& [key, lane] : lanes_) {
    if (!lane.put_off) continue;
    settle(lane);
    any = any || lane.put_off;
  }
  second_ = true;
  return any;
}

std::string_view TraceLanes::host_name(HostId id) const {
  return builder_.text(builder_.host(id).name);
}

void TraceLanes::note_left_out(const OpenLane& lane) {
  const TraceProcess* const process = names_.process(lane.key.process);
  if (process == nullptr) {
    note_plane_left_out(files_.file_host, fmt::format("process {}", lane.key.process), lane.events,
                        builder_);
  } else if (!process->gpu && !process->is_host) {
    note_plane_left_out(files_.file_host, process->name, lane.events, builder_);
  } else {
    const std::string* const name = names_.thread(lane.key);
    note_line_left_out(host_name(process_of(lane.key.process).host),
                       name == nullptr ? fmt::format("thread {}", lane.key.thread) : *name,
                       lane.events, builder_);
  }
}

void TraceLanes::note_processes() {
  std::map<HostId, std::uint64_t> device_events;  // Of hosts that have devices.
  for (const auto& [id, process] : processes_) {
    note_oddities(process.odd,
                  fmt::format("{} {}", host_name(process.host), names_.process(id)->plane),
                  builder_);
    if (process.device != DeviceId::none) device_events[process.host] += process.device_events;
  }
  for (const auto& [host, events] : device_events) {
    if (events == 0) note_no_device_events(host_name(host), builder_);
  }
}

void TraceLanes::finish() {
  add_processes();
  flush_all();
  for (const auto& [key, lane] : lanes_) {
    if (!is_read(lane) && lane.events != 0) note_left_out(lane);
    if (lane.role == ThreadRole::ops) {
      note_ops_read(host_name(lane.process->host), names_.process(key.process)->plane, builder_);
    }
  }
  note_processes();
}

std::vector<HostId> TraceLanes::hosts() const {
  std::vector<HostId> hosts;
  for (const auto& [name, host] : hosts_) hosts.push_back(host);
  return hosts;
}

}  // namespace jaxtrace
