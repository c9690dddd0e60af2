// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/sigma.hpp>

#include "machine.hpp"

#include <algorithm>
#include <memory>
#include <utility>

// Training steps whose launches are counted.
namespace step_launches {

using namespace sigma;

struct Small : Network<Input(784) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};
struct LeNet : Network<Input(28, 28) + Conv2D(6, 5, relu, {.padding = sigma::same}) + MaxPool(2) + Conv2D(16, 5, relu) +
                       MaxPool(2) + Dense(120, relu) + Dense(84, relu) + Dense(10) + SoftmaxCE()> {};
struct Reader : Network<Input(64) + Embedding(65, 24) + LSTM(128) + Linear(65) + SoftmaxCE()> {};

/// The step of a network and optimizer in float, on memory that is all 1/64 or, where ids are read, 0.
template <AnyNetwork N, AnyOptimizer O>
std::unique_ptr<test::Machine<float>> step_on(const std::shared_ptr<Accelerator>& device, long long records) {
    const PlanView plan = view_of<float>(Step<N, O, float>::P::plan);
    Bindings values;
    for (const Buffer& b : plan.buffers) {
        const bool is_input = b.where == Buffer::Where::input;
        std::vector<Values>* const of = is_input                                  ? &values.inputs
                                        : b.where == Buffer::Where::parameter     ? &values.parameters
                                        : b.where == Buffer::Where::state         ? &values.states
                                                                                  : nullptr;
        if (!of) continue;
        const auto number = static_cast<std::size_t>(b.offset);
        of->resize(std::max(of->size(), number + 1));
        (*of)[number].assign(static_cast<std::size_t>(Extents(b.shape, records).count()), is_input ? 0 : 1.0 / 64);
    }
    auto machine = std::make_unique<test::Machine<float>>(device, plan);
    machine->set_random(1, 1);
    machine->bind(values, records);
    machine->run();
    return machine;
}

}  // namespace step_launches
