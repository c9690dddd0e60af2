// SPDX-License-Identifier: BSL-1.0
#include <sigma/plan/fused_code.hpp>
#include <sigma/plan/static_plan.hpp>

#include "support/networks.hpp"

#include <type_traits>
#include <utility>

using namespace sigma;
using namespace sigma::test;

namespace {

struct MakeIrisStep {
    constexpr sigma::detail::Program operator()() const { return iris_step(); }
};
using Iris = sigma::detail::Planned<MakeIrisStep, 8>;
constexpr auto& plan = Iris::plan;

constexpr int count(sigma::detail::Kernel::Kind kind) {
    int n = 0;
    for (const sigma::detail::Kernel& k : plan.kernels) n += k.kind == kind;
    return n;
}

// ---- size: 80 elements, and for each record 16 + 8 + 8 + 1 + 8 + 16 ----
static_assert(plan.fixed_size == 80);
static_assert(plan.batched_size == 57);
static_assert((plan.fixed_size + plan.batched_size * 10) * static_cast<int>(sizeof(float)) == 2600);

// ---- work: transpose W2 · forward and backward of each record · loss and updates ----
static_assert(plan.kernels.size() == 12);
static_assert(plan.stages == 3);
static_assert(count(sigma::detail::Kernel::Kind::product) == 5);
static_assert(count(sigma::detail::Kernel::Kind::transpose) == 1);
static_assert(count(sigma::detail::Kernel::Kind::columns) == 2);  // the biases: gradient and update are one kernel
static_assert(count(sigma::detail::Kernel::Kind::rows) == 4);  // relu, softmax and cross-entropy, relu backward, loss

// ---- gradient descent is folded into the product: no weight gradient is stored ----
constexpr int folded_updates() {
    int n = 0;
    for (const sigma::detail::Kernel& k : plan.kernels)
        n += k.kind == sigma::detail::Kernel::Kind::product && k.product.accumulate && k.product.negative &&
             k.product.transposed;
    return n;
}
constexpr bool stored(const Shape& s) {
    for (const sigma::detail::Buffer& b : plan.buffers)
        if ((b.where == sigma::detail::Buffer::Where::fixed || b.where == sigma::detail::Buffer::Where::batched) &&
            b.shape == s)
            return true;
    return false;
}
static_assert(folded_updates() == 2);
static_assert(!stored(Shape(4, 12)) && !stored(Shape(12, 3)));
static_assert(stored(Shape(3, 12)));  // the transposed weights are: the check above can fail

// ---- softmax and cross-entropy, forward and backward, are one kernel with three sweeps over a row ----
constexpr int kernels_with_sweeps(int sweeps) {
    int n = 0;
    for (const sigma::detail::Kernel& k : plan.kernels) n += k.local && k.is_fused() && k.fused.sweeps == sweeps;
    return n;
}
static_assert(kernels_with_sweeps(3) == 1);
static_assert(kernels_with_sweeps(2) == 0);

// ---- relu writes over its operand ----
constexpr bool relu_in_place() {
    for (const sigma::detail::Kernel& k : plan.kernels)
        for (int i = 0; k.is_fused() && i < k.fused.instructions; ++i) {
            if (plan.instructions[k.fused.instruction + i].operation != sigma::detail::Operation::maximum) continue;
            int offset = -1;  // of the batched tensor that is read
            for (int a = 0; a < k.arguments; ++a) {
                const sigma::detail::Argument& argument = plan.arguments[k.argument + a];
                const sigma::detail::Buffer& b = plan.buffers[argument.buffer];
                if (b.where != sigma::detail::Buffer::Where::batched) continue;
                if (!argument.written) offset = b.offset;
                else return offset == b.offset;
            }
        }
    return false;
}
static_assert(relu_in_place());

// ---- the code of a fused kernel as a template argument says all of it ----
template <class P, int number>
constexpr bool says_all() {
    constexpr sigma::detail::Kernel k = P::plan.kernels[number];
    if constexpr (!k.is_fused()) {
        return true;
    } else {
        constexpr sigma::detail::FusedKernel f = k.fused;
        constexpr auto& code = sigma::detail::code_of<P, number>;
        for (int i = 0; i < f.instructions; ++i)
            if (!(code[i] == P::plan.instructions[f.instruction + i])) return false;
        return code.size() == f.instructions && code.form.kind == k.kind && code.form.tail == f.tail &&
               code.form.rank == f.rank && code.form.outer == f.outer && code.form.reduced == f.reduced &&
               code.form.sweeps == f.sweeps && code.form.arguments == k.arguments;
    }
}
static_assert([]<int... i>(std::integer_sequence<int, i...>) {
    return (says_all<Iris, i>() && ...);
}(std::make_integer_sequence<int, plan.kernels.size()>{}));

// ---- and is the same in two plans, whatever the sizes, and wherever on the tape a constant and an operand are ----
template <int width, bool constant_first>
struct MakeRelu {
    constexpr sigma::detail::Program operator()() const {
        sigma::detail::Program p;
        Recorder r(p);
        const auto x = r.template input<batch, width>();
        const auto b = r.template parameter<width>();
        const Variable early = constant_first ? constant(&p.tape, 0) : Variable{};
        const auto z = dot(x, r.template parameter<width, width>());
        const auto sum = constant_first ? z + b : b + z;
        p.outputs.push(sigma::detail::copy(max(sum.variable, constant_first ? early : constant(&p.tape, 0))));
        return p;
    }
};
template <class P>
constexpr int first_fused() {
    int i = 0;
    while (!P::plan.kernels[i].is_fused()) ++i;
    return i;
}
template <auto code>
struct Function;
template <class P>
using FunctionOf = Function<sigma::detail::code_of<P, first_fused<P>()>>;
using Narrow = sigma::detail::Planned<MakeRelu<8, true>, 8>;
static_assert(std::is_same_v<FunctionOf<Narrow>, FunctionOf<sigma::detail::Planned<MakeRelu<24, false>, 8>>>);
static_assert(
    !std::is_same_v<FunctionOf<Narrow>, FunctionOf<sigma::detail::Planned<MakeRelu<25, true>, 8>>>);  // it has a tail
static_assert(!std::is_same_v<FunctionOf<Narrow>, FunctionOf<Iris>>);

// Rows are whole vectors, and none share few sets of a cache.
static_assert(sigma::detail::row_pitch(Shape{3, 1}, 16) == 1 && sigma::detail::row_pitch(Shape{3, 5}, 8) == 8 &&
              sigma::detail::row_pitch(Shape{3, 500}, 8) == 504);
static_assert(sigma::detail::row_pitch(Shape{3, 505}, 8) == 528 &&
              sigma::detail::row_pitch(Shape{3, 1024}, 16) == 1040);

}  // namespace
