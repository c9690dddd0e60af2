// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Base classes of transforms, for a transform of your own. Included by `<sigma/data/data.hpp>`.

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

/// A number or a list of numbers that a transform has learned, with a name. Files store it with a model.
///
/// @see FittedTransform::state
struct TransformValue {
    std::string name;            ///< name, such as "mean"
    std::vector<double> values;  ///< one number, or one for each feature
};

/// The base class of transforms that have learned everything: what happens to each record of one section. Immutable,
/// and safe to use from several threads.
///
/// @see Preprocessing, docs/transforms.md
class FittedTransform {
public:
    virtual ~FittedTransform() = default;
    /// Returns the name in files, such as "normalize". Functions of `apply` return the name that you gave them.
    virtual std::string kind() const = 0;
    /// Returns the extents of a record after the transform.
    /// @param before  extents before it
    /// @throws ShapeError  if the transform does not fit
    virtual std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const = 0;
    /// Returns whether each number stays in its column.
    virtual bool keeps_columns() const { return false; }
    /// Transforms whole records in place. May change the count of numbers in a record. Floats stay floats and doubles
    /// stay doubles: `values.visit(f)` calls f with the vector of either type.
    /// @param values   numbers of the records, one record after the other
    /// @param records  number of records
    /// @param before   extents of a record
    virtual void apply(NumberList& values, std::size_t records, const std::vector<std::size_t>& before) const = 0;
    /// Undoes `apply` on whole records.
    /// @param values  numbers of the records, one record after the other
    /// @param shape   extents of a record, which `apply` keeps
    /// @return false if the transform cannot be undone
    SIGMA_IMPL virtual bool undo(NumberList& values, const std::vector<std::size_t>& shape) const;
    /// Returns everything from which a file can restore the transform.
    virtual std::vector<TransformValue> state() const = 0;
};
/// A shared pointer to a transform that has learned everything.
///
/// @see FittedTransform
using FittedPointer = sigma::detail::SharedOwner<const FittedTransform>;

/// The base class of what learns a transform from data, a block at a time.
///
/// @see Transform
class TransformFit {
public:
    virtual ~TransformFit() = default;
    /// Learns from records.
    /// @param values   numbers of the records, NaN if missing
    /// @param records  number of records
    virtual void observe(const NumberList& values, std::size_t records) = 0;
    /// Ends a pass over the data.
    /// @return whether another pass is needed
    virtual bool again() { return false; }
    /// Returns the transform with what it has learned.
    virtual FittedPointer finish() = 0;
};

/// The base class of transforms as you write them: `standardize(inputs)`.
///
/// @see standardize, docs/transforms.md
class Transform {
public:
    virtual ~Transform() = default;
    /// Returns the name with the options, "standardize()". Caches use it as a part of their keys.
    virtual std::string text() const = 0;
    /// Starts to learn from records of a section.
    /// @param section  the section before the transform
    /// @return the fit, or null if there is nothing to learn; then `fixed` returns the transform
    virtual sigma::detail::Owned<TransformFit> fit(const SectionInfo& section) const = 0;
    /// Returns a transform that has nothing to learn.
    /// @param section  the section before the transform
    virtual FittedPointer fixed(const SectionInfo& section) const = 0;
};

/// A shared pointer to a transform.
///
/// @see Transform
using TransformPointer = sigma::detail::SharedOwner<const Transform>;

/// A transform and the names of its sections; none means all sections.
///
/// @see TransformSteps
struct TransformStep {
    TransformPointer transform;         ///< the transform
    std::vector<std::string> sections;  ///< names of its sections; empty: all sections
};

/// A shared list of transforms, one after the other.
///
/// @see Pipeline
class TransformSteps {
public:
    /// Constructs an empty list.
    TransformSteps() = default;
    /// Constructs a list of these steps.
    /// @param list  the steps, in order
    TransformSteps(std::vector<TransformStep> list);
    /// Constructs a list of one transform.
    /// @param transform  the transform
    /// @param sections   names of its sections; empty: all sections
    TransformSteps(const TransformPointer& transform, std::span<const std::string_view> sections);

    /// Converts to a vector.
    operator const std::vector<TransformStep>&() const& { return list(); }
    /// Converts to a vector.
    operator std::vector<TransformStep>() && { return list(); }
    /// Returns the steps.
    const std::vector<TransformStep>& list() const&;
    /// @copydoc list
    std::vector<TransformStep> list() && { return list(); }
    /// Returns whether there are no steps.
    bool empty() const { return size() == 0; }
    /// Returns the number of steps.
    std::size_t size() const;
    /// Returns a step.
    /// @param step  number of the step, from 0
    const TransformStep& operator[](std::size_t step) const;

    /// Returns these steps, followed by those.
    /// @param those  the steps to append
    TransformSteps operator+(const TransformSteps& those) const;
    /// Returns the steps with their sections named. In a `zip`, steps for all sections of one pipeline must not act on
    /// the sections of another.
    /// @param sections  names of all sections of this pipeline
    TransformSteps named(std::span<const std::string_view> sections) const;

private:
    sigma::detail::SharedOwner<const std::vector<TransformStep>> list_;  ///< null: no steps
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/transform.ipp>
#endif
