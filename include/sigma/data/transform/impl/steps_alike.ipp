// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/steps_alike.hpp>
#include <sigma/data/transform/transform.hpp>

#include <algorithm>
#include <cstddef>

namespace sigma::data::detail {

SIGMA_IMPL bool alike(const Preprocessing::Step& a, const Preprocessing::Step& b) {
    if (a.section != b.section) return false;
    if (a.transform == b.transform) return true;
    return a.transform->kind() == b.transform->kind() &&
           std::ranges::equal(a.transform->state(), b.transform->state(),
                              [](const TransformValue& x, const TransformValue& y) {
                                  return x.name == y.name && std::ranges::equal(x.values, y.values, same_bits);
                              });
}

SIGMA_IMPL bool alike(const Preprocessing& a, const Preprocessing& b) {
    return std::ranges::equal(a.steps(), b.steps(), [](const auto& x, const auto& y) { return alike(x, y); });
}

SIGMA_IMPL bool ends_with(const Preprocessing& all, const Preprocessing& part) {
    const auto count = static_cast<std::ptrdiff_t>(part.steps().size());
    return !part.empty() && all.steps().size() >= part.steps().size() &&
           std::equal(part.steps().begin(), part.steps().end(), all.steps().end() - count,
                      [](const auto& x, const auto& y) { return alike(x, y); });
}

}  // namespace sigma::data::detail
