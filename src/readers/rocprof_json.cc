#include "readers/rocprof_json.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jaxtrace/error.h"
#include "readers/json_cursor.h"
#include "readers/mapped_file.h"
#include "readers/time_rows.h"

namespace jaxtrace {
namespace {

using Number = std::optional<std::int64_t>;

/// Calls `take` with each key of an object; `take` takes the value or returns false.
template <class Take>
void each_member(JsonCursor& at, Take take) {
  if (!at.enter_object()) return at.skip();
  std::string key;
  while (at.next_key(key)) {
    if (!take(key)) at.skip();
  }
}

template <class Take>
void each_item(JsonCursor& at, Take take) {
  if (!at.enter_array()) return at.skip();
  while (at.next_item()) take();
}

/// The number at `inner` of {"handle": 7}, or the number itself.
Number number_in(JsonCursor& at, std::string_view inner) {
  if (at.peek() == JsonCursor::Kind::number) return at.integer();
  Number value;
  each_member(at, [&](const std::string& key) {
    if (key != inner) return false;
    value = at.integer();
    return true;
  });
  return value;
}

/// {"x": 64, "y": 1, "z": 1}
Number product_in(JsonCursor& at) {
  std::int64_t product = 1;
  int parts = 0;
  each_member(at, [&](const std::string& key) {
    if (key != "x" && key != "y" && key != "z") return false;
    const Number part = at.integer();
    if (part && *part >= 0 && !__builtin_mul_overflow(product, *part, &product)) ++parts;
    return true;
  });
  return parts == 3 ? Number(product) : Number();
}

struct RawDispatch {
  Number begin, end, kernel, agent, grid, workgroup, lds, scratch, correlation;
};

struct Symbol {
  std::string formatted, plain;
  LaunchShape shape;
};

class ToolReader {
 public:
  ToolReader(JsonCursor& at, TimeRows& rows) : at_(at), rows_(rows) {}

  void read() {
    each_member(at_, [&](const std::string& key) {
      if (key == "metadata") return metadata();
      if (key == "agents") return agents();
      if (key == "kernel_symbols") return symbols();
      if (key == "buffer_records") return records();
      return false;
    });
    resolve();
  }

 private:
  bool metadata() {
    each_member(at_, [&](const std::string& key) {
      if (key != "pid") return false;
      pid_ = at_.integer();
      return true;
    });
    return true;
  }

  bool agents() {
    each_item(at_, [&] {
      Number handle, node;
      TimedDevice device;
      each_member(at_, [&](const std::string& key) {
        if (key == "id") return handle = number_in(at_, "handle"), true;
        if (key == "node_id") return node = at_.integer(), true;
        if (key == "name") return at_.string(device.arch), true;
        if (key == "product_name") return at_.string(device.product), true;
        return false;
      });
      if (!handle) return;
      device.name = fmt::format("Agent {}", node.value_or(*handle));
      agents_[*handle] = std::move(device);
    });
    return true;
  }

  bool symbols() {
    each_item(at_, [&] {
      Number id;
      Symbol symbol;
      each_member(at_, [&](const std::string& key) {
        if (key == "kernel_id") return id = at_.integer(), true;
        if (key == "formatted_kernel_name") return at_.string(symbol.formatted), true;
        if (key == "kernel_name") return at_.string(symbol.plain), true;
        if (key == "arch_vgpr_count") return symbol.shape.vgprs = at_.integer(), true;
        if (key == "accum_vgpr_count") return symbol.shape.accum_vgprs = at_.integer(), true;
        if (key == "sgpr_count") return symbol.shape.sgprs = at_.integer(), true;
        return false;
      });
      if (id) symbols_[*id] = std::move(symbol);
    });
    return true;
  }

  bool records() {
    each_member(at_, [&](const std::string& key) {
      if (key != "kernel_dispatch") return false;
      each_item(at_, [&] { dispatches_.push_back(dispatch()); });
      return true;
    });
    return true;
  }

  RawDispatch dispatch() {
    RawDispatch raw;
    each_member(at_, [&](const std::string& key) {
      if (key == "start_timestamp") return raw.begin = at_.integer(), true;
      if (key == "end_timestamp") return raw.end = at_.integer(), true;
      if (key == "correlation_id") return raw.correlation = number_in(at_, "internal"), true;
      if (key == "dispatch_info") return info(raw), true;
      return false;
    });
    return raw;
  }

  void info(RawDispatch& raw) {
    each_member(at_, [&](const std::string& key) {
      if (key == "kernel_id") return raw.kernel = at_.integer(), true;
      if (key == "agent_id") return raw.agent = number_in(at_, "handle"), true;
      if (key == "grid_size") return raw.grid = product_in(at_), true;
      if (key == "workgroup_size") return raw.workgroup = product_in(at_), true;
      if (key == "group_segment_size") return raw.lds = at_.integer(), true;
      if (key == "private_segment_size") return raw.scratch = at_.integer(), true;
      return false;
    });
  }

  void resolve() {
    for (const RawDispatch& raw : dispatches_) {
      const auto symbol = symbols_.find(raw.kernel.value_or(-1));
      TimedDispatch dispatch;
      LaunchShape shape;
      if (symbol != symbols_.end()) {
        const Symbol& known = symbol->second;
        shape = known.shape;
        dispatch.kernel = rows_.kernel(known.formatted.empty() ? known.plain : known.formatted);
      } else {
        dispatch.kernel = rows_.kernel(fmt::format("kernel {}", raw.kernel.value_or(-1)));
        ++nameless_;
      }
      shape.grid = raw.grid;
      shape.workgroup = raw.workgroup;
      shape.lds_bytes = raw.lds;
      shape.scratch_bytes = raw.scratch;
      dispatch.shape = rows_.shape(shape);
      dispatch.device = rows_.device(device_of(raw.agent.value_or(-1)));
      dispatch.correlation = raw.correlation.value_or(-1);
      rows_.add(dispatch, raw.begin, raw.end);
    }
    if (nameless_ == 0) return;
    rows_.times().findings.push_back({Severity::error, "kernel-without-name",
                                      "a dispatch is of a kernel that the file does not name",
                                      rows_.times().file, nameless_});
  }

  TimedDevice device_of(std::int64_t handle) const {
    const auto known = agents_.find(handle);
    TimedDevice device;
    if (known != agents_.end()) {
      device = known->second;
    } else {
      device.name = fmt::format("Agent {}", handle);
    }
    if (pid_) device.process = fmt::format("pid {}", *pid_);
    return device;
  }

  JsonCursor& at_;
  TimeRows& rows_;
  Number pid_;
  std::map<std::int64_t, TimedDevice> agents_;
  std::map<std::int64_t, Symbol> symbols_;
  std::vector<RawDispatch> dispatches_;
  std::uint64_t nameless_ = 0;
};

}  // namespace

bool is_rocprof_json(std::string_view bytes) {
  return bytes.substr(0, 256).find("\"rocprofiler-sdk-tool\"") != std::string_view::npos;
}

KernelTimes read_rocprof_json(const std::filesystem::path& path, Meter& meter) {
  const MappedFile file(path);
  meter.enter(file, file.bytes().data());
  TimeRows rows;
  rows.times().file = path.string();
  rows.times().source = TimesOf::json;
  JsonCursor at(file.bytes());
  each_member(at, [&](const std::string& key) {
    if (key != "rocprofiler-sdk-tool") return false;
    each_item(at, [&] { ToolReader(at, rows).read(); });
    return true;
  });
  meter.leave(file.bytes().data() + file.bytes().size());
  if (at.failed()) {
    rows.times().findings.push_back(
        {Severity::error, "json-damaged",
         fmt::format("is no JSON at byte {}: cut or damaged; what came before is used", at.byte()),
         path.string(), 1});
  }
  KernelTimes times = std::move(rows).finish();
  if (times.dispatches.empty()) {
    throw InputError(
        path.string(),
        at.failed() ? fmt::format("is damaged at byte {}, before any kernel dispatch", at.byte())
                    : "holds no kernel dispatch: nothing was recorded, or "
                      "--kernel-trace was not given");
  }
  return times;
}

}  // namespace jaxtrace
