// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Initializers of parameters: constant, gaussian, uniform, truncated, glorot, he, lecun, orthogonal, custom. Included
/// by `<sigma/sigma.hpp>`.
#include <sigma/core/philox.hpp>
#include <sigma/core/shape.hpp>

#include <type_traits>
#include <vector>

namespace sigma::detail {

/// The index of an element: one number for each axis.
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

/// Random numbers for one element, one after the other. Each element has its own.
class ElementRandom {
public:
    ElementRandom(const Philox& source, std::uint64_t element) : source_(source), next_(element << 20) {}

    double uniform() { return source_.uniform<double>(advance()); }  ///< Returns a number in [0, 1).
    double normal() { return source_.normal<double>(advance()); }    ///< Returns a standard normal number.

private:
    Philox source_;
    std::uint64_t next_;

    std::uint64_t advance() { return next_ += 2; }  // a normal number is made of two
};

/// The distribution of a parameter's elements before training, and its scale. It is structural, so that a layer can
/// hold the default of each of its parameters.
struct Initializer {
    enum class Kind { constant, gaussian, uniform, truncated, orthogonal, custom };
    /// The count of connections that divides the variance.
    enum class Fan { none, in, average };
    /// A function that draws elements. It is a variable: g++ 12 accepts no address of a function in a template argument
    /// of class type.
    struct Custom {
        double (*draw)(const ElementIndex&, const Shape&, ElementRandom&);
        /// Returns all elements, row-major, if they are not drawn but read from a file. Null if they are drawn.
        std::vector<double> (*known)(const Custom&, const Shape&) = nullptr;
    };
    Kind kind = Kind::constant;
    Fan fan = Fan::none;
    double first = 0;   ///< constant: the value. gaussian, truncated: the mean. uniform: the lower end.
    double second = 0;  ///< gaussian, truncated: the deviation. uniform: the upper end. orthogonal: the gain.
    const Custom* custom = nullptr;

    /// Returns element `i` of a parameter; `random` is the stream of this parameter. Not for orthogonal.
    double draw(const Shape& shape, const Philox& random, std::uint64_t i) const;
    /// Returns the factor 1 / √connections. A matrix (in, out) has its extents as connections; further leading axes (a
    /// receptive field) count in both.
    double scale(const Shape& shape) const;

    /// Returns a standard normal number within 2 of 0: one in twenty-two draws is repeated.
    static double within_two(const Philox& random, std::uint64_t i);
};

}  // namespace sigma::detail

namespace sigma {

/// Initializes all elements with one value.
/// @param value  the value
/// @return the initializer
///
/// @par Example
/// @code
/// struct Open : Network<Input(784) + Dense(64, relu, {.biases = constant(0.1)}) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see zeros, ones, docs/initializers.md
constexpr detail::Initializer constant(double value) {
    return {detail::Initializer::Kind::constant, detail::Initializer::Fan::none, value, 0};
}
/// Initializes all elements with 0.
///
/// @see constant
inline constexpr detail::Initializer zeros = constant(0);
/// Initializes all elements with 1.
///
/// @see constant
inline constexpr detail::Initializer ones = constant(1);

/// Draws elements from a normal distribution.
/// @param deviation  standard deviation, at least 0
/// @param mean  mean. Default: 0.
/// @return the initializer
///
/// @par Example
/// @code
/// model.initialize({{"*.weights", gaussian(0.02)}, {"*.biases", zeros}});
/// @endcode
///
/// @see truncated, he, lecun
constexpr detail::Initializer gaussian(double deviation, double mean = 0) {
    return {detail::Initializer::Kind::gaussian, detail::Initializer::Fan::none, mean, deviation};
}

/// Draws elements uniformly from [low, high).
/// @param low  lower end
/// @param high  upper end, not included
/// @return the initializer
///
/// @par Example
/// @code
/// model.initialize({{"*.weights", uniform(-0.1, 0.1)}});
/// @endcode
///
/// @see glorot
constexpr detail::Initializer uniform(double low, double high) {
    return {detail::Initializer::Kind::uniform, detail::Initializer::Fan::none, low, high};
}

/// Draws elements from a normal distribution and repeats draws more than two deviations from the mean.
/// @param deviation  standard deviation of the whole normal distribution. That of the drawn elements is 0.8796 times
/// this.
/// @param mean  mean. Default: 0.
/// @return the initializer
///
/// @par Example
/// @code
/// model.initialize({{"*.weights", truncated(0.02)}});
/// @endcode
///
/// @see gaussian
constexpr detail::Initializer truncated(double deviation, double mean = 0) {
    return {detail::Initializer::Kind::truncated, detail::Initializer::Fan::none, mean, deviation};
}

/// Draws elements uniformly from ±√(6 / (in + out)) (Glorot and Bengio 2010, equation 16; also called Xavier).
///
/// It keeps the variance of activations and of gradients alike. in and out are the last two extents of a parameter,
/// times its further extents. It is the default of most weights.
/// @return the initializer
///
/// @par Example
/// @code
/// struct Plain : Network<Input(784) + Dense(64, tanh, {.weights = glorot()}) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see glorot_normal, he
constexpr detail::Initializer glorot() {
    constexpr double root3 = 1.7320508075688772;
    return {detail::Initializer::Kind::uniform, detail::Initializer::Fan::average, -root3, root3};
}
/// Draws elements as `glorot()` does.
/// @return the initializer
///
/// @see glorot
constexpr detail::Initializer glorot_uniform() { return glorot(); }
/// Draws elements from a normal distribution with the variance of `glorot()`, 2 / (in + out).
/// @return the initializer
///
/// @see glorot
constexpr detail::Initializer glorot_normal() {
    return {detail::Initializer::Kind::gaussian, detail::Initializer::Fan::average, 0, 1};
}

/// Draws elements from a normal distribution with variance 2 / in, for layers before relu (He et al. 2015, equation
/// 10).
/// @return the initializer
///
/// @par Example
/// @code
/// struct Deep : Network<Input(784) + Dense(64, relu, {.weights = he()}) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see he_uniform, glorot, lecun
constexpr detail::Initializer he() {
    constexpr double root2 = 1.4142135623730951;
    return {detail::Initializer::Kind::gaussian, detail::Initializer::Fan::in, 0, root2};
}
/// Draws elements as `he()` does.
/// @return the initializer
///
/// @see he
constexpr detail::Initializer he_normal() { return he(); }
/// Draws elements uniformly from ±√(6 / in), with the variance of `he()`.
/// @return the initializer
///
/// @see he
constexpr detail::Initializer he_uniform() {
    constexpr double root6 = 2.449489742783178;
    return {detail::Initializer::Kind::uniform, detail::Initializer::Fan::in, -root6, root6};
}

/// Draws elements from a normal distribution with variance 1 / in, for layers before selu or tanh (LeCun et al. 1998).
///
/// See equation 16 of the paper.
/// @return the initializer
///
/// @par Example
/// @code
/// struct Selu : Network<Input(784) + Dense(64, selu, {.weights = lecun()}) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see lecun_uniform, he, selu
constexpr detail::Initializer lecun() {
    return {detail::Initializer::Kind::gaussian, detail::Initializer::Fan::in, 0, 1};
}
/// Draws elements as `lecun()` does.
/// @return the initializer
///
/// @see lecun
constexpr detail::Initializer lecun_normal() { return lecun(); }
/// Draws elements uniformly from ±√(3 / in), with the variance of `lecun()`.
/// @return the initializer
///
/// @see lecun
constexpr detail::Initializer lecun_uniform() {
    constexpr double root3 = 1.7320508075688772;
    return {detail::Initializer::Kind::uniform, detail::Initializer::Fan::in, -root3, root3};
}

/// An initializer with a function that captures values. `Model::initialize` accepts it, options of layers do not.
/// @tparam F  type of the function
///
/// @see custom
template <class F>
struct CustomInitializer {
    F function;  ///< Function that draws an element.
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

/// Draws each element by a function.
///
/// The function receives the index of the element, the shape of the parameter, and random numbers of this element:
/// `function(index, shape, random)`. It may leave out the last arguments. `index[axis]` and `shape[axis]` are numbers;
/// `random.uniform()` is in [0, 1), `random.normal()` is standard normal. The function must not capture values.
/// @tparam F  type of the function
/// @param function  a captureless function object that returns a number
/// @return the initializer
///
/// @par Example
/// @code
/// model.initialize({{"1-dense.weights",
///                    custom([](auto, auto shape, auto& random) { return random.normal() / shape[0]; })}});
/// @endcode
///
/// @see CustomInitializer
template <class F>
    requires std::is_empty_v<F>
constexpr detail::Initializer custom([[maybe_unused]] F function) {
    return {detail::Initializer::Kind::custom, detail::Initializer::Fan::none, 0, 0, &detail::custom_drawing<F>};
}
/// Draws each element by a function that captures values, for `Model::initialize`.
/// @tparam F  type of the function
/// @param function  a function object that returns a number, see the overload without captures
/// @return the initializer
///
/// @see CustomInitializer
template <class F>
    requires(std::is_class_v<F> && !std::is_empty_v<F>)
constexpr CustomInitializer<F> custom(F function) {
    return {function};
}

/// Draws a random matrix with orthonormal columns, or rows if these are fewer (Saxe et al. 2014, section 3).
///
/// All such matrices are equally likely. The last axis counts as columns, all others together as rows. The time is
/// quadratic in the smaller extent.
/// @param gain  factor on all elements. Default: 1.
/// @return the initializer
///
/// @par Example
/// @code
/// struct Tagger : Network<Input(20, 8) + Linear(8, tanh, {.weights = orthogonal()}) + Linear(5) + SoftmaxCE()> {};
/// @endcode
///
/// @see LSTM
constexpr detail::Initializer orthogonal(double gain = 1) {
    return {detail::Initializer::Kind::orthogonal, detail::Initializer::Fan::none, 0, gain};
}

namespace detail {

/// Returns `count` orthonormal vectors of `length`, one after the other. Each is normal, without its part along the
/// earlier ones; this part is subtracted twice, against rounding errors (Giraud et al. 2005).
std::vector<double> orthonormal(std::size_t count, std::size_t length, const Philox& random);

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/initializer/impl/initializer.ipp>
#endif
