// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/registry/type_name.hpp>

namespace sigma::detail {

/// A value for a report: numbers and texts as they are, arrays by their shape and first elements
/// ("(784, 10) [0.1, -0.2, 0.05, ...]"), what has a text() by that; other types have an empty text.
template <class T>
std::string value_text(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        return value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, char>) {
        return std::string(1, value);
    } else if constexpr (std::is_arithmetic_v<T>) {
        return sentence(value);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        return std::string(std::string_view(value));
    } else if constexpr (detail::NumberSequence<T>) {
        constexpr int most = 8;
        std::string text;
        if constexpr (detail::HasShape<T>) text = shape_text(value.shape()) + " ";
        text += '[';
        int count = 0;
        for (auto i = value.begin(); i != value.end(); ++i, ++count) {
            if (count > 0) text += ", ";
            if (count == most) {
                text += "...";
                break;
            }
            text += value_text(static_cast<typename T::value_type>(*i));
        }
        return text + "]";
    } else if constexpr (requires { std::string(value.text()); }) {
        return value.text();
    } else {
        return "";
    }
}

}  // namespace sigma::detail
