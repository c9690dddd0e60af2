// SPDX-License-Identifier: BSL-1.0
// Neither the tape nor the plan of a scan grows with the sequence: only what is stored of it does.
#include <sigma/plan/planner.hpp>
#include <sigma/tape/differentiate.hpp>
#include <sigma/tape/scan.hpp>

#include "support/networks.hpp"

using namespace sigma;
using namespace sigma::test;

namespace {

/// A training step of a memory cell on sequences.
template <int length>
constexpr sigma::detail::Program cell_step() {
    sigma::detail::Program p;
    Recorder r(p);
    const auto x = r.input<batch, length, 3>();
    const auto rate = r.input<>();
    const auto w = r.parameter<3, 8>();
    const auto u = r.parameter<4, 8>();
    const auto b = r.parameter<8>();
    const auto z = dot(x, w) + b;
    const auto [h, c] =
        scan(z, std::tuple{filled(x, 0, {batch, 4}), filled(x, 0, {batch, 4})}, [&](auto now, auto before, auto cell) {
            const auto a = now + dot(before, u);
            const auto next = sigmoid(slice(a, axis(1), 0, 4)) * cell + tanh(slice(a, axis(1), 4, 8));
            return std::tuple{tanh(next), next};
        });
    const auto loss = mean(square(h));
    r.output(loss);
    r.descend(loss, rate);
    return p;
}

struct Size {
    int nodes, loops, kernels, instructions, arguments, stages, fixed, batched;
};
template <int length>
constexpr Size size() {
    const sigma::detail::Program program = cell_step<length>();
    const sigma::detail::Plan plan = sigma::detail::make_plan(program, 8);
    return {program.tape.size(),
            program.tape.loops().size(),
            plan.kernels.size(),
            plan.instructions.size(),
            plan.arguments.size(),
            plan.stages,
            static_cast<int>(plan.fixed_size),
            static_cast<int>(plan.batched_size)};
}

constexpr Size at_8 = size<8>(), at_512 = size<512>();
static_assert(at_8.nodes == at_512.nodes);
static_assert(at_8.loops == 2 && at_512.loops == 2);
static_assert(at_8.kernels == at_512.kernels);
static_assert(at_8.instructions == at_512.instructions);
static_assert(at_8.arguments == at_512.arguments);
static_assert(at_8.stages == at_512.stages);
static_assert(at_8.fixed == at_512.fixed);
static_assert(at_512.batched > 32 * at_8.batched && at_512.batched <= 64 * at_8.batched);

// ---- and weights get their gradient from all positions at once: no product with the loop's weights lies in the loop
// ----
constexpr int products_inside(const sigma::detail::Plan& plan, sigma::detail::Operation o) {
    int n = 0;
    for (const sigma::detail::Kernel& k : plan.kernels)
        n += k.kind == sigma::detail::Kernel::Kind::product && k.product.operation() == o && k.loop >= 0;
    return n;
}
constexpr bool weight_gradients_are_batched() {
    const sigma::detail::Plan plan = sigma::detail::make_plan(cell_step<8>(), 8);
    return products_inside(plan, sigma::detail::Operation::transposed_dot) == 0 &&
           products_inside(plan, sigma::detail::Operation::dot) == 2;
}
static_assert(weight_gradients_are_batched());

}  // namespace
