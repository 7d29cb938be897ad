// See metadata.h.
#include "hlo/text/metadata.h"

#include <algorithm>
#include <map>
#include <vector>

#include "hlo/text/append.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

using Element = const pb::OriginalValueElement*;

/// No shape nests deeper (protobuf reads 100 levels), so a longer index is damaged.
constexpr int kDeepestIndex = 100;

/// Writes the subtree of [first, last), sorted by index, whose indices share `depth` numbers.
void append_original_tree(std::string& out, const Element* first, const Element* last, int depth) {
  if (last - first == 1 && (*first)->shape_index_size() == depth) {
    out += '{';
    if ((*first)->has_original_array()) append_original_array(out, (*first)->original_array());
    out += '}';
    return;
  }
  if (depth > kDeepestIndex) {
    out += "{...}";
    return;
  }
  out += '(';
  bool separate = false;
  while (first != last) {
    if ((*first)->shape_index_size() <= depth) {
      ++first;  // An inner node's own value, which is not shown.
      continue;
    }
    const std::int64_t child = (*first)->shape_index(depth);
    const Element* end = std::find_if(first, last, [&](Element element) {
      return element->shape_index_size() <= depth || element->shape_index(depth) != child;
    });
    if (separate) out += ", ";
    separate = true;
    append_original_tree(out, first, end, depth + 1);
    first = end;
  }
  out += ')';
}

/// Length of what `text` begins with if that is an empty wait_on_operation_queues and its comma;
/// else 0.
std::size_t empty_queues_length(std::string_view text) {
  constexpr std::string_view kTokens[] = {"\"wait_on_operation_queues\"", ":", "[", "]", ","};
  std::size_t at = 0;
  for (const std::string_view token : kTokens) {
    if (token != kTokens[0]) at = std::min(text.find_first_not_of(" \t\n\f\r", at), text.size());
    if (!text.substr(at).starts_with(token)) return 0;
    at += token.size();
  }
  return at;
}

}  // namespace

std::string modern_backend_config(std::string_view config) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = config.find("\"wait_on_"); at != std::string_view::npos;) {
    const std::size_t length = empty_queues_length(config.substr(at));
    if (length > 0) {
      out += config.substr(copied, at - copied);
      copied = at + length;
    }
    at = config.find("\"wait_on_", at + std::max<std::size_t>(length, 1));
  }
  out += config.substr(copied);
  return out;
}

void append_op_metadata(std::string& out, const pb::OpMetadata& metadata, std::int32_t frame,
                        std::string_view payload) {
  bool separate = false;
  const auto begin = [&](const char* name) {
    if (separate) out += ' ';
    separate = true;
    out += name;
  };
  const auto text = [&](const char* name, std::string_view value) {
    if (value.empty()) return;
    begin(name);
    append_quoted(out, value);
  };
  const auto number = [&](const char* name, std::int32_t value) {
    if (value == 0) return;
    begin(name);
    append_int(out, value);
  };
  text("op_type=", metadata.op_type());
  text("op_name=", metadata.op_name());
  text("source_file=", metadata.source_file());
  number("source_line=", metadata.source_line());
  number("source_end_line=", metadata.source_end_line());
  number("source_column=", metadata.source_column());
  number("source_end_column=", metadata.source_end_column());
  if (metadata.profile_type_size() > 0) {
    begin("profile_type=");
    append_braced(out, metadata.profile_type());
  }
  text("deduplicated_name=", metadata.deduplicated_name());
  if (!metadata.scheduling_name().empty()) {
    begin("scheduling_name=\"");
    out += metadata.scheduling_name();  // The one string that XLA does not escape.
    out += '"';
  }
  number("stack_frame_id=", frame);
  text("metadata_payload=", payload);
}

void append_op_metadata(std::string& out, const pb::OpMetadata& metadata, std::int32_t frame) {
  append_op_metadata(out, metadata, frame, metadata.metadata_payload().value());
}

void append_frontend_attributes(std::string& out, const pb::FrontendAttributes& attributes) {
  std::map<std::string_view, std::string_view> sorted;
  for (const auto& entry : attributes.map()) sorted[entry.key()] = entry.value();
  out += '{';
  append_joined(out, sorted, ",", [](std::string& to, const auto& entry) {
    to += entry.first;
    to += '=';
    append_config(to, entry.second);
  });
  out += '}';
}

void append_original_array(std::string& out, const pb::OriginalArray& array) {
  out += '"';
  out += array.instruction_name();
  out += '"';
  if (array.shape_index_size() == 0) return;
  out += ' ';
  append_braced(out, array.shape_index());
}

void append_original_value(std::string& out, const pb::OriginalValue& value) {
  if (value.is_synthetic_call()) {
    out += "[synthetic_call]";
    return;
  }
  std::vector<Element> elements;
  for (const auto& element : value.elements()) elements.push_back(&element);
  std::ranges::stable_sort(elements, [](Element a, Element b) {
    return std::ranges::lexicographical_compare(a->shape_index(), b->shape_index());
  });
  append_original_tree(out, elements.data(), elements.data() + elements.size(), 0);
}

void append_config(std::string& out, std::string_view config) {
  if (lexes_as_dictionary(config)) {
    out += config;
  } else {
    append_quoted(out, config);
  }
}

}  // namespace jaxtrace::hlo
