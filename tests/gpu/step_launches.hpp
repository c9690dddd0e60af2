// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/sigma.hpp>

#include "machine.hpp"

#include <algorithm>
#include <memory>
#include <utility>

// Training steps with counted launches.
namespace step_launches {

using namespace sigma;

struct Small : Network<Input(784) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};
struct LeNet : Network<Input(28, 28) + Conv2D(6, 5, relu, {.padding = sigma::same}) + MaxPool(2) + Conv2D(16, 5, relu) +
                       MaxPool(2) + Dense(120, relu) + Dense(84, relu) + Dense(10) + SoftmaxCE()> {};
struct Reader : Network<Input(64) + Embedding(65, 24) + LSTM(128) + Linear(65) + SoftmaxCE()> {};

/// The step of a network and optimizer in float, its parameters and states all 1/64, its inputs 0.
template <AnyNetwork N, AnyOptimizer O>
std::unique_ptr<test::Machine<float>> step_on(const detail::SharedOwner<detail::ComputeDevice>& device,
                                              long long records) {
    const detail::PlanView plan = view_of<float>(detail::Step<N, O, float>::P::plan);
    test::Bindings values;
    const auto fill = [&](std::vector<test::Values>& of, const detail::Buffer& b, double x) {
        const auto number = static_cast<std::size_t>(b.offset);
        of.resize(std::max(of.size(), number + 1));
        of[number].assign(static_cast<std::size_t>(test::Extents(b.shape, records).count()), x);
    };
    for (const detail::Buffer& b : plan.buffers) {
        if (b.where == detail::Buffer::Where::input) fill(values.inputs, b, 0);
        if (b.where == detail::Buffer::Where::parameter) fill(values.parameters, b, 1.0 / 64);
        if (b.where == detail::Buffer::Where::state) fill(values.states, b, 1.0 / 64);
    }
    auto machine = std::make_unique<test::Machine<float>>(device, plan);
    machine->set_random(1, 1);
    machine->bind(values, records);
    machine->run();
    return machine;
}

}  // namespace step_launches
