// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <array>
#include <vector>

namespace sigma::detail {

template <class T>
constexpr auto signature_of() {
    return std::string_view(__PRETTY_FUNCTION__);
}

/// T as the compiler writes it: "[with T = X]" of g++, "[T = X]" of clang.
template <class T>
constexpr std::string_view compiler_name() {
    std::string_view text = signature_of<T>();
    text.remove_prefix(text.find("T = ") + 4);
    return text.substr(0, text.rfind(']'));
}

template <class T>
concept HasShape = requires(const T& x) {
    typename T::value_type;
    x.shape();
    x.dimension();
};

template <class T>
concept NumberSequence = requires(const T& x) {
    requires std::is_arithmetic_v<typename T::value_type>;
    x.begin();
    x.end();
};

template <class T>
inline constexpr bool is_character =
    std::is_same_v<T, char> || std::is_same_v<T, wchar_t> || std::is_same_v<T, char8_t> ||
    std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;

/// Whole numbers: neither truth values nor characters.
template <class T>
concept WholeNumber = std::is_integral_v<T> && !std::is_same_v<T, bool> && !is_character<T>;

template <class T>
inline constexpr bool is_std_vector = false;
template <class T, class A>
inline constexpr bool is_std_vector<std::vector<T, A>> = true;
template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t n>
inline constexpr bool is_std_array<std::array<T, n>> = true;

/// How a type is called in messages and reports: "double", "int", "uint64", "string", "vector of float",
/// "array of float" (anything with a shape, whatever its rank); other types as the compiler writes them.
template <class T>
std::string type_name() {
    if constexpr (detail::WholeNumber<T>) {
        const std::string name = std::is_signed_v<T> ? "int" : "uint";
        return sizeof(T) == sizeof(int) ? name : sentence(name, 8 * sizeof(T));
    } else if constexpr (std::is_same_v<T, std::string>) {
        return "string";
    } else if constexpr (detail::is_std_vector<T>) {
        return sentence("vector of ", type_name<typename T::value_type>());
    } else if constexpr (detail::HasShape<T> || detail::is_std_array<T>) {
        return sentence("array of ", type_name<typename T::value_type>());
    } else {
        return std::string(detail::compiler_name<T>());
    }
}

}  // namespace sigma::detail
