// See frames.h.
#include "hlo/text/frames.h"

#include "hlo/text/append.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

constexpr std::int32_t kNew = -1;   // Not looked at yet.
constexpr std::int32_t kOpen = -2;  // On the chain being followed: to meet it again is a circle.

/// Row `id` of a table whose ids start at 1; null if there is none.
template <class Rows>
auto row(const Rows& rows, std::int32_t id) -> decltype(&rows.Get(0)) {
  return id >= 1 && id <= rows.size() ? &rows.Get(id - 1) : nullptr;
}

void append_names(std::string& out, const char* title, const std::vector<std::string_view>& names) {
  out += title;
  for (std::size_t i = 0; i < names.size(); ++i) {
    append_int(out, i + 1);
    out += ' ';
    append_quoted(out, names[i]);
    out += '\n';
  }
}

}  // namespace

FrameTables::FrameTables(const pb::StackFrameIndexProto& index)
    : index_(index), numbers_(static_cast<std::size_t>(index.stack_frames_size()) + 1, kNew) {
  numbers_[0] = 0;
}

std::int32_t FrameTables::intern(std::int32_t id, std::int32_t parent) {
  const auto& frame = index_.stack_frames(id - 1);
  const auto* location = row(index_.file_locations(), frame.file_location_id());
  if (location == nullptr) return 0;
  const auto* file = row(index_.file_names(), location->file_name_id());
  const auto* function = row(index_.function_names(), location->function_name_id());
  if (file == nullptr || function == nullptr) return 0;
  const std::int32_t file_number = files_.number(*file);
  const std::int32_t function_number = functions_.number(*function);
  const Location key(file_number, function_number, location->line(), location->column(),
                     location->end_line(), location->end_column());
  return frames_.number({locations_.number(key), parent});
}

std::int32_t FrameTables::number(std::int32_t id) {
  std::vector<std::int32_t> chain;
  std::int32_t at = id;
  bool sound = true;
  while (sound) {
    if (at < 0 || static_cast<std::size_t>(at) >= numbers_.size()) {
      sound = false;
      break;
    }
    std::int32_t& state = numbers_[static_cast<std::size_t>(at)];
    if (state >= 0) break;
    sound = state == kNew;
    if (!sound) break;
    state = kOpen;
    chain.push_back(at);
    at = index_.stack_frames(at - 1).parent_frame_id();
  }
  std::int32_t parent = sound ? numbers_[static_cast<std::size_t>(at)] : 0;
  while (!chain.empty()) {
    const std::int32_t frame = chain.back();
    chain.pop_back();
    if (sound) {
      parent = intern(frame, parent);
      sound = parent != 0;
    }
    numbers_[static_cast<std::size_t>(frame)] = sound ? parent : 0;
  }
  return sound ? parent : 0;
}

void FrameTables::append(std::string& out) const {
  if (frames_.rows.empty()) return;
  append_names(out, "\n\nFileNames\n", files_.rows);
  append_names(out, "\nFunctionNames\n", functions_.rows);
  out += "\nFileLocations\n";
  for (std::size_t i = 0; i < locations_.rows.size(); ++i) {
    const auto& [file, function, line, column, end_line, end_column] = locations_.rows[i];
    append_int(out, i + 1);
    const auto field = [&](const char* name, std::int32_t value) {
      out += name;
      append_int(out, value);
    };
    field(" {file_name_id=", file);
    field(" function_name_id=", function);
    field(" line=", line);
    field(" end_line=", end_line);
    field(" column=", column);
    field(" end_column=", end_column);
    out += "}\n";
  }
  out += "\nStackFrames\n";
  for (std::size_t i = 0; i < frames_.rows.size(); ++i) {
    append_int(out, i + 1);
    out += " {file_location_id=";
    append_int(out, frames_.rows[i].first);
    // XLA counts the parent from 1 for "none", unlike every other number here.
    out += " parent_frame_id=";
    append_int(out, frames_.rows[i].second + 1);
    out += "}\n";
  }
}

}  // namespace jaxtrace::hlo
