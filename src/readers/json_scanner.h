// A cursor over JSON text that may end in the middle: what JsonCursor is for files that are whole
// in memory, this is for windows on a stream.
//
//   {"ph":"X","pid":1,"tid":16,"ts":960.034,"dur":16.098,"name":"fusion_\u003c3","args":{…}}
//
// It never copies and never allocates: a text is given as it stands between its quotes, to be
// decoded by whoever needs it.  It is lenient where nothing is lost by it (control characters in a
// text, NaN for a number) and strict about what holds values together.  Once something could not be
// read, nothing more is read: `state` says whether the text ended there or makes no sense.
// Format: RFC 8259.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace jaxtrace {

/// What stands between two quotes.
struct JsonText {
  std::string_view raw;
  bool escaped = false;  ///< `raw` holds a backslash.
};

class JsonScanner {
 public:
  enum class State : std::uint8_t { good, cut, malformed };

  explicit JsonScanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  State state() const { return state_; }
  bool good() const { return state_ == State::good; }

  /// Where the next value begins, or where something could not be read.
  const char* at() const { return at_; }

  /// The next character that is no blank, without taking it; 0 if there is none.
  char peek() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
    if (at_ != end_) return *at_;
    fail(State::cut);
    return 0;
  }

  /// Takes `wanted` if it comes next.
  bool take_if(char wanted) {
    if (!good() || peek() != wanted) return false;
    ++at_;
    return true;
  }

  /// Takes `wanted`, which must come next.
  bool take(char wanted) {
    if (take_if(wanted)) return true;
    fail(State::malformed);
    return false;
  }

  /// Takes a text and its quotes.
  bool text(JsonText& text) {
    if (!take('"')) return false;
    text.escaped = false;
    const char* const begin = at_;
    const char* stop = find_special(begin);
    while (stop != end_ && *stop == '\\') {
      text.escaped = true;
      stop = end_ - stop < 2 ? end_ : find_special(stop + 2);
    }
    if (stop == end_) {
      fail(State::cut);
      return false;
    }
    text.raw = {begin, static_cast<std::size_t>(stop - begin)};
    at_ = stop + 1;
    return true;
  }

  /// Takes a number, true, false, null, or whatever else stands up to the next comma or bracket.
  bool word(std::string_view& word) {
    peek();
    const char* const begin = at_;
    const char* stop = begin;
    while (stop != end_ && !ends_word(*stop)) ++stop;
    if (stop == end_) {
      fail(State::cut);
    } else if (stop == begin) {
      fail(State::malformed);
    }
    if (!good()) return false;
    word = {begin, static_cast<std::size_t>(stop - begin)};
    at_ = stop;
    return true;
  }

  /// Takes a value of any kind.
  bool skip();

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  static bool ends_word(char c) {
    return c == ',' || c == '}' || c == ']' || c == ':' || c == '"' || c == '{' || c == '[' ||
           is_blank(c);
  }

  void fail(State state) {
    if (good()) state_ = state;
  }

  /// The next quote or backslash, or the end.  Eight characters at a time: texts are most of a
  /// file.
  const char* find_special(const char* at) const {
    static_assert(std::endian::native == std::endian::little);
    constexpr std::uint64_t kOnes = 0x0101010101010101U;
    constexpr std::uint64_t kTops = 0x8080808080808080U;
    for (std::uint64_t word = 0; static_cast<std::size_t>(end_ - at) >= sizeof word;
         at += sizeof word) {
      std::memcpy(&word, at, sizeof word);
      const std::uint64_t quote = word ^ (kOnes * '"');
      const std::uint64_t backslash = word ^ (kOnes * '\\');
      // The lowest top bit that is set is that of the first byte that is 0.
      const std::uint64_t found =
          (((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash)) & kTops;
      if (found != 0) return at + std::countr_zero(found) / 8;
    }
    while (at != end_ && *at != '"' && *at != '\\') ++at;
    return at;
  }

  const char* at_;
  const char* end_;
  State state_ = State::good;
};

/// `text` without its escapes: itself if it has none, else in `scratch`.
std::string_view decode(const JsonText& text, std::string& scratch);

/// `number` · 10^`power` as an integer, to the nearest one; absent if it is no number, or if it
/// does not fit.  Read as decimals, so that no digit is lost on the way through a double.
std::optional<std::int64_t> scaled(std::string_view number, int power);

/// Passes over one value that may be longer than what is in memory.
class JsonSkipper {
 public:
  /// Takes from the front of `text` what belongs to the value; true once it is complete.
  bool feed(std::string_view& text);

 private:
  std::size_t depth_ = 0;
  bool in_text_ = false;
  bool escaped_ = false;
};

}  // namespace jaxtrace
