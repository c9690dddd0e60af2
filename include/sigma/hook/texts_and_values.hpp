// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/comparison.hpp>

#include <string>
#include <type_traits>

namespace sigma::detail {

/// A value, or a text between values.
struct TextOrValue {
    std::string text;
    ValueHandle value{};

    TextOrValue(std::string text_, const ValueHandle& value_ = {});
    TextOrValue(const TextOrValue&);
    TextOrValue& operator=(const TextOrValue&);
    ~TextOrValue();
};
template <class I>
using ReadsOfItem =
    typename std::conditional_t<AnyValue<I>, std::type_identity<Types<I>>, std::type_identity<Types<>>>::type;
template <class... I>
using ReadsOfItems = JoinedTypes<ReadsOfItem<I>...>;

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/texts_and_values.ipp>
#endif
