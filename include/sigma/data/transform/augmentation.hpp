// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/data/pipeline/schema.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sigma::data {

/// A random change of one record, in place. Immutable, safe between threads; allocates nothing after its first records.
class Augmenter {
public:
    virtual ~Augmenter() = default;
    /// "shift(2)"
    virtual std::string text() const = 0;
    /// Throws ShapeError for records it cannot change.
    virtual void examine(std::span<const std::size_t>) const {}
    /// `shape` has passed check(), and `record` has as many numbers. A pure function of these and of `random`.
    virtual void apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const = 0;
};

/// Random changes of a record, one after the other: `shift(2) >> flip_horizontal()`.
class Augmentation {
public:
    Augmentation() = default;
    explicit Augmentation(sigma::detail::SharedOwner<const Augmenter> one);

    bool empty() const { return parts_ == nullptr; }
    std::string text() const;
    /// Throws ShapeError where records of this shape cannot be changed so.
    void examine(std::span<const std::size_t> shape) const;
    /// Changes a record in place. `shape` must have passed check().
    void apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const;
    /// The random numbers of one record in one epoch, whatever batch, thread or machine it falls to.
    static constexpr Philox random(std::uint64_t seed, std::uint64_t number_of_epoch, std::uint64_t record) {
        return {Philox(seed, RandomUse::augment, number_of_epoch).bits(record), RandomUse::augment, 0};
    }

    friend Augmentation operator>>(const Augmentation& first, const Augmentation& then) { return first.before(then); }

private:
    struct Parts;
    sigma::detail::SharedOwner<const Parts> parts_;  ///< null where there are none

    Augmentation before(const Augmentation& then) const;
};

/// An augmentation and the input it is for: `minibatches(training, 100) >> augment(inputs, shift(2),
/// flip_horizontal())`.
struct AugmentStep {
    std::string section;  ///< its name; the first input where empty
    Augmentation augmentation;

    std::string text() const;
};

/// The same for an input of that name.
template <Text name>
struct AugmentStepFor : AugmentStep {};

template <std::same_as<Augmentation>... A>
    requires(sizeof...(A) > 0)
AugmentStep augment(const A&... one_after_the_other) {
    return {"", (Augmentation() >> ... >> one_after_the_other)};
}
template <Text name, std::same_as<Augmentation>... A>
    requires(sizeof...(A) > 0)
AugmentStepFor<name> augment(SectionName<name, Role::input> section, const A&... one_after_the_other) {
    return {{section.text(), (Augmentation() >> ... >> one_after_the_other)}};
}
template <Text name, std::same_as<Augmentation>... A>
    requires(sizeof...(A) > 0)
error_only_inputs_can_be_augmented<section<name>> augment(SectionName<name, Role::target>, const A&...);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/augmentation.ipp>
#endif
