// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/execution/device_step.hpp>
#include <sigma/network/model_session.hpp>
#include <sigma/network/network_tape.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sigma::detail {

/// What it takes to say afterwards where a run first left the finite numbers: parameters and states at the beginning of
/// the epoch, or where the run began within it, and the optimizer's scalars of each step since.
template <class T>
class NanReplay {
    using Store = detail::ModelStore<T>;

public:
    /// Of an optimizer with so many scalars; notes of so many steps allocate nothing.
    NanReplay(int scalars, std::size_t steps);
    /// For the scalars of so many steps.
    void make_room(std::size_t steps);
    ~NanReplay();

    /// Before the step on this batch, the first after so many iterations.
    void begin(std::uint64_t first_batch, std::uint64_t iterations, std::span<const T> parameters,
               std::span<const T> states);
    std::uint64_t first_batch() const { return first_batch_; }
    std::uint64_t iterations_before() const { return iterations_; }
    void restore(std::span<T> parameters, std::span<T> states) const;
    /// Where the scalars of the next step go.
    double* note();
    const double* scalars(std::uint64_t of_batch) const;

    /// Are all parameters, and all states of the optimizer, finite? What lies between their rows does not count.
    static bool finite(const Store& model, detail::StepCore<T>& step) {
        return find_parameter(model).empty() && !find_state(step);
    }
    /// The first layer with a parameter that is not.
    static std::string find_parameter(const Store& model);
    /// The first state that is not. A gradient whose square is infinite leaves one for ever: the parameter beside it,
    /// finite, moves no more.
    static const StateRecord* find_state(detail::StepCore<T>& step);
    /// The first layer whose parameters or output are not finite on this batch or, of several costs, the first whose
    /// loss is not; empty where all are, so that only the loss is to blame.
    static std::string find_layer(const Store& model, const NetworkTape& network, detail::Rows<T> inputs,
                                  detail::Rows<T> targets, std::ptrdiff_t records);

private:
    std::size_t scalars_each_;
    std::vector<double> scalars_;
    std::vector<T> parameters_, states_;
    std::uint64_t first_batch_ = 0, iterations_ = 0;

    static bool all_finite(std::span<const T> values);
    static bool finite(const Store& model, int parameter);
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/nan_replay.ipp>
#endif
