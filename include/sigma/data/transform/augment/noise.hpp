// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/augment/image.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace sigma::data {

namespace detail {

class Noise final : public Augmenter {
public:
    explicit Noise(double deviation) : deviation_(deviation) {
        require_augmentation("noise", deviation >= 0 && std::isfinite(deviation), "a finite deviation of at least 0", deviation);
    }
    std::string text() const override { return sentence("noise(", deviation_, ")"); }
    void apply(std::span<float> record, std::span<const std::size_t>, Philox random) const override {
        const auto deviation = static_cast<float>(deviation_);
        for (std::size_t first = 0; first < record.size(); first += 4) {
            const auto four = normal(random.block(first / 4));
            const std::size_t count = std::min<std::size_t>(4, record.size() - first);
            for (std::size_t i = 0; i < count; ++i) record[first + i] += deviation * four[i];
        }
    }

private:
    /// By the transform of G. E. P. Box and M. E. Muller (1958) in float: Philox::normal takes twice as long, and 32
    /// bits, up to 6.6 deviations, are plenty for noise.
    static std::array<float, 4> normal(const Philox::Block& words) {
        std::array<float, 4> all;
        for (std::size_t i = 0; i < 4; i += 2) {
            const float radius = std::sqrt(-2.0f * std::log((static_cast<float>(words[i]) + 1.0f) * 0x1p-32f));
            const float angle = 2 * std::numbers::pi_v<float> * Philox::unit(words[i + 1]);
            all[i] = radius * std::cos(angle);
            all[i + 1] = radius * std::sin(angle);
        }
        return all;
    }

    double deviation_;
};

}  // namespace detail

/// Adds a normally distributed number of mean 0 and this deviation to each number, of records of any shape. Throws
/// ArgumentError for a deviation below 0.
inline Augmentation noise(double deviation) {
    return Augmentation(std::make_shared<const detail::Noise>(deviation));
}

}  // namespace sigma::data
