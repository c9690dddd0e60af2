// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <gpu/host/host_group.hpp>

#include <catch2/catch.hpp>
#include <gpu/trained.hpp>

#include <cstring>
#include <string>

// Training on groups of devices.
namespace trained {

/// A network without random numbers, which differ between the members of a group.
struct Plain : Network<Input(5) + Dense(7, tanh) + Dense(3) + SoftmaxCE()> {};

template <class S>
std::vector<float> states_of(const S& step) {
    std::vector<float> all;
    for (int i = 0; i < S::states.size(); ++i)
        for (const auto x : detail::dense_elements(step.state_rows(i))) all.push_back(static_cast<float>(x));
    return all;
}
/// Returns how many parameters and states are not bit-identical on all members of the host's group of a run.
template <class Trainer>
int unequal_tensors(Trainer& trainer) {
    int unequal = 0;
    const auto look = [&](const auto& memory) {
        for (int i = 0; i < memory.count(); ++i)
            for (std::size_t m = 1; m < memory.copies(); ++m)
                unequal += std::memcmp(memory.on_device(i), memory.on_device(i, m),
                                       memory.size(i) * sizeof(*memory.on_device(i))) != 0;
    };
    look(trainer.model().dual_buffer());
    look(trainer.training_step().dual_buffer());
    return unequal;
}

// The tolerance: parts of a batch are summed in another order than the batch, which changes some units in the last
// place per step.
inline constexpr double tolerance = 2e-5;

struct Run {
    std::vector<double> told;
    std::vector<float> parameters, states;
    int unequal = 0;
};
template <class N, class O, class T = float, class Where>
Run run_on(const Where& where, Minibatches of, O optimizer, std::int64_t epochs, bool each = true) {
    Trainer trainer("small", N{}, optimizer, std::move(of), element<T>);
    Run all;
    if (each) trainer.on_iteration([&](auto& t) { all.told.push_back(t.loss()); });
    trainer.on_epoch([&](auto& t) {
        all.told.push_back(t.training_loss());
        all.unequal += unequal_tensors(t);
    });
    trainer.run(where, epochs);
    for (const auto& x : parameters_of(trainer.model())) all.parameters.push_back(static_cast<float>(x));
    all.states = states_of(trainer.training_step());
    return all;
}
inline void check_equal(const Run& a, const Run& b, double within = tolerance) {
    CHECK(a.told.size() == b.told.size());
    CHECK(apart(a.told, b.told) < within);
    CHECK(apart(a.parameters, b.parameters) < 10 * within);
    CHECK(apart(a.states, b.states) < 10 * within);
    CHECK(a.unequal == 0);
}

}  // namespace trained
