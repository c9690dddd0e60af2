// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/function/function.hpp>
#include <sigma/layer/activation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

/// Every function of one number, its value and its slope, where formulas go wrong: at zeros, infinities, NaN, the
/// smallest numbers, and where exponentials overflow or a difference cancels.
namespace sigma::test {

template <class F>
struct Special {
    const char* name;
    F f;
    long double (*value)(long double);
    long double (*slope)(long double);
    bool at_infinity = true;  ///< x·g(x) and x / g(x) are 0·∞ and ∞/∞ there, as they are in libtorch
};

template <class F, class... More>
Special(const char*, F, More...) -> Special<F>;

namespace detail {
using L = long double;
constexpr L relu_of(L x) { return x > 0 || x != x ? x : 0; }
constexpr L relu_slope(L x) { return x > 0 || x != x; }
inline L sigmoid_of(L x) { return 1 / (1 + std::exp(-x)); }
inline L softplus_of(L x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
constexpr L gelu_inner(L x) { return 1.5957691216057308L * (x + 0.044715L * x * x * x); }
inline L elu_of(L x, L a) { return x > 0 ? x : a * std::expm1(x); }
inline L elu_slope(L x, L a) { return x > 0 ? 1 : a * std::exp(x); }
constexpr L cut(L x, L low, L high) { return x < low ? low : x > high ? high : x; }
constexpr L sign_of(L x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
}  // namespace detail

inline constexpr auto special_functions = [] {
    using detail::L;
    return std::tuple{
        Special{"negate", [](auto x) { return -x; }, [](L x) { return -x; }, [](L) { return L(-1); }},
        Special{"abs", [](auto x) { return abs(x); }, [](L x) { return std::abs(x); },
                [](L x) { return detail::sign_of(x); }},
        Special{"sign", [](auto x) { return sign(x); }, [](L x) { return detail::sign_of(x); }, [](L) { return L(0); }},
        Special{"exp", [](auto x) { return exp(x); }, [](L x) { return std::exp(x); }, [](L x) { return std::exp(x); }},
        Special{"log", [](auto x) { return log(x); }, [](L x) { return std::log(x); }, [](L x) { return 1 / x; }},
        Special{"log1p", [](auto x) { return log1p(x); }, [](L x) { return std::log1p(x); },
                [](L x) { return 1 / (1 + x); }},
        Special{"expm1", [](auto x) { return expm1(x); }, [](L x) { return std::expm1(x); },
                [](L x) { return std::exp(x); }},
        Special{"sqrt", [](auto x) { return sqrt(x); }, [](L x) { return std::sqrt(x); },
                [](L x) { return 0.5L / std::sqrt(x); }},
        Special{"rsqrt", [](auto x) { return rsqrt(x); }, [](L x) { return 1 / std::sqrt(x); },
                [](L x) {
                    const L y = 1 / std::sqrt(x);
                    return -0.5L * (y * y * y);
                }},
        Special{"tanh", [](auto x) { return tanh(x); }, [](L x) { return std::tanh(x); },
                [](L x) {
                    const L y = std::tanh(x);
                    return 1 - y * y;
                }},
        Special{"sigmoid", [](auto x) { return sigmoid(x); }, [](L x) { return detail::sigmoid_of(x); },
                [](L x) { return detail::sigmoid_of(x) * detail::sigmoid_of(-x); }},
        Special{"sin", [](auto x) { return sin(x); }, [](L x) { return std::sin(x); }, [](L x) { return std::cos(x); }},
        Special{"cos", [](auto x) { return cos(x); }, [](L x) { return std::cos(x); },
                [](L x) { return -std::sin(x); }},
        Special{"tan", [](auto x) { return tan(x); }, [](L x) { return std::tan(x); },
                [](L x) { return 1 + std::tan(x) * std::tan(x); }},
        Special{"asin", [](auto x) { return asin(x); }, [](L x) { return std::asin(x); },
                [](L x) { return 1 / std::sqrt((1 - x) * (1 + x)); }},
        Special{"acos", [](auto x) { return acos(x); }, [](L x) { return std::acos(x); },
                [](L x) { return -1 / std::sqrt((1 - x) * (1 + x)); }},
        Special{"atan", [](auto x) { return atan(x); }, [](L x) { return std::atan(x); },
                [](L x) { return 1 / (1 + x * x); }},
        Special{"erf", [](auto x) { return erf(x); }, [](L x) { return std::erf(x); },
                [](L x) { return 1.128379167095512574L * std::exp(-x * x); }},
        Special{"floor", [](auto x) { return floor(x); }, [](L x) { return std::floor(x); }, [](L) { return L(0); }},
        Special{"round", [](auto x) { return round(x); }, [](L x) { return std::nearbyint(x); },
                [](L) { return L(0); }},
        Special{"modulo 2", [](auto x) { return mod(x, 2.0); }, [](L x) { return x - 2 * std::floor(x / 2); },
                [](L) { return L(1); }},
        Special{"square", [](auto x) { return square(x); }, [](L x) { return x * x; }, [](L x) { return 2 * x; }},
        Special{"to the power of 0.5", [](auto x) { return pow(x, 0.5); }, [](L x) { return std::pow(x, 0.5L); },
                [](L x) { return std::isinf(x) ? 0 : 0.5L / std::sqrt(x); }},
        Special{"to the power of -0.5", [](auto x) { return pow(x, -0.5); }, [](L x) { return std::pow(x, -0.5L); },
                [](L x) { return -0.5L * std::pow(x, -1.5L); }},
        Special{"to the power of -1", [](auto x) { return pow(x, -1.0); }, [](L x) { return std::pow(x, -1.0L); },
                [](L x) { return -std::pow(x, -2.0L); }},
        Special{"to the power of 2", [](auto x) { return pow(x, 2.0); }, [](L x) { return x * x; },
                [](L x) { return 2 * x; }},
        Special{"to the power of 3", [](auto x) { return pow(x, 3.0); }, [](L x) { return x * x * x; },
                [](L x) { return 3 * x * x; }},
        Special{"relu", [](auto x) { return relu(x); }, [](L x) { return detail::relu_of(x); },
                [](L x) { return detail::relu_slope(x); }},
        Special{"softplus", [](auto x) { return softplus(x); }, [](L x) { return detail::softplus_of(x); },
                [](L x) { return detail::sigmoid_of(x); }},
        Special{"gelu", [](auto x) { return gelu(x); },
                [](L x) { return x * detail::sigmoid_of(detail::gelu_inner(x)); },
                [](L x) {
                    const L s = detail::sigmoid_of(detail::gelu_inner(x));
                    return s + x * s * (1 - s) * 1.5957691216057308L * (1 + 3 * 0.044715L * x * x);
                },
                false},
        Special{"leaky_relu", [](auto x) { return leaky_relu(x); }, [](L x) { return x > 0 ? x : 0.01L * x; },
                [](L x) { return x > 0 ? L(1) : 0.01L; }},
        Special{"elu", [](auto x) { return elu(x); }, [](L x) { return detail::elu_of(x, 1); },
                [](L x) { return detail::elu_slope(x, 1); }},
        Special{"elu of 2", [](auto x) { return elu(x, 2); }, [](L x) { return detail::elu_of(x, 2); },
                [](L x) { return detail::elu_slope(x, 2); }},
        Special{"selu", [](auto x) { return selu(x); },
                [](L x) { return 1.0507009873554805L * detail::elu_of(x, 1.6732632423543772L); },
                [](L x) { return 1.0507009873554805L * detail::elu_slope(x, 1.6732632423543772L); }},
        Special{"silu", [](auto x) { return silu(x); }, [](L x) { return x * detail::sigmoid_of(x); },
                [](L x) { return detail::sigmoid_of(x) * (1 + x * detail::sigmoid_of(-x)); }, false},
        Special{"mish", [](auto x) { return mish(x); }, [](L x) { return x * std::tanh(detail::softplus_of(x)); },
                [](L x) {
                    const L t = std::tanh(detail::softplus_of(x));
                    return t + x * (1 - t * t) * detail::sigmoid_of(x);
                },
                false},
        Special{"softsign", [](auto x) { return softsign(x); }, [](L x) { return x / (1 + std::abs(x)); },
                [](L x) { return 1 / ((1 + std::abs(x)) * (1 + std::abs(x))); }, false},
        Special{"relu6", [](auto x) { return relu6(x); }, [](L x) { return detail::cut(x, 0, 6); },
                [](L x) { return L(x > 0 && x < 6); }},
        Special{"hard_tanh", [](auto x) { return hard_tanh(x); }, [](L x) { return detail::cut(x, -1, 1); },
                [](L x) { return L(x > -1 && x < 1); }},
        Special{"hard_sigmoid", [](auto x) { return hard_sigmoid(x); },
                [](L x) { return detail::cut(x + 3, 0, 6) / 6; }, [](L x) { return x > -3 && x < 3 ? L(1) / 6 : 0; }},
        Special{"hard_swish", [](auto x) { return hard_swish(x); },
                [](L x) { return x * detail::cut(x + 3, 0, 6) / 6; },
                [](L x) { return x <= -3  ? 0
                                 : x >= 3 ? 1
                                          : x / 3 + 0.5L; }, false}};
}();

/// Every third of them, and their gradients: value, slope, value, slope, … (Kernels are smaller than 256 instructions.)
inline constexpr int special_parts = 3;
template <int part>
struct SpecialFunctions {
    constexpr auto operator()(auto x) const {
        return [&]<std::size_t... i>(std::index_sequence<i...>) {
            return std::tuple_cat(both<i>(x)...);
        }(std::make_index_sequence<std::tuple_size_v<decltype(special_functions)>>{});
    }

private:
    template <std::size_t i>
    static constexpr auto both(auto x) {
        using F = decltype(std::get<i>(special_functions).f);
        if constexpr (i % special_parts != part) return std::tuple{};
        else return std::tuple{F{}(x), gradient([](auto v) { return sum(F{}(v)); })(x)};
    }
};

template <class T>
std::vector<T> special_points() {
    using N = std::numeric_limits<T>;
    std::vector<T> x{0, N::infinity(), N::denorm_min(), N::min(), N::epsilon()};
    for (double v : {0.25, 0.5, 1.0, 3.0, 5.0, 6.0, 8.0, 1000.0}) x.push_back(static_cast<T>(v));
    for (std::size_t i = 0, n = x.size(); i < n; ++i) x.push_back(-x[i]);
    x.push_back(N::quiet_NaN());
    return x;
}

/// What is wrong with the results at these points, or nothing. Values keep their digits, however small, but for the 50
/// times which the argument of gelu's exponential multiplies a rounding; slopes are near the greater of 1 and
/// themselves.
template <int part, class T>
std::string special_difference(const std::vector<T>& x, const std::vector<std::vector<T>>& found) {
    using N = std::numeric_limits<T>;
    std::string wrong;
    const auto examine = [&](const char* name, const char* what, T at, T value, long double wanted, long double least) {
        const long double nearest = static_cast<T>(wanted);  // infinite where T has no such number
        const bool same = std::isnan(wanted) ? std::isnan(value)
                          : std::isinf(nearest) || std::isinf(value)
                              ? static_cast<long double>(value) == nearest
                              : std::abs(value - wanted) <= 200 * N::epsilon() * std::max(std::abs(wanted), least);
        if (!same)
            wrong += sentence(what, " of ", name, " at ", at, ": expected ", static_cast<T>(wanted), ", found ", value,
                              "\n");
    };
    std::size_t at = 0, number = 0;
    const auto one = [&](const auto& s) {
        if (number++ % special_parts != part) return;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (std::isinf(x[i]) && !s.at_infinity) continue;
            examine(s.name, "value", x[i], found.at(at)[i], s.value(x[i]), N::min());
            if (!std::isnan(x[i])) examine(s.name, "slope", x[i], found.at(at + 1)[i], s.slope(x[i]), 1);
        }
        at += 2;
    };
    std::apply([&](const auto&... s) { (one(s), ...); }, special_functions);
    return wrong;
}

}  // namespace sigma::test
