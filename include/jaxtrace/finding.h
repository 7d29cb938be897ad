// What a reader or a check noticed and survived.  Findings are what "cannot be trusted" is made of.
#pragma once

#include <cstdint>
#include <string>

namespace jaxtrace {

enum class Severity : std::uint8_t {
  note,       ///< Worth knowing; no number is wrong because of it.
  data_loss,  ///< The capture lacks something that happened: totals are lower bounds.
  error,      ///< Part of the input could not be read or contradicts itself.
};

struct Finding {
  Severity severity = Severity::note;
  std::string code;         ///< Stable, kebab-case; one paragraph each in docs/formats.md.
  std::string message;      ///< One sentence: what, and what it means for the reader.
  std::string where;        ///< File, plane or line; empty where it concerns the whole capture.
  std::uint64_t count = 1;  ///< How often; repeats of (code, message, where) are counted.
};

}  // namespace jaxtrace
