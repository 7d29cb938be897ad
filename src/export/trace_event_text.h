// Events of the capture as the profiler's trace JSON has them: args are texts, under the names of
// their stats.  Device events also get what attribution found.
#pragma once

#include <string>
#include <vector>

#include "export/trace_texts.h"
#include "skip/work.h"

namespace jaxtrace {

class EventTexts {
 public:
  EventTexts(const Trace& trace, const Attribution& attribution, const Works& works,
             const SliceTexts& texts);

  /// Appends an event from its name to its end and a line feed.
  void append(std::string& out, std::uint32_t event);

 private:
  const std::string& annotation(AnnotationId id);
  const std::string& details(DetailsId id);
  void append_stats(std::string& args, std::uint32_t event) const;

  const Trace& trace_;
  const Attribution& attribution_;
  const Works& works_;
  const SliceTexts& texts_;
  std::vector<std::string> annotations_, details_;  ///< By row; empty until asked for
  std::string args_;
};

}  // namespace jaxtrace
