// Which benchmark measures the links as the program uses them.
#pragma once

#include <string_view>

namespace jaxtrace {

struct Investigated;

/// The program of nccl-tests (and rccl-tests) for the kind of collective with most time:
/// "alltoall_perf".
std::string_view link_benchmark(const Investigated& in);

}  // namespace jaxtrace
