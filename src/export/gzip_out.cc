// Level 3: trace JSON repeats itself so much that higher levels gain little and take long.
#include "export/gzip_out.h"

#include <zlib.h>

#include <array>
#include <new>

namespace jaxtrace {
namespace {

constexpr int kLevel = 3;
constexpr int kGzip = 15 + 16;  // The largest window, in gzip's framing: zlib.h, deflateInit2.
constexpr int kMemory = 8;      // zlib's default.

}  // namespace

struct GzipOut::State {
  z_stream stream{};
  std::array<char, std::size_t{1} << 16U> buffer{};
};

GzipOut::GzipOut(std::ostream& out) : out_(out), state_(std::make_unique<State>()) {
  if (deflateInit2(&state_->stream, kLevel, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::bad_alloc();
  }
}

GzipOut::~GzipOut() {
  deflateEnd(&state_->stream);
}

void GzipOut::write(std::string_view text) {
  constexpr std::size_t kPiece = std::size_t{1} << 30U;  // zlib counts in 32 bits.
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, kPiece);
    // zlib's interface lacks the const, but does not write there.
    state_->stream.next_in =
        const_cast<Bytef*>(reinterpret_cast<const Bytef*>(piece.data()));  // NOLINT
    state_->stream.avail_in = static_cast<uInt>(piece.size());
    pump(Z_NO_FLUSH);
    text.remove_prefix(piece.size());
  }
}

void GzipOut::finish() {
  state_->stream.avail_in = 0;
  pump(Z_FINISH);
}

void GzipOut::pump(int flush) {
  z_stream& stream = state_->stream;
  do {
    stream.next_out = reinterpret_cast<Bytef*>(state_->buffer.data());  // NOLINT
    stream.avail_out = static_cast<uInt>(state_->buffer.size());
    deflate(&stream, flush);
    out_.write(state_->buffer.data(),
               static_cast<std::streamsize>(state_->buffer.size() - stream.avail_out));
  } while (stream.avail_out == 0);
}

}  // namespace jaxtrace
