// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/number_list.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sigma::data {

/// @cond internal
/// Mean and sum of squared distances from it, of numbers that come one after the other. Ignores NaN.
/// B. P. Welford, "Note on a method for calculating corrected sums of squares and products", Technometrics 1962.
struct Moments {
    double count = 0;    ///< count of the numbers
    double mean = 0;     ///< mean of the numbers
    double squares = 0;  ///< sum of squared distances from the mean

    /// Adds a number; ignores NaN.
    void add(double x);
    /// Adds the moments of other numbers. T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae and a pairwise
    /// algorithm for computing sample variances", 1979.
    void add(const Moments& more);
    /// Returns the standard deviation of the numbers themselves, divided by their count; not an estimate for others.
    double deviation() const { return count > 0 ? std::sqrt(squares / count) : 0; }
};

/// Adds records to the moments of each feature. The result does not depend on how records are cut into blocks.
void add_records(std::vector<Moments>& features, const NumberList& values, std::size_t records);

/// The exact median of each feature, in memory that does not depend on the number of records. Finds the bits of the two
/// middle numbers from the highest down by counting, 11 at a time: three passes for floats, six for doubles. The median
/// of an even number of values is the mean of the two in the middle. Ignores NaN.
class Medians {
public:
    /// Constructs medians of this many features.
    explicit Medians(std::size_t features) : features_(features) {}

    /// Counts records in the current pass.
    void observe(const NumberList& values, std::size_t records);
    /// Ends a pass and returns whether there is another.
    bool again();
    /// Returns the medians, after the last pass; NaN for a feature without numbers.
    std::vector<double> medians() const;

private:
    struct Middle {
        std::vector<std::uint64_t> counts = std::vector<std::uint64_t>(2048);
        std::uint64_t rank = 0;  ///< numbers with the prefix that come before
        std::uint64_t prefix = 0;
        bool none = false;

        void descend(int bits);
    };
    using Feature = std::array<Middle, 2>;

    /// Returns how many bits this pass counts; `shift` are the bits behind them.
    int width() const { return std::min(11, bits_ - 11 * pass_); }
    int shift() const { return bits_ - 11 * pass_ - width(); }
    std::uint64_t mask() const { return (std::uint64_t{1} << width()) - 1; }

    double value_of(std::uint64_t order) const;

    std::vector<Feature> features_;
    int pass_ = 0;
    int bits_ = 32;  ///< bits of a number: 64 for doubles
};
/// @endcond

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/statistics.ipp>
#endif
