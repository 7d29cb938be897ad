// Text into a stream, compressed.  The same text gives the same bytes: the gzip header has
// no time and no name.
#pragma once

#include <memory>
#include <ostream>
#include <string_view>

namespace jaxtrace {

class GzipOut {
 public:
  /// Errors of writing stay in the state of `out`.
  explicit GzipOut(std::ostream& out);
  ~GzipOut();
  GzipOut(const GzipOut&) = delete;
  GzipOut& operator=(const GzipOut&) = delete;

  void write(std::string_view text);

  /// Writes what is still held back, and the checksum.  To be called once, last.
  void finish();

 private:
  struct State;
  void pump(int flush);

  std::ostream& out_;
  std::unique_ptr<State> state_;
};

}  // namespace jaxtrace
