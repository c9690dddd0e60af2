// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/number_list.hpp>

#include <cmath>
#include <cstddef>
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

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/moments.ipp>
#endif
