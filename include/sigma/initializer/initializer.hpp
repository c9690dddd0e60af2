// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/philox.hpp>
#include <sigma/core/shape.hpp>

#include <cmath>

namespace sigma {

/// How a parameter's elements are drawn before training: a distribution and its scale. Structural, so that a layer can
/// state the default of each of its parameters.
struct Initializer {
    enum class Kind { constant, gaussian, uniform };
    /// By which count of connections the scale is divided before its square root is taken.
    enum class Fan { none, in, average };
    Kind kind = Kind::constant;
    Fan fan = Fan::none;
    double first = 0;   ///< constant: the value; gaussian: mean; uniform: lower end
    double second = 0;  ///< gaussian: deviation; uniform: upper end

    /// Element `i` of a parameter; `random` is the stream of that parameter.
    double draw(const Shape& shape, const Philox& random, std::uint64_t i) const {
        const double s = scale(shape);
        switch (kind) {
            case Kind::gaussian: return first + s * second * random.normal<double>(i);
            case Kind::uniform: return s * (first + (second - first) * random.uniform<double>(i));
            default: return first;
        }
    }
    /// Connections into and out of one unit: for a matrix (in, out) its extents, with further leading axes (a receptive
    /// field) counted in both.
    double scale(const Shape& shape) const {
        if (fan == Fan::none || shape.rank == 0) return 1;
        const double out = shape.last(), in = shape.rank > 1 ? shape[shape.rank - 2] : 1;
        const double field = static_cast<double>(shape.count()) / (in * out);
        return 1 / std::sqrt(field * (fan == Fan::in ? in : (in + out) / 2));
    }
};

}  // namespace sigma
