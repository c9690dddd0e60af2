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

/// Data to repeat the steps of an epoch, so as to find where a number first was not finite: parameters and states at
/// the beginning of the epoch, or of the run if it began within the epoch, and the optimizer's scalars of each step
/// since.
template <class T>
class NanReplay {
    using Store = detail::ModelStore<T>;

public:
    /// Constructs a replay for an optimizer with `scalars` scalars, with room for `steps` steps.
    NanReplay(int scalars, std::size_t steps);
    /// Allocates room for the scalars of `steps` steps, so that `note` allocates nothing.
    void make_room(std::size_t steps);
    ~NanReplay();

    /// Begins before the step on batch `first_batch`, after `iterations` iterations.
    void begin(std::uint64_t first_batch, std::uint64_t iterations, std::span<const T> parameters,
               std::span<const T> states);
    std::uint64_t first_batch() const { return first_batch_; }
    std::uint64_t iterations_before() const { return iterations_; }
    void restore(std::span<T> parameters, std::span<T> states) const;
    /// Returns the memory for the scalars of the next step.
    double* note();
    const double* scalars(std::uint64_t of_batch) const;

    /// Returns whether all parameters and all states of the optimizer are finite. Padding between rows does not count.
    static bool finite(const Store& model, detail::StepCore<T>& step) {
        return find_parameter(model).empty() && !find_state(step);
    }
    /// Returns the first layer with a parameter that is not finite, or an empty text.
    static std::string find_parameter(const Store& model);
    /// Returns the first state that is not finite, or null. A gradient with an infinite square makes a state infinite
    /// for ever, so that its finite parameter never changes again.
    static const StateRecord* find_state(detail::StepCore<T>& step);
    /// Returns the first layer with parameters or an output that are not finite for this batch, or of several costs the
    /// first one with such a loss. Returns an empty text if all are finite, so that only the loss is not.
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
#include <sigma/trainer/run/impl/nan_replay.ipp>
#endif
