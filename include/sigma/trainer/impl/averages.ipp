// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/optimizer/average.hpp>
#include <sigma/trainer/averages.hpp>
#include <sigma/trainer/control.hpp>

#include <algorithm>

namespace sigma::detail {

/// f(parameter, state) for each average.
template <class T, class F>
void for_each_average(const StepCore<T>& step, F f) {
    const ListView<StateRecord> states = step.state_table();
    for (int s = 0; s < states.size(); ++s)
        if (states[s].name == average_state) f(states[s].parameter, s);
}

template <class T>
void exchange_averages(ModelStore<T>& model, StepCore<T>& step) {
    model.write([&] {
        for_each_average(step, [&](int p, int s) {
            T* const parameter = model.parameter_data(p);
            std::swap_ranges(parameter, parameter + model.dual_buffer().size(p), step.state_data(s));
        });
    });
    step.averages_exchanged = !step.averages_exchanged;
}

template <class T>
void take_averages(ModelStore<T>& to, const StepCore<T>& step) {
    to.write([&] {
        for_each_average(step, [&](int p, int s) {
            std::copy_n(step.state_data(s), to.dual_buffer().size(p), to.parameter_data(p));
        });
    });
}

SIGMA_IMPL void check_averages(std::uint64_t updates, bool exchanged) {
    if (updates == 0) throw StateError("averages of parameters", "an update that was taken", "none");
    if (exchanged)
        throw StateError("averages of parameters", "to be asked for outside of with_averages", "a call within");
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template void sigma::detail::exchange_averages(ModelStore<float>&, StepCore<float>&);
template void sigma::detail::exchange_averages(ModelStore<double>&, StepCore<double>&);
template void sigma::detail::take_averages(ModelStore<float>&, const StepCore<float>&);
template void sigma::detail::take_averages(ModelStore<double>&, const StepCore<double>&);
#endif
