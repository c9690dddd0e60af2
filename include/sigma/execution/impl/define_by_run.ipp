// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/execution/define_by_run.hpp>

namespace sigma::detail {

/// Calls f(name, rows) with each parameter of the model and each state of the optimizer.
template <class T>
template <class F>
void NamedTraining<T>::each_tensor(BatchTrainerCore<T>& core, F f) {
    const auto& parameters = core.model().network().parameters;
    for (int p = 0; p < parameters.size(); ++p)
        f(std::string(parameters[p].name.view()), parameter_rows(core.model(), p));
    for (int s = 0; s < core.state_table().size(); ++s) {
        const StateRecord& state = core.state_table()[s];
        f(sentence(parameters[state.parameter].name.view(), " ", state.name.view()), core.state_rows(s));
    }
}

template <class T>
void NamedTraining<T>::keep(BatchTrainerCore<T>& from) {
    each_tensor(from, [&](const std::string& name, const ParameterRows<T>& rows) {
        tensors_[name] = {rows.shape, dense_elements(rows)};
    });
    steps_ = from.steps();
    batches_ = from.batches();
}

template <class T>
void NamedTraining<T>::restore(BatchTrainerCore<T>& to) const {
    each_tensor(to, [&](const std::string& name, const ParameterRows<T>& rows) {
        const auto known = tensors_.find(name);
        if (known != tensors_.end() && known->second.shape != rows.shape)
            throw MismatchError(sentence("parameter '", name, "' of a network for DefineByRun"),
                                sentence("shape ", extents_text(known->second.shape), ", as in an earlier network"),
                                sentence("shape ", extents_text(rows.shape)));
    });
    to.model().write([&] {
        each_tensor(to, [&](const std::string& name, const ParameterRows<T>& rows) {
            if (const auto known = tensors_.find(name); known != tensors_.end())
                write_elements(known->second.values, rows);
        });
    });
    to.continue_from(steps_, batches_);
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::NamedTraining);
