// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/augmentation.hpp>

#include <functional>

namespace sigma::data {

namespace detail {

using AugmentFunction = std::function<void(std::span<float>, std::span<const std::size_t>, PhiloxSequence&)>;

class AugmentBy final : public Augmenter {
public:
    AugmentBy(std::string name, AugmentFunction function) : name_(std::move(name)), function_(std::move(function)) {
        if (!function_) throw ArgumentError(sentence("augment_by('", name_, "')"), "a function", "an empty one");
    }
    std::string text() const override { return sentence("augment_by('", name_, "')"); }
    void apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const override {
        PhiloxSequence drawn{random};
        function_(record, shape, drawn);
    }

private:
    std::string name_;
    AugmentFunction function_;
};

}  // namespace detail

/// A change of the user's. It gets the numbers of one record, their shape, and random numbers; it may be called from
/// several threads.
///
///     augment_by("darker", [](std::span<float> record, std::span<const std::size_t>, PhiloxSequence& random) {
///         const auto by = static_cast<float>(Philox::unit(random.bits()));
///         for (float& x : record) x *= by;
///     })
inline Augmentation augment_by(std::string name, detail::AugmentFunction function) {
    return Augmentation(std::make_shared<const detail::AugmentBy>(std::move(name), std::move(function)));
}

}  // namespace sigma::data
