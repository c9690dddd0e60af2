// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/philox.hpp>
#include <sigma/core/shape.hpp>

#include <type_traits>
#include <vector>

namespace sigma::detail {

/// Where an element stands: one number an axis.
struct ElementIndex {
    int rank = 0;
    int at[max_rank]{};

    constexpr ElementIndex() = default;
    constexpr ElementIndex(const Shape& shape, std::uint64_t position) : rank(shape.rank) {
        for (int i = rank - 1; i >= 0; --i) {
            at[i] = static_cast<int>(position % static_cast<std::uint64_t>(shape[i]));
            position /= static_cast<std::uint64_t>(shape[i]);
        }
    }
    constexpr int operator[](int axis) const { return at[axis]; }
};

/// Random numbers for one element, one after the other; every element has its own.
class ElementRandom {
public:
    ElementRandom(const Philox& source, std::uint64_t element) : source_(source), next_(element << 20) {}

    double uniform() { return source_.uniform<double>(advance()); }  ///< in [0, 1)
    double normal() { return source_.normal<double>(advance()); }    ///< standard normal

private:
    Philox source_;
    std::uint64_t next_;

    std::uint64_t advance() { return next_ += 2; }  // a normal number is made of two
};

/// How a parameter's elements are drawn before training: a distribution and its scale. Structural, so that a layer can
/// state the default of each of its parameters.
struct Initializer {
    enum class Kind { constant, gaussian, uniform, truncated, orthogonal, custom };
    /// By which count of connections the scale is divided before its square root is taken.
    enum class Fan { none, in, average };
    /// One step aside: g++ 12 takes the address of a function in no template argument of class type, of a variable it
    /// does.
    struct Custom {
        double (*draw)(const ElementIndex&, const Shape&, ElementRandom&);
        /// Elements that are not drawn, row-major: those of a file. Null where they are.
        std::vector<double> (*known)(const Custom&, const Shape&) = nullptr;
    };
    Kind kind = Kind::constant;
    Fan fan = Fan::none;
    double first = 0;   ///< constant: the value; gaussian, truncated: mean; uniform: lower end
    double second = 0;  ///< gaussian, truncated: deviation; uniform: upper end; orthogonal: gain
    const Custom* custom = nullptr;

    /// Element `i` of a parameter; `random` is the stream of that parameter. All kinds but orthogonal.
    double draw(const Shape& shape, const Philox& random, std::uint64_t i) const;
    /// Connections into and out of one unit: for a matrix (in, out) its extents, with further leading axes (a receptive
    /// field) counted in both.
    double scale(const Shape& shape) const;

    /// Standard normal under the condition that it is at most 2 away from 0: one in twenty-two draws is repeated.
    static double within_two(const Philox& random, std::uint64_t i);
};

}  // namespace sigma::detail

namespace sigma {

/// Every element the same.
constexpr detail::Initializer constant(double value) {
    return {detail::Initializer::Kind::constant, detail::Initializer::Fan::none, value, 0};
}
inline constexpr detail::Initializer zeros = constant(0);
inline constexpr detail::Initializer ones = constant(1);

/// Normally distributed with the given standard deviation and mean.
constexpr detail::Initializer gaussian(double deviation, double mean = 0) {
    return {detail::Initializer::Kind::gaussian, detail::Initializer::Fan::none, mean, deviation};
}

/// Uniformly distributed over [low, high).
constexpr detail::Initializer uniform(double low, double high) {
    return {detail::Initializer::Kind::uniform, detail::Initializer::Fan::none, low, high};
}

/// Normally distributed, but drawn again where further than two deviations from the mean. `deviation` is that of the
/// whole bell; what is left of it has 0.8796 of it.
constexpr detail::Initializer truncated(double deviation, double mean = 0) {
    return {detail::Initializer::Kind::truncated, detail::Initializer::Fan::none, mean, deviation};
}

/// Uniform over ±√(6 / (in + out)), which keeps the variance of activations and of gradients alike (Glorot and Bengio
/// 2010, equation 16); also known as Xavier.
constexpr detail::Initializer glorot() {
    constexpr double root3 = 1.7320508075688772;
    return {detail::Initializer::Kind::uniform, detail::Initializer::Fan::average, -root3, root3};
}
constexpr detail::Initializer glorot_uniform() { return glorot(); }
/// The same variance, 2 / (in + out), normally distributed.
constexpr detail::Initializer glorot_normal() {
    return {detail::Initializer::Kind::gaussian, detail::Initializer::Fan::average, 0, 1};
}

/// Normal with variance 2 / in, for layers followed by relu (He et al. 2015, equation 10).
constexpr detail::Initializer he() {
    constexpr double root2 = 1.4142135623730951;
    return {detail::Initializer::Kind::gaussian, detail::Initializer::Fan::in, 0, root2};
}
constexpr detail::Initializer he_normal() { return he(); }
/// The same variance, uniform over ±√(6 / in).
constexpr detail::Initializer he_uniform() {
    constexpr double root6 = 2.449489742783178;
    return {detail::Initializer::Kind::uniform, detail::Initializer::Fan::in, -root6, root6};
}

/// Normal with variance 1 / in (LeCun et al. 1998, equation 16), for layers followed by selu or tanh.
constexpr detail::Initializer lecun() {
    return {detail::Initializer::Kind::gaussian, detail::Initializer::Fan::in, 0, 1};
}
constexpr detail::Initializer lecun_normal() { return lecun(); }
/// The same variance, uniform over ±√(3 / in).
constexpr detail::Initializer lecun_uniform() {
    constexpr double root3 = 1.7320508075688772;
    return {detail::Initializer::Kind::uniform, detail::Initializer::Fan::in, -root3, root3};
}

/// An initializer whose function holds values of its own, for `Model::initialize`; a layer's declaration cannot store
/// it.
template <class F>
struct CustomInitializer {
    F function;
};

namespace detail {

template <class F>
double custom_value(const F& f, const ElementIndex& index, const Shape& shape, ElementRandom& random) {
    if constexpr (requires { f(index, shape, random); }) return f(index, shape, random);
    else if constexpr (requires { f(index, shape); }) return f(index, shape);
    else return f(index);
}
template <class F>
double custom_draw(const ElementIndex& index, const Shape& shape, ElementRandom& random) {
    return custom_value(F{}, index, shape, random);
}
template <class F>
inline constexpr Initializer::Custom custom_drawing{&custom_draw<F>};

}  // namespace detail

/// Each element from a function of its index, of the parameter's shape, and of random numbers of its own; the later
/// arguments may be left out: `custom([](auto index, auto shape, auto& random) { return random.normal() / shape[0];
/// })`.
template <class F>
    requires std::is_empty_v<F>
constexpr detail::Initializer custom(F) {
    return {detail::Initializer::Kind::custom, detail::Initializer::Fan::none, 0, 0, &detail::custom_drawing<F>};
}
template <class F>
    requires(std::is_class_v<F> && !std::is_empty_v<F>)
constexpr CustomInitializer<F> custom(F f) {
    return {f};
}

/// A random matrix with orthonormal columns, or rows where these are fewer, times `gain` (Saxe et al. 2014, section 3):
/// each such matrix is equally likely. All axes but the last together count as rows. Quadratic in the smaller extent.
constexpr detail::Initializer orthogonal(double gain = 1) {
    return {detail::Initializer::Kind::orthogonal, detail::Initializer::Fan::none, 0, gain};
}

namespace detail {

/// `count` orthonormal vectors of `length`, one after the other: normal ones, from each of which its part along the
/// earlier ones is taken; twice, since once leaves rounding errors (Giraud et al. 2005).
std::vector<double> orthonormal(std::size_t count, std::size_t length, const Philox& random);

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/initializer/impl/initializer.ipp>
#endif
