// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_function.hpp>
#include <sigma/core/array.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/owned.hpp>
#include <sigma/core/shared_owner.hpp>
#include <sigma/data/block.hpp>
#include <sigma/data/number_list.hpp>
#include <sigma/data/numbers.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
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

class FittedTransform;
struct NamedFunction;

/// Transforms with nothing left to learn, each with the section that it acts on: what training data went through, to be
/// applied to validation data and predictions exactly as it was. Immutable and cheap to copy.
class Preprocessing {
public:
    struct Step {
        std::string section;
        sigma::detail::SharedOwner<const FittedTransform> transform;
    };

    Preprocessing() = default;
    explicit Preprocessing(std::vector<Step> steps);

    bool empty() const { return steps_ == nullptr; }
    const std::vector<Step>& steps() const&;
    std::vector<Step> steps() && { return steps(); }

    /// This and then that.
    Preprocessing then(const Preprocessing& next) const;
    /// The sections after it. Throws ShapeError where a transform does not fit; sections that are not there are passed
    /// over, so that inputs without targets can be predicted.
    std::vector<SectionInfo> sections(std::vector<SectionInfo> all) const;
    /// Reads what save_preprocessing, save_parameters or a trainer has written: `transform/preprocessing_file.hpp`.
    /// Functions of the user's are in no file and must be given again under their names. Throws DataError.
    static Preprocessing load(const std::string& file);
    static Preprocessing load(const std::string& file, const std::vector<NamedFunction>& functions);

    /// Raw inputs (records, …) as training saw them, for Model::predict: `transform/predict.hpp`. Steps for other
    /// sections are passed over; throws ArgumentError where there is none for this one, ShapeError where records do not
    /// fit. An array of doubles gives one of doubles, as a dataset of it has them.
    template <AnyArray A>
    Array<sigma::detail::KeptNumberOf<A>> operator()(const A& raw, std::string_view section = "inputs") const;

    /// Predictions (records, …) in the units of the targets: takes back what was done to `section`, where each step
    /// keeps shapes and can be taken back (standardize, min_max, normalize; impute and clamp leave numbers as they
    /// are): `transform/predict.hpp`. Throws ArgumentError, which names the step, where one cannot; ShapeError where
    /// records do not fit.
    template <AnyArray A>
    Array<sigma::detail::KeptNumberOf<A>> inverse(const A& prepared, std::string_view section = "targets") const;

    /// Transforms the records of a block whose sections are `before`.
    void apply(Block& block, std::vector<SectionInfo> before) const;
    /// Takes them back on records of this shape, as `inverse` does.
    void undo(NumberList& values, const std::vector<std::size_t>& shape, std::string_view section) const;

private:
    struct Steps;
    sigma::detail::SharedOwner<const Steps> steps_;  ///< null where there are none
};

}  // namespace sigma::data

namespace sigma::data::detail {

/// What a transform throws about a record of the block it is given: "section 'targets', record 3 of its block: …". Who
/// knows more says where the record stands in all of the data, and who they are.
struct RecordRefused : DataError {
    std::string section;
    std::size_t record;

    RecordRefused(std::string section_, std::size_t record_, std::string expected_, std::string found_);
};

/// Calls f; what it refuses is record number_of(record) of the dataset, if not of a part of it.
template <class NumberOf, class F>
void naming_records(const std::string& dataset, NumberOf number_of, F f) {
    try {
        f();
    } catch (const RecordRefused& refused) {
        throw DataError::in_dataset(dataset,
                                    sentence("section '", refused.section, "', record ", number_of(refused.record)),
                                    refused.expected, refused.found);
    }
}

inline bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// Do both the same to the same section, to the bit? Functions of the user are known by their names alone.
bool alike(const Preprocessing::Step& a, const Preprocessing::Step& b);
bool alike(const Preprocessing& a, const Preprocessing& b);
/// Are the last steps of `all` those of `part`, which has some?
bool ends_with(const Preprocessing& all, const Preprocessing& part);

}  // namespace sigma::data::detail

namespace sigma::data {

namespace detail {

using BlockVisitor = sigma::detail::AnyFunction<void(Block&)>;

/// "'inputs', 'targets'"
template <class All, class Name>
std::string quoted_names(const All& all, Name name) {
    std::string text;
    for (const auto& one : all) text += sentence(text.empty() ? "'" : ", '", name(one), "'");
    return text;
}

[[noreturn, gnu::cold]] void throw_no_such_section(std::string_view dataset, const std::vector<SectionInfo>& there,
                                                   const std::string& transform, const std::string& name);

/// Learns what transforms need, one after the other, from records with these sections. Throws ArgumentError for a
/// section that is not there, ShapeError where a transform does not fit. `pass(visit)` is called for each time that
/// they must be seen; it gives every block to `visit`, which may change it. `dataset` is its name in errors.
Preprocessing learn(const std::vector<SectionInfo>& sections, const std::vector<TransformStep>& steps,
                    const sigma::detail::AnyFunction<void(const BlockVisitor&)>& pass,
                    std::string_view dataset = "data");

}  // namespace detail

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/preprocessing.ipp>
#endif
