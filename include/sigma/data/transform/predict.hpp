// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/xtensor.hpp>
#include <sigma/data/transform/preprocessing.hpp>

namespace sigma::data {

/// Raw inputs of shape (records, …), any xtensor container or expression, as training saw them: the same transforms on the
/// same numbers give the same bits. Throws ShapeError where they do not fit.
///
///     model.predict(preprocessing(raw))
template <class Array>
auto Preprocessing::operator()(const Array& raw, std::string_view section) const {
    std::vector<std::size_t> shape(raw.shape().begin(), raw.shape().end());
    if (shape.empty()) throw ShapeError("preprocessing", "an array of records (records, ...)", shape_text(shape));
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
