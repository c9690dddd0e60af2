// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Merging of models by the rules that merge workers: merge. Included by `<sigma/sigma.hpp>`.
#include <sigma/network/model.hpp>
#include <sigma/trainer/workers/workers.hpp>

#include <initializer_list>
#include <span>
#include <vector>

namespace sigma {

namespace detail {

/// Sets the parameters of the first model to those of all.
template <class T>
void merge_models(ModelStore<T>& into, std::span<const ModelStore<T>* const> all, const std::vector<Merger>& mergers);

}  // namespace detail

/// Merges the parameters of models into a new model.
///
/// Average models that were trained from the same initial parameters, such as copies of one model. The average of
/// networks with independent initial parameters predicts badly.
///
/// @param models   models of one network, at least one
/// @param mergers  rules for parameters. The last rule that matches a parameter applies. Default: the average.
/// @return a model with the merged parameters and the names of classes of the first model
/// @throws ArgumentError  if there is no model, or a rule matches no parameter
/// @throws MismatchError  if run-time networks differ in their parameters, or models in their names of classes
///
/// @par Example
/// @code
/// const Model<Digits> twin = model;
/// const Model<Digits> average = merge({model, twin}, {merge("2-*", {0.75, 0.25})});
/// @endcode
template <AnyNetwork N, class T>
Model<N, T> merge(std::span<const Model<N, T>> models, const std::vector<Merger>& mergers = {}) {
    if (models.empty()) throw ArgumentError("merge of models", "1 model or more", "none");
    Model<N, T> merged = models[0];
    std::vector<const detail::ModelStore<T>*> all;
    for (const Model<N, T>& each : models) all.push_back(&each);
    detail::merge_models<T>(merged, all, mergers);
    return merged;
}
/// Merges the parameters of models, such as `merge({a, b, trainer.model()})`.
/// @param models   models of one network, at least one
/// @param mergers  rules for parameters. Default: the average.
template <AnyNetwork N, class T>
Model<N, T> merge(std::initializer_list<Model<N, T>> models, const std::vector<Merger>& mergers = {}) {
    return merge(std::span<const Model<N, T>>(models), mergers);
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/merge_models.ipp>
#endif
