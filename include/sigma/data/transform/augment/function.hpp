// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/data/transform/augmentation.hpp>

namespace sigma::data {

namespace detail {

using AugmentFunction =
    sigma::detail::AnyFunction<void(std::span<float>, std::span<const std::size_t>, PhiloxSequence&)>;

class AugmentBy final : public Augmenter {
public:
    AugmentBy(std::string name, AugmentFunction function);
    std::string text() const override { return sentence("augment_by('", name_, "')"); }
    void apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const override;

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
Augmentation augment_by(std::string name, detail::AugmentFunction function);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/augment/impl/function.ipp>
#endif
