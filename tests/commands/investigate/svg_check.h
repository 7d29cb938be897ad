// Whether a drawing is XML, and whether its texts stand clear of each other.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/svg.h"
#include "report/text.h"

namespace jaxtrace {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  ///< Directly inside it, entities as written
};

struct XmlFile {
  std::string problem;  ///< Empty: it is well-formed
  std::vector<XmlElement> elements;
};

/// The part of XML that a drawing may use: elements, attributes in double quotes, the five named
/// entities.
inline XmlFile parse_xml(std::string_view text) {
  XmlFile file;
  std::vector<std::size_t> open;
  const auto fail = [&](const std::string& what) {
    if (file.problem.empty()) file.problem = what;
  };
  const auto check = [&](std::string_view content, bool attribute) {
    for (std::size_t i = 0; i < content.size(); ++i) {
      const auto byte = static_cast<unsigned char>(content[i]);
      if (byte < 0x20 && byte != '\n') fail("a control byte");
      if (content[i] == '<' || (attribute && content[i] == '"'))
        fail("a bare " + std::string(1, content[i]));
      if (content[i] != '&') continue;
      bool known = false;
      for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"}) {
        known = known || content.substr(i).starts_with(entity);
      }
      if (!known) fail("an unknown entity");
    }
    if (content.find("\xEF\xBF\xBE") != std::string_view::npos ||
        content.find("\xEF\xBF\xBF") != std::string_view::npos) {
      fail("no character of XML");
    }
    std::string lines(content);
    for (char& c : lines) c = c == '\n' ? ' ' : c;
    if (one_line(lines) != lines) fail("not UTF-8");
  };
  std::size_t at = 0;
  while (at < text.size() && file.problem.empty()) {
    if (text[at] != '<') {
      const std::size_t end = std::min(text.find('<', at), text.size());
      check(text.substr(at, end - at), false);
      if (!open.empty()) file.elements[open.back()].text += text.substr(at, end - at);
      at = end;
      continue;
    }
    // Attributes may hold `>`.
    std::size_t end = at;
    for (bool quoted = false; end < text.size() && (quoted || text[end] != '>'); ++end) {
      quoted = quoted != (text[end] == '"');
    }
    std::string_view tag = text.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.starts_with('/')) {
      if (open.empty() || file.elements[open.back()].name != tag.substr(1))
        fail("</" + std::string(tag.substr(1)) + "> out of place");
      if (!open.empty()) open.pop_back();
      continue;
    }
    const bool closed = tag.ends_with('/');
    if (closed) tag.remove_suffix(1);
    XmlElement element;
    element.name = tag.substr(0, tag.find(' '));
    tag.remove_prefix(element.name.size());
    while (!tag.empty()) {
      const std::size_t equals = tag.find("=\"");
      if (tag[0] != ' ' || equals == std::string_view::npos) {
        fail("an attribute of " + element.name);
        break;
      }
      const std::size_t close = tag.find('"', equals + 2);
      const std::string_view value = tag.substr(equals + 2, close - equals - 2);
      check(value, true);
      if (!element.attributes.emplace(tag.substr(1, equals - 1), value).second)
        fail("an attribute twice");
      tag.remove_prefix(close + 1);
    }
    if (!closed) open.push_back(file.elements.size());
    file.elements.push_back(std::move(element));
  }
  if (!open.empty()) fail("an element left open");
  return file;
}

/// Where a text stands, by the widths that it was laid out with.
inline Box box_of(const XmlElement& text) {
  std::string words = text.text;
  for (const auto& [entity, c] :
       {std::pair("&lt;", "<"), {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}}) {
    for (std::size_t at = 0; (at = words.find(entity, at)) != std::string::npos; ++at) {
      words.replace(at, std::string_view(entity).size(), c);
    }
  }
  const double size = std::stod(text.attributes.at("font-size"));
  const double width = text_width(words, size);
  double x = std::stod(text.attributes.at("x"));
  const auto anchor = text.attributes.find("text-anchor");
  if (anchor != text.attributes.end()) x -= anchor->second == "end" ? width : width / 2;
  return {x, std::stod(text.attributes.at("y")) - 0.75 * size, width, size * 0.95};
}

/// Pairs of texts that run into each other, and texts that leave the page.
inline std::vector<std::string> overlaps(const XmlFile& file) {
  std::vector<std::pair<Box, std::string>> boxes;
  std::vector<std::string> found;
  const Box page{0, 0, std::stod(file.elements[0].attributes.at("width")),
                 std::stod(file.elements[0].attributes.at("height"))};
  for (const XmlElement& element : file.elements) {
    if (element.name != "text") continue;
    const Box box = box_of(element);
    if (box.x < 0 || box.y < 0 || box.x + box.width > page.width + 0.5 ||
        box.y + box.height > page.height) {
      found.push_back(element.text + " leaves the page");
    }
    for (const auto& [other, words] : boxes) {
      const bool apart = box.x + box.width <= other.x || other.x + other.width <= box.x ||
                         box.y + box.height <= other.y || other.y + other.height <= box.y;
      if (!apart) found.push_back(element.text + " over " + words);
    }
    boxes.emplace_back(box, element.text);
  }
  return found;
}

}  // namespace jaxtrace
