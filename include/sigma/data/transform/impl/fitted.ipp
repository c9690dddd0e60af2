// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/fitted.hpp>

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

}  // namespace sigma::data::detail
