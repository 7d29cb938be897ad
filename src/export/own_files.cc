// Lines and tables of events are stepped over, so a large capture takes no longer than a small one.
#include "export/own_files.h"

#include <zlib.h>

#include <array>
#include <fstream>
#include <string>

#include "jaxtrace/error.h"
#include "readers/mapped_file.h"
#include "readers/stats.h"
#include "readers/wire.h"
#include "readers/xplane.h"
#include "readers/xplane_fields.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kHead = 512;  // The mark ends within the first 100 bytes.
constexpr int kGzip = 15 + 16;      // The largest window, in gzip's framing: zlib.h, inflateInit2.

/// The first bytes of what a gzip stream holds; empty if it is none.
std::string inflated_head(std::string compressed) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) return {};
  std::array<char, kHead> text{};
  stream.next_in = reinterpret_cast<Bytef*>(compressed.data());  // NOLINT
  stream.avail_in = static_cast<uInt>(compressed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());  // NOLINT
  stream.avail_out = static_cast<uInt>(text.size());
  inflate(&stream, Z_SYNC_FLUSH);
  inflateEnd(&stream);
  return {text.data(), text.size() - stream.avail_out};
}

/// Whether an entry of XPlane.stat_metadata is one that was added.
bool is_added_name(std::string_view entry) {
  Wire wire(entry);
  Field field;
  while (wire.next(field)) {
    if (field.tag != kMapValue) continue;
    Wire value(field.bytes);
    Field part;
    while (value.next(part)) {
      if (part.tag == kMetadataName && part.bytes == kWrittenMatch) return true;
    }
  }
  return false;
}

bool is_edited_plane(std::string_view plane) {
  Wire wire(plane);
  Field field;
  while (wire.next(field)) {
    if (field.tag == kPlaneStatMetadata && is_added_name(field.bytes)) return true;
  }
  return false;
}

}  // namespace

bool is_own_trace_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return false;
  std::string head(std::size_t{4} * 1024, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (in.bad()) return false;
  head.resize(static_cast<std::size_t>(in.gcount()));
  if (head.empty()) return true;
  if (head.starts_with("\x1f\x8b")) head = inflated_head(std::move(head));
  return head.substr(0, kHead).find(kTraceFileMark) != std::string::npos;
}

bool is_own_xplane(const std::filesystem::path& file) {
  try {
    const MappedFile mapped(file);
    if (mapped.bytes().empty()) return true;
    Wire wire(mapped.bytes());
    Field field;
    while (wire.next(field)) {
      if (field.tag == kSpacePlanes && is_edited_plane(field.bytes)) return true;
      if (field.tag == kSpaceWarnings && field.bytes.starts_with(kWrittenCut)) return true;
    }
  } catch (const InputError&) {
    return false;
  }
  return false;
}

bool same_content(const std::filesystem::path& one, const std::filesystem::path& other) {
  try {
    const MappedFile a(one), b(other);
    return a.bytes() == b.bytes();
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace jaxtrace
