// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/augment/image.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace sigma::data {

namespace detail {

class Noise final : public Augmenter {
public:
    explicit Noise(double deviation) : deviation_(deviation) {
        require_augmentation("noise", deviation >= 0 && std::isfinite(deviation), "a finite deviation of at least 0", deviation);
    }
    std::string text() const override { return sentence("noise(", deviation_, ")"); }
    void apply(std::span<float> record, std::span<const std::size_t>, Philox random) const override {
        std::array<float, 256> drawn;
        for (std::size_t first = 0; first < record.size(); first += drawn.size()) {
            const auto part = record.subspan(first, std::min(drawn.size(), record.size() - first));
            Philox(random.bits(first / drawn.size()), random.stream)
                .fill_normal(std::span(drawn).first(part.size()), 0.0f, static_cast<float>(deviation_));
            for (std::size_t i = 0; i < part.size(); ++i) part[i] += drawn[i];
        }
    }

private:
    double deviation_;
};

}  // namespace detail

/// Adds a normally distributed number of mean 0 and this deviation to each number, of records of any shape. Throws
/// ArgumentError for a deviation below 0.
inline Augmentation noise(double deviation) {
    return Augmentation(std::make_shared<const detail::Noise>(deviation));
}

}  // namespace sigma::data
