// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/session.hpp>
#include <sigma/network/model_store.hpp>

#include <cstddef>
#include <span>

namespace sigma::detail {

/// Where the dense rows of each input, or of the targets of each cost, are.
template <class T>
using Rows = std::span<const T* const>;

/// A session on the parameters of a model. The program's inputs are those of the network and then a target for each
/// cost.
template <class T>
class ModelSession : public Session<T> {
public:
    ModelSession(const CompiledProgram<T>& program, const ModelStore<T>& model) : Session<T>(program), model_(model) {
        model.bind(*this);
    }

    const ModelStore<T>& model() const { return model_; }

    /// Dense rows, from a record on, that stay alive until the program has run. `there`: see Session.
    void bind_records(Rows<T> inputs, Rows<T> targets = {}, std::ptrdiff_t first = 0, bool there = false) {
        const NetworkTable& network = model_.network();
        int number = 0, target = 0;
        // Counting elements takes longer than the rest, which small networks feel.
        const auto elements = [&](const Shape& record) { return first == 0 ? 0 : first * record.count(); };
        for (const T* x : inputs) this->bind_input(number, x + elements(network.inputs[number]), there), ++number;
        for (const T* y : targets) this->bind_input(number++, y + elements(network.costs[target++].target), there);
    }
    /// On so many records, while nobody changes the parameters.
    void run_beside_others(std::ptrdiff_t count, on_cpu::ThreadPool* pool = nullptr) {
        model_.read([&] {
            this->prepare(count);
            this->run(pool);
        });
    }

private:
    const ModelStore<T>& model_;
};

}  // namespace sigma::detail
