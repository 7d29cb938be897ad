// Writing SVG: text made safe, numbers, and how wide text will be.
//
// All text is in a monospaced font, because the width of that is known without measuring: 0.6 em a
// column in every common one.  Colours are classes in one style sheet, written out for light and
// dark, because renderers that know no CSS variables are still in use (librsvg).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace jaxtrace {

/// Bytes of any kind as text or attribute value of XML 1.0: one line, valid UTF-8, only characters
/// that XML allows.
std::string xml_text(std::string_view bytes);

/// A coordinate with at most two decimals: "12", "0.5".
std::string svg_number(double value);

/// Pixels that text takes at a font size; characters of East Asian scripts count twice.
double text_width(std::string_view text, double size);

/// The text, shortened in the middle to fit; empty if not even four characters would.
std::string fitted(std::string_view text, double width, double size);

/// The paint of one class of shapes or of text.
struct SvgPaint {
  std::string_view cls;
  std::string_view property;  ///< "fill", "stroke"
  std::string_view light, dark;
};

/// A pattern of lines over a colour, so that colour is not all that tells a class: what is filled
/// with `url(#id)`.
struct SvgHatch {
  std::string_view id;
  std::string_view base;   ///< The class that fills its ground
  std::string_view pen;    ///< The class that strokes its lines
  std::string_view lines;  ///< Path data within a square of 6 by 6
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

/// An SVG file under construction; finish() hands it out.
class SvgPage {
 public:
  /// `title` is for readers who do not see the drawing.
  SvgPage(double width, double height, std::string_view title, std::span<const SvgPaint> paints,
          std::span<const SvgHatch> hatches = {});

  /// `tooltip` may be empty.  Classes may be several, with spaces between them.
  void rect(std::string_view classes, const Box& box, std::string_view tooltip = {});
  void line(std::string_view classes, double x1, double y1, double x2, double y2,
            std::string_view tooltip = {});
  void circle(std::string_view classes, double x, double y, double radius,
              std::string_view tooltip = {});
  /// `data` is path data, as written.
  void path(std::string_view classes, std::string_view data, std::string_view tooltip = {});
  /// `y` is the base line; anchor "start", "middle" or "end".  Nothing if the text is empty.
  void text(std::string_view classes, double x, double y, double size, std::string_view words,
            std::string_view anchor = "start", std::string_view tooltip = {});

  std::string finish() &&;

 private:
  void close(std::string_view element, std::string_view tooltip);

  std::string out_;
};

}  // namespace jaxtrace
