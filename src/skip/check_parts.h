// The checks one by one, and what they share.
#pragma once

#include <string>
#include <string_view>

#include "skip/checks.h"

namespace jaxtrace::check {

// ---- check_records.cc: whether what happened was recorded
CheckResult complete(const CheckInput& in);
CheckResult json_agrees(const CheckInput& in);
CheckResult recorded(const CheckInput& in);
CheckResult join(const CheckInput& in, const LatencyStats& all);
CheckResult launches_have_work(const CheckInput& in);
CheckResult graph_fan_out(const CheckInput& in);
CheckResult timing(const CheckInput& in);

// ---- check_steps.cc: whether steps and GPUs are alike
CheckResult step_count(const CheckInput& in);
CheckResult kernels_per_step(const CheckInput& in);
CheckResult same_work(const CheckInput& in);

// ---- check_times.cc: whether times and kinds can be
CheckResult clock(const CheckInput& in, const LatencyStats& all);
CheckResult overlap(const CheckInput& in);
CheckResult classified(const CheckInput& in);
CheckResult devices_of_calls(const CheckInput& in);
CheckResult python_tracer(const CheckInput& in);
CheckResult command_buffers(const CheckInput& in);

// ---- checks.cc
CheckResult passed(std::string id, std::string expected, std::string found);
CheckResult not_applicable(std::string id, std::string why);
CheckResult failed(CheckState state, std::string id, std::string expected, std::string found,
                   std::string affects, std::optional<CheckPart> part = {});

/// `count` of `whole` things called `of`.
CheckPart part_of(std::uint64_t count, std::uint64_t whole, std::string of);

/// part / whole; 0 of nothing.
double share(std::uint64_t part, std::uint64_t whole);
/// A share in percent that never rounds to all or nothing.
std::string percent(double value);
/// "1 launch", "3 launches"
std::string plural(std::uint64_t count, std::string_view one, std::string_view many);
/// The device's plane, with its host where there are several.
std::string plane_of(const CheckInput& in, std::size_t device);

}  // namespace jaxtrace::check
