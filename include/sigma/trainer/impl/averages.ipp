// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/optimizer/average.hpp>
#include <sigma/trainer/averages.hpp>
#include <sigma/trainer/run/control.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace sigma::detail {

/// Calls f(parameter, state) for each average.
template <class T, class F>
void for_each_average(const StepCore<T>& step, F f) {
    const ListView<StateRecord> states = step.state_table();
    for (int s = 0; s < states.size(); ++s)
        if (states[s].name == average_state) f(states[s].parameter, s);
}

template <class T>
AveragesInPlace<T>::AveragesInPlace(ModelStore<T>& model, StepCore<T>& step) : model_(model), step_(step) {
    model_.write([&] {
        const auto now = std::as_const(model_).parameter_memory();
        step_.parameters_aside.assign(now.begin(), now.end());
        try {
            take_averages(model_, step_);
        } catch (...) {  // the device has failed
            step_.exchange_with_aside(model_);
            step_.parameters_aside = {};
            throw;
        }
        step_.model_has_averages = true;
    });
}
template <class T>
AveragesInPlace<T>::~AveragesInPlace() {
    step_.exchange_with_aside(model_);
    step_.model_has_averages = false;
    step_.parameters_aside = {};
}

template <class T>
void AveragesInPlace<T>::check_unchanged() const {
    model_.read([&] {
        const DualBuffer<T>& all = std::as_const(model_).dual_buffer();
        std::vector<const T*> wanted;
        for (int p = 0; p < model_.network().parameters.size(); ++p)
            wanted.push_back(step_.parameters_aside.data() + all.offset(p));
        for_each_average(std::as_const(step_), [&](int p, int s) {
            wanted[static_cast<std::size_t>(p)] = std::as_const(step_).state_data(s);
        });
        for (int p = 0; p < model_.network().parameters.size(); ++p)
            if (std::memcmp(std::as_const(model_).parameter_data(p), wanted[static_cast<std::size_t>(p)],
                            all.size(p) * sizeof(T)) != 0)
                throw StateError("with_averages", "unchanged parameters of the model",
                                 sentence("a change of '", model_.network().parameters[p].name.view(),
                                          "'; all parameters are restored"));
    });
}

template <class T>
void take_averages(ModelStore<T>& to, const StepCore<T>& step) {
    to.write([&] {
        for_each_average(step, [&](int p, int s) {
            std::copy_n(step.state_data(s), to.dual_buffer().size(p), to.parameter_data(p));
        });
    });
}

SIGMA_IMPL void check_averages(std::uint64_t updates, bool in_place, bool trains_meanwhile) {
    if (trains_meanwhile)
        throw StateError("averages of parameters", "an idle trainer, or a call on the training thread",
                         "a call on another thread during a run");
    if (updates == 0) throw StateError("averages of parameters", "1 update or more", "0");
    if (in_place) throw StateError("averages of parameters", "a call outside of with_averages", "a call within it");
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template class sigma::detail::AveragesInPlace<float>;
template class sigma::detail::AveragesInPlace<double>;
template void sigma::detail::take_averages(ModelStore<float>&, const StepCore<float>&);
template void sigma::detail::take_averages(ModelStore<double>&, const StepCore<double>&);
#endif
