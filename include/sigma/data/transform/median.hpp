// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sigma::data {

/// The exact median of each feature in memory that does not depend on the number of records: the bits of the two middle
/// numbers are found from the highest down by counting, 11, 11 and 10 at a time, so the records are seen three times.
/// The median of an even number of values is the mean of the two in the middle. NaN are passed over.
class Medians {
public:
    explicit Medians(std::size_t features) : features_(features) {}

    void observe(std::span<const float> values, std::size_t records);
    /// Ends a pass and says whether there is another.
    bool again();
    /// After the last pass; NaN where there was no number.
    std::vector<double> medians() const;

private:
    struct Middle {
        std::vector<std::uint64_t> counts = std::vector<std::uint64_t>(2048);
        std::uint64_t rank = 0;  ///< how many of those with the prefix come before
        std::uint32_t prefix = 0;
        bool none = false;

        void descend(int bits);
    };
    using Feature = std::array<Middle, 2>;

    int width() const { return pass_ < 2 ? 11 : 10; }
    int shift() const { return pass_ == 0 ? 21 : pass_ == 1 ? 10 : 0; }
    std::uint32_t mask() const { return (1u << width()) - 1; }

    /// Whole numbers in the order of the floats.
    static std::uint32_t ordered(float x);
    static double value_of(std::uint32_t order);

    std::vector<Feature> features_;
    int pass_ = 0;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/median.ipp>
#endif
