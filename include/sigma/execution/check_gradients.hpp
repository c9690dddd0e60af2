// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Comparison of a network's gradients with central differences. Included by `<sigma/check_gradients.hpp>`.
#include <sigma/data/dataset.hpp>
#include <sigma/execution/observation.hpp>
#include <sigma/function/gradient_report.hpp>
#include <sigma/network/model.hpp>

#include <utility>
#include <vector>

namespace sigma {

namespace detail {

inline constexpr Purpose to_see_the_loss{.training = true, .losses = true};

/// Checks the gradients of `twin`, which has the parameters to check. They are changed and restored.
GradientReport check_gradients_of(ModelStore<double>& twin, const CompiledProgram<double>& gradients,
                                  const CompiledProgram<double>& loss, const Dataset& data,
                                  const GradientCheckOptions& options);

}  // namespace detail

/// Compares the gradients of a network's loss in all trained parameters with central differences.
///
/// A network of `float` is checked as a network of `double` with the same parameters. The model does not change.
/// Dropout drops the same elements for each difference. Normalization layers use the statistics of these records, as in
/// training.
/// @param model    model to check
/// @param data     data set with records to use
/// @param options  number of records, step and tolerances
/// @return the comparison; `require()` throws if it fails
/// @throws DataError      if the data do not fit the network
/// @throws ShapeError     if a shape of the data does not fit the network
/// @throws ArgumentError  if `options.records` or `options.elements` is below 1, or if the loss is not finite
///
/// @par Example
/// @code
/// // #include <sigma/check_gradients.hpp>
/// check_gradients(model, testing, {.records = 4}).require();
/// @endcode
///
/// @see GradientReport, GradientCheckOptions
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
/// Compares the gradients of a network's loss with central differences, for arrays.
/// @param model               model to check
/// @param inputs_and_targets  all inputs, then the targets of each cost, each (records, …)
/// @return the comparison; `require()` throws if it fails
/// @throws ShapeError     if the shapes do not match the network
/// @throws ArgumentError  if the loss is not finite
///
/// @see GradientReport
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
