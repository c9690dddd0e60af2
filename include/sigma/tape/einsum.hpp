// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Sums of products by names of axes: einsum. Included by `<sigma/sigma.hpp>`.
#include <sigma/tape/movement.hpp>

#include <string_view>

namespace sigma {

// clang-format off: a table
inline constexpr Fault
    error_einsum_needs_letters_once_and_an_arrow{"einsum needs letters, each once in an operand, and an arrow"},
    error_einsum_letters_differ_from_axes{"einsum needs as many letters as axes"},
    error_einsum_letter_has_two_extents{"einsum: a letter has two extents"};
// clang-format on

namespace detail {

/// Names of axes, in order.
struct Letters {
    char name[max_rank]{};
    int count = 0;

    constexpr void add(char letter) { name[count++] = letter; }
    /// Returns the position of a letter, or -1.
    constexpr int axis(char letter) const {
        for (int i = 0; i < count; ++i)
            if (name[i] == letter) return i;
        return -1;
    }
    constexpr bool has(char letter) const { return axis(letter) >= 0; }
    constexpr const char* begin() const { return name; }
    constexpr const char* end() const { return name + count; }
};

/// The letters of the operands and, after the arrow, of the result.
struct Subscripts {
    int operands = 1;
    Letters part[3];
    bool valid = true;

    constexpr explicit Subscripts(std::string_view text) {
        int at = 0;
        bool arrow = false;
        for (std::size_t i = 0; i < text.size() && valid; ++i) {
            const char c = text[i];
            if (c == ' ') continue;
            if (c == ',' && !arrow && at == 0) {
                at = 1;
                operands = 2;
            } else if (c == '-' && i + 1 < text.size() && text[i + 1] == '>' && !arrow) {
                at = 2;
                arrow = true;
                ++i;
            } else {
                valid =
                    ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) && part[at].count < max_rank && !part[at].has(c);
                if (valid) part[at].add(c);
            }
        }
        valid = valid && arrow;
        for (const char c : part[2]) valid = valid && (part[0].has(c) || part[1].has(c));
    }
    constexpr bool same_extents(const Shape& x, const Shape& y) const {
        for (const char c : part[0])
            if (part[1].has(c) && x[part[0].axis(c)] != y[part[1].axis(c)]) return false;
        return true;
    }
    /// Returns the extents of axes with these names.
    constexpr Shape shape(const Letters& letters, const Shape& x, const Shape& y) const {
        Shape s;
        for (const char c : letters) s.extent[s.rank++] = part[0].has(c) ? x[part[0].axis(c)] : y[part[1].axis(c)];
        return s;
    }
    constexpr Shape result(const Shape& x, const Shape& y) const { return shape(part[2], x, y); }
};

/// A tensor with names for its axes.
struct Lettered {
    Variable variable;
    Letters letters;

    /// Returns the tensor summed over the axes for which `goes` is true.
    template <class Goes>
    constexpr Lettered summed(Goes goes) const {
        Lettered left;
        const Shape from = variable.shape();
        Shape one = from, without;
        for (int i = 0; i < letters.count; ++i) {
            if (goes(letters.name[i])) {
                one.extent[i] = 1;
            } else {
                left.letters.add(letters.name[i]);
                without.extent[without.rank++] = from[i];
            }
        }
        left.variable = reshape(reduce(Operation::sum, variable, one), without);
        return left;
    }
    /// Returns the tensor with its axes in the order of some letters, with extent 1 for letters that it lacks.
    constexpr Variable ordered(const Letters& wanted) const {
        std::uint64_t order = 0;
        Shape s;
        int n = 0;
        for (const char c : wanted) {
            const int at = letters.axis(c);
            if (at >= 0) order |= static_cast<std::uint64_t>(at) << (4 * n++);
            s.extent[s.rank++] = at < 0 ? 1 : variable.shape()[at];
        }
        return reshape(permute(variable, order), s);
    }
};

/// Axes that form one axis of a matrix, and their common extent.
struct LetterGroup {
    Letters letters;
    int extent = 1;

    constexpr void add(char letter, int of) {
        letters.add(letter);
        extent *= of;
    }
};

constexpr Variable einsum(const Subscripts& s, Variable x, Variable y) {
    const Letters& wanted = s.part[2];
    const auto kept = [&](char c) { return wanted.has(c); };
    const Lettered a =
        Lettered{x, s.part[0]}.summed([&](char c) { return !kept(c) && (s.operands == 1 || !s.part[1].has(c)); });
    if (s.operands == 1) return a.ordered(wanted);
    const Lettered b = Lettered{y, s.part[1]}.summed([&](char c) { return !kept(c) && !s.part[0].has(c); });

    LetterGroup each, rows, depth, columns;
    for (int i = 0; i < a.letters.count; ++i) {
        const char c = a.letters.name[i];
        (!b.letters.has(c) ? rows : kept(c) ? each : depth).add(c, a.variable.shape()[i]);
    }
    for (int i = 0; i < b.letters.count; ++i)
        if (const char c = b.letters.name[i]; !a.letters.has(c)) columns.add(c, b.variable.shape()[i]);
    if (depth.letters.count == 0) {  // statements here and below: operands have no order of evaluation
        const Variable first = a.ordered(wanted);
        const Variable second = b.ordered(wanted);
        return first * second;
    }

    const auto joined = [&](const LetterGroup& r, const LetterGroup& c) {
        Letters all = each.letters;
        for (const LetterGroup* g : {&r, &c})
            for (const char letter : g->letters) all.add(letter);
        return all;
    };
    const auto matrix = [&](const Lettered& of, const LetterGroup& r, const LetterGroup& c) {
        return reshape(of.ordered(joined(r, c)),
                       each.letters.count ? Shape{each.extent, r.extent, c.extent} : Shape{r.extent, c.extent});
    };
    const Variable left = matrix(a, rows, depth);
    const Variable right = matrix(b, depth, columns);
    const Variable z = product(Operation::dot, left, right, each.letters.count > 0);
    const Letters all = joined(rows, columns);
    return Lettered{reshape(z, s.shape(all, x.shape(), y.shape())), all}.ordered(wanted);
}

/// Checks the operands and computes the result. `y` is null for one operand.
constexpr Tensor einsum(std::string_view text, At x, const Tensor* y) {
    const Subscripts s(text);
    const Shape a = x.shape(), b = y ? y->shape() : Shape{};
    const Given first{shape_of_x, a}, second = y ? Given(shape_of_y, b) : Given();
    if (!s.valid) return x.refused(error_einsum_needs_letters_once_and_an_arrow, first, second);
    if (s.operands != (y ? 2 : 1) || a.rank != s.part[0].count || b.rank != s.part[1].count)
        return x.refused(error_einsum_letters_differ_from_axes, first, second);
    if (!s.same_extents(a, b)) return x.refused(error_einsum_letter_has_two_extents, first, second);
    if (!one_batch_axis(s.result(a, b))) return x.refused(error_dot_result_would_have_two_batch_axes, first, second);
    return {einsum(s, x.variable, y ? y->variable : x.variable)};
}

}  // namespace detail

/// Computes sums of products by names of axes (Einstein's convention, as in NumPy), of one operand.
///
/// A letter names each axis. The result is summed over all letters that stand only before the arrow: "ij->j" sums
/// columns, "ij->ji" transposes. A letter stands at most once in each operand.
/// @param subscripts  letters of the operand, an arrow, letters of the result
/// @param x  a tensor with as many axes as letters
/// @return a tensor with the axes of the result's letters
///
/// @par Example
/// @code
/// const auto columns = [](Tensor x) { return einsum("ij->j", x); };
/// @endcode
///
/// @see dot, sum
constexpr Tensor einsum(std::string_view subscripts, detail::At x) { return detail::einsum(subscripts, x, nullptr); }
/// Computes sums of products by names of axes (Einstein's convention, as in NumPy), of two operands.
///
/// A letter names each axis. Elements with equal letters are multiplied, and summed over letters that the result lacks:
/// "ij,jk->ik" is the matrix product, "bi,bj->bij" an outer product. A letter stands at most once in each operand.
/// @param subscripts  letters of both operands, separated by a comma, an arrow, letters of the result
/// @param x  a tensor with as many axes as letters before the comma
/// @param y  a tensor with as many axes as letters after the comma
/// @return a tensor with the axes of the result's letters
///
/// @par Example
/// @code
/// const auto products = [](Tensor x, Tensor y) { return einsum("bij,bjk->bik", x, y); };
/// @endcode
///
/// @see dot
constexpr Tensor einsum(std::string_view subscripts, detail::At x, Tensor y) {
    return detail::einsum(subscripts, x, &y);
}

}  // namespace sigma
