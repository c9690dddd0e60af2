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

/// Throws ArgumentError where no step is for that section.
[[gnu::cold]] void check_section(const Preprocessing& p, std::string_view section);

/// Throws ShapeError for an array that is one record without the axis of records, or whose records do not fit.
[[gnu::cold]] void check_records(const Preprocessing& p, std::string_view section,
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
    detail::check_section(*this, section);
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

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/predict.ipp>
#endif
