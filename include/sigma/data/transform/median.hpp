// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sigma::data {

/// The exact median of each feature in memory that does not depend on the number of records: the bits of the two middle
/// numbers are found from the highest down by counting, 11, 11 and 10 at a time, so the records are seen three times. The
/// median of an even number of values is the mean of the two in the middle. NaN are passed over.
class Medians {
public:
    explicit Medians(std::size_t features) : features_(features) {}

    void observe(std::span<const float> values, std::size_t records) {
        const float* x = values.data();
        for (std::size_t r = 0; r < records; ++r)
            for (Feature& f : features_) {
                const float value = *x++;
                if (std::isnan(value)) continue;
                const std::uint32_t bits = ordered(value);
                const std::uint32_t prefix = pass_ == 0 ? 0 : bits >> (shift() + width());
                // As long as both have the same prefix the counts of the first serve for both.
                if (prefix == f[0].prefix) ++f[0].counts[bits >> shift() & mask()];
                else if (prefix == f[1].prefix) ++f[1].counts[bits >> shift() & mask()];
            }
    }
    /// Ends a pass and says whether there is another.
    bool again() {
        if (features_.empty()) return false;
        for (Feature& f : features_) {
            if (pass_ == 0) {
                std::uint64_t count = 0;
                for (const std::uint64_t c : f[0].counts) count += c;
                for (Middle& m : f) m.none = count == 0;
                f[0].rank = (count - 1) / 2;
                f[1].rank = count / 2;
            }
            if (f[0].prefix == f[1].prefix) f[1].counts = f[0].counts;
            for (Middle& m : f) m.descend(width());
        }
        return ++pass_ < 3;
    }
    /// After the last pass; NaN where there was no number.
    std::vector<double> medians() const {
        std::vector<double> all;
        for (const Feature& f : features_)
            all.push_back(f[0].none ? std::numeric_limits<double>::quiet_NaN()
                                    : (value_of(f[0].prefix) + value_of(f[1].prefix)) / 2);
        return all;
    }

private:
    struct Middle {
        std::vector<std::uint64_t> counts = std::vector<std::uint64_t>(2048);
        std::uint64_t rank = 0;  ///< how many of those with the prefix come before
        std::uint32_t prefix = 0;
        bool none = false;

        void descend(int bits) {
            std::uint32_t next = 0;
            while (!none && rank >= counts[next]) rank -= counts[next++];
            prefix = prefix << bits | next;
            counts.assign(counts.size(), 0);
        }
    };
    using Feature = std::array<Middle, 2>;

    int width() const { return pass_ < 2 ? 11 : 10; }
    int shift() const { return pass_ == 0 ? 21 : pass_ == 1 ? 10 : 0; }
    std::uint32_t mask() const { return (1u << width()) - 1; }

    /// Whole numbers in the order of the floats.
    static std::uint32_t ordered(float x) {
        const auto bits = std::bit_cast<std::uint32_t>(x);
        return bits >> 31 ? ~bits : bits | 0x80000000u;
    }
    static double value_of(std::uint32_t order) {
        return static_cast<double>(std::bit_cast<float>(order >> 31 ? order & 0x7fffffffu : ~order));
    }

    std::vector<Feature> features_;
    int pass_ = 0;
};

}  // namespace sigma::data
