// SPDX-License-Identifier: BSL-1.0
// The fused kernels of common networks, for float. Compiled into the library once for each instruction set, as
// device/cpu/impl/kernels.ipp is. An interpreted plan finds a kernel by its code (device/cpu/common_kernels.hpp). A
// code
// contains no sizes, so a kernel works in any network that fuses the same operations.
#pragma once

#include <sigma/device/cpu/common_kernels.hpp>
#include <sigma/device/cpu/fused.hpp>
#include <sigma/execution/step.hpp>
#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/pooling.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/transformer_block.hpp>
#include <sigma/network/programs.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/plan/static_plan.hpp>

#include <utility>

namespace sigma::common {

struct Curves : Network<Input(4) + 2 * Dense(12, tanh) + Dense(3) + SoftmaxCE()> {};
struct Ramps : Network<Input(28, 28) + Dense(128, relu) + Dense(64, relu) + Dense(32, relu) + Dense(10) + SoftmaxCE()> {
};
struct Regression : Network<Input(10) + Dense(20, relu) + Dense(20, sigmoid) + Dense(1) + SquaredDiff()> {};
struct Decision : Network<Input(10) + Dense(20, relu) + Dropout(0.25f) + Dense(1) + BinaryCE()> {};
struct Images : Network<Input(28, 28) + Conv2D(6, 5, relu) + MaxPool(2) + Conv2D(16, 5, relu) + MaxPool(2) +
                        Dense(120, relu) + Dense(10) + SoftmaxCE()> {};
struct Sequences : Network<Input(32, 64) + LSTM(128) + Linear(64) + SoftmaxCE()> {};
/// A network that reads one position at a time, as streams do.
struct LongSteps : Network<Input(1, 8) + LSTM(16, {.stateful = true}) + Linear(4) + SquaredDiff()> {};
struct GatedSteps : Network<Input(1, 8) + GRU(16, {.stateful = true}) + Linear(4) + SquaredDiff()> {};
struct Sentences : Network<Input(32, 64) + 2 * TransformerBlock(4, 128) + LayerNorm() + Linear(5) + SoftmaxCE()> {};

}  // namespace sigma::common

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

namespace common {

using namespace sigma::common;

template <class N, class O>
using Training = sigma::detail::Planned<sigma::detail::TrainingProgram<N, O>, lanes<float>>;
template <class N, sigma::detail::Purpose purpose>
using Inferring = sigma::detail::Planned<sigma::detail::NetworkProgram<N, purpose>, lanes<float>>;

template <int capacity>
struct Table {
    CommonKernel<float> kernels[capacity]{};
    int count = 0;

    constexpr void add(const CommonKernel<float>& k) {
        for (int i = 0; i < count; ++i)
            if (kernels[i].run == k.run) return;
        kernels[count++] = k;
    }
};

/// Returns the code of a kernel of P, for rows of any length.
template <class P, int number>
constexpr auto make_code() {
    auto code = sigma::detail::code_of<P, number>;
    code.form.tail = sigma::detail::FusedKernel::Tail::masked;
    return code;
}
template <class P, int number>
inline constexpr auto code = make_code<P, number>();

template <class P, int number>
constexpr void add_kernel(auto& to) {
    if constexpr (P::plan.kernels[number].is_fused() && P::plan.kernels[number].fused.canonical == number) {
        constexpr auto& c = code<P, number>;
        to.add({c.form, {c.words.data, c.words.size()}, {c.values.data, c.values.size()}, &Fused<c, float>::run});
    }
}
template <class P>
constexpr void add_kernels(auto& to) {
    [&]<int... i>(std::integer_sequence<int, i...>) {
        (add_kernel<P, i>(to), ...);
    }(std::make_integer_sequence<int, P::plan.kernels.size()>{});
}
template <class... P>
constexpr void add_programs(auto& to) {
    (add_kernels<P>(to), ...);
}
template <int capacity>
constexpr Table<capacity> make_table() {
    using sigma::detail::to_evaluate, sigma::detail::to_predict;
    Table<capacity> table;
    add_programs<Training<Curves, GradientDescent>, Training<Curves, Adam>, Inferring<Curves, to_predict>,
                 Inferring<Curves, to_evaluate>, Training<Ramps, GradientDescent>, Training<Ramps, Adam>>(table);
#ifndef SIGMA_FEW_COMMON_KERNELS
    // Others, such as Adam's step of Images, have no more kernels. Planning them takes a third of the compile time.
    add_programs<Training<Regression, GradientDescent>, Training<Regression, Adam>, Inferring<Regression, to_predict>,
                 Inferring<Regression, to_evaluate>, Training<Decision, GradientDescent>,
                 Inferring<Decision, to_predict>, Inferring<Decision, to_evaluate>, Training<Images, GradientDescent>,
                 Training<Sequences, GradientDescent>, Training<Sequences, Adam>, Inferring<Sequences, to_predict>,
                 Inferring<Sequences, to_evaluate>, Training<Sentences, GradientDescent>, Training<Sentences, Adam>,
                 Inferring<Sentences, to_predict>, Inferring<LongSteps, to_predict>, Inferring<GatedSteps, to_predict>>(
        table);
#endif
    return table;
}
constexpr auto of_float = make_table<make_table<512>().count>();

}  // namespace common

extern const sigma::detail::ListView<CommonKernel<float>> float_common_kernels;
constexpr sigma::detail::ListView<CommonKernel<float>> float_common_kernels{common::of_float.kernels,
                                                                            common::of_float.count};

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
