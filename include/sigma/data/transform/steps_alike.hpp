// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/preprocessing.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sigma::data::detail {

inline bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// Do both the same to the same section, to the bit? Functions of the user are known by their names alone.
inline bool alike(const Preprocessing::Step& a, const Preprocessing::Step& b) {
    if (a.section != b.section) return false;
    if (a.transform == b.transform) return true;
    return a.transform->kind() == b.transform->kind() &&
           std::ranges::equal(a.transform->state(), b.transform->state(), [](const TransformValue& x, const TransformValue& y) {
               return x.name == y.name && std::ranges::equal(x.values, y.values, same_bits);
           });
}
inline bool alike(const Preprocessing& a, const Preprocessing& b) {
    return std::ranges::equal(a.steps(), b.steps(), [](const auto& x, const auto& y) { return alike(x, y); });
}
/// Are the last steps of `all` those of `part`, which has some?
inline bool ends_with(const Preprocessing& all, const Preprocessing& part) {
    const auto count = static_cast<std::ptrdiff_t>(part.steps().size());
    return !part.empty() && all.steps().size() >= part.steps().size() &&
           std::equal(part.steps().begin(), part.steps().end(), all.steps().end() - count,
                      [](const auto& x, const auto& y) { return alike(x, y); });
}

}  // namespace sigma::data::detail
