// Most events repeat a few annotations and details, whose text is kept.
#include "export/trace_event_text.h"

#include <algorithm>

#include "export/trace_text.h"

namespace jaxtrace {
namespace {

void append_members(std::string& args, const std::string& more) {
  if (!args.empty() && !more.empty()) args += ',';
  args += more;
}

std::string_view key_of(Details::Of of) {
  switch (of) {
    case Details::Of::kernel:
      return "kernel_details";
    case Details::Of::memcpy:
      return "memcpy_details";
    case Details::Of::memset:
      return "memset_details";
    case Details::Of::memory:
      return "memalloc_details";
    case Details::Of::nothing:
      break;
  }
  return {};
}

}  // namespace

EventTexts::EventTexts(const Trace& trace, const Attribution& attribution, const Works& works,
                       const SliceTexts& texts)
    : trace_(trace),
      attribution_(attribution),
      works_(works),
      texts_(texts),
      annotations_(trace.annotations.size()),
      details_(trace.details.size()) {}

void EventTexts::append(std::string& out, std::uint32_t event) {
  const Events& events = trace_.events;
  const bool work = event < trace_.device_events;
  args_.clear();
  if (const std::uint64_t id = events.correlation[event]; id != 0) {
    append_member(args_, "correlation_id", std::to_string(id));
  }
  append_members(args_, annotation(events.annotation[event]));
  if (!events.graph_node.empty() && events.graph_node[event] != 0) {
    append_member(args_, "cuda_graph_node_id", std::to_string(events.graph_node[event]));
  }
  append_members(args_, details(events.details[event]));

  append_json_text(out += R"("name":)", trace_.strings[events.name[event]]);
  if (work) {
    const std::uint32_t label = attribution_.label[event];
    append_members(args_, texts_.of_kernel(label));
    const bool collective = works_.cls[event] == WorkClass::collective;
    if (collective) {
      append_member(args_, "collective", name_of(works_.kind[event]));
      out += R"(,"cat":"collective","cname":"rail_response")";
    } else if (attribution_.labels[label].match == Match::none) {
      out += R"(,"cname":"grey")";
    }
  } else {
    append_stats(args_, event);
  }
  if (!args_.empty()) {
    out += R"(,"args":{)";
    out += args_;
    out += '}';
  }
  out += "},\n";
}

const std::string& EventTexts::annotation(AnnotationId id) {
  std::string& text = annotations_[static_cast<std::size_t>(id)];
  if (!text.empty() || id == AnnotationId::none) return text;
  const Annotation& said = trace_.annotations[static_cast<std::size_t>(id)];
  append_member(text, "hlo_op", trace_.strings[said.hlo_op]);
  append_member(text, "hlo_module", trace_.strings[said.hlo_module]);
  append_member(text, "name", trace_.strings[said.op_name]);
  append_member(text, "prefix", trace_.strings[said.prefix]);
  append_member(text, "tf_op", trace_.strings[said.tf_op]);
  const auto append_id = [&](std::string_view key, bool known, auto value) {
    if (known) append_member(text, key, std::to_string(value));
  };
  append_id("program_id", said.program_id != kNoProgram, said.program_id);
  append_id("cuda_graph_id", said.graph_id != 0, said.graph_id);
  append_id("cuda_graph_exec_id", said.graph_exec_id != 0, said.graph_exec_id);
  append_id("device_id", said.agent != kNoAgent, said.agent);
  return text;
}

const std::string& EventTexts::details(DetailsId id) {
  std::string& text = details_[static_cast<std::size_t>(id)];
  if (!text.empty() || id == DetailsId::none) return text;
  const Details& said = trace_.details[static_cast<std::size_t>(id)];
  append_member(text, key_of(said.of), trace_.strings[said.text]);
  return text;
}

void EventTexts::append_stats(std::string& args, std::uint32_t event) const {
  auto stat = std::ranges::lower_bound(trace_.stats, std::size_t{event}, {}, &EventStat::event);
  for (; stat != trace_.stats.end() && stat->event == event; ++stat) {
    append_member(args, trace_.strings[stat->key], std::to_string(stat->value));
  }
}

}  // namespace jaxtrace
