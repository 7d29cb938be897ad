// Which generation of XLA's GPU compiler made a program.
#pragma once

#include "hlo/launches.h"
#include "hlo/program.h"

namespace jaxtrace::hlo {

/// A program that shows no sign of its age is taken for a new one.
Emitter emitter_of(const Program& program, const ProtoRows& rows);

}  // namespace jaxtrace::hlo
