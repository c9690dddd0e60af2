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
/// Kernels with equal code share one instantiation; extents and strides are data.
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

/// From a program to a plan, by passes each of which reads what those before it have found. `lanes` is the number of
/// elements in a vector of the device.
constexpr Plan make_plan(const Program& program, int lanes) {
    const PassInput in{program, lanes};
    const Liveness liveness = find_liveness(in);
    const Views views = find_views(in, liveness);
    const Layouts layouts = choose_layouts(in, liveness, views);
    const FusedGroups groups = fuse(in, liveness, views);
    LoweredKernels lowered = lower(in, views, layouts, groups);
    ScheduledKernels scheduled = schedule(in, views, lowered);
    MemoryPlan memory = allocate(in, liveness, views, layouts, lowered, scheduled);

    Plan plan;
    plan.arguments.reserve(lowered.arguments.size());
    for (TensorArgument& a : lowered.arguments) {
        a.buffer = memory.buffer[views.root_of(a.tensor)];
        plan.arguments.push(a);
    }
    for (const Variable& v : program.outputs) plan.outputs.push(memory.buffer[v.id]);
    plan.kernels = static_cast<List<Kernel>&&>(scheduled.kernels);
    plan.instructions = static_cast<List<Instruction>&&>(lowered.instructions);
    plan.buffers = static_cast<List<Buffer>&&>(memory.buffers);
    plan.loops = static_cast<List<PlannedLoop>&&>(scheduled.loops);
    plan.iotas = static_cast<List<int>&&>(memory.iotas);
    plan.reciprocal = memory.reciprocal;
    plan.fixed_size = memory.fixed_size;
    plan.batched_size = memory.batched_size;
    plan.stages = scheduled.stages;
    plan.lanes = lanes;
    detail::share_code(plan);
    return plan;
}

}  // namespace sigma::detail
