// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/plan/planned_now.hpp>

namespace sigma::detail {

SIGMA_IMPL Program program_of(const TracedProgram& traced) {
    Program p;
    p.sequential = traced.sequential;
    for (const Loop& loop : traced.loops) p.tape.add_loop(loop);
    for (const Node& n : traced.nodes) p.tape.emit_unshared(n);
    for (const int i : traced.outputs) p.outputs.push({&p.tape, i});
    for (const int i : traced.assignments) p.assignments.push({&p.tape, i});
    return p;
}
SIGMA_IMPL Plan plan_now(const TracedProgram& traced, int lanes) { return make_plan(program_of(traced), lanes); }

}  // namespace sigma::detail
