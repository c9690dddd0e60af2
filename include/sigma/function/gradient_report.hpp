// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sigma {

/// A gradient that is not what differences say: "gradient of '1-dense.weights'[3, 2]: expected 0.125 (central
/// difference), found 0.25".
struct GradientError : MismatchError {
    using MismatchError::MismatchError;
};

struct GradientCheckOptions {
    int elements = 100;      ///< of each parameter or argument at most so many, drawn by the seed
    std::uint64_t seed = 0;  ///< of which elements, and of the upstream gradient
    int records = 16;        ///< of a data set at most so many, spread evenly over it
};

/// The gradient in one parameter or argument beside central differences, and its worst element.
struct ComparedGradient {
    std::string name;                ///< "1-dense.weights", "argument 0"
    std::size_t elements = 0;        ///< of the parameter or argument
    std::size_t compared = 0;        ///< how many of them were compared
    std::size_t kinks = 0;           ///< how many were left out, where the function has a kink or a jump
    std::size_t lost = 0;            ///< how many were left out, since rounding of the values hides their differences
    double error = 0;                ///< the greatest relative error
    std::vector<std::size_t> index;  ///< which element has it
    double expected = 0, found = 0;  ///< its central difference and its gradient

    /// "'1-dense.weights'[3, 2]"
    std::string place() const;
};

/// What `check_gradients` found. The error of an element is |found - expected|, less what rounding makes of the
/// difference, relative to the greater of both, or to a thousandth of the greatest gradient of all where that is more.
struct GradientReport {
    std::vector<ComparedGradient> gradients;

    /// The one with the greatest relative error. Throws ArgumentError where nothing has a gradient.
    const ComparedGradient& worst() const&;
    ComparedGradient worst() && { return worst(); }
    double worst_error() const { return worst().error; }
    /// How many elements were compared, and how many there are.
    std::size_t compared() const;
    std::size_t elements() const;
    /// Throws GradientError where an element's relative error is above the tolerance, or no element could be compared.
    void require(double tolerance = 1e-6) const;
    /// A line for each parameter or argument, and one for all of several.
    std::string text() const;
};

namespace detail {

/// What is moved to take differences, rows that are `stride` elements apart, and its gradient, dense.
struct CheckedTensor {
    std::string name;
    std::vector<std::size_t> extents;
    double* data;
    std::size_t stride;
    std::span<const double> gradient;
};
/// `value()` is that of the function at what the tensors hold.
GradientReport compare_gradients(std::span<const CheckedTensor> tensors, const AnyFunction<double()>& value,
                                 const GradientCheckOptions& options);
/// Between 0.5 and 1.5, of either sign.
std::vector<double> upstream_gradient(std::size_t count, std::uint64_t seed, std::uint64_t number);

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/function/impl/gradient_report.ipp>
#endif
