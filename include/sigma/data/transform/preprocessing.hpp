// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/named_function.hpp>
#include <sigma/data/transform/transform.hpp>

#include <algorithm>
#include <functional>
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
    Preprocessing then(const Preprocessing& next) const {
        Preprocessing both = *this;
        both.steps_.insert(both.steps_.end(), next.steps_.begin(), next.steps_.end());
        return both;
    }
    /// The sections after it. Throws ShapeError where a transform does not fit; sections that are not there are passed over,
    /// so that inputs without targets can be predicted.
    std::vector<SectionInfo> sections(std::vector<SectionInfo> all) const {
        for (const Step& step : steps_)
            for (SectionInfo& s : all)
                if (s.name == step.section) {
                    s.shape = step.transform->shape(s.shape);
                    if (!step.transform->keeps_columns()) s.columns.clear();
                }
        return all;
    }
    /// Reads what save_preprocessing, save_parameters or a trainer has written: `transform/preprocessing_file.hpp`. Functions
    /// of the user's are in no file and must be given again under their names. Throws DataError.
    static Preprocessing load(const std::string& file, const std::vector<NamedFunction>& functions = {});

    /// Raw inputs (records, …) as training saw them, for Model::predict: `transform/predict.hpp`. Steps for other sections are
    /// passed over; throws ArgumentError where there is none for this one, ShapeError where records do not fit.
    template <class Array>
    auto operator()(const Array& raw, std::string_view section = "inputs") const;

    /// Transforms the records of a block whose sections are `before`.
    void apply(Block& block, std::vector<SectionInfo> before) const {
        for (const Step& step : steps_)
            for (std::size_t s = 0; s < before.size(); ++s) {
                if (before[s].name != step.section) continue;
                auto after = step.transform->shape(before[s].shape);  // throws where it does not fit, before anything is read
                step.transform->apply(block.values[s], block.records, before[s].shape);
                before[s].shape = std::move(after);
            }
    }

private:
    std::vector<Step> steps_;
};

namespace detail {

using BlockVisitor = std::function<void(Block&)>;

/// "'inputs', 'targets'"
template <class All, class Name>
std::string quoted_names(const All& all, Name name) {
    std::string text;
    for (const auto& one : all) text += sentence(text.empty() ? "'" : ", '", std::invoke(name, one), "'");
    return text;
}

[[noreturn, gnu::cold]] inline void throw_no_such_section(std::string_view dataset, const std::vector<SectionInfo>& there,
                                                          const std::string& transform, const std::string& name) {
    throw ArgumentError(sentence("dataset '", dataset, "'"),
                        sentence("one of the sections ", quoted_names(there, &SectionInfo::name), " for ",
                                 transform.substr(0, transform.find('('))),
                        sentence("'", name, "'"));
}

/// Learns what transforms need, one after the other, from records with these sections. Throws ArgumentError for a section
/// that is not there, ShapeError where a transform does not fit. `pass(visit)` is called for each
/// time that they must be seen; it gives every block to `visit`, which may change it. `dataset` is its name in errors.
inline Preprocessing learn(const std::vector<SectionInfo>& sections, const std::vector<TransformStep>& steps,
                           const std::function<void(const BlockVisitor&)>& pass, std::string_view dataset = "data") {
    Preprocessing known;
    for (const TransformStep& step : steps) {
        const std::vector<SectionInfo> now = known.sections(sections);
        for (const std::string& name : step.sections)
            if (std::ranges::find(now, name, &SectionInfo::name) == now.end())
                throw_no_such_section(dataset, now, step.transform->text(), name);
        std::vector<Preprocessing::Step> learned;
        for (std::size_t s = 0; s < now.size(); ++s) {
            const auto& names = step.sections;
            if (!names.empty() && std::ranges::find(names, now[s].name) == names.end()) continue;
            const auto fit = step.transform->fit(now[s]);
            if (fit == nullptr) {
                learned.push_back({now[s].name, step.transform->fixed(now[s])});
                continue;
            }
            do {
                pass([&](Block& block) {
                    known.apply(block, sections);
                    fit->observe(block.values[s], block.records);
                });
            } while (fit->again());
            learned.push_back({now[s].name, fit->finish()});
        }
        known = known.then(Preprocessing(std::move(learned)));
    }
    known.sections(sections);
    return known;
}

}  // namespace detail

}  // namespace sigma::data
