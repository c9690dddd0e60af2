// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/array.hpp>
#include <sigma/data/transform/named_function.hpp>
#include <sigma/data/transform/transform.hpp>

#include <string_view>

namespace sigma::data {

/// Transforms with nothing left to learn, each with the section that it acts on: what training data went through, to be
/// applied to validation data and predictions exactly as it was. Immutable and cheap to copy.
class Preprocessing {
public:
    struct Step {
        std::string section;
        std::shared_ptr<const FittedTransform> transform;
    };

    Preprocessing() = default;
    explicit Preprocessing(std::vector<Step> steps) : steps_(std::move(steps)) {}

    bool empty() const { return steps_.empty(); }
    const std::vector<Step>& steps() const { return steps_; }

    /// This and then that.
    Preprocessing then(const Preprocessing& next) const;
    /// The sections after it. Throws ShapeError where a transform does not fit; sections that are not there are passed over,
    /// so that inputs without targets can be predicted.
    std::vector<SectionInfo> sections(std::vector<SectionInfo> all) const;
    /// Reads what save_preprocessing, save_parameters or a trainer has written: `transform/preprocessing_file.hpp`. Functions
    /// of the user's are in no file and must be given again under their names. Throws DataError.
    static Preprocessing load(const std::string& file, const std::vector<NamedFunction>& functions = {});

    /// Raw inputs (records, …) as training saw them, for Model::predict: `transform/predict.hpp`. Steps for other sections are
    /// passed over; throws ArgumentError where there is none for this one, ShapeError where records do not fit.
    template <AnyArray A>
    Array<float> operator()(const A& raw, std::string_view section = "inputs") const;

    /// Transforms the records of a block whose sections are `before`.
    void apply(Block& block, std::vector<SectionInfo> before) const;

private:
    std::vector<Step> steps_;
};

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

/// Learns what transforms need, one after the other, from records with these sections. Throws ArgumentError for a section
/// that is not there, ShapeError where a transform does not fit. `pass(visit)` is called for each
/// time that they must be seen; it gives every block to `visit`, which may change it. `dataset` is its name in errors.
Preprocessing learn(const std::vector<SectionInfo>& sections, const std::vector<TransformStep>& steps,
                    const sigma::detail::AnyFunction<void(const BlockVisitor&)>& pass, std::string_view dataset = "data");

}  // namespace detail

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/preprocessing.ipp>
#endif
