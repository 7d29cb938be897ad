// What a host event is doing, told by its name: the classes of causes of idle time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jaxtrace {

/// First match wins, in this order; `other` is what no pattern fits.
enum class HostClass : std::uint8_t {
  input,
  sync,
  compile,
  python,
  admission,
  alloc,
  launch,
  comm_setup,
  pool,
  other,
  none,  ///< Not an event: `(no event)`, `(unobserved)`
};
inline constexpr std::size_t kHostClasses = 11;

/// `is_op`: the event is named like the HLO op of a kernel that was launched inside it.
HostClass host_class(std::string_view name, bool is_op = false);
std::string_view name_of(HostClass cls);

/// A call that returns only when something else has happened, so that its time is not its own.
bool is_wait(std::string_view name);

/// The name without what differs from call to call: "(…)", a trailing ".N", a "#…#" payload.
std::string plain_host_name(std::string_view name);

}  // namespace jaxtrace
