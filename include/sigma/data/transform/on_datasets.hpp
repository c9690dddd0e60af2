// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/plainly.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/transform/predict.hpp>
#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/data/transform/steps_alike.hpp>
#include <sigma/data/transform/transforming.hpp>

#include <vector>

namespace sigma::data {

namespace detail {

Preprocessing fitted_steps(const std::vector<TransformStep>& steps, const Dataset& dataset);

}  // namespace detail

/// The records of a dataset after preprocessing. Those in memory are copied, those in blocks go through it whenever
/// their block is loaded. Throws ShapeError where it does not fit.
[[gnu::cold]] Dataset transformed(const Dataset& dataset, const Preprocessing& preprocessing);

/// What transforms learn from a dataset, to be applied to it and to others: fitted(standardize(inputs), training). It
/// has these steps alone: (training >> p).preprocessing() also has those that the dataset went through before. Throws
/// ArgumentError for a section that the dataset does not have, ShapeError where a transform does not fit.
template <AnyTransforms X>
Preprocessing fitted(const X& transforms, const Dataset& dataset) {
    return detail::fitted_steps(transforms.steps(), dataset);
}
/// Where the compiler knows the sections, it refuses what does not fit.
template <class S, AnyTransforms X>
    requires(!TransformsFit<S, X>)
auto fitted(const X&, const DatasetOf<S>&)
    -> decltype(sigma::detail::plainly(std::type_identity<typename SchemaAfter<S, X>::mistake>{}));

/// The records of a dataset, transformed: now where they are in memory, when a block is loaded where they lie in
/// blocks. Throws ArgumentError where these steps are the last that it went through, ShapeError where they do not fit.
Dataset operator>>(const Dataset& dataset, const Preprocessing& preprocessing);

/// The records of a dataset by transforms that learn from these very records. Validation data takes what was learned
/// from the training data instead: validation >> fitted(standardize(inputs), training).
template <AnyTransforms X>
Dataset operator>>(const Dataset& dataset, const X& transforms) {
    return transformed(dataset, fitted(transforms, dataset));
}

/// The same where the compiler knows the sections: it refuses what does not fit, and knows the sections after it.
template <class S, AnyTransforms X>
    requires TransformsFit<S, X>
auto operator>>(const DatasetOf<S>& dataset, const X& transforms) {
    return DatasetOf<typename SchemaAfter<S, X>::type>(transformed(dataset, fitted(transforms, dataset)));
}
template <class S, AnyTransforms X>
    requires(!TransformsFit<S, X>)
auto operator>>(const DatasetOf<S>&, const X&)
    -> decltype(sigma::detail::plainly(std::type_identity<typename SchemaAfter<S, X>::mistake>{}));

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/on_datasets.ipp>
#endif
