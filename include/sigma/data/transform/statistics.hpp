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

/// Mean and sum of squared distances from it, of numbers that come one after the other: B. P. Welford, "Note on a
/// method for calculating corrected sums of squares and products", Technometrics 1962. NaN are passed over.
struct Moments {
    double count = 0, mean = 0, squares = 0;

    void add(double x);
    /// With those of other numbers: T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae and a pairwise algorithm
    /// for computing sample variances", 1979.
    void add(const Moments& more);
    /// Of the numbers themselves, not an estimate for others: divided by their count.
    double deviation() const { return count > 0 ? std::sqrt(squares / count) : 0; }
};

/// Those of each feature. The result does not depend on how records are cut into blocks.
void add_records(std::vector<Moments>& features, const NumberList& values, std::size_t records);

/// The exact median of each feature in memory that does not depend on the number of records: the bits of the two middle
/// numbers are found from the highest down by counting, 11 at a time, so the records are seen three times, doubles six.
/// The median of an even number of values is the mean of the two in the middle. NaN are passed over.
class Medians {
public:
    explicit Medians(std::size_t features) : features_(features) {}

    void observe(const NumberList& values, std::size_t records);
    /// Ends a pass and says whether there is another.
    bool again();
    /// After the last pass; NaN where there was no number.
    std::vector<double> medians() const;

private:
    struct Middle {
        std::vector<std::uint64_t> counts = std::vector<std::uint64_t>(2048);
        std::uint64_t rank = 0;  ///< how many of those with the prefix come before
        std::uint64_t prefix = 0;
        bool none = false;

        void descend(int bits);
    };
    using Feature = std::array<Middle, 2>;

    /// Bits that this pass counts, and those behind them.
    int width() const { return std::min(11, bits_ - 11 * pass_); }
    int shift() const { return bits_ - 11 * pass_ - width(); }
    std::uint64_t mask() const { return (std::uint64_t{1} << width()) - 1; }

    double value_of(std::uint64_t order) const;

    std::vector<Feature> features_;
    int pass_ = 0;
    int bits_ = 32;  ///< of a number: 64 of doubles
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/statistics.ipp>
#endif
