// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/chosen_kernels.hpp>
#include <sigma/device/cpu/executor.hpp>

#include "support/reference.hpp"
#include "support/stored_elements.hpp"

#include <random>
#include <vector>

namespace sigma::test {

/// Small numbers for all that a program reads; its second input (of `words` the first) are classes.
inline Bindings bindings_of(const sigma::detail::Program& p, long long records, bool words) {
    std::mt19937 random(5);
    Bindings b;
    for (int i = 0; i < p.tape.size(); ++i) {
        const sigma::detail::Node& n = p.tape[i];
        const sigma::detail::Operation o = n.operation;
        if (o != sigma::detail::Operation::input && o != sigma::detail::Operation::parameter &&
            o != sigma::detail::Operation::state)
            continue;
        Values v(static_cast<std::size_t>(Extents(n.shape, records).count()));
        for (double& x : v) x = static_cast<double>(random() % 2001) / 1000 - 1;
        auto& all = o == sigma::detail::Operation::parameter ? b.parameters
                    : o == sigma::detail::Operation::state   ? b.states
                                                             : b.inputs;
        if (o == sigma::detail::Operation::input && (words ? n.attribute == 0 : n.attribute == 1) && n.shape.batched())
            for (double& x : v) x = static_cast<double>(random() % 5);  // words, or classes
        const auto at = static_cast<std::size_t>(n.attribute);
        if (all.size() <= at) all.resize(at + 1);
        all[at] = v;
    }
    return b;
}

/// A program on some kernels, with memory of its own in which rows have the room that the plan gives them.
template <class T>
class KernelMachine {
public:
    KernelMachine(sigma::detail::CompiledProgram<T> program, const on_cpu::Kernels<T>& kernels, const Bindings& values,
                  long long records)
        : plan_(program.plan()), records_(records), executor_(on(program, kernels)), memory_(plan_.buffers.size()) {
        for (std::size_t b = 0; b < memory_.size(); ++b) {
            const sigma::detail::Buffer& buffer = plan_.buffers[b];
            const auto number = static_cast<std::size_t>(buffer.offset);
            if (buffer.where == sigma::detail::Buffer::Where::input)
                executor_.bind_input(buffer.offset, filled(b, values.inputs.at(number)));
            if (buffer.where == sigma::detail::Buffer::Where::output)
                executor_.bind_output(buffer.offset, filled(b, {}));
            if (buffer.where == sigma::detail::Buffer::Where::parameter)
                executor_.bind_parameter(buffer.offset, filled(b, values.parameters.at(number)));
            if (buffer.where == sigma::detail::Buffer::Where::state)
                executor_.bind_state(buffer.offset, filled(b, values.states.at(number)));
        }
    }
    void run(int threads) {
        on_cpu::ThreadPool pool(threads);
        executor_.prepare(static_cast<std::ptrdiff_t>(records_));
        executor_.run(pool);
    }
    std::vector<Values> read(sigma::detail::Buffer::Where where) const {
        std::vector<Values> all;
        for (std::size_t b = 0; b < memory_.size(); ++b) {
            if (plan_.buffers[b].where != where) continue;
            const auto number = static_cast<std::size_t>(plan_.buffers[b].offset);
            if (all.size() <= number) all.resize(number + 1);
            each_stored(plan_.buffers[b], records_, [&](std::size_t, std::size_t at) {
                all[number].push_back(static_cast<double>(memory_[b].data()[at]));
            });
        }
        return all;
    }
    /// What was written behind the last row of any result or parameter.
    bool stayed_inside() const {
        for (const auto& m : memory_)
            for (std::size_t i = 0; i < (m.size() ? guard : 0); ++i)
                if (m.data()[m.size() - 1 - i] != T(77)) return false;
        return true;
    }

private:
    static constexpr std::size_t guard = 32;
    sigma::detail::PlanView plan_;
    long long records_;
    on_cpu::Executor<T> executor_;
    std::vector<sigma::detail::Arena<T>> memory_;

    static sigma::detail::CompiledProgram<T> on(sigma::detail::CompiledProgram<T> program,
                                                const on_cpu::Kernels<T>& kernels) {
        program.kernels = &kernels;
        return program;
    }
    T* filled(std::size_t b, const Values& dense) {
        const sigma::detail::Buffer& buffer = plan_.buffers[b];
        const Extents e(buffer.shape, records_);
        const long long last = e.rank ? e[e.rank - 1] : 1;
        const auto size = static_cast<std::size_t>(e.count() / last * stored_row(buffer, records_));
        memory_[b] = sigma::detail::Arena<T>(size + guard);
        for (std::size_t i = 0; i < guard; ++i) memory_[b].data()[size + i] = T(77);
        each_stored(buffer, records_, [&](std::size_t i, std::size_t to) {
            if (!dense.empty()) memory_[b].data()[to] = static_cast<T>(dense.at(i));
        });
        return memory_[b].data();
    }
};

}  // namespace sigma::test
