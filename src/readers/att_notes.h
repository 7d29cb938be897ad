// Findings about the files of a thread trace.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "jaxtrace/finding.h"

namespace jaxtrace {

inline void note(std::vector<Finding>& findings, Severity severity, std::string code,
                 std::string message, std::string where) {
  findings.push_back({.severity = severity,
                      .code = std::move(code),
                      .message = std::move(message),
                      .where = std::move(where)});
}

}  // namespace jaxtrace
