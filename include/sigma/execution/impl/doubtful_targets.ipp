// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/classes.hpp>
#include <sigma/execution/check_data.hpp>
#include <sigma/execution/doubtful_targets.hpp>

#include <algorithm>

namespace sigma::detail {

SIGMA_IMPL std::vector<std::string> doubtful_targets(const NetworkTable& network, const Dataset& data) {
    std::vector<std::string> all;
    const std::vector<std::size_t> arrays = arrays_of(network, data);
    for (int i = 0; i < network.costs.size(); ++i) {
        const CostRecord& cost = network.costs[i];
        const std::size_t which = arrays[static_cast<std::size_t>(network.inputs.size() + i)];
        if (cost.classifies || cost.has_labels || cost.has_rule) continue;  // whose targets are checked
        // A dataset has names for one column of targets, which is that of a loss of classes if there is one.
        const std::size_t classes = data.classes().size();
        if (classes > 0 && data.has_labels(which) && !network.classifies())
            all.push_back(sentence("cost '", cost.name.view(), "' takes the numbers of ", classes,
                                   " classes for amounts (SoftmaxCE learns classes, BinaryCE yes and no)"));
        const OutputRange& range = cost.range;
        if (!data.in_memory() || !(range.lowest > -1e30 || range.greatest < 1e30)) continue;
        float lowest = 0, greatest = 0;
        bool any = false;
        data.for_each_position([&](std::size_t r) {
            const Record targets = data.target(r, which);
            for (std::size_t k = 0; k + (cost.weighs ? 1 : 0) < targets.size(); ++k) {
                lowest = any ? std::min(lowest, targets[k]) : targets[k];
                greatest = any ? std::max(greatest, targets[k]) : targets[k];
                any = true;
            }
        });
        const double rounding = TargetRule::rounding;
        const auto beyond = [&](const char* side, double bound, float target) {
            all.push_back(sentence("what cost '", cost.name.view(), "' compares is never ", side, " ", bound,
                                   ", for its last activation, and targets go to ", target));
        };
        if (static_cast<double>(lowest) < range.lowest - rounding) beyond("below", range.lowest, lowest);
        if (static_cast<double>(greatest) > range.greatest + rounding) beyond("above", range.greatest, greatest);
    }
    return all;
}

}  // namespace sigma::detail
