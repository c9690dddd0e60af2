// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/pattern.hpp>
#include <sigma/initializer/initializer.hpp>

#include <span>
#include <string_view>

namespace sigma::detail {

/// A pattern of names of parameters and their initializer: an argument of `Model::initialize`.
struct InitializerRule {
    std::string_view pattern;
    Initializer initializer;
};

/// Sets element `i` of a parameter in memory, rows `row` elements apart, to `value(i)`.
template <class T, class F>
void fill_elements(const Shape& shape, T* data, std::size_t row, F value) {
    const auto columns = static_cast<std::size_t>(shape.last());
    const auto rows = static_cast<std::size_t>(shape.count()) / columns;
    for (std::size_t y = 0; y < rows; ++y)
        for (std::size_t x = 0; x < columns; ++x) data[y * row + x] = static_cast<T>(value(y * columns + x));
}
template <class T>
void fill(const Initializer& how, const Shape& shape, const Philox& random, T* data, std::size_t row);
template <class F, class T>
void fill(const CustomInitializer<F>& how, const Shape& shape, const Philox& random, T* data, std::size_t row) {
    fill_elements(shape, data, row, [&](std::size_t i) {
        ElementRandom own(random, i);
        return custom_value(how.function, ElementIndex(shape, i), shape, own);
    });
}

/// Returns whether an initializer for this pattern applies to a parameter. For statistics, such as a running variance,
/// the pattern must be their full name: random values would be no statistics.
constexpr bool reaches(std::string_view pattern, std::string_view name, bool trained) {
    return trained ? matches(pattern, name) : pattern == name;
}
/// Returns the most specific rule that applies to a parameter, the later one of two alike, or null.
const InitializerRule* choose(std::span<const InitializerRule> rules, std::string_view name, bool trained);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/initializer/impl/fill.ipp>
#endif
