// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/fitted.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sigma::data::detail {

SIGMA_IMPL std::string list_text(const std::vector<double>& all) {
    std::string text = "{";
    for (const double x : all) text += sentence(text.size() > 1 ? ", " : "", x);
    return text + "}";
}

SIGMA_IMPL std::size_t size_of(const std::vector<std::size_t>& record) {
    return std::accumulate(record.begin(), record.end(), std::size_t{1}, std::multiplies<>());
}

SIGMA_IMPL void require_finite(const char* where, const std::vector<double>& values) {
    for (const double x : values)
        if (!std::isfinite(x)) throw ArgumentError(where, "finite numbers", sentence(x));
}

SIGMA_IMPL void require_as_many(const char* where, const char* what, const std::vector<double>& values,
                                std::size_t count) {
    if (values.size() != count) throw ArgumentError(where, sentence(count, " ", what), sentence(values.size()));
}

SIGMA_IMPL std::vector<std::size_t> InPlace::shape(const std::vector<std::size_t>& before) const {
    if (count_ != 1 && count_ != size_of(before))
        throw ShapeError(kind(), sentence("records of ", count_, " numbers"), sigma::detail::shape_text(before));
    return before;
}

class FixedTransform final : public Transform {
public:
    using Make = sigma::detail::AnyFunction<FittedPointer(const SectionInfo&)>;
    FixedTransform(std::string text, Make make) : text_(std::move(text)), make_(std::move(make)) {}
    std::string text() const override { return text_; }
    sigma::detail::Owned<TransformFit> fit(const SectionInfo&) const override { return nullptr; }
    FittedPointer fixed(const SectionInfo& of) const override { return make_(of); }

private:
    std::string text_;
    Make make_;
};

class LearnedTransform final : public Transform {
public:
    using Begin = sigma::detail::AnyFunction<sigma::detail::Owned<TransformFit>(const SectionInfo&)>;
    LearnedTransform(std::string text, Begin begin) : text_(std::move(text)), begin_(std::move(begin)) {}
    std::string text() const override { return text_; }
    sigma::detail::Owned<TransformFit> fit(const SectionInfo& of) const override { return begin_(of); }
    FittedPointer fixed(const SectionInfo&) const override { return nullptr; }

private:
    std::string text_;
    Begin begin_;
};

SIGMA_IMPL TransformPointer fixed_transform(std::string text,
                                            sigma::detail::AnyFunction<FittedPointer(const SectionInfo&)> make) {
    return sigma::detail::SharedOwner<const FixedTransform>::make(std::move(text), std::move(make));
}

SIGMA_IMPL TransformPointer learned_transform(
    std::string text, sigma::detail::AnyFunction<sigma::detail::Owned<TransformFit>(const SectionInfo&)> begin) {
    return sigma::detail::SharedOwner<const LearnedTransform>::make(std::move(text), std::move(begin));
}

SIGMA_IMPL TransformPointer same_transform(std::string text, FittedPointer fitted) {
    return fixed_transform(std::move(text), [fitted = std::move(fitted)](const SectionInfo&) { return fitted; });
}

SIGMA_IMPL const std::vector<double>& StoredValues::list(std::string_view name) const {
    for (const TransformValue& v : all)
        if (v.name == name) return v.values;
    throw DataError(file, sentence("tensor '", prefix, name, "'"), "a list of F64 numbers", "no such tensor");
}

SIGMA_IMPL double StoredValues::number(std::string_view name) const {
    const auto& values = list(name);
    if (values.size() != 1) refuse(name, "one number", sentence(values.size()));
    return values[0];
}

SIGMA_IMPL std::vector<std::size_t> StoredValues::counts(std::string_view name) const {
    std::vector<std::size_t> all_counts;
    for (const double x : list(name)) {
        if (!(x >= 0 && x < 4294967296.0 && x == std::floor(x)))
            refuse(name, "whole numbers from 0 to 4294967295", sentence(x));
        all_counts.push_back(static_cast<std::size_t>(x));
    }
    return all_counts;
}

SIGMA_IMPL void StoredValues::refuse(std::string_view name, std::string expected, std::string found) const {
    throw DataError(file, sentence("tensor '", prefix, name, "'"), std::move(expected), std::move(found));
}

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

[[noreturn, gnu::cold]] SIGMA_IMPL void throw_no_such_section(std::string_view dataset,
                                                              const std::vector<SectionInfo>& there,
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
