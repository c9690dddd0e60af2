// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/data/transform/transform.hpp>

#include <utility>

namespace sigma::data {

struct Preprocessing::Steps {
    std::vector<Step> list{};
};

SIGMA_IMPL Preprocessing::Preprocessing(std::vector<Step> steps) {
    if (!steps.empty()) steps_ = sigma::detail::SharedOwner<const Steps>::make(Steps{std::move(steps)});
}

SIGMA_IMPL const std::vector<Preprocessing::Step>& Preprocessing::steps() const& {
    static const std::vector<Step> none;
    return empty() ? none : steps_->list;
}

SIGMA_IMPL std::vector<Preprocessing::Step> Preprocessing::steps() && { return steps(); }

SIGMA_IMPL Preprocessing Preprocessing::then(const Preprocessing& next) const {
    if (empty()) return next;
    if (next.empty()) return *this;
    std::vector<Step> both = steps();
    both.insert(both.end(), next.steps().begin(), next.steps().end());
    return Preprocessing(std::move(both));
}

SIGMA_IMPL std::vector<SectionInfo> Preprocessing::sections(std::vector<SectionInfo> all) const {
    for (const Step& step : steps())
        for (SectionInfo& s : all)
            if (s.name == step.section) {
                s.shape = step.transform->shape(s.shape);
                if (!step.transform->keeps_columns()) s.columns.clear();
            }
    return all;
}

SIGMA_IMPL void Preprocessing::apply(Block& block, std::vector<SectionInfo> before) const {
    for (const Step& step : steps())
        for (std::size_t s = 0; s < before.size(); ++s) {
            if (before[s].name != step.section) continue;
            auto after = step.transform->shape(before[s].shape);  // throws before anything is read if it does not fit
            NumberList& values = block.values[s];
            const bool doubles = values.of_double();
            step.transform->apply(values, block.records, before[s].shape);
            before[s].shape = std::move(after);
            const auto text = [](std::size_t count, bool of_double) {
                return sentence(count, of_double ? " doubles" : " floats");
            };
            if (const std::size_t wanted = block.records * before[s].size();
                values.size() != wanted || values.of_double() != doubles)
                throw ArgumentError(sentence("transform ", step.transform->kind(), " of '", step.section, "'"),
                                    text(wanted, doubles), text(values.size(), values.of_double()));
        }
}

SIGMA_IMPL void Preprocessing::undo(NumberList& values, const std::vector<std::size_t>& shape,
                                    std::string_view section) const {
    for (std::size_t i = steps().size(); i-- > 0;) {
        const Step& step = steps()[i];
        if (step.section == section && !step.transform->undo(values, shape))
            throw ArgumentError(sentence("inverse of the preprocessing of '", section, "'"), "reversible steps",
                                step.transform->kind());
    }
}

}  // namespace sigma::data
