// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/host/host_group.hpp>

#include <gpu/trained.hpp>

#include <cstring>
#include <string>

// Training on groups of devices.
namespace trained {

/// Without random numbers, which differ between the members of a group.
struct Plain : Network<Input(5) + Dense(7, tanh) + Dense(3) + SoftmaxCE()> {};

template <class S>
std::vector<float> states_of(const S& step) {
    std::vector<float> all;
    for (int i = 0; i < S::states.size(); ++i)
        for (const auto x : detail::dense_elements(step.state_rows(i))) all.push_back(static_cast<float>(x));
    return all;
}
/// How many tensors, parameters and states, do not have the same bits on all members of the host's group that a run is on?
template <class Trainer>
int unequal_tensors(Trainer& trainer) {
    int unequal = 0;
    const auto look = [&](const auto& memory) {
        for (int i = 0; i < memory.count(); ++i)
            for (std::size_t m = 1; m < memory.copies(); ++m)
                unequal += std::memcmp(memory.on_device(i), memory.on_device(i, m), memory.size(i) * sizeof(*memory.on_device(i))) != 0;
    };
    look(trainer.model().mirrored());
    look(trainer.step().mirrored());
    return unequal;
}

}  // namespace trained
