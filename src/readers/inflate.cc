// inflate() on zlib.
#include "readers/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace jaxtrace {
namespace {

constexpr std::size_t kMostOfFile = std::size_t{8} << 30U;
constexpr std::size_t kMost = std::size_t{1} << 30U;  // A stat this big is a mistake or an attack.

}  // namespace

std::optional<std::string> inflate(std::string_view compressed) {
  z_stream stream{};
  // 32 added to the window bits lets zlib tell gzip from zlib by the header (zlib.h).
  if (::inflateInit2(&stream, MAX_WBITS + 32) != Z_OK) return std::nullopt;
  const std::size_t size =
      std::min<std::size_t>(compressed.size(), std::numeric_limits<uInt>::max());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(size);
  std::string result;
  std::array<char, 16 * 1024> chunk{};
  int state = Z_OK;
  while (state == Z_OK && result.size() < kMost) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    state = ::inflate(&stream, Z_NO_FLUSH);
    result.append(chunk.data(), chunk.size() - stream.avail_out);
  }
  ::inflateEnd(&stream);
  if (state != Z_STREAM_END) return std::nullopt;
  return result;
}

Inflated inflate_all(std::string_view compressed) {
  Inflated result;
  z_stream stream{};
  if (::inflateInit2(&stream, MAX_WBITS + 32) != Z_OK) return result;
  std::vector<char> chunk(std::size_t{1} << 20U);
  int state = Z_OK;
  while (state == Z_OK && result.text.size() < kMostOfFile) {
    // zlib counts input in 32 bits, so a long file goes in by parts.
    if (stream.avail_in == 0) {
      const std::size_t part =
          std::min<std::size_t>(compressed.size(), std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
      stream.avail_in = static_cast<uInt>(part);
      compressed.remove_prefix(part);
    }
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    state = ::inflate(&stream, Z_NO_FLUSH);
    result.text.append(chunk.data(), chunk.size() - stream.avail_out);
    if (state != Z_STREAM_END) continue;
    result.whole = stream.avail_in == 0 && compressed.empty();
    if (!result.whole) state = ::inflateReset(&stream);  // gzip files may be joined.
  }
  ::inflateEnd(&stream);
  return result;
}

}  // namespace jaxtrace
