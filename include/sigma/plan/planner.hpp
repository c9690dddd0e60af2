// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/fusion.hpp>
#include <sigma/plan/layout.hpp>
#include <sigma/plan/liveness.hpp>
#include <sigma/plan/lowering.hpp>
#include <sigma/plan/memory.hpp>
#include <sigma/plan/schedule.hpp>
#include <sigma/plan/views.hpp>

namespace sigma::detail {

constexpr bool same_code(const Plan& p, const Kernel& a, const Kernel& b) {
    const FusedKernel &x = a.fused, &y = b.fused;
    if (a.kind != b.kind || a.arguments != b.arguments || x.tail != y.tail || x.rank != y.rank || x.outer != y.outer ||
        x.reduced != y.reduced || x.sweeps != y.sweeps || x.instructions != y.instructions)
        return false;
    for (int i = 0; i < x.instructions; ++i)
        if (!(p.instructions[x.instruction + i] == p.instructions[y.instruction + i])) return false;
    return true;
}
/// Sets `canonical`, so that kernels with equal code share one instantiation. Extents and strides are data.
constexpr void share_code(Plan& p) {
    List<int> distinct;
    for (int i = 0; i < p.kernels.size(); ++i) {
        Kernel& k = p.kernels[i];
        if (!k.is_fused()) continue;
        for (int other : distinct)
            if (k.fused.canonical < 0 && same_code(p, p.kernels[other], k)) k.fused.canonical = other;
        if (k.fused.canonical < 0) k.fused.canonical = distinct[distinct.push(i)];
    }
}

/// The results of all passes. Each pass reads the results of earlier passes. `lanes` is the number of elements in a
/// vector of the device.
struct Passes {
    PassInput in;
    Liveness liveness = find_liveness(in);
    Views views = find_views(in, liveness);
    Layouts layouts = choose_layouts(in, liveness, views);
    FusedGroups groups = fuse(in, liveness, views);
    LoweredKernels lowered = lower(in, views, layouts, groups);
    ScheduledKernels scheduled = schedule(in, views, lowered);
    MemoryPlan memory = allocate(in, liveness, views, layouts, lowered, scheduled);

    constexpr Passes(const Program& program, int lanes) : in{program, lanes} {}
    Passes(const Passes&) = delete;
    Passes& operator=(const Passes&) = delete;
};

/// Makes the plan of a program by running all passes.
constexpr Plan make_plan(const Program& program, int lanes) {
    Passes found(program, lanes);
    MemoryPlan& memory = found.memory;
    Plan plan;
    plan.arguments.reserve(found.lowered.arguments.size());
    for (TensorArgument& a : found.lowered.arguments) {
        a.buffer = memory.buffer[found.views.root_of(a.tensor)];
        plan.arguments.push(a);
    }
    for (const Variable& v : program.outputs) plan.outputs.push(memory.buffer[v.id]);
    plan.kernels = static_cast<List<Kernel>&&>(found.scheduled.kernels);
    plan.instructions = static_cast<List<Instruction>&&>(found.lowered.instructions);
    plan.buffers = static_cast<List<Buffer>&&>(memory.buffers);
    plan.loops = static_cast<List<PlannedLoop>&&>(found.scheduled.loops);
    plan.iotas = static_cast<List<int>&&>(memory.iotas);
    plan.reciprocal = memory.reciprocal;
    plan.fixed_size = memory.fixed_size;
    plan.batched_size = memory.batched_size;
    plan.stages = found.scheduled.stages;
    plan.lanes = lanes;
    detail::share_code(plan);
    return plan;
}

}  // namespace sigma::detail
