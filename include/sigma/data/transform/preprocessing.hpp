// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `Preprocessing`: transforms with what they have learned. Included by `<sigma/sigma.hpp>`.

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

/// Transforms with what they have learned, each with the section that it acts on.
///
/// Preprocessing repeats what training data went through, for validation data and for predictions. It can be stored
/// with a model. It is immutable and cheap to copy.
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// struct Wines : Network<Input(13) + Dense(3) + SoftmaxCE()> {};
/// const auto wines = wine() >> standardize(inputs);
/// const Preprocessing& preprocessing = wines.preprocessing();
/// const auto raw = Array<float>::from_shape({2, 13});
/// const auto probabilities = Model<Wines>(42).predict(preprocessing(raw));
/// @endcode
///
/// @see fitted, save_preprocessing, docs/transforms.md
class Preprocessing {
public:
    /// A transform with what it has learned, and its section.
    ///
    /// @see Preprocessing::steps
    struct Step {
        std::string section;                                          ///< name of the section that it acts on
        sigma::detail::SharedOwner<const FittedTransform> transform;  ///< the transform
    };

    /// Constructs preprocessing that changes nothing.
    Preprocessing() = default;
    /// Constructs preprocessing of these steps, in this order.
    /// @param steps  transforms with their sections
    explicit Preprocessing(std::vector<Step> steps);

    /// Returns whether there are no steps.
    bool empty() const { return steps_ == nullptr; }
    /// Returns the steps, the first one first.
    const std::vector<Step>& steps() const&;
    /// @copydoc steps
    std::vector<Step> steps() &&;

    /// Returns these steps, followed by those of `next`.
    /// @param next  the preprocessing to apply afterwards
    Preprocessing then(const Preprocessing& next) const;
    /// Returns the sections after these steps. Ignores steps for sections that are not in the list, so that you can
    /// predict inputs without targets.
    /// @param all  the sections before
    /// @throws ShapeError  if a transform does not fit
    std::vector<SectionInfo> sections(std::vector<SectionInfo> all) const;
    /// Reads preprocessing from a file of `save_preprocessing`, `save_parameters` or a trainer. Include
    /// `<sigma/data/data.hpp>` or `<sigma/data/transform/preprocessing_file.hpp>`.
    /// @param file  path of the file
    /// @return the preprocessing
    /// @throws DataError  if the file cannot be read, is damaged, or names a function of `apply`, which you must pass
    static Preprocessing load(const std::string& file);
    /// Reads preprocessing with functions of yours from a file.
    /// @param file       path of the file
    /// @param functions  functions of `apply`, which no file contains, with their names: `{{"log", f}}`
    /// @return the preprocessing
    /// @throws DataError  if the file cannot be read, is damaged, or names another function
    static Preprocessing load(const std::string& file, const std::vector<NamedFunction>& functions);

    /// Transforms raw inputs as the training data was transformed, for `Model::predict`. Steps for other sections are
    /// ignored. Include `<sigma/data/data.hpp>` or `<sigma/data/transform/on_datasets.hpp>`.
    ///
    /// @param raw      any array of shape (records, …)
    /// @param section  name of the section, default "inputs"
    /// @return the transformed records: doubles if `raw` is of double, else floats
    /// @throws ArgumentError  if no step is for this section. "inputs" stay unchanged if all steps are for "targets"
    /// @throws ShapeError     if the records do not fit
    template <AnyArray A>
    Array<sigma::detail::KeptNumberOf<A>> operator()(const A& raw, std::string_view section = "inputs") const;

    /// Converts predictions back to the units of the targets, by undoing the steps of a section.
    ///
    /// Each step must keep shapes and be reversible: standardize, min_max, normalize. impute and clamp leave numbers as
    /// they are. Include `<sigma/data/data.hpp>` or `<sigma/data/transform/on_datasets.hpp>`.
    ///
    /// @code
    /// using namespace sigma::data;
    /// const auto houses = california_housing() >> standardize(targets);
    /// const auto predicted = Array<float>::from_shape({2, 1});
    /// const Array<float> dollars = houses.preprocessing().inverse(predicted);
    /// @endcode
    ///
    /// @param prepared  any array of shape (records, …)
    /// @param section   name of the section, default "targets"
    /// @return the converted records: doubles if `prepared` is of double, else floats
    /// @throws ArgumentError  if a step cannot be undone; the error names the step
    /// @throws ShapeError     if the records do not fit
    template <AnyArray A>
    Array<sigma::detail::KeptNumberOf<A>> inverse(const A& prepared, std::string_view section = "targets") const;

    /// Transforms the records of a block in place.
    /// @param block   the block
    /// @param before  its sections before the steps
    /// @throws ArgumentError  if a transform gives another number or type of numbers than it declares
    /// @throws ShapeError     if a transform does not fit the records
    void apply(Block& block, std::vector<SectionInfo> before) const;
    /// Undoes the steps of a section on records in place, as `inverse` does.
    /// @param values   the numbers of the records
    /// @param shape    extents of one record
    /// @param section  name of the section
    /// @throws ArgumentError  if a transform of the section cannot be reversed
    void undo(NumberList& values, const std::vector<std::size_t>& shape, std::string_view section) const;

private:
    struct Steps;
    sigma::detail::SharedOwner<const Steps> steps_;  ///< null: no steps
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/preprocessing.ipp>
#endif
