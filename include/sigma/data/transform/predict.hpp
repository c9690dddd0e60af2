// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/array.hpp>
#include <sigma/data/transform/learn.hpp>
#include <sigma/data/transform/preprocessing.hpp>

#include <string>
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

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/predict.ipp>
#endif
