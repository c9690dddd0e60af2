// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/learn.hpp>

#include <algorithm>

namespace sigma::data::detail {

SIGMA_IMPL void throw_no_such_section(std::string_view dataset, const std::vector<SectionInfo>& there,
                                      const std::string& transform, const std::string& name) {
    throw ArgumentError(
        sentence("dataset '", dataset, "'"),
        sentence("one of the sections ", quoted_names(there, [](const SectionInfo& s) { return s.name; }), " for ",
                 transform.substr(0, transform.find('('))),
        sentence("'", name, "'"));
}

SIGMA_IMPL Preprocessing learn(const std::vector<SectionInfo>& sections, const std::vector<TransformStep>& steps,
                               const sigma::detail::AnyFunction<void(const BlockVisitor&)>& pass,
                               std::string_view dataset) {
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
