// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `Augmentation`, `augment`, and the base class `Augmenter`. Included by `<sigma/sigma.hpp>`.

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

/// The base class of augmentations: a random change of one record, in place. Immutable, and safe to use from several
/// threads. Allocates nothing after its first records.
///
/// @see augment_by, which needs no class
class Augmenter {
public:
    virtual ~Augmenter() = default;
    /// Returns the name with the options, "shift(2)".
    virtual std::string text() const = 0;
    /// Checks the extents of records.
    /// @param shape  extents of a record
    /// @throws ShapeError  if the augmentation cannot change such records
    virtual void examine([[maybe_unused]] std::span<const std::size_t> shape) const {}
    /// Changes a record in place: a pure function of its arguments.
    /// @param record  numbers of the record
    /// @param shape   its extents, which `examine` has accepted
    /// @param random  random numbers for this record
    virtual void apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const = 0;
};

/// Random changes of a record, one after the other: `shift(2) >> flip_horizontal()`.
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const Augmentation changes = shift(2) >> flip_horizontal();
/// const auto batches = minibatches(training, 100) >> augment(inputs, changes);
/// @endcode
///
/// @see augment, docs/minibatches.md
class Augmentation {
public:
    /// Constructs an augmentation that changes nothing.
    Augmentation() = default;
    /// Constructs an augmentation of one change.
    /// @param one  the change
    explicit Augmentation(sigma::detail::SharedOwner<const Augmenter> one);

    /// Returns whether it changes nothing.
    bool empty() const { return parts_ == nullptr; }
    /// Returns the names of its changes with their options.
    std::string text() const;
    /// Checks the extents of records.
    /// @param shape  extents of a record
    /// @throws ShapeError  if a change does not fit such records
    void examine(std::span<const std::size_t> shape) const;
    /// Changes a record in place.
    /// @param record  numbers of the record
    /// @param shape   its extents, which `examine` has accepted
    /// @param random  random numbers for this record
    void apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const;
    /// Returns the random numbers of one record in one epoch. They do not depend on batch, thread or machine.
    /// @param seed             seed of the minibatches
    /// @param number_of_epoch  number of the epoch, from 0
    /// @param record           place of the record in the order of the epoch, from 0
    static constexpr Philox random(std::uint64_t seed, std::uint64_t number_of_epoch, std::uint64_t record) {
        return {Philox(seed, RandomUse::augment, number_of_epoch).bits(record), RandomUse::augment, 0};
    }

    /// Joins two augmentations.
    /// @param first  the changes to make first
    /// @param then   the changes to make after them
    /// @return both, one after the other
    friend Augmentation operator>>(const Augmentation& first, const Augmentation& then) { return first.before(then); }

private:
    struct Parts;
    sigma::detail::SharedOwner<const Parts> parts_;  ///< null: no changes

    Augmentation before(const Augmentation& then) const;
};

/// An augmentation and the input that it changes.
///
/// @see augment
struct AugmentStep {
    std::string section;        ///< name of the input; empty: the first input
    Augmentation augmentation;  ///< random changes of that input

    /// Returns the names of its changes with their options.
    std::string text() const;
};

/// An augmentation of an input with a name that the compiler knows.
///
/// @see augment
template <Text name>
struct AugmentStepFor : AugmentStep {};

/// Augments the first input of minibatches: changes the copies of its records at random, in a new way in each epoch.
///
/// @param one_after_the_other  augmentations, such as `shift(2), flip_horizontal()`
/// @return a step to add to minibatches with `>>`
///
/// @par Example
/// @code
/// const auto batches = minibatches(training, 100) >> data::augment(data::shift(2), data::noise(0.1));
/// @endcode
///
/// @see shift, crop, flip_horizontal, rotate, erase, noise, augment_by, docs/minibatches.md
template <std::same_as<Augmentation>... A>
    requires(sizeof...(A) > 0)
AugmentStep augment(const A&... one_after_the_other) {
    return {"", (Augmentation() >> ... >> one_after_the_other)};
}
/// Augments one input of minibatches: `augment(inputs, shift(2), flip_horizontal())`.
/// @param section              the input: `inputs`, `input<"image">`
/// @param one_after_the_other  augmentations, such as `shift(2), flip_horizontal()`
/// @return a step to add to minibatches with `>>`
template <Text name, std::same_as<Augmentation>... A>
    requires(sizeof...(A) > 0)
AugmentStepFor<name> augment(SectionName<name, Role::input> section, const A&... one_after_the_other) {
    return {{section.text(), (Augmentation() >> ... >> one_after_the_other)}};
}
/// @cond internal
template <Text name, std::same_as<Augmentation>... A>
    requires(sizeof...(A) > 0)
error_only_inputs_can_be_augmented<section<name>> augment(SectionName<name, Role::target>, const A&...);
/// @endcond

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/augmentation.ipp>
#endif
