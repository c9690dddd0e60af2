// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/execution/observation.hpp>
#include <sigma/function/gradient_report.hpp>
#include <sigma/network/model.hpp>

#include <utility>
#include <vector>

namespace sigma {

namespace detail {

inline constexpr Purpose to_see_the_loss{.training = true, .losses = true};

/// `twin` has the parameters of what is checked; they are moved, and put back.
GradientReport check_gradients_of(ModelStore<double>& twin, const CompiledProgram<double>& gradients,
                                  const CompiledProgram<double>& loss, const Dataset& data,
                                  const GradientCheckOptions& options);

}  // namespace detail

/// Compares the gradients of a network's loss in all its trained parameters, as training computes them, with central
/// differences, on records of a data set: `check_gradients(model, data).require()`. A network of float is checked as
/// the same one of double; the model stays as it is. Dropout drops the same for each difference, and normalizations of
/// batches take the statistics of these records, as in training. See GradientReport. Throws DataError or ShapeError
/// where the data do not fit the network.
template <AnyNetwork N, class T>
GradientReport check_gradients(const Model<N, T>& model, const Dataset& data,
                               const GradientCheckOptions& options = {}) {
    Model<N, double> twin(model.definition(), model.seed());
    model.at_rest([&](const Model<N, T>& now) {
        for (int i = 0; i < model.records.parameters.size(); ++i) {
            const auto from = parameter_rows(static_cast<const detail::ModelStore<T>&>(now), i);
            const auto to = parameter_rows(static_cast<detail::ModelStore<double>&>(twin), i);
            for (std::size_t row = 0; row < from.count; ++row)
                for (std::size_t k = 0; k < from.columns; ++k) to[row][k] = static_cast<double>(from[row][k]);
        }
        for (int i = 0; i < model.network().hyperparameters.size(); ++i)
            twin.put_hyperparameter(i, now.hyperparameter(i));
    });
    return detail::check_gradients_of(twin, twin.template program<detail::to_find_gradients>(),
                                      twin.template program<detail::to_see_the_loss>(), data, options);
}
/// On arrays (records, …): all inputs, then the targets of each cost.
template <AnyNetwork N, class T, AnyArray... E>
    requires detail::may_take_records<N, sizeof...(E)>
GradientReport check_gradients(const Model<N, T>& model, const E&... inputs_and_targets) {
    if constexpr (MadeNetwork<N>) detail::check_number_of_arrays(model.records, sizeof...(E));
    std::vector<NamedNumbers> inputs, targets;
    const auto add = [&](Numbers numbers) {
        auto& to = inputs.size() < static_cast<std::size_t>(model.records.inputs.size()) ? inputs : targets;
        to.push_back({"", std::move(numbers)});
    };
    (add(detail::numbers_of(inputs_and_targets)), ...);
    return check_gradients(model, Dataset(std::move(inputs), std::move(targets), "arrays"));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/check_gradients.ipp>
#endif
