// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/array.hpp>
#include <sigma/data/transform/learn.hpp>
#include <sigma/data/transform/preprocessing.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sigma::data {

namespace detail {

/// Throws ArgumentError where no step is for that section; but `usual` may have none where all are for `other`.
[[gnu::cold]] void check_section(const Preprocessing& p, std::string_view section, std::string_view usual,
                                 std::string_view other);

/// Throws ShapeError for an array that is one record without the axis of records, or whose records do not fit.
[[gnu::cold]] void check_records(const Preprocessing& p, std::string_view section,
                                 const std::vector<std::size_t>& shape);

/// Throws as Preprocessing::inverse does, and ShapeError where there is no axis of records.
[[gnu::cold]] void check_inverse(const Preprocessing& p, std::string_view section,
                                 const std::vector<std::size_t>& shape);

}  // namespace detail

/// Raw inputs of shape (records, …), any array, as training saw them: the same transforms on the same numbers give the
/// same bits. `section` must be one that a step is for; but where there are steps for "targets" alone, or none,
/// "inputs" stay as they are. Throws ArgumentError for another, ShapeError where records do not fit.
///
///     model.predict(preprocessing(raw))
template <AnyArray A>
Array<float> Preprocessing::operator()(const A& raw, std::string_view section) const {
    std::vector<std::size_t> shape = sigma::detail::shape_of(raw);
    detail::check_section(*this, section, "inputs", "targets");
    detail::check_records(*this, section, shape);
    Block block{shape[0], {{}}};
    block.values[0].reserve(raw.size());
    sigma::detail::for_each_element(raw, [&](const auto& x) { block.values[0].push_back(static_cast<float>(x)); });
    const std::vector<SectionInfo> before{{std::string(section), {shape.begin() + 1, shape.end()}, false}};
    const std::vector<std::size_t> after = sections(before)[0].shape;
    apply(block, before);
    shape.resize(1);
    shape.insert(shape.end(), after.begin(), after.end());
    return {std::move(shape), std::move(block.values[0])};
}

/// What takes a network's predictions back to the numbers that its targets were before they were prepared.
///
///     const Array<float> dollars = preprocessing.inverse(model.predict(preprocessing(raw)));
template <AnyArray A>
Array<float> Preprocessing::inverse(const A& prepared, std::string_view section) const {
    std::vector<std::size_t> shape = sigma::detail::shape_of(prepared);
    detail::check_inverse(*this, section, shape);
    std::vector<float> values;
    values.reserve(prepared.size());
    sigma::detail::for_each_element(prepared, [&](const auto& x) { values.push_back(static_cast<float>(x)); });
    undo(values, {shape.begin() + 1, shape.end()}, section);
    return {std::move(shape), std::move(values)};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/predict.ipp>
#endif
