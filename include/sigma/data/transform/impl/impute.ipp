// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/impute.hpp>

#include <cmath>

namespace sigma::data::detail {

SIGMA_IMPL Impute::Impute(std::vector<double> values) : values_(std::move(values)) {
    if (values_.empty()) throw ArgumentError("impute", "at least one value", "none");
    require_finite("impute", values_);
}

SIGMA_IMPL std::vector<std::size_t> Impute::shape(const std::vector<std::size_t>& before) const {
    require_list(values_.size(), before);
    return before;
}

SIGMA_IMPL void Impute::apply(std::vector<float>& values, std::size_t, const std::vector<std::size_t>&) const {
    change_each(values, values_.size(),
                [&](float x, std::size_t i) { return std::isnan(x) ? static_cast<float>(values_[i]) : x; });
}

SIGMA_IMPL ImputeFit::ImputeFit(const SectionInfo& of, ImputeBy by)
    : section_(of), moments_(by == ImputeBy::mean ? of.size() : 0), medians_(by == ImputeBy::median ? of.size() : 0) {}

SIGMA_IMPL void ImputeFit::observe(std::span<const float> values, std::size_t records) {
    if (!moments_.empty())
        add_records(moments_, values, records);
    else
        medians_.observe(values, records);
}

SIGMA_IMPL FittedPointer ImputeFit::finish() {
    std::vector<double> found;
    for (const Moments& m : moments_) found.push_back(m.count > 0 ? m.mean : missing);
    if (moments_.empty()) found = medians_.medians();
    for (std::size_t i = 0; i < found.size(); ++i)
        if (std::isnan(found[i]))
            throw DataError::in_section(section_.name, section_.called(i), "a number to learn from",
                                        "only missing ones");
    return std::make_shared<const Impute>(std::move(found));
}

}  // namespace sigma::data::detail
