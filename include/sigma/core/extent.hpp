// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Named sizes of networks: dim, Extent. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/shape.hpp>
#include <sigma/core/text.hpp>

#include <concepts>

namespace sigma {

namespace detail {

template <Text name>
inline constexpr Text size_name = name;

/// The number that a named size converts to in constant evaluation. A trace that finds this number rejects it.
inline constexpr int unsettled = -100000019;

/// The value of a named size: `dim<"width"> = 300`.
struct SizeGiven {
    const Text* name = nullptr;
    int value = 0;
};

/// Throws the ArgumentError of a size that an int cannot hold.
[[noreturn, gnu::cold]] void throw_size_out_of_range(bool negative, unsigned long long magnitude);
/// Throws the ArgumentError of a named size that needs a number.
[[noreturn, gnu::cold]] void throw_size_without_number(const Text& name);

template <Text name>
struct value_of_size : SizeGiven {};

template <std::integral Integer>
constexpr int size_number(Integer n) {
    if constexpr (sizeof(Integer) >= sizeof(int))
        if (n > static_cast<Integer>(2147483647) ||
            (std::is_signed_v<Integer> && n < static_cast<Integer>(-2147483647)))
            throw_size_out_of_range(
                n < 0, n < 0 ? 0ULL - static_cast<unsigned long long>(n) : static_cast<unsigned long long>(n));
    return static_cast<int>(n);
}

}  // namespace detail

/// A size of a network, such as a number of units or filters: a number, or factor · name + number.
///
/// You rarely write this type. Constructors of layers take it, so that you can pass an `int` or a named size.
///
/// @par Example
/// @code
/// constexpr Extent width = 2 * dim<"head"> + 1;
/// static_assert(width.at(32) == 65);
/// @endcode
///
/// @see dim
struct Extent {
    int number = 0;              ///< The number, or the summand of a named size.
    int times = 0;               ///< The factor of a named size.
    const Text* name = nullptr;  ///< The name; null for a plain number.

    /// Constructs the size 0.
    constexpr Extent() = default;
    /// Constructs a plain number.
    /// @param value  an integer that an `int` can hold
    /// @throws ArgumentError  if an `int` cannot hold the value
    template <std::integral Integer>
    constexpr Extent(Integer value) : number(detail::size_number(value)) {}
    /// Constructs a named size, factor · name + plus.
    /// @param plus    summand
    /// @param factor  factor of the name
    /// @param name_   name, which must outlive the object
    constexpr Extent(int plus, int factor, const Text* name_) : number(plus), times(factor), name(name_) {}

    /// Converts to the number. A layer that declares its sizes in `each_size` reads only numbers, because names are
    /// replaced before it is traced.
    /// @throws ArgumentError  if the size has a name
    constexpr operator int() const {
        if (name == nullptr) return number;
        if (!std::is_constant_evaluated()) detail::throw_size_without_number(*name);
        return detail::unsettled;
    }
    /// Returns the size if its name has the given value.
    /// @param value  value of the name
    /// @return factor · value + number
    constexpr long long at(int value) const { return static_cast<long long>(times) * value + number; }

    /// Returns a multiple of a size.
    /// @param factor  factor of the size
    /// @param size    size to multiply
    /// @return the multiple
    template <std::same_as<int> Integer>
    friend constexpr Extent operator*(Integer factor, const Extent& size) {
        return {factor * size.number, factor * size.times, size.name};
    }
    /// Returns a size increased by a number.
    /// @param size  size to increase
    /// @param plus  number to add
    /// @return the increased size
    template <std::same_as<int> Integer>
    friend constexpr Extent operator+(const Extent& size, Integer plus) {
        return {size.number + plus, size.times, size.name};
    }
    /// Returns a size reduced by a number.
    /// @param size  size to reduce
    /// @param less  number to subtract
    /// @return the reduced size
    template <std::same_as<int> Integer>
    friend constexpr Extent operator-(const Extent& size, Integer less) {
        return {size.number - less, size.times, size.name};
    }
};

namespace detail {

/// The type of `dim<name>`.
template <Text name>
struct Dim {
    constexpr operator Extent() const { return {0, 1, &detail::size_name<name>}; }
    template <std::integral Integer>
    constexpr detail::value_of_size<name> operator=(Integer value) const {
        return {{&detail::size_name<name>, detail::size_number(value)}};
    }
};
template <Text name>
constexpr Extent operator*(int factor, Dim<name> d) {
    return factor * Extent(d);
}
template <Text name>
constexpr Extent operator+(Dim<name> d, int plus) {
    return Extent(d) + plus;
}
template <Text name>
constexpr Extent operator-(Dim<name> d, int less) {
    return Extent(d) - less;
}

}  // namespace detail

/// A named size of a network. You choose its value when the program runs.
///
/// The compiler uses the names to check that shapes fit. When the program runs, each name gets a value: the one that
/// you pass, as in `dim<"width"> = 300`, or the one that the data have. You can multiply a name by an `int`, and add or
/// subtract one: `4 * dim<"head">`, `dim<"steps"> - 1`.
///
/// @tparam name  name of the size, at most 63 characters
///
/// @par Example
/// @code
/// struct Small : Network<Input(dim<"features">) + Dense(dim<"width">, relu) + Dense(3) + SoftmaxCE()> {};
/// Model small(Small{dim<"features"> = 4, dim<"width"> = 300}, 42);
/// @endcode
///
/// @see Extent
template <Text name>
inline constexpr detail::Dim<name> dim{};

namespace detail {

/// The extents of a record, each of which may have a name.
struct NamedShape {
    Shape numbers{};
    int times[max_rank]{};
    const Text* names[max_rank]{};

    constexpr NamedShape() = default;
    constexpr NamedShape(const Shape& s) : numbers(s) {}
    template <class... E>
        requires(sizeof...(E) > 0 && sizeof...(E) <= max_rank)
    constexpr explicit NamedShape(E... extents) {
        (add(extents), ...);
    }
    constexpr bool has_names() const {
        for (int i = 0; i < numbers.rank; ++i)
            if (names[i] != nullptr) return true;
        return false;
    }

private:
    constexpr void add(Extent s) {
        numbers.extent[numbers.rank] = s.number;
        times[numbers.rank] = s.times, names[numbers.rank] = s.name;
        ++numbers.rank;
    }
};

/// A named size and its value.
struct SizeValue {
    Text name{};
    int value = 0;
};
/// The names of a network's sizes, in the order in which the walk finds them.
struct SizeNames {
    static constexpr int most = 16;
    /// Primes that stand for the names while the compiler checks. So sizes are equal only if their names are, and a
    /// number divides one of them only if it divides all. The primes are far enough apart to recognize a size that is
    /// increased or reduced by a few, and small enough that an int holds the product of three.
    static constexpr int primes[most] = {1009, 1031, 1049, 1069, 1087, 1109, 1129, 1151,
                                         1171, 1193, 1213, 1231, 1249, 1277, 1297, 1319};
    const Text* names[most]{};
    int count = 0;

    constexpr int find(const Text& name) const {
        for (int i = 0; i < count; ++i)
            if (*names[i] == name) return i;
        return -1;
    }
    /// Returns the position of a name and adds the name if it is new; returns `most` if there is no room.
    constexpr int add(const Text* name) {
        const int known = find(*name);
        if (known >= 0) return known;
        if (count == most) return most;
        names[count] = name;
        return count++;
    }
};
/// A size that was decoded from a number of the compiler: times · name + number. `name` is a position, or -1 for a
/// plain number.
struct DecodedSize {
    int name = -1, times = 0, number = 0;
};
constexpr DecodedSize decoded(int n, const SizeNames& of) {
    constexpr int nearby = 8;  // largest summand of a size: less than half the distance of two primes
    for (int distance = 0; distance <= nearby; ++distance)
        for (int i = 0; i < of.count; ++i)
            for (const int plus : {distance, -distance}) {
                const int p = SizeNames::primes[i];
                if (n - plus >= p && (n - plus) % p == 0 && (n - plus) / p < 1000) return {i, (n - plus) / p, plus};
            }
    return {-1, 0, n};
}

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/extent.ipp>
#endif
