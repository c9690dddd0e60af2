// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Modifiers, which change parameters after each step: clip, max_norm, scale. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/error.hpp>
#include <sigma/network/parameter_rows.hpp>

#include <array>
#include <concepts>
#include <cstddef>

namespace sigma {

/// A modifier of parameters of element type T: a function object that changes a parameter after a step.
///
/// It receives the rows of the parameter. It is called in every step, so it should not allocate memory.
/// @par Example
/// @code
/// trainer.modify("1-dense.weights", [](auto rows) { rows[0][0] = 1; });  // keeps one weight at 1
/// @endcode
///
/// @see clip, max_norm, scale, ParameterRows
template <class M, class T>
concept ModifierOf = std::copy_constructible<M> && requires(const M& m, ParameterRows<T> rows) { m(rows); };

namespace detail {

/// Replaces each element by the nearest number in [minimum, maximum]. NaN stays NaN.
struct Clip {
    double minimum = -1, maximum = 1;

    std::string text() const { return sentence("clip(", minimum, ", ", maximum, ")"); }

    template <class T>
    void operator()(ParameterRows<T> rows) const {
        const T least = static_cast<T>(minimum), most = static_cast<T>(maximum);
        for (std::size_t r = 0; r < rows.count; ++r)
            for (T& w : rows[r]) w = w < least ? least : most < w ? most : w;
    }
};

}  // namespace detail

/// Makes a modifier that cuts each element to [minimum, maximum]. NaN stays NaN.
/// @param minimum  smallest value
/// @param maximum  largest value, at least `minimum`
/// @return the modifier
/// @throws ArgumentError  if `minimum` is greater than `maximum` or one of them is NaN
///
/// @par Example
/// @code
/// trainer.modify("*.weights", clip(-1, 1));
/// @endcode
///
/// @see max_norm, modify, docs/modifiers.md
detail::Clip clip(double minimum, double maximum);

/// Parts of a parameter with a norm of their own, for `max_norm`.
///
/// @see max_norm
enum class Per {
    column,    ///< Each column: the weights into one unit, over all axes but the last. A parameter of one axis is one
               ///< part.
    parameter  ///< The whole parameter.
};

/// A modifier that bounds the norm of weights: w ← limit / ‖w‖₂ · w if ‖w‖₂ > limit.
///
/// `max_norm` makes it (Srivastava et al. 2014, section 5.1, which bounds the weights into each unit). Norms are
/// computed in double. NaN stays NaN.
///
/// @see max_norm
struct MaxNorm {
    double limit = 1;       ///< Largest norm, above 0.
    Per per = Per::column;  ///< Parts with a norm of their own.

    /// @cond internal
    std::string text() const { return sentence("max_norm(", limit, per == Per::column ? ")" : ", per parameter)"); }

    template <class T>
    void operator()(ParameterRows<T> rows) const {
        if (per == Per::parameter || rows.shape.rank < 2) {
            double squares = 0;
            for (std::size_t r = 0; r < rows.count; ++r)
                for (const T w : rows[r]) squares += square(w);
            const T by = static_cast<T>(factor(squares));
            if (by == 1) return;
            for (std::size_t r = 0; r < rows.count; ++r)
                for (T& w : rows[r]) w *= by;
            return;
        }
        constexpr std::size_t width = 64;  // columns at a time, along the rows in memory
        for (std::size_t first = 0; first < rows.columns; first += width) {
            const std::size_t n = rows.columns - first < width ? rows.columns - first : width;
            std::array<double, width> squares{};
            std::array<T, width> by{};
            for (std::size_t r = 0; r < rows.count; ++r)
                for (std::size_t i = 0; i < n; ++i) squares[i] += square(rows[r][first + i]);
            for (std::size_t i = 0; i < n; ++i) by[i] = static_cast<T>(factor(squares[i]));
            for (std::size_t r = 0; r < rows.count; ++r)
                for (std::size_t i = 0; i < n; ++i) rows[r][first + i] *= by[i];
        }
    }
    /// @endcond

private:
    template <class T>
    static double square(T w) {
        return static_cast<double>(w) * static_cast<double>(w);
    }
    double factor(double squares) const;
};
/// Makes a modifier that bounds the norm of the weights into each unit, or of whole parameters.
/// @param limit  largest norm, above 0
/// @param per  parts with a norm of their own. Default: each column.
/// @return the modifier
/// @throws ArgumentError  if `limit` is not above 0
///
/// @par Example
/// @code
/// trainer.modify("*.weights", max_norm(3));
/// trainer.modify("1-dense.biases", max_norm(1, Per::parameter));
/// @endcode
///
/// @see clip, modify
MaxNorm max_norm(double limit, Per per = Per::column);

namespace detail {

/// Multiplies each element by a factor.
struct Scale {
    double factor = 1;

    std::string text() const { return sentence("scale(", factor, ")"); }

    template <class T>
    void operator()(ParameterRows<T> rows) const {
        const T by = static_cast<T>(factor);
        for (std::size_t r = 0; r < rows.count; ++r)
            for (T& w : rows[r]) w *= by;
    }
};

}  // namespace detail

/// Makes a modifier that multiplies each element by a factor in each step.
/// @param factor  the factor, finite
/// @return the modifier
/// @throws ArgumentError  if `factor` is not finite
///
/// @par Example
/// @code
/// trainer.modify("*.weights", scale(0.999));
/// @endcode
///
/// @see clip, modify
detail::Scale scale(double factor);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/modifier/impl/modifier.ipp>
#endif
