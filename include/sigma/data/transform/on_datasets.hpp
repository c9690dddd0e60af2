// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/array.hpp>
#include <sigma/core/words.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/data/transform/transforming.hpp>

#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma::data {

namespace detail {

/// Throws ArgumentError where no step is for that section; but `usual` may have none where all are for `other`.
[[gnu::cold]] void check_section(const Preprocessing& p, std::string_view section, std::string_view usual,
                                 std::string_view other);

/// Throws ShapeError for an array that is one record without the axis of records, or whose records do not fit.
[[gnu::cold]] void check_records(const Preprocessing& p, std::string_view section,
                                 const std::vector<std::size_t>& shape);

/// Transforms records of `shape`, which becomes what it is then.
void prepare(const Preprocessing& p, std::string_view section, std::vector<std::size_t>& shape, NumberList& values);

/// The vector that a list of T has.
template <class T>
std::vector<T>& numbers_as(NumberList& values) {
    if constexpr (std::is_same_v<T, double>) return values.doubles();
    else return values.floats();
}

/// Throws as Preprocessing::inverse does, and ShapeError where there is no axis of records.
[[gnu::cold]] void check_inverse(const Preprocessing& p, std::string_view section,
                                 const std::vector<std::size_t>& shape);

}  // namespace detail

/// Raw inputs of shape (records, …), any array, as training saw them: the same transforms on the same numbers of the
/// same type give the same bits. `section` must be one that a step is for; but where there are steps for "targets"
/// alone, or none, "inputs" stay as they are. Throws ArgumentError for another, ShapeError where records do not fit.
///
///     model.predict(preprocessing(raw))
template <AnyArray A>
Array<sigma::detail::KeptNumberOf<A>> Preprocessing::operator()(const A& raw, std::string_view section) const {
    std::vector<std::size_t> shape = sigma::detail::shape_of(raw);
    detail::check_section(*this, section, "inputs", "targets");
    detail::check_records(*this, section, shape);
    NumberList values = sigma::detail::kept_numbers(raw);
    detail::prepare(*this, section, shape, values);
    using T = sigma::detail::KeptNumberOf<A>;
    return {std::move(shape), std::move(detail::numbers_as<T>(values))};
}

/// What takes a network's predictions back to the numbers that its targets were before they were prepared.
///
///     const Array<float> dollars = preprocessing.inverse(model.predict(preprocessing(raw)));
template <AnyArray A>
Array<sigma::detail::KeptNumberOf<A>> Preprocessing::inverse(const A& prepared, std::string_view section) const {
    std::vector<std::size_t> shape = sigma::detail::shape_of(prepared);
    detail::check_inverse(*this, section, shape);
    NumberList values = sigma::detail::kept_numbers(prepared);
    undo(values, {shape.begin() + 1, shape.end()}, section);
    using T = sigma::detail::KeptNumberOf<A>;
    return {std::move(shape), std::move(detail::numbers_as<T>(values))};
}

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
