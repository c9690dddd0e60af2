// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/initializer/fill.hpp>

#include <vector>

namespace sigma::detail {

SIGMA_IMPL const InitializerRule* choose(std::span<const InitializerRule> rules, std::string_view name, bool trained) {
    const InitializerRule* best = nullptr;
    for (const InitializerRule& r : rules)
        if (reaches(r.pattern, name, trained) && (!best || compare_specificity(r.pattern, best->pattern) >= 0))
            best = &r;
    return best;
}

template <class T>
void fill(const Initializer& how, const Shape& shape, const Philox& random, T* data, std::size_t row) {
    if (how.kind == Initializer::Kind::custom && how.custom->known != nullptr) {
        const std::vector<double> all = how.custom->known(*how.custom, shape);
        return fill_elements(shape, data, row, [&](std::size_t i) { return all[i]; });
    }
    if (how.kind != Initializer::Kind::orthogonal)
        return fill_elements(shape, data, row, [&](std::size_t i) { return how.draw(shape, random, i); });
    const auto columns = static_cast<std::size_t>(shape.last());
    const auto rows = static_cast<std::size_t>(shape.count()) / columns;
    const bool tall = rows >= columns;
    const std::vector<double> q = tall ? orthonormal(columns, rows, random) : orthonormal(rows, columns, random);
    fill_elements(shape, data, row,
                  [&](std::size_t i) { return how.second * (tall ? q[i % columns * rows + i / columns] : q[i]); });
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template void sigma::detail::fill(const Initializer&, const Shape&, const Philox&, float*, std::size_t);
template void sigma::detail::fill(const Initializer&, const Shape&, const Philox&, double*, std::size_t);
#endif
