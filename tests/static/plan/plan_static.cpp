// SPDX-License-Identifier: BSL-1.0
#include <sigma/plan/freeze.hpp>

#include "support/networks.hpp"

using namespace sigma;
using namespace sigma::test;

namespace {

struct MakeIrisStep {
    constexpr Program operator()() const { return iris_step(); }
};
using Iris = Planned<MakeIrisStep, 8>;
constexpr auto& plan = Iris::plan;

constexpr int count(Kernel::Kind kind) {
    int n = 0;
    for (const Kernel& k : plan.kernels) n += k.kind == kind;
    return n;
}

// ---- size: 80 elements, and for each record 16 + 8 + 8 + 1 + 8 + 16 ----
static_assert(plan.fixed_size == 80);
static_assert(plan.batched_size == 57);
static_assert((plan.fixed_size + plan.batched_size * 10) * static_cast<int>(sizeof(float)) == 2600);

// ---- work: transpose W2 · forward and backward of each record · loss and updates ----
static_assert(plan.kernels.size() == 12);
static_assert(plan.stages == 3);
static_assert(count(Kernel::Kind::product) == 5);
static_assert(count(Kernel::Kind::transpose) == 1);
static_assert(count(Kernel::Kind::columns) == 2);  // the biases: gradient and update are one kernel
static_assert(count(Kernel::Kind::rows) == 4);     // relu, softmax and cross-entropy, relu backward, loss

// ---- gradient descent is folded into the product: no weight gradient is stored ----
constexpr int folded_updates() {
    int n = 0;
    for (const Kernel& k : plan.kernels) n += k.accumulate && k.negative && k.operation == Operation::transposed_dot;
    return n;
}
constexpr bool stored(const Shape& s) {
    for (const Buffer& b : plan.buffers)
        if ((b.where == Buffer::Where::fixed || b.where == Buffer::Where::batched) && b.shape == s) return true;
    return false;
}
static_assert(folded_updates() == 2);
static_assert(!stored(Shape(4, 12)) && !stored(Shape(12, 3)));
static_assert(stored(Shape(3, 12)));  // the transposed weights are: the check above can fail

// ---- softmax and cross-entropy, forward and backward, are one kernel with three sweeps over a row ----
constexpr int kernels_with_sweeps(int sweeps) {
    int n = 0;
    for (const Kernel& k : plan.kernels) n += k.local && k.phases == sweeps;
    return n;
}
static_assert(kernels_with_sweeps(3) == 1);
static_assert(kernels_with_sweeps(2) == 0);

// ---- relu writes over its operand ----
constexpr bool relu_in_place() {
    for (const Kernel& k : plan.kernels)
        for (int i = 0; i < k.instructions; ++i) {
            if (plan.instructions[k.instruction + i].operation != Operation::maximum) continue;
            int offset = -1;  // of the batched tensor that is read
            for (int a = 0; a < k.arguments; ++a) {
                const Argument& argument = plan.arguments[k.argument + a];
                const Buffer& b = plan.buffers[argument.buffer];
                if (b.where != Buffer::Where::batched) continue;
                if (!argument.written)
                    offset = b.offset;
                else
                    return offset == b.offset;
            }
        }
    return false;
}
static_assert(relu_in_place());

}  // namespace
