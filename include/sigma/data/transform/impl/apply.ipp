// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/apply.hpp>

#include <algorithm>
#include <array>

namespace sigma::data::detail {

SIGMA_IMPL bool is_transform_word(std::string_view name) {
    constexpr std::array<std::string_view, 10> words{"clamp",          "impute",  "map_values", "normalize",
                                                     "normalize_each", "one_hot", "permute",    "reshape",
                                                     "standardize",    "function"};
    return std::ranges::find(words, name) != words.end();
}

SIGMA_IMPL UserTransform::UserTransform(std::string name, UserFunction function)
    : name_(std::move(name)), function_(std::move(function)) {
    if (name_.empty() || is_transform_word(name_))
        throw ArgumentError("apply", "a name for the function that no other transform has", sentence("'", name_, "'"));
}

SIGMA_IMPL void UserTransform::apply(std::vector<float>& values, std::size_t records,
                                     const std::vector<std::size_t>& before) const {
    const std::size_t size = size_of(before);
    for (std::size_t r = 0; r < records; ++r) function_(std::span(values).subspan(r * size, size));
}

}  // namespace sigma::data::detail
