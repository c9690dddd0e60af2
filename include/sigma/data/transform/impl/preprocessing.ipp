// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/preprocessing.hpp>

#include <algorithm>

namespace sigma::data {

SIGMA_IMPL Preprocessing Preprocessing::then(const Preprocessing& next) const {
    Preprocessing both = *this;
    both.steps_.insert(both.steps_.end(), next.steps_.begin(), next.steps_.end());
    return both;
}

SIGMA_IMPL std::vector<SectionInfo> Preprocessing::sections(std::vector<SectionInfo> all) const {
    for (const Step& step : steps_)
        for (SectionInfo& s : all)
            if (s.name == step.section) {
                s.shape = step.transform->shape(s.shape);
                if (!step.transform->keeps_columns()) s.columns.clear();
            }
    return all;
}

SIGMA_IMPL void Preprocessing::apply(Block& block, std::vector<SectionInfo> before) const {
    for (const Step& step : steps_)
        for (std::size_t s = 0; s < before.size(); ++s) {
            if (before[s].name != step.section) continue;
            auto after =
                step.transform->shape(before[s].shape);  // throws where it does not fit, before anything is read
            step.transform->apply(block.values[s], block.records, before[s].shape);
            before[s].shape = std::move(after);
        }
}

}  // namespace sigma::data

namespace sigma::data::detail {

SIGMA_IMPL void throw_no_such_section(std::string_view dataset, const std::vector<SectionInfo>& there,
                                      const std::string& transform, const std::string& name) {
    throw ArgumentError(sentence("dataset '", dataset, "'"),
                        sentence("one of the sections ", quoted_names(there, [](const SectionInfo& s) { return s.name; }), " for ",
                                 transform.substr(0, transform.find('('))),
                        sentence("'", name, "'"));
}

SIGMA_IMPL Preprocessing learn(const std::vector<SectionInfo>& sections, const std::vector<TransformStep>& steps,
                               const sigma::detail::AnyFunction<void(const BlockVisitor&)>& pass, std::string_view dataset) {
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

}  // namespace sigma::data::detail
