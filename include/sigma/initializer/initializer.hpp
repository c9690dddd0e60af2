// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/philox.hpp>
#include <sigma/core/shape.hpp>

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

#ifndef SIGMA_COMPILED
#include <sigma/initializer/impl/initializer.ipp>
#endif
