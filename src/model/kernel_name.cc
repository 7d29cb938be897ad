// The one place that knows how descriptors are written.
#include "jaxtrace/kernel_times.h"

namespace jaxtrace {

std::string_view without_descriptor(std::string_view kernel) {
  const auto trim = [&] {
    while (kernel.ends_with(' ')) kernel.remove_suffix(1);
  };
  trim();
  for (const std::string_view ending : {" [clone .kd]", " (.kd)", ".kd"}) {
    if (kernel.size() <= ending.size() || !kernel.ends_with(ending)) continue;
    kernel.remove_suffix(ending.size());
    trim();
  }
  return kernel;
}

}  // namespace jaxtrace
