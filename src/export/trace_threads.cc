// Naming threads.
#include "export/trace_threads.h"

#include "export/trace_text.h"

namespace jaxtrace {
namespace {

// tsl's xplane_to_trace_events.cc: devices from 1, custom planes from 501, host threads 701.
constexpr std::uint32_t kHostProcess = 701;
constexpr std::uint32_t kMostOrdinals = 500;
constexpr std::uint32_t kPerHost = 1000;

std::string event(std::uint32_t process, std::string_view what, std::string_view args) {
  std::string text = R"({"ph":"M","pid":)";
  append_integer(text, process);
  text += what;
  text += R"(,"args":{)";
  text += args;
  text += "}},\n";
  return text;
}

}  // namespace

std::uint32_t TraceThreads::process(HostId host, DeviceId device) {
  const auto [known, added] = known_.try_emplace({host, device}, 0);
  if (!added) return known->second;
  const auto h = static_cast<std::uint32_t>(host);
  const bool several = trace_.hosts.size() > 1;
  std::uint32_t number = several ? kPerHost * (h + 1) : 0;
  ProcessRow row;
  if (several) row.name = std::string(trace_.strings[trace_.hosts[h].name]) + ' ';
  if (device == DeviceId::none) {
    number += kHostProcess;
    row.name += "/host:CPU";
  } else {
    const Device& gpu = trace_.devices[static_cast<std::size_t>(device)];
    const auto ordinal = static_cast<std::uint32_t>(gpu.ordinal);
    number += ordinal < kMostOrdinals ? ordinal + 1 : kHostProcess + 1;
    row.name += trace_.strings[gpu.plane];
    row.label = trace_.strings[gpu.model];
  }
  while (processes_.contains(number)) ++number;
  known->second = number;
  processes_.emplace(number, std::move(row));
  return number;
}

TraceThread TraceThreads::add(std::uint32_t process, std::uint32_t wish, std::string_view name) {
  ProcessRow& row = processes_.at(process);
  while (!row.taken.insert(wish).second) ++wish;
  row.threads.emplace_back(wish, name);
  return {process, wish};
}

std::string TraceThreads::metadata() const {
  std::string all;
  for (const auto& [number, row] : processes_) {
    std::string args, index;
    append_member(args, "name", row.name);
    append_number(index, "sort_index", number);
    all += event(number, R"(,"name":"process_name")", args);
    all += event(number, R"(,"name":"process_sort_index")", index);
    if (!row.label.empty()) {
      std::string labels;
      append_member(labels, "labels", row.label);
      all += event(number, R"(,"name":"process_labels")", labels);
    }
    std::int64_t place = 0;
    for (const auto& [thread, name] : row.threads) {
      std::string tid = R"(,"tid":)";
      append_integer(tid, thread);
      args.clear();
      index.clear();
      append_member(args, "name", name.empty() ? "?" : name);
      append_number(index, "sort_index", ++place);
      all += event(number, tid + R"(,"name":"thread_name")", args);
      all += event(number, tid + R"(,"name":"thread_sort_index")", index);
    }
  }
  return all;
}

}  // namespace jaxtrace
