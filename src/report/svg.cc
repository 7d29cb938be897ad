// XML 1.0, fifth edition, section 2.2: of valid UTF-8 without control bytes, only U+FFFE and U+FFFF
// are no characters.
#include "report/svg.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>

#include "report/text.h"

namespace jaxtrace {
namespace {

constexpr double kEm = 0.602;  // DejaVu Sans Mono, Menlo, Liberation Mono; Consolas has 0.55
constexpr std::string_view kFont =
    "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace";

/// The code point at the front of valid UTF-8, and its bytes.
std::pair<std::uint32_t, std::size_t> front(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  std::uint32_t point = size == 1 ? lead : lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) point = point << 6U | (byte(i) & 0x3FU);
  return {point, size};
}

/// Ranges of Unicode's East Asian Width "W" and "F", rounded outwards; narrow ones among them only
/// leave room.
bool is_wide(std::uint32_t point) {
  return (point >= 0x1100 && point < 0x1200) || (point >= 0x2E80 && point < 0xD800) ||
         (point >= 0xF900 && point < 0xFB00) || (point >= 0xFE30 && point < 0xFE70) ||
         (point >= 0xFF00 && point < 0xFF61) || point >= 0x1F000;
}

std::size_t columns(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const auto [point, size] = front(text);
    columns += is_wide(point) ? 2 : 1;
    text.remove_prefix(size);
  }
  return columns;
}

}  // namespace

std::string xml_text(std::string_view bytes) {
  constexpr std::string_view kNoCharacter = "\xEF\xBF\xBE";  // U+FFFE; U+FFFF ends in \xBF.
  const std::string line = one_line(bytes);
  std::string out;
  out.reserve(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    switch (line[i]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\xEF':
        if (line.compare(i, 2, kNoCharacter, 0, 2) == 0 &&
            static_cast<unsigned char>(line[i + 2]) >= 0xBE) {
          out += "\xEF\xBF\xBD";
          i += 2;
          break;
        }
        [[fallthrough]];
      default:
        out += line[i];
    }
  }
  return out;
}

std::string svg_number(double value) {
  if (!std::isfinite(value)) return "0";
  std::string out = fmt::format("{:.2f}", value);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

double text_width(std::string_view text, double size) {
  return static_cast<double>(columns(one_line(text))) * kEm * size;
}

std::string fitted(std::string_view text, double width, double size) {
  const double fit = width / (kEm * size);
  if (fit < 1) return "";
  auto most = static_cast<std::size_t>(fit);
  const std::string line = one_line(text);
  if (columns(line) <= most) return line;
  for (; most >= 4; --most) {
    std::string shorter = shortened(line, most);
    if (static_cast<double>(columns(shorter)) <= fit) return shorter;
  }
  return "";
}

SvgPage::SvgPage(double width, double height, std::string_view title,
                 std::span<const SvgPaint> paints, std::span<const SvgHatch> hatches) {
  const std::string name = xml_text(title);
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"{2}\" role=\"img\" aria-label=\"{3}\">\n"
      "<title>{3}</title>\n<style>\n",
      svg_number(width), svg_number(height), kFont, name);
  const auto add = [&](bool dark) {
    for (const SvgPaint& paint : paints) {
      out_ +=
          fmt::format(".{}{{{}:{}}}\n", paint.cls, paint.property, dark ? paint.dark : paint.light);
    }
  };
  add(false);
  out_ += "@media (prefers-color-scheme: dark) {\n";
  add(true);
  out_ += "}\n</style>\n";
  if (!hatches.empty()) out_ += "<defs>\n";
  for (const SvgHatch& hatch : hatches) {
    out_ += fmt::format(
        "<pattern id=\"{}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
        "<rect class=\"{}\" width=\"6\" height=\"6\"/>"
        "<path class=\"{}\" fill=\"none\" d=\"{}\"/></pattern>\n",
        hatch.id, hatch.base, hatch.pen, hatch.lines);
  }
  if (!hatches.empty()) out_ += "</defs>\n";
  rect("page", {0, 0, width, height});
}

void SvgPage::close(std::string_view element, std::string_view tooltip) {
  if (tooltip.empty()) {
    out_ += "/>\n";
  } else {
    out_ += fmt::format("><title>{}</title></{}>\n", xml_text(tooltip), element);
  }
}

void SvgPage::rect(std::string_view classes, const Box& box, std::string_view tooltip) {
  out_ += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", classes,
                      svg_number(box.x), svg_number(box.y), svg_number(box.width),
                      svg_number(box.height));
  close("rect", tooltip);
}

void SvgPage::line(std::string_view classes, double x1, double y1, double x2, double y2,
                   std::string_view tooltip) {
  out_ += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"", classes,
                      svg_number(x1), svg_number(y1), svg_number(x2), svg_number(y2));
  close("line", tooltip);
}

void SvgPage::circle(std::string_view classes, double x, double y, double radius,
                     std::string_view tooltip) {
  out_ += fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"", classes, svg_number(x),
                      svg_number(y), svg_number(radius));
  close("circle", tooltip);
}

void SvgPage::path(std::string_view classes, std::string_view data, std::string_view tooltip) {
  out_ += fmt::format("<path class=\"{}\" d=\"{}\"", classes, data);
  close("path", tooltip);
}

void SvgPage::text(std::string_view classes, double x, double y, double size,
                   std::string_view words, std::string_view anchor, std::string_view tooltip) {
  if (words.empty()) return;
  out_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" font-size=\"{}\"", classes,
                      svg_number(x), svg_number(y), svg_number(size));
  if (anchor != "start") out_ += fmt::format(" text-anchor=\"{}\"", anchor);
  out_ += ">";
  if (!tooltip.empty()) out_ += fmt::format("<title>{}</title>", xml_text(tooltip));
  out_ += xml_text(words) + "</text>\n";
}

std::string SvgPage::finish() && {
  out_ += "</svg>\n";
  return std::move(out_);
}

}  // namespace jaxtrace
