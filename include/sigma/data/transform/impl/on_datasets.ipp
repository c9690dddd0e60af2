// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/on_datasets.hpp>

namespace sigma::data {

SIGMA_IMPL Preprocessing detail::fitted_steps(const std::vector<TransformStep>& steps, const Dataset& dataset) {
    return learn(
        dataset.sections(), steps, [&](const BlockVisitor& visit) { show_records(dataset, visit); }, dataset.name());
}

SIGMA_IMPL Dataset operator>>(const Dataset& dataset, const Preprocessing& preprocessing) {
    if (detail::ends_with(dataset.preprocessing(), preprocessing))
        throw ArgumentError(sentence("dataset '", dataset.name(), "'"),
                            "records that did not go through this preprocessing yet",
                            "a dataset that went through it already");
    return transformed(dataset, preprocessing);
}

}  // namespace sigma::data
