// A cursor over JSON text, for files of hundreds of megabytes whose shape is known: values are
// taken where they stand, and what nobody asks for is skipped without being built.
//
//   JsonCursor at(bytes);
//   std::string key;
//   if (at.enter_object()) while (at.next_key(key)) key == "code" ? read(at) : at.skip();
//   if (at.failed()) …      // at.byte() tells where
//
// It is lenient about what cannot be misread (control bytes in strings, NaN, a bracket of the wrong
// kind in a skipped value) and fails for good at the first byte that cannot be JSON, so that loops
// over it always end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace jaxtrace {

class JsonCursor {
 public:
  enum class Kind : std::uint8_t { object, array, string, number, boolean, null, none };

  /// A byte order mark is passed over.
  explicit JsonCursor(std::string_view bytes);

  /// What the next value is; none at the end, after a failure, or where no value can begin.
  Kind peek();

  /// Each takes the opening bracket; false, with nothing taken, if the next value is another kind.
  bool enter_object();
  bool enter_array();

  /// Goes to the next member or item; false at the closing bracket, which is taken, and on failure.
  bool next_key(std::string& key);
  bool next_item();

  /// Takes a string; false, with the value skipped, if it is none.
  bool string(std::string& text);

  /// Takes a number that is an integer ("12", "12.0", "1.2e1"); absent, with the value skipped, for
  /// any other value and for what does not fit.
  std::optional<std::int64_t> integer();

  /// Takes an array whose items are integers, as many as there is room for; the others stay absent.
  /// False, with the value skipped, if it is no array.
  bool integers(std::span<std::optional<std::int64_t>> cells);

  /// Takes a Boolean; absent, with the value skipped, if it is none.
  std::optional<bool> boolean();

  void skip();

  bool failed() const { return failed_; }
  /// Offset of the next byte; after a failure, of the byte that it failed at.
  std::size_t byte() const { return static_cast<std::size_t>(at_ - begin_); }
  /// Goes back to a place where byte() was, in front of a value.
  void rewind(std::size_t byte);

 private:
  void blanks();
  void fail() { failed_ = true; }
  /// Over the comma before the next member or item; false at `closing`, which is taken.
  bool step(char closing);
  std::string_view raw_string();  // Between the quotes; fails if it does not end.
  std::string_view scalar();

  const char* begin_;
  const char* at_;
  const char* end_;
  bool first_ = true;  // No member or item of the innermost bracket has been taken.
  bool failed_ = false;
};

}  // namespace jaxtrace
