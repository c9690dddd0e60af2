// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/data/block.hpp>
#include <sigma/data/number_list.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::data {

/// A number or a list of numbers that a transform has learned, under a name; what is stored with a model.
struct TransformValue {
    std::string name;
    std::vector<double> values;
};

/// What happens to each record, with nothing left to learn. Acts on one section; immutable, safe between threads.
class FittedTransform {
public:
    virtual ~FittedTransform() = default;
    /// The word it is known by in files, "normalize"; user functions have their own name.
    virtual std::string kind() const = 0;
    /// The extents after it. Throws ShapeError where it does not fit.
    virtual std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const = 0;
    /// Does each number stay in its column?
    virtual bool keeps_columns() const { return false; }
    /// Transforms whole records of that shape, one after the other; may change how many numbers a record has. Floats
    /// stay floats, doubles stay doubles: `values.visit(f)` calls f with the one vector or the other.
    virtual void apply(NumberList& values, std::size_t records, const std::vector<std::size_t>& before) const = 0;
    /// Takes back what `apply` did, on whole records of any shape that it keeps. False where that cannot be.
    virtual bool undo(NumberList& values, const std::vector<std::size_t>& shape) const;
    /// Everything it needs to be made again: what `load.hpp` has for it.
    virtual std::vector<TransformValue> state() const = 0;
};

using FittedPointer = sigma::detail::SharedOwner<const FittedTransform>;

/// What a transform learns from data, a block after the other; `again()` says whether it wants to see them once more.
class TransformFit {
public:
    virtual ~TransformFit() = default;
    /// NaN are missing numbers.
    virtual void observe(const NumberList& values, std::size_t records) = 0;
    virtual bool again() { return false; }
    virtual FittedPointer finish() = 0;
};

/// A transform as the user writes it: standardize(inputs).
class Transform {
public:
    virtual ~Transform() = default;
    /// "standardize", with its options: part of the keys of caches.
    virtual std::string text() const = 0;
    /// Starts learning from records of this section; where nothing is to be learned, null and `fixed` says what it is.
    virtual sigma::detail::Owned<TransformFit> fit(const SectionInfo& section) const = 0;
    virtual FittedPointer fixed(const SectionInfo& section) const = 0;
};

using TransformPointer = sigma::detail::SharedOwner<const Transform>;

/// A transform and the sections it acts on, by name; all sections where none is named.
struct TransformStep {
    TransformPointer transform;
    std::vector<std::string> sections;
};

/// Transforms one after the other: a list that programs hand over and bodies read.
class TransformSteps {
public:
    TransformSteps() = default;
    TransformSteps(std::vector<TransformStep> list);
    /// One for these sections.
    TransformSteps(const TransformPointer& transform, std::span<const std::string_view> sections);

    operator const std::vector<TransformStep>&() const& { return list(); }
    operator std::vector<TransformStep>() && { return list(); }
    const std::vector<TransformStep>& list() const&;
    std::vector<TransformStep> list() && { return list(); }
    bool empty() const { return size() == 0; }
    std::size_t size() const;
    const TransformStep& operator[](std::size_t step) const;

    /// First these, then those.
    TransformSteps operator+(const TransformSteps& those) const;
    /// Steps that name their sections: those that act on all would act on those of other pipelines, too.
    TransformSteps named(std::span<const std::string_view> sections) const;

private:
    sigma::detail::SharedOwner<const std::vector<TransformStep>> list_;  ///< null where there are none
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/transform.ipp>
#endif
