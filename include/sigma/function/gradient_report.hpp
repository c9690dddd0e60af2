// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Results of gradient checks: GradientReport, GradientError. Include `<sigma/check_gradients.hpp>`.
#include <sigma/core/any_function.hpp>
#include <sigma/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sigma {

/// Thrown for a gradient that differs from central differences: "gradient of '1-dense.weights'[3, 2]: expected 0.125
/// (central difference), found 0.25".
///
/// @see GradientReport::require
struct GradientError : MismatchError {
    using MismatchError::MismatchError;
};

/// Options of `check_gradients`.
///
/// @see check_gradients

struct GradientCheckOptions {
    int elements = 100;      ///< Most elements to compare of each parameter or argument, at least 1; drawn by the seed.
    std::uint64_t seed = 0;  ///< Seed of the drawn elements and of the upstream gradient.
    int records = 16;        ///< Most records to use of a data set, spread evenly over it, at least 1.
};

/// A comparison of the gradient in one parameter or argument with central differences.
///
/// @see GradientReport
struct ComparedGradient {
    std::string name;                ///< Name: "1-dense.weights", "argument 0".
    std::size_t elements = 0;        ///< Number of elements.
    std::size_t compared = 0;        ///< Number of compared elements.
    std::size_t kinks = 0;           ///< Number of elements left out at a kink or a jump of the function.
    std::size_t lost = 0;            ///< Number of elements left out since rounding hides their differences.
    double error = 0;                ///< Greatest relative error.
    std::vector<std::size_t> index;  ///< Index of the element with the greatest error.
    double expected = 0;             ///< Central difference of this element.
    double found = 0;                ///< Gradient of this element.

    /// Returns the place of the element with the greatest error: "'1-dense.weights'[3, 2]".
    std::string place() const;
};

/// The result of `check_gradients`.
///
/// The error of an element is |found - expected|, less the rounding of the difference. It is relative to the greater of
/// both, or to a thousandth of the greatest gradient of all if that is more.
/// @par Example
/// @code
/// const GradientReport report = check_gradients(model, training);
/// std::puts(report.text().c_str());
/// report.require(1e-5);
/// @endcode
///
/// @see check_gradients, docs/gradients.md
struct GradientReport {
    std::vector<ComparedGradient> gradients;  ///< Comparisons, one for each parameter or argument.

    /// Returns the comparison with the greatest relative error.
    /// @throws ArgumentError  if nothing has a gradient
    const ComparedGradient& worst() const&;
    /// Returns the comparison with the greatest relative error.
    /// @throws ArgumentError  if nothing has a gradient
    ComparedGradient worst() && { return worst(); }
    /// Returns the greatest relative error.
    /// @throws ArgumentError  if nothing has a gradient
    double worst_error() const { return worst().error; }
    /// Returns the number of compared elements.
    std::size_t compared() const;
    /// Returns the number of elements.
    std::size_t elements() const;
    /// Checks that all compared gradients are right.
    /// @param tolerance  greatest allowed relative error
    /// @throws GradientError  if an element's relative error is above the tolerance, or no element could be compared
    void require(double tolerance = 1e-6) const;
    /// Returns a line for each parameter or argument, and a line for all if there are several.
    std::string text() const;
};

namespace detail {

/// A tensor that is changed to take differences, with rows `stride` elements apart, and its dense gradient.
struct CheckedTensor {
    std::string name;
    std::vector<std::size_t> extents;
    double* data;
    std::size_t stride;
    std::span<const double> gradient;
};
/// Compares gradients with differences. `value()` returns the value of the function at the current tensors.
GradientReport compare_gradients(std::span<const CheckedTensor> tensors, const AnyFunction<double()>& value,
                                 const GradientCheckOptions& options);
/// Returns numbers between 0.5 and 1.5, of either sign.
std::vector<double> upstream_gradient(std::size_t count, std::uint64_t seed, std::uint64_t number);

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/function/impl/gradient_report.ipp>
#endif
