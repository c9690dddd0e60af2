// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/cpu/chosen_kernels.hpp>
#include <sigma/device/made_program.hpp>
#include <sigma/device/session.hpp>
#include <sigma/function/made_calls.hpp>
#include <sigma/tape/differentiate.hpp>
#include <sigma/tape/traced_function.hpp>
#include <sigma/tape/without_copies.hpp>

#include <algorithm>
#include <utility>

namespace sigma::detail {

SIGMA_IMPL List<Variable> differentiate_now(Variable root, const List<Variable>& wrt) {
    return differentiate(root, constant(root.tape, 1), wrt);
}

template <class T>
struct MadeCalls<T>::OfShapes {
    std::vector<Shape> arguments, results;
    MadeProgram<T> program;
    Session<T> session;

    OfShapes(std::vector<Shape> of, std::vector<Shape> to, const Program& operations)
        : arguments(std::move(of)), results(std::move(to)), program(operations, on_cpu::kernels<T>().lanes),
          session(program.compiled()) {}
};

template <class T>
MadeCalls<T>::MadeCalls() = default;
template <class T>
MadeCalls<T>::MadeCalls(MadeCalls&&) noexcept = default;
template <class T>
MadeCalls<T>::~MadeCalls() = default;

template <class T>
void MadeCalls<T>::run(std::span<const Argument> arguments, std::ptrdiff_t records, const Trace& trace,
                       const Place& place, const SharedOwner<ComputeDevice>& device, const Cpu& threads) {
    auto found = std::ranges::find_if(programs_, [&](const auto& each) {
        return std::ranges::equal(arguments, each->arguments, {}, &Argument::shape);
    });
    if (found == programs_.end()) {
        Program p;
        p.sequential = true;
        const Tracing tracing(p.tape);
        std::vector<Shape> shapes;
        std::vector<Tensor> inputs;
        for (const Argument& a : arguments) {
            inputs.push_back({input(p, a.shape, static_cast<int>(shapes.size()))});
            shapes.push_back(a.shape);
        }
        List<Variable> results;
        trace(inputs, results);
        std::vector<Shape> of_results;
        for (const Variable& r : results) {
            add_output(p, r);
            of_results.push_back(r.shape());
        }
        if (programs_.size() == most) programs_.pop_back();
        programs_.emplace_back(new OfShapes(std::move(shapes), std::move(of_results), without_copies(p)));
        found = programs_.end() - 1;
    }
    std::rotate(programs_.begin(), found, found + 1);
    OfShapes& now = *programs_.front();
    for (std::size_t i = 0; i < arguments.size(); ++i)
        now.session.bind_input(static_cast<int>(i), arguments[i].data, arguments[i].there);
    for (std::size_t i = 0; i < now.results.size(); ++i) {
        const Shape& s = now.results[i];
        std::vector<std::size_t> extents;
        for (int k = 0; k < s.rank; ++k) extents.push_back(static_cast<std::size_t>(s[k] < 0 ? -s[k] * records : s[k]));
        const Result to = place(i, extents);
        now.session.bind_output(static_cast<int>(i), to.data, to.there);
    }
    now.session.run_on(device, threads);
    now.session.prepare(records);
    now.session.run();
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::MadeCalls);
