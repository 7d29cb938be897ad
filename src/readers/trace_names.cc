// Names to roles, by the same rules as those of the lines of an xplane file.
#include "readers/trace_names.h"

#include <algorithm>
#include <utility>

#include "readers/plane_kinds.h"

namespace jaxtrace {
namespace {

/// "host0 /device:GPU:0 (pid 1)" as "host0" and "/device:GPU:0".
TraceProcess split(std::string name) {
  TraceProcess process;
  process.name = std::move(name);
  std::string_view plane = process.name;
  for (const std::string_view mark : {"/device:", "/host:"}) {
    const std::size_t at = plane.find(mark);
    if (at == std::string_view::npos || (at != 0 && plane[at - 1] != ' ')) continue;
    process.host = plane.substr(0, at == 0 ? 0 : at - 1);
    plane.remove_prefix(at);
    plane = plane.substr(0, plane.find(" (pid "));
    break;
  }
  process.plane = plane;
  process.gpu = gpu_ordinal(plane);
  process.is_host = is_host_plane(plane);
  return process;
}

/// The text `args.name`; nullptr if there is none.
const JsonText* name_in(const TraceEvent& event) {
  const auto found = std::find_if(event.args.begin(), event.args.end(),
                                  [](const TraceArg& arg) { return arg.key.raw == "name"; });
  return found == event.args.end() ? nullptr : &found->value;
}

}  // namespace

void TraceNames::learn(const TraceEvent& event) {
  const bool of_process = event.name.raw == "process_name";
  const bool of_thread = event.name.raw == "thread_name";
  const JsonText* const text = name_in(event);
  if ((!of_process && !of_thread) || text == nullptr || !event.process) return;
  std::string scratch;
  std::string name(decode(*text, scratch));
  if (of_process) {
    processes_.try_emplace(*event.process, split(std::move(name)));
    return;
  }
  if (!event.thread) return;
  const auto [known, added] = threads_.try_emplace({*event.process, *event.thread}, name);
  if (!added && known->second != name) shared_.insert(known->first);
  if (added && is_stream_line(name)) streams_.insert(*event.process);
}

ThreadRole TraceNames::role_of(const ThreadKey& key) const {
  const TraceProcess* const of = process(key.process);
  const std::string* const name = thread(key);
  if (of == nullptr) return ThreadRole::unknown;
  if (!of->gpu && !of->is_host) return ThreadRole::left_out;
  if (name == nullptr) return ThreadRole::unknown;
  if (of->is_host) return is_derived_line(*name) ? ThreadRole::left_out : ThreadRole::thread;
  if (is_stream_line(*name)) return ThreadRole::stream;
  return is_ops_line(*name) ? ThreadRole::ops : ThreadRole::left_out;
}

const TraceProcess* TraceNames::process(std::int64_t id) const {
  const auto found = processes_.find(id);
  return found == processes_.end() ? nullptr : &found->second;
}

const std::string* TraceNames::thread(const ThreadKey& key) const {
  const auto found = threads_.find(key);
  return found == threads_.end() ? nullptr : &found->second;
}

}  // namespace jaxtrace
