// Captures that are kept as text, so that a reviewer can read them, as the bytes of real ones.
#pragma once

#include <filesystem>

namespace jaxtrace {

/// Copies a folder of a golden case to `to`, turning text into what the program reads:
///
///   host.xplane.txtpb      an XSpace in protobuf's text format: becomes host.xplane.pb
///   jit_f(17).hlo.txtpb    an HloProto likewise: goes into /host:metadata of every host beside it,
///                          as program 17 (a bytes field of text format cannot be read)
///   host.rows              events as support/rows.h has them: becomes host.xplane.pb
///   x.hex                  hexadecimal digits with `#` comments: becomes x
///   anything else          as it is
///
/// Throws std::runtime_error, with the file and the parser's words, for text that does not parse.
void build_capture(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace jaxtrace
