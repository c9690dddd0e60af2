// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/xtensor.hpp>
#include <sigma/data/transform/preprocessing.hpp>

#include <algorithm>

namespace sigma::data {

namespace detail {

/// Throws ArgumentError where no step is for that section.
[[gnu::cold]] void check_section(const Preprocessing& p, std::string_view section);

/// Throws ShapeError for an array that is one record without the axis of records, or whose records do not fit.
[[gnu::cold]] void check_records(const Preprocessing& p, std::string_view section,
                                 const std::vector<std::size_t>& shape);

}  // namespace detail

/// Raw inputs of shape (records, …), any xtensor container or expression, as training saw them: the same transforms on the
/// same numbers give the same bits. `section` must be one that a step is for; but where there are steps for "targets"
/// alone, or none, "inputs" stay as they are. Throws ArgumentError for another, ShapeError where records do not fit.
///
///     model.predict(preprocessing(raw))
template <class Array>
auto Preprocessing::operator()(const Array& raw, std::string_view section) const {
    std::vector<std::size_t> shape(raw.shape().begin(), raw.shape().end());
    detail::check_section(*this, section);
    detail::check_records(*this, section, shape);
    Block block{shape[0], {{}}};
    block.values[0].reserve(raw.size());
    const auto end = raw.template end<xt::layout_type::row_major>();
    for (auto at = raw.template begin<xt::layout_type::row_major>(); at != end; ++at)
        block.values[0].push_back(static_cast<float>(*at));
    const std::vector<SectionInfo> before{{std::string(section), {shape.begin() + 1, shape.end()}, false}};
    const std::vector<std::size_t> after = sections(before)[0].shape;
    apply(block, before);
    shape.resize(1);
    shape.insert(shape.end(), after.begin(), after.end());
    xt::xarray<float> result = xt::xarray<float>::from_shape(shape);
    std::ranges::copy(block.values[0], result.data());
    return result;
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/predict.ipp>
#endif
