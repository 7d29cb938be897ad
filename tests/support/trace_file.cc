// nlohmann's SAX interface hands out numbers as they are written, which a DOM would round.
#include "support/trace_file.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace jaxtrace {
namespace {

/// Exact; throws on exponents and on more than six decimals.
std::int64_t picoseconds(const std::string& micros) {
  const std::size_t point = micros.find('.');
  std::string digits = micros.substr(0, point);
  std::string decimals = point == std::string::npos ? "" : micros.substr(point + 1);
  if (decimals.size() > 6) throw std::runtime_error("too many decimals: " + micros);
  decimals.resize(6, '0');
  digits += decimals;
  std::int64_t value = 0;
  const auto got = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (got.ec != std::errc{} || got.ptr != digits.data() + digits.size()) {
    throw std::runtime_error("no time: " + micros);
  }
  return value;
}

class Reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  ViewedTrace trace;

  bool null() override { return value("null"); }
  bool boolean(bool on) override { return value(on ? "true" : "false"); }
  bool number_integer(number_integer_t number) override { return value(std::to_string(number)); }
  bool number_unsigned(number_unsigned_t number) override { return value(std::to_string(number)); }
  bool number_float(number_float_t, const string_t& written) override { return value(written); }
  bool string(string_t& text) override { return value(text); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override {
    ++depth_;
    if (events_ && depth_ == 2) trace.events.emplace_back();
    if (depth_ == 3 && events_ && key_ != "args") throw std::runtime_error("nested: " + key_);
    keys_.emplace_back();
    return true;
  }
  bool key(string_t& text) override {
    if (!keys_.back().insert(text).second) throw std::runtime_error("key twice: " + text);
    key_ = text;
    return true;
  }
  bool end_object() override {
    --depth_;
    keys_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override {
    events_ = depth_ == 1 && key_ == "traceEvents";
    return true;
  }
  bool end_array() override {
    events_ = false;
    return true;
  }
  bool parse_error(std::size_t at, const std::string&,
                   const nlohmann::detail::exception& error) override {
    throw std::runtime_error("byte " + std::to_string(at) + ": " + error.what());
  }

 private:
  bool value(const std::string& text) {
    if (!events_) return true;
    ViewedEvent& event = trace.events.back();
    if (depth_ == 3) {
      event.args[key_] = text;
    } else if (key_ == "ph") {
      event.phase = text;
    } else if (key_ == "name") {
      event.name = text;
    } else if (key_ == "cat") {
      event.cat = text;
    } else if (key_ == "cname") {
      event.cname = text;
    } else if (key_ == "bp") {
      event.bind = text;
    } else if (key_ == "pid") {
      event.process = std::stoll(text);
    } else if (key_ == "tid") {
      event.thread = std::stoll(text);
    } else if (key_ == "id") {
      event.id = std::stoll(text);
    } else if (key_ == "ts") {
      event.begin = picoseconds(text);
    } else if (key_ == "dur") {
      event.duration = picoseconds(text);
    } else {
      throw std::runtime_error("unknown key " + key_);
    }
    return true;
  }

  int depth_ = 0;
  bool events_ = false;
  std::string key_;
  std::vector<std::set<std::string>> keys_;
};

using ThreadOf = std::pair<std::int64_t, std::int64_t>;

struct Open {
  std::int64_t begin, end;
};

class Checker {
 public:
  explicit Checker(const ViewedTrace& trace) : trace_(trace) {}

  std::vector<std::string> run() {
    for (const ViewedEvent& event : trace_.events) {
      if (event.phase == "M") {
        metadata(event);
        continue;
      }
      if (event.begin < last_) say(event, "comes after a later one");
      last_ = event.begin;
      if (!trace_.threads.contains({event.process, event.thread})) say(event, "has no thread");
      if (!trace_.processes.contains(event.process)) say(event, "has no process");
      if (event.phase == "X") {
        slice(event);
      } else if (event.phase == "s" || event.phase == "f") {
        arrow(event);
      } else {
        say(event, "is of unknown phase " + event.phase);
      }
    }
    for (const auto& [id, phases] : arrows_) {
      if (phases != "sf") faults_.push_back("arrow " + std::to_string(id) + " is " + phases);
    }
    return std::move(faults_);
  }

 private:
  void say(const ViewedEvent& event, const std::string& what) {
    if (faults_.size() < 20) {
      faults_.push_back(event.name + " at " + std::to_string(event.begin) + " ps " + what);
    }
  }

  void metadata(const ViewedEvent& event) {
    if (last_ >= 0) say(event, "is metadata among events");
    if (!named_.insert({event.name, event.process, event.thread}).second) say(event, "is twice");
  }

  void slice(const ViewedEvent& event) {
    if (event.duration < 0) say(event, "has no duration");
    if (event.name.empty()) say(event, "has no name");
    std::vector<Open>& open = open_[{event.process, event.thread}];
    const std::int64_t end = event.begin + event.duration;
    while (!open.empty() && open.back().end <= event.begin) open.pop_back();
    if (!open.empty() && end > open.back().end) say(event, "reaches beyond what it is in");
    open.push_back({event.begin, end});
  }

  /// Bound to the innermost slice that is open, which has to begin with it.
  void arrow(const ViewedEvent& event) {
    arrows_[event.id] += event.phase;
    if (event.phase == "f" && event.bind != "e") say(event, "is bound to the next slice");
    const std::vector<Open>& open = open_[{event.process, event.thread}];
    if (open.empty() || open.back().begin != event.begin) say(event, "is not tied to a slice");
  }

  const ViewedTrace& trace_;
  std::vector<std::string> faults_;
  std::int64_t last_ = -1;
  std::set<std::tuple<std::string, std::int64_t, std::int64_t>> named_;
  std::map<ThreadOf, std::vector<Open>> open_;
  std::map<std::int64_t, std::string> arrows_;
};

}  // namespace

const std::string& ViewedTrace::process_of(const ViewedEvent& event) const {
  return processes.at(event.process);
}

const std::string& ViewedTrace::thread_of(const ViewedEvent& event) const {
  return threads.at({event.process, event.thread});
}

std::vector<const ViewedEvent*> ViewedTrace::slices(std::string_view thread) const {
  std::vector<const ViewedEvent*> found;
  for (const ViewedEvent& event : events) {
    if (event.phase == "X" && thread_of(event).starts_with(thread)) found.push_back(&event);
  }
  return found;
}

ViewedTrace view_trace(const std::string& json) {
  Reader reader;
  nlohmann::json::sax_parse(json, &reader);
  ViewedTrace trace = std::move(reader.trace);
  for (const ViewedEvent& event : trace.events) {
    if (event.phase == "") throw std::runtime_error("an element without phase");
    if (event.name == "process_name") trace.processes[event.process] = event.args.at("name");
    if (event.name == "thread_name") {
      trace.threads[{event.process, event.thread}] = event.args.at("name");
    }
  }
  return trace;
}

std::vector<std::string> faults_of(const ViewedTrace& trace) {
  return Checker(trace).run();
}

}  // namespace jaxtrace
