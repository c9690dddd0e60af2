// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/shape.hpp>
#include <sigma/core/text.hpp>

#include <concepts>

/// Sizes of a network that have a name, and a value only when the program runs.
namespace sigma {

namespace detail {

template <Text name>
inline constexpr Text size_name = name;

/// What the compiler sees of a size that has a name where a number is needed: a trace that meets it refuses it.
inline constexpr int unsettled = -100000019;

/// `dim<"width"> = 300`
struct SizeGiven {
    const Text* name = nullptr;
    int value = 0;
};

/// Throws ArgumentError: a size that is no int; one that has a name, where a number is needed.
[[noreturn, gnu::cold]] void throw_size_out_of_range();
[[noreturn, gnu::cold]] void throw_size_without_number(const Text& name);

template <Text name>
struct value_of_size : SizeGiven {};

template <std::integral Integer>
constexpr int size_number(Integer n) {
    if constexpr (sizeof(Integer) >= sizeof(int))
        if (n > static_cast<Integer>(2147483647) ||
            (std::is_signed_v<Integer> && n < static_cast<Integer>(-2147483647)))
            throw_size_out_of_range();
    return static_cast<int>(n);
}

}  // namespace detail

/// A number of units, filters, rows, …: a plain one, or `times` · name + `number`.
struct Extent {
    int number = 0, times = 0;
    const Text* name = nullptr;

    constexpr Extent() = default;
    template <std::integral Integer>
    constexpr Extent(Integer n) : number(detail::size_number(n)) {}
    constexpr Extent(int plus, int factor, const Text* of) : number(plus), times(factor), name(of) {}

    /// The number. A layer whose sizes may have names says which they are, see `Layer`; then all that it reads are
    /// numbers.
    constexpr operator int() const {
        if (name == nullptr) return number;
        if (!std::is_constant_evaluated()) detail::throw_size_without_number(*name);
        return detail::unsettled;
    }
    /// Where its name stands for this number.
    constexpr long long at(int value) const { return static_cast<long long>(times) * value + number; }

    template <std::same_as<int> Integer>
    friend constexpr Extent operator*(Integer factor, const Extent& s) {
        return {factor * s.number, factor * s.times, s.name};
    }
    template <std::same_as<int> Integer>
    friend constexpr Extent operator+(const Extent& s, Integer plus) {
        return {s.number + plus, s.times, s.name};
    }
    template <std::same_as<int> Integer>
    friend constexpr Extent operator-(const Extent& s, Integer less) {
        return {s.number - less, s.times, s.name};
    }
};

namespace detail {

/// See `dim`.
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

/// A size by its name: `Network<Input(dim<"features">) + Dense(dim<"width">, relu) + …>`. The compiler checks with
/// names what belongs together; when the program runs each gets a value, `dim<"width"> = 300`, or takes it from the
/// data. `4 * dim<"head">`, `dim<"steps"> - 1`: so many times it, and a number more or less.
template <Text name>
inline constexpr detail::Dim<name> dim{};

namespace detail {

/// Extents of a record, each of which may have a name.
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

/// What a name stands for in a network that is made.
struct SizeValue {
    Text name{};
    int value = 0;
};
/// The names of a network's sizes, in the order in which the walk meets them, and what they stand for.
struct SizeNames {
    static constexpr int most = 16;
    /// While the compiler checks, each name stands for a prime, so that no two sizes are equal that have not the same
    /// names, and what does not divide one of them does not divide the other. They are so far apart that a size is told
    /// from others by a few more or less, and so small that the product of three is an int.
    static constexpr int primes[most] = {1009, 1031, 1049, 1069, 1087, 1109, 1129, 1151,
                                         1171, 1193, 1213, 1231, 1249, 1277, 1297, 1319};
    const Text* names[most]{};
    int count = 0;

    constexpr int find(const Text& name) const {
        for (int i = 0; i < count; ++i)
            if (*names[i] == name) return i;
        return -1;
    }
    /// The position of a name, which is added where it is new; `most` where there is no room.
    constexpr int add(const Text* name) {
        const int known = find(*name);
        if (known >= 0) return known;
        if (count == most) return most;
        names[count] = name;
        return count++;
    }
};
/// A number of the compiler's as a size: times · name + number, with a name's position; -1 where there is none in it.
struct DecodedSize {
    int name = -1, times = 0, number = 0;
};
constexpr DecodedSize decoded(int n, const SizeNames& of) {
    constexpr int nearby = 8;  // what is added to a size: less than half the distance of two primes
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
