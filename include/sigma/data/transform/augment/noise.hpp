// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/augment/image.hpp>

#include <array>

namespace sigma::data {

namespace detail {

class Noise final : public Augmenter {
public:
    explicit Noise(double deviation);
    std::string text() const override { return sentence("noise(", deviation_, ")"); }
    void apply(std::span<float> record, std::span<const std::size_t>, Philox random) const override;

private:
    /// By the transform of G. E. P. Box and M. E. Muller (1958) in float: Philox::normal takes twice as long, and 32
    /// bits, up to 6.6 deviations, are plenty for noise.
    static std::array<float, 4> normal(const Philox::Block& words);

    double deviation_;
};

}  // namespace detail

/// Adds a normally distributed number of mean 0 and this deviation to each number, of records of any shape. Throws
/// ArgumentError for a deviation below 0.
Augmentation noise(double deviation);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/augment/impl/noise.ipp>
#endif
