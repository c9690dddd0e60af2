// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/network/parameter_rows.hpp>

#include <array>
#include <concepts>
#include <cstddef>

namespace sigma {

/// What changes the value of a parameter after a step: any function of its elements, `[](auto rows) { rows[0][0] = 1;
/// }`. It is called in every step, so it should not allocate.
template <class M, class T>
concept ModifierOf = std::copy_constructible<M> && requires(const M& m, ParameterRows<T> rows) { m(rows); };

namespace detail {

/// w ← the nearest number in [minimum, maximum]; NaN stays NaN.
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

/// `trainer.modify("*.weights", clip(-1, 1))`
detail::Clip clip(double minimum, double maximum);

/// What a norm is taken of: each column, which is a unit's incoming weights (all axes but the last are summed over), or
/// the whole parameter. A parameter of one axis is one whole in both cases.
enum class Per { column, parameter };

/// Where ‖w‖₂ > limit: w ← limit / ‖w‖₂ · w (Srivastava et al. 2014, section 5.1, which bounds the weights into each
/// unit). Norms are computed in double; NaN stays NaN.
struct MaxNorm {
    double limit = 1;
    Per per = Per::column;

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

private:
    template <class T>
    static double square(T w) {
        return static_cast<double>(w) * static_cast<double>(w);
    }
    double factor(double squares) const;
};
/// `trainer.modify("*.weights", max_norm(3))`, or `max_norm(3, Per::parameter)`
MaxNorm max_norm(double limit, Per per = Per::column);

namespace detail {

/// w ← factor · w
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

/// `trainer.modify("*.weights", scale(0.999))`
detail::Scale scale(double factor);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/modifier/impl/modifier.ipp>
#endif
