// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Transforms of data sets in memory and in blocks: `>>`, `fitted`, `transformed`. Included by `<sigma/data/data.hpp>`.

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

/// Throws ArgumentError if no step is for that section. For `usual`, steps that are all for `other` are right, too.
[[gnu::cold]] void check_section(const Preprocessing& p, std::string_view section, std::string_view usual,
                                 std::string_view other);

/// Throws ShapeError for an array that is one record without the axis of records, or if its records do not fit.
[[gnu::cold]] void check_records(const Preprocessing& p, std::string_view section,
                                 const std::vector<std::size_t>& shape);

/// Transforms records of `shape`, and sets `shape` to the extents after the transforms.
void prepare(const Preprocessing& p, std::string_view section, std::vector<std::size_t>& shape, NumberList& values);

/// Returns the vector of a list with numbers of type T.
template <class T>
std::vector<T>& numbers_as(NumberList& values) {
    if constexpr (std::is_same_v<T, double>) return values.doubles();
    else return values.floats();
}

/// Throws as Preprocessing::inverse does, and ShapeError for an array without the axis of records.
[[gnu::cold]] void check_inverse(const Preprocessing& p, std::string_view section,
                                 const std::vector<std::size_t>& shape);

}  // namespace detail

// Bit-identical to what training read: the same transforms on the same numbers of the same type.
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

/// Applies preprocessing to the records of a dataset.
///
/// Copies records in memory. Records in blocks are transformed each time their block is loaded.
///
/// @param dataset        the records
/// @param preprocessing  transforms with what they have learned
/// @return a dataset; its `preprocessing()` ends with these transforms
/// @throws ShapeError  if a transform does not fit the records
/// @throws DataError   if a record cannot be transformed. The text names the record.
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const Dataset flowers = transformed(iris(), fitted(standardize(inputs), iris()));
/// @endcode
///
/// @see fitted, docs/transforms.md
[[gnu::cold]] Dataset transformed(const Dataset& dataset, const Preprocessing& preprocessing);

/// Learns transforms from a dataset, to apply them to this dataset and to others.
///
/// The result has these transforms alone. `(training >> p).preprocessing()` also has the transforms that `training`
/// went through before.
///
/// @param transforms  one transform, or several joined with `>>`
/// @param dataset     the records to learn from: the training data alone
/// @return the transforms with what they have learned
/// @throws ArgumentError  if the dataset lacks a section of a transform
/// @throws ShapeError     if a transform does not fit the records
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto [some, others] = split(shuffled(wine(), 1), 0.8, 0.2);
/// const Preprocessing standardized = fitted(standardize(inputs), some);
/// const auto fitting = some >> standardized, validation = others >> standardized;
/// @endcode
///
/// @see standardize, Preprocessing, docs/transforms.md
template <AnyTransforms X>
Preprocessing fitted(const X& transforms, const Dataset& dataset) {
    return detail::fitted_steps(transforms.steps(), dataset);
}
/// @cond internal
/// Rejects at compile time transforms that do not fit the sections of the dataset.
template <class S, AnyTransforms X>
    requires(!TransformsFit<S, X>)
auto fitted(const X&, const DatasetOf<S>&)
    -> decltype(sigma::detail::plainly(std::type_identity<typename SchemaAfter<S, X>::mistake>{}));
/// @endcond

/// Applies preprocessing to the records of a dataset: at once in memory, and whenever a block is loaded in blocks.
/// @param dataset        the records
/// @param preprocessing  transforms with what they have learned
/// @return the transformed dataset
/// @throws ArgumentError  if the last transforms of the dataset are these already
/// @throws ShapeError     if a transform does not fit the records
/// @throws DataError      if a record cannot be transformed. The text names the record.
Dataset operator>>(const Dataset& dataset, const Preprocessing& preprocessing);

/// Learns transforms from the records of a dataset and applies them to these records.
///
/// For validation data, apply what was learned from the training data: `validation >> fitted(standardize(inputs),
/// training)`.
///
/// @param dataset     the records
/// @param transforms  one transform, or several joined with `>>`
/// @return the transformed dataset
/// @throws ArgumentError  if the dataset lacks a section of a transform
/// @throws ShapeError     if a transform does not fit the records
/// @throws DataError      if a record cannot be transformed. The text names the record.
template <AnyTransforms X>
Dataset operator>>(const Dataset& dataset, const X& transforms) {
    return transformed(dataset, fitted(transforms, dataset));
}

/// Learns transforms from the records of a dataset and applies them, with sections that the compiler knows.
///
/// Transforms that do not fit the sections do not compile. The type of the result has the sections after the
/// transforms.
///
/// @param dataset     the records
/// @param transforms  one transform, or several joined with `>>`
/// @return the transformed dataset
/// @throws DataError  if a record cannot be transformed. The text names the record.
template <class S, AnyTransforms X>
    requires TransformsFit<S, X>
auto operator>>(const DatasetOf<S>& dataset, const X& transforms) {
    return DatasetOf<typename SchemaAfter<S, X>::type>(transformed(dataset, fitted(transforms, dataset)));
}
/// @cond internal
template <class S, AnyTransforms X>
    requires(!TransformsFit<S, X>)
auto operator>>(const DatasetOf<S>&, const X&)
    -> decltype(sigma::detail::plainly(std::type_identity<typename SchemaAfter<S, X>::mistake>{}));
/// @endcond

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/on_datasets.ipp>
#endif
