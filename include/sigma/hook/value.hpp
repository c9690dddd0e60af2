// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>
#include <sigma/hook/moment.hpp>
#include <sigma/hook/types.hpp>

#include <concepts>
#include <string>

namespace sigma {

/// A number that a running trainer has: `loss`, `accuracy`, `learning_rate`. Its type says how it is called, when it is
/// new, and whether a hook computes it.
template <class V>
concept AnyValue = requires(const V& v) {
    { V::moment } -> std::convertible_to<Moment>;
    { V::computed } -> std::convertible_to<bool>;
    { v.text() } -> std::convertible_to<std::string>;
    typename V::Sources;
};

/// The comparisons that values offer; see criterion.hpp, which defines them.
template <class V>
struct Comparisons;

}  // namespace sigma
