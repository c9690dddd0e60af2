// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/transform.hpp>

#include <utility>

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

}  // namespace sigma::data
