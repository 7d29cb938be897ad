// Cutting a text into events.
#include "readers/trace_events.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace jaxtrace {
namespace {

// An event longer than this is a mistake or an attack; the profiler's are some hundred bytes.
constexpr std::size_t kLongest = std::size_t{16} << 20U;
constexpr std::size_t kMostKeys = 64;

std::optional<std::int64_t> integer(std::string_view word) {
  std::int64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto got = std::from_chars(word.data(), end, value);
  if (got.ec == std::errc{} && got.ptr == end) return value;
  return scaled(word, 0);  // Some writers have no integers: 17.0
}

/// A text without its quotes, or a word.
bool read_plain(JsonScanner& json, JsonText& value) {
  if (json.peek() == '"') return json.text(value);
  value.escaped = false;
  return json.word(value.raw);
}

bool is_plain(char first) {
  return first != '{' && first != '[';
}

/// Reads the members of an object: `member(key)` takes the value.
template <typename Member>
bool read_object(JsonScanner& json, Member member) {
  if (!json.take('{')) return false;
  if (json.take_if('}')) return true;
  JsonText key;
  do {
    if (!json.text(key) || !json.take(':') || !member(key)) return false;
  } while (json.take_if(','));
  return json.take('}');
}

bool read_args(JsonScanner& json, TraceEvent& event) {
  if (json.peek() != '{') return json.skip();
  return read_object(json, [&](const JsonText& key) {
    if (!is_plain(json.peek())) return json.skip();
    event.args.push_back({key, {}});
    return read_plain(json, event.args.back().value);
  });
}

bool read_member(JsonScanner& json, std::string_view key, TraceEvent& event) {
  JsonText value;
  if (key == "args") return read_args(json, event);
  if (!is_plain(json.peek())) return json.skip();
  if (!read_plain(json, value)) return false;
  if (key == "name") {
    event.name = value;
  } else if (key == "ts") {
    event.begin = value.raw;
  } else if (key == "dur") {
    event.duration = value.raw;
  } else if (key == "pid") {
    event.process = integer(value.raw);
  } else if (key == "tid") {
    event.thread = integer(value.raw);
  } else if (key == "ph") {
    event.phase = value.raw.size() == 1 ? value.raw.front() : '?';
  } else if (key == "cat") {
    event.category = value.raw;
  }
  return true;
}

bool read_event(JsonScanner& json, TraceEvent& event) {
  event.phase = 0;
  event.process.reset();
  event.thread.reset();
  event.begin = event.duration = event.category = {};
  event.name = {};
  event.args.clear();
  return read_object(json, [&](const JsonText& key) { return read_member(json, key.raw, event); });
}

/// The text in memory: [at, end) is what was not read yet.
class Walk {
 public:
  using Each = std::function<bool(const TraceEvent&)>;

  Walk(const MappedFile& file, Meter& meter, const Each& each)
      : windows_(file), meter_(meter), each_(each) {
    meter_.enter(file, file.bytes().data());
  }

  TraceWalk run() {
    find_array();
    if (result_.shape == TraceWalk::Shape::trace) read_array();
    meter_.leave(windows_.reached());
    result_.end = windows_.end();
    return std::move(result_);
  }

 private:
  std::uint64_t byte_of(std::size_t unread) const { return windows_.text_bytes() - unread; }

  /// Makes `text_` longer; false at the end of the text.
  bool more() {
    const std::size_t had = text_.size();
    text_ = windows_.next(text_);
    meter_.reach(windows_.reached());
    return text_.size() > had;
  }

  /// `read` with a scanner over the unread text, again with more of it for as long as that is cut.
  template <typename Read>
  JsonScanner::State attempt(Read read) {
    while (true) {
      JsonScanner json(text_);
      read(json);
      if (json.good()) text_.remove_prefix(static_cast<std::size_t>(json.at() - text_.data()));
      if (json.state() != JsonScanner::State::cut) return json.state();
      if (text_.size() > kLongest) return JsonScanner::State::malformed;
      if (!more()) return JsonScanner::State::cut;
    }
  }

  bool good(JsonScanner::State state) {
    if (state == JsonScanner::State::cut) note_cut();
    return state == JsonScanner::State::good;
  }

  void note_cut() {
    result_.cut = true;
    result_.cut_byte = windows_.text_bytes();
  }

  bool skip_value() {
    JsonSkipper skipper;
    while (!skipper.feed(text_)) {
      if (!more()) {
        note_cut();
        return false;
      }
    }
    return true;
  }

  /// Puts `text_` behind the bracket of the array of events.
  void find_array() {
    more();
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
    char first = 0;
    if (!good(attempt([&](JsonScanner& json) { first = json.peek(); }))) return;
    if (first != '{' && first != '[') return;
    text_.remove_prefix(1);
    result_.shape = first == '[' ? TraceWalk::Shape::trace : TraceWalk::Shape::no_events;
    if (first == '{') find_key();
  }

  void find_key() {
    while (true) {
      std::string key;
      bool array = false;
      const auto state = attempt([&](JsonScanner& json) {
        JsonText text;
        json.take_if(',');
        if (json.text(text) && json.take(':')) array = json.peek() == '[';
        if (json.good()) key = text.raw;
      });
      if (!good(state)) return;
      if (key == "traceEvents" && array) {
        text_.remove_prefix(1);
        result_.shape = TraceWalk::Shape::trace;
        return;
      }
      if (result_.keys.size() < kMostKeys) result_.keys.push_back(std::move(key));
      if (!skip_value()) return;
    }
  }

  void read_array() {
    TraceEvent event;
    bool ends = false;
    while (!ends) {
      const auto state = attempt([&](JsonScanner& json) {
        json.take_if(',');
        ends = json.take_if(']');
        if (!ends) read_event(json, event);
      });
      if (state == JsonScanner::State::cut ||
          (state == JsonScanner::State::malformed && !resume())) {
        note_cut();
        break;
      }
      if (state == JsonScanner::State::good && !ends && !each_(event)) return;
    }
    // The rest of the file is only looked at for its checksum.
    do text_ = {};
    while (more());
  }

  /// Puts `text_` at the next element; false if there is none.
  bool resume() {
    if (result_.damaged++ == 0) result_.damaged_byte = byte_of(text_.size());
    if (!text_.empty()) text_.remove_prefix(1);  // Not at the same one again.
    while (true) {
      text_.remove_prefix(std::min(text_.find('}'), text_.size()));
      const char* element = nullptr;
      const auto state = attempt([&](JsonScanner& json) {
        if (!json.take('}') || !json.take(',')) return;
        json.peek();
        element = json.at();
        if (json.take('{')) json.take('"');
      });
      if (state == JsonScanner::State::cut) return false;
      if (state == JsonScanner::State::good) {
        const char* const end = text_.data() + text_.size();
        text_ = {element, static_cast<std::size_t>(end - element)};
        return true;
      }
      text_.remove_prefix(1);
    }
  }

  TextWindows windows_;
  Meter& meter_;
  const Each& each_;
  std::string_view text_;
  TraceWalk result_;
};

}  // namespace

TraceWalk walk_trace_events(const MappedFile& file, Meter& meter,
                            const std::function<bool(const TraceEvent&)>& each) {
  return Walk(file, meter, each).run();
}

}  // namespace jaxtrace
