// SPDX-License-Identifier: BSL-1.0
#include <sigma/execution/step.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/clip.hpp>
#include <sigma/optimizer/gradient_descent.hpp>

using namespace sigma;

namespace {

struct Digits : Network<Input(784) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};
template <class O>
constexpr auto& plan = detail::Planned<detail::TrainingProgram<Digits, O>, 8>::plan;

template <class O>
constexpr int folded_updates() {
    int n = 0;
    for (const detail::Kernel& k : plan<O>.kernels)
        n += k.kind == detail::Kernel::Kind::product && k.product.accumulate && k.product.negative &&
             k.product.transposed;
    return n;
}

// ---- who does not clip has the plan that there was before clipping could be asked for ----
static_assert(plan<GradientDescent>.kernels.size() == 19);
static_assert(plan<GradientDescent>.stages == 3);
static_assert(plan<GradientDescent>.fixed_size == 8864);
static_assert(folded_updates<GradientDescent>() == 3);
static_assert(plan<Adam>.kernels.size() == 22);
static_assert(plan<Adam>.stages == 5);

// ---- clipping by value takes no kernel: it is done where the update is ----
static_assert(plan<ClipByValue<Adam>>.kernels.size() == plan<Adam>.kernels.size());
static_assert(plan<ClipByValue<Adam>>.stages == plan<Adam>.stages);
static_assert(plan<ClipByValue<Adam>>.fixed_size == plan<Adam>.fixed_size);
static_assert(folded_updates<ClipByValue<GradientDescent>>() == 0);  // a gradient must be there before it is cut

// ---- clipping by norm takes sums of squares and the wait for all of them, no second copy of the gradients ----
static_assert(plan<ClipByNorm<Adam>>.kernels.size() <= plan<Adam>.kernels.size() + 9);
static_assert(plan<ClipByNorm<Adam>>.stages <= plan<Adam>.stages + 4);
static_assert(plan<ClipByNorm<Adam>>.fixed_size == plan<Adam>.fixed_size);

// ---- both at once cost no more ----
static_assert(plan<ClipByNorm<ClipByValue<Adam>>>.kernels.size() == plan<ClipByNorm<Adam>>.kernels.size());

}  // namespace
