// HLO text, byte for byte as XLA's own printer writes it (jaxlib 0.10.2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jaxtrace::hlo {

struct TextOptions {
  bool metadata = true;        ///< metadata={…} and the stack frame tables
  bool backend_config = true;  ///< backend_config=…
};

/// The module of a serialized HloProto as text that XLA's parser accepts.  nullopt if the bytes are
/// not an HloProto.
std::optional<std::string> print_module(std::string_view hlo_proto,
                                        const TextOptions& options = {});

}  // namespace jaxtrace::hlo
