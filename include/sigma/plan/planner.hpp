// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/allocate.hpp>
#include <sigma/plan/fuse.hpp>
#include <sigma/plan/lower.hpp>
#include <sigma/plan/schedule.hpp>

namespace sigma {

namespace detail {

constexpr bool same_code(const Plan& p, const Kernel& a, const Kernel& b) {
    const FusedKernel &x = a.fused, &y = b.fused;
    if (a.kind != b.kind || a.arguments != b.arguments || x.tail != y.tail || x.rank != y.rank || x.outer != y.outer ||
        x.reduced != y.reduced || x.phases != y.phases || x.instructions != y.instructions)
        return false;
    for (int i = 0; i < x.instructions; ++i)
        if (!(p.instructions[x.instruction + i] == p.instructions[y.instruction + i])) return false;
    return true;
}
/// Kernels with equal code share one instantiation; extents and strides are data.
constexpr void unify(Plan& p) {
    List<int> distinct;
    for (int i = 0; i < p.kernels.size(); ++i) {
        Kernel& k = p.kernels[i];
        if (!k.is_fused()) continue;
        for (int other : distinct)
            if (k.fused.canonical < 0 && same_code(p, p.kernels[other], k)) k.fused.canonical = other;
        if (k.fused.canonical < 0) k.fused.canonical = distinct[distinct.push(i)];
    }
}

}  // namespace detail

/// From a program to a plan. `lanes` is the number of elements in a vector of the device.
constexpr Plan make_plan(const Program& program, int lanes) {
    Draft draft{program, lanes};
    Plan plan;
    plan.lanes = lanes;
    Fusion(draft).run();
    Lowering(draft, plan).run();
    Schedule(draft, plan).run();
    Allocation(draft, plan).run();
    detail::unify(plan);
    return plan;
}

}  // namespace sigma
