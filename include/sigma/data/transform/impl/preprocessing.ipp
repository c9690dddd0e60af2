// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/preprocessing.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sigma::data::detail {

SIGMA_IMPL RecordRefused::RecordRefused(std::string section_, std::size_t record_, std::string expected_,
                                        std::string found_)
    : DataError("section", section_, sentence("record ", record_, " of its block"), std::move(expected_),
                std::move(found_)),
      section(std::move(section_)), record(record_) {}

SIGMA_IMPL bool alike(const Preprocessing::Step& a, const Preprocessing::Step& b) {
    if (a.section != b.section) return false;
    if (a.transform == b.transform) return true;
    return a.transform->kind() == b.transform->kind() &&
           std::ranges::equal(a.transform->state(), b.transform->state(),
                              [](const TransformValue& x, const TransformValue& y) {
                                  return x.name == y.name && std::ranges::equal(x.values, y.values, same_bits);
                              });
}

SIGMA_IMPL bool alike(const Preprocessing& a, const Preprocessing& b) {
    return std::ranges::equal(a.steps(), b.steps(), [](const auto& x, const auto& y) { return alike(x, y); });
}

SIGMA_IMPL bool ends_with(const Preprocessing& all, const Preprocessing& part) {
    const auto count = static_cast<std::ptrdiff_t>(part.steps().size());
    return !part.empty() && all.steps().size() >= part.steps().size() &&
           std::equal(part.steps().begin(), part.steps().end(), all.steps().end() - count,
                      [](const auto& x, const auto& y) { return alike(x, y); });
}

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

namespace sigma::data {

SIGMA_IMPL bool FittedTransform::undo(NumberList&, const std::vector<std::size_t>&) const { return false; }

SIGMA_IMPL TransformSteps::TransformSteps(std::vector<TransformStep> list)
    : list_(sigma::detail::SharedOwner<const std::vector<TransformStep>>::make(std::move(list))) {}

SIGMA_IMPL TransformSteps::TransformSteps(const TransformPointer& transform, std::span<const std::string_view> sections)
    : TransformSteps(std::vector{TransformStep{transform, {sections.begin(), sections.end()}}}) {}

SIGMA_IMPL const std::vector<TransformStep>& TransformSteps::list() const& {
    static const std::vector<TransformStep> none;
    return list_ ? *list_ : none;
}

SIGMA_IMPL std::size_t TransformSteps::size() const { return list().size(); }

SIGMA_IMPL const TransformStep& TransformSteps::operator[](std::size_t step) const { return list()[step]; }

SIGMA_IMPL TransformSteps TransformSteps::operator+(const TransformSteps& those) const {
    std::vector<TransformStep> both = list();
    both.insert(both.end(), those.list().begin(), those.list().end());
    return both;
}

SIGMA_IMPL TransformSteps TransformSteps::named(std::span<const std::string_view> sections) const {
    std::vector<TransformStep> all = list();
    for (TransformStep& step : all)
        if (step.sections.empty()) step.sections = {sections.begin(), sections.end()};
    return all;
}

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
            auto after =
                step.transform->shape(before[s].shape);  // throws where it does not fit, before anything is read
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
            throw ArgumentError(sentence("inverse of the preprocessing of '", section, "'"),
                                "steps that can be taken back", step.transform->kind());
    }
}

}  // namespace sigma::data
