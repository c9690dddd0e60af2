// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/array.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/data/block.hpp>
#include <sigma/data/number_list.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::data {

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
    std::vector<Step> steps() &&;

    /// This and then that.
    Preprocessing then(const Preprocessing& next) const;
    /// The sections after it. Throws ShapeError where a transform does not fit; sections that are not there are passed
    /// over, so that inputs without targets can be predicted.
    std::vector<SectionInfo> sections(std::vector<SectionInfo> all) const;
    /// Reads what save_preprocessing, save_parameters or a trainer has written: `transform/preprocessing_file.hpp`.
    /// Functions of the user's are in no file and must be given again under their names. Throws DataError.
    static Preprocessing load(const std::string& file);
    static Preprocessing load(const std::string& file, const std::vector<NamedFunction>& functions);

    /// Raw inputs (records, …) as training saw them, for Model::predict: `transform/on_datasets.hpp`. Steps for other
    /// sections are passed over; throws ArgumentError where there is none for this one, ShapeError where records do not
    /// fit. An array of doubles gives one of doubles, as a dataset of it has them.
    template <AnyArray A>
    Array<sigma::detail::KeptNumberOf<A>> operator()(const A& raw, std::string_view section = "inputs") const;

    /// Predictions (records, …) in the units of the targets: takes back what was done to `section`, where each step
    /// keeps shapes and can be taken back (standardize, min_max, normalize; impute and clamp leave numbers as they
    /// are): `transform/on_datasets.hpp`. Throws ArgumentError, which names the step, where one cannot; ShapeError
    /// where records do not fit.
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

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/preprocessing.ipp>
#endif
