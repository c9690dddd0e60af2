// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>
#include <sigma/tape/movement.hpp>

#include <type_traits>

/// Sums of products by the names of axes (Einstein's convention, as in NumPy): einsum<"bij,bjk->bik">(x, y).
namespace sigma {

template <class...>
struct error_einsum_needs_letters_once_and_an_arrow;
template <class...>
struct error_einsum_letters_differ_from_axes;
template <class...>
struct error_einsum_letter_has_two_extents;

namespace detail {

/// The letters of the operands and, behind the arrow, of the result.
struct Subscripts {
    int operands = 1, count[3]{};
    char letters[3][max_rank]{};
    bool valid = true;

    constexpr explicit Subscripts(std::string_view text) {
        int part = 0;
        bool arrow = false;
        for (std::size_t i = 0; i < text.size() && valid; ++i) {
            const char c = text[i];
            if (c == ' ') continue;
            if (c == ',' && !arrow && part == 0) {
                part = 1;
                operands = 2;
            } else if (c == '-' && i + 1 < text.size() && text[i + 1] == '>' && !arrow) {
                part = 2;
                arrow = true;
                ++i;
            } else {
                valid =
                    ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) && count[part] < max_rank && axis(part, c) < 0;
                if (valid) letters[part][count[part]++] = c;
            }
        }
        valid = valid && arrow;
        for (int i = 0; i < count[2]; ++i)
            valid = valid && (axis(0, letters[2][i]) >= 0 || axis(1, letters[2][i]) >= 0);
    }
    /// Of a letter in a part, or -1.
    constexpr int axis(int part, char letter) const {
        for (int i = 0; i < count[part]; ++i)
            if (letters[part][i] == letter) return i;
        return -1;
    }
    constexpr int extent(char letter, const Shape& x, const Shape& y) const {
        return axis(0, letter) >= 0 ? x[axis(0, letter)] : y[axis(1, letter)];
    }
    constexpr bool same_extents(const Shape& x, const Shape& y) const {
        for (int i = 0; i < count[0]; ++i)
            if (const int at = axis(1, letters[0][i]); at >= 0 && x[i] != y[at]) return false;
        return true;
    }
    constexpr Shape result(const Shape& x, const Shape& y) const {
        Shape s;
        for (int i = 0; i < count[2]; ++i) s.extent[s.rank++] = extent(letters[2][i], x, y);
        return s;
    }
};

/// A tensor whose axes have names.
struct Lettered {
    Variable variable;
    int count = 0;
    char letters[max_rank]{};

    constexpr int axis(char letter) const {
        for (int i = 0; i < count; ++i)
            if (letters[i] == letter) return i;
        return -1;
    }
    /// Without the axes for which `goes` is true, which are summed.
    template <class Goes>
    constexpr Lettered summed(Goes goes) const {
        Lettered left;
        const Shape from = variable.shape();
        Shape one = from, without;
        for (int i = 0; i < count; ++i) {
            if (goes(letters[i])) {
                one.extent[i] = 1;
            } else {
                left.letters[left.count++] = letters[i];
                without.extent[without.rank++] = from[i];
            }
        }
        left.variable = reshape(reduce(Operation::sum, variable, one), without);
        return left;
    }
    /// With its axes in the order of some letters, of which those that it lacks have extent 1.
    constexpr Variable ordered(const char* wanted, int wanted_count) const {
        std::uint64_t order = 0;
        Shape s;
        for (int i = 0, n = 0; i < wanted_count; ++i) {
            const int at = axis(wanted[i]);
            if (at >= 0) order |= static_cast<std::uint64_t>(at) << (4 * n++);
            s.extent[s.rank++] = at < 0 ? 1 : variable.shape()[at];
        }
        return reshape(permute(variable, order), s);
    }
};

/// Letters one after the other, and what they have together.
struct LetterGroup {
    char letters[max_rank]{};
    int count = 0, extent = 1;

    constexpr void add(char letter, int of) {
        letters[count++] = letter;
        extent *= of;
    }
};

constexpr Variable einsum(const Subscripts& s, Variable x, Variable y) {
    Lettered a{x, s.count[0]}, b{y, s.count[1]};
    for (int i = 0; i < max_rank; ++i) {
        a.letters[i] = s.letters[0][i];
        b.letters[i] = s.letters[1][i];
    }
    const auto kept = [&](char c) { return s.axis(2, c) >= 0; };
    a = a.summed([&](char c) { return !kept(c) && (s.operands == 1 || b.axis(c) < 0); });
    if (s.operands == 1) return a.ordered(s.letters[2], s.count[2]);
    b = b.summed([&](char c) { return !kept(c) && a.axis(c) < 0; });

    LetterGroup each, rows, depth, columns;
    for (int i = 0; i < a.count; ++i) {
        const char c = a.letters[i];
        (b.axis(c) < 0 ? rows : kept(c) ? each : depth).add(c, a.variable.shape()[i]);
    }
    for (int i = 0; i < b.count; ++i)
        if (a.axis(b.letters[i]) < 0) columns.add(b.letters[i], b.variable.shape()[i]);
    if (depth.count == 0) {  // statements here and below: the order of operands is the compiler's choice
        const Variable first = a.ordered(s.letters[2], s.count[2]);
        const Variable second = b.ordered(s.letters[2], s.count[2]);
        return first * second;
    }

    const auto joined = [](const LetterGroup& first, const LetterGroup& second, const LetterGroup& third) {
        LetterGroup all = first;
        for (const LetterGroup* g : {&second, &third})
            for (int i = 0; i < g->count; ++i) all.letters[all.count++] = g->letters[i];
        return all;
    };
    const auto matrix = [&](const Lettered& of, const LetterGroup& r, const LetterGroup& c) {
        const LetterGroup all = joined(each, r, c);
        const Variable v = of.ordered(all.letters, all.count);
        return reshape(v, each.count ? Shape{each.extent, r.extent, c.extent} : Shape{r.extent, c.extent});
    };
    const Variable left = matrix(a, rows, depth);
    const Variable right = matrix(b, depth, columns);
    const LetterGroup all = joined(each, rows, columns);
    Lettered result{product(Operation::dot, left, right, each.count > 0), all.count};
    Shape apart;
    for (int i = 0; i < all.count; ++i) {
        result.letters[i] = all.letters[i];
        apart.extent[apart.rank++] = s.extent(all.letters[i], x.shape(), y.shape());
    }
    result.variable = reshape(result.variable, apart);
    return result.ordered(s.letters[2], s.count[2]);
}

template <Text text>
inline constexpr Subscripts subscripts_of{text.view()};

/// void, or what is wrong with these operands.
template <Text text, Shape... S>
constexpr auto einsum_fault() {
    constexpr const Subscripts& s = subscripts_of<text>;
    constexpr Shape shapes[] = {S..., Shape{}};
    if constexpr (!s.valid) {
        return std::type_identity<error_einsum_needs_letters_once_and_an_arrow<spelled<S>...>>{};
    } else if constexpr (s.operands != sizeof...(S) || shapes[0].rank != s.count[0] || shapes[1].rank != s.count[1]) {
        return std::type_identity<error_einsum_letters_differ_from_axes<spelled<S>...>>{};
    } else if constexpr (!s.same_extents(shapes[0], shapes[1])) {
        return std::type_identity<error_einsum_letter_has_two_extents<spelled<S>...>>{};
    } else if constexpr (!one_batch_axis(s.result(shapes[0], shapes[1]))) {
        return std::type_identity<error_dot_result_would_have_two_batch_axes<spelled<S>...>>{};
    } else {
        return std::type_identity<void>{};
    }
}
template <Text text, Shape... S>
struct EinsumFault : decltype(einsum_fault<text, S...>()) {};

}  // namespace detail

/// Each element of the result is the sum of products over all letters that it does not name: "ij,jk->ik" is the matrix
/// product, "bi,bj->bij" an outer one, "ij->j" sums columns, "ij->ji" transposes. A letter stands once in each operand.
template <Text text, Shape A>
    requires(std::is_void_v<typename detail::EinsumFault<text, A>::type>)
constexpr auto einsum(Tensor<A> x) {
    constexpr const detail::Subscripts& s = detail::subscripts_of<text>;
    return detail::tensor<s.result(A, Shape{})>(detail::einsum(s, x.variable, x.variable));
}
template <Text text, Shape A, Shape B>
    requires(std::is_void_v<typename detail::EinsumFault<text, A, B>::type>)
constexpr auto einsum(Tensor<A> x, Tensor<B> y) {
    constexpr const detail::Subscripts& s = detail::subscripts_of<text>;
    return detail::tensor<s.result(A, B)>(detail::einsum(s, x.variable, y.variable));
}
template <Text text, Shape... S>
    requires(!std::is_void_v<typename detail::EinsumFault<text, S...>::type>)
constexpr typename detail::EinsumFault<text, S...>::type einsum(Tensor<S>...);

}  // namespace sigma
