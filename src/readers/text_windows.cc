// Inflating on a thread, into windows that go round.
#include "readers/text_windows.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

namespace jaxtrace {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 20U;
constexpr std::size_t kRoom = std::size_t{1} << 16U;  // For what was not read of the window before.
constexpr std::size_t kWindows = 4;
constexpr std::string_view kMagic = "\x1f\x8b";

struct Window {
  std::unique_ptr<char[]> bytes;  // From the first use on: most files do not need all windows.
  std::size_t size = 0;           // After the room.
  const char* reached = nullptr;
  TextEnd end;
  bool last = false;
};

/// gzip's inflate over a file of any size, over as many members as there are.
class Gunzip {
 public:
  explicit Gunzip(std::string_view file) : file_(file), left_(file) {
    // 16 added to the window bits: gzip only (zlib.h).
    ready_ = ::inflateInit2(&stream_, MAX_WBITS + 16) == Z_OK;
  }
  ~Gunzip() { ::inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  /// Fills the window as far as there is text.
  void fill(Window& window) {
    if (!window.bytes) window.bytes = std::make_unique_for_overwrite<char[]>(kRoom + kWindow);
    window.size = 0;
    window.last = !ready_;
    while (window.size < kWindow && !window.last) step(window);
    window.reached = left_.data();
  }

 private:
  void step(Window& window) {
    const std::size_t given = std::min<std::size_t>(left_.size(), std::numeric_limits<uInt>::max());
    const std::size_t room = kWindow - window.size;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(left_.data()));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(window.bytes.get() + kRoom + window.size);
    stream_.avail_out = static_cast<uInt>(room);
    const int state = ::inflate(&stream_, Z_NO_FLUSH);
    left_.remove_prefix(given - stream_.avail_in);
    const std::size_t made = room - stream_.avail_out;
    window.size += made;
    if (state == Z_STREAM_END) {
      if (left_.starts_with(kMagic) && ::inflateReset(&stream_) == Z_OK) return;
      finish(window, left_.empty() ? TextEnd::How::clean : TextEnd::How::followed);
    } else if (state == Z_BUF_ERROR || (state == Z_OK && left_.empty() && made == 0)) {
      finish(window, TextEnd::How::cut);
    } else if (state != Z_OK) {
      // zlib checks the sum after the last byte, and has no other word for what it finds.
      const bool sum = stream_.msg != nullptr && std::strstr(stream_.msg, "check") != nullptr &&
                       std::strstr(stream_.msg, "header") == nullptr;
      finish(window, sum ? TextEnd::How::checksum : TextEnd::How::damaged);
    }
  }

  void finish(Window& window, TextEnd::How how) const {
    window.end = {how, static_cast<std::uint64_t>(left_.data() - file_.data())};
    window.last = true;
  }

  std::string_view file_;
  std::string_view left_;
  z_stream stream_{};
  bool ready_ = false;
};

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

/// Windows [taken_, filled_) of all that ever were are full; each lives in the slot of its number
/// modulo kWindows.  The reader works in window taken_ - 1, which the inflater therefore leaves
/// alone.
class TextWindows::Inflater {
 public:
  explicit Inflater(std::string_view file) : thread_([this, file] { run(file); }) {}

  ~Inflater() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  /// The next window; the one before it stays as it is until release().
  Window& take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return filled_ > taken_; });
    return slots_[taken_++ % kWindows];
  }

  /// The reader is done with all windows but the one it took last.
  void release() {
    {
      const std::lock_guard lock(mutex_);
      released_ = taken_ - 1;
    }
    changed_.notify_all();
  }

 private:
  void run(std::string_view file) {
    Gunzip gunzip(file);
    for (bool last = false; !last;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopped_ || filled_ - released_ < kWindows; });
      if (stopped_) return;
      Window& window = slots_[filled_ % kWindows];
      lock.unlock();
      gunzip.fill(window);
      last = window.last;
      lock.lock();
      ++filled_;
      lock.unlock();
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Window, kWindows> slots_;
  std::size_t filled_ = 0;
  std::size_t taken_ = 0;
  std::size_t released_ = 0;
  bool stopped_ = false;
  std::thread thread_;  // Last: it uses all the others.
};

TextWindows::TextWindows(const MappedFile& file) : reached_(file.bytes().data()) {
  if (is_gzip(file.bytes())) {
    inflater_ = std::make_unique<Inflater>(file.bytes());
  } else {
    plain_ = file.bytes();
  }
}

TextWindows::~TextWindows() = default;

std::string_view TextWindows::next_plain(std::string_view unread) {
  const std::size_t more = std::min(kWindow, plain_.size());
  // In the file, what follows the unread part is next to it.
  const char* const begin = unread.empty() ? plain_.data() : unread.data();
  plain_.remove_prefix(more);
  text_bytes_ += more;
  reached_ = begin;
  return {begin, unread.size() + more};
}

std::string_view TextWindows::next(std::string_view unread) {
  if (inflater_ == nullptr) return next_plain(unread);
  if (ended_) return unread;
  Window& window = inflater_->take();
  ended_ = window.last;
  end_ = window.end;
  reached_ = window.reached;
  text_bytes_ += window.size;
  char* const begin = window.bytes.get() + kRoom;
  if (unread.size() <= kRoom) {
    if (!unread.empty()) std::memcpy(begin - unread.size(), unread.data(), unread.size());
    inflater_->release();
    return {begin - unread.size(), unread.size() + window.size};
  }
  std::string joined;
  joined.reserve(unread.size() + window.size);
  joined.append(unread).append(begin, window.size);
  inflater_->release();
  joined_ = std::move(joined);
  return joined_;
}

}  // namespace jaxtrace
