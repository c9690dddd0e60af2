// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/split.hpp>
#include <sigma/execution/check_data.hpp>
#include <sigma/trainer/fit.hpp>

#include <cmath>

namespace sigma::detail {

SIGMA_IMPL void check_fit_options(const FitOptions& o) {
    const auto refuse = [](const char* name, const char* expected, auto found) {
        throw ArgumentError(sentence("fit with ", name), expected, sentence(found));
    };
    if (o.epochs < 1) refuse("epochs", "1 or more", o.epochs);
    if (o.batch_size < 1) refuse("batch_size", "1 or more", o.batch_size);
    if (o.patience < 0) refuse("patience", "0 or more", o.patience);
    if (o.plateau < 0) refuse("plateau", "0 or more", o.plateau);
    if (!(o.validation_share >= 0 && o.validation_share < 1))
        refuse("validation_share", "0 or more and less than 1", o.validation_share);
}

SIGMA_IMPL std::optional<std::size_t> classes_in(const NetworkTable& network, const Dataset& data) {
    const std::vector<std::size_t> arrays = arrays_of(network, data);
    for (int i = 0; i < network.costs.size(); ++i) {
        const CostRecord& cost = network.costs[i];
        const std::size_t which = arrays[static_cast<std::size_t>(network.inputs.size() + i)];
        bool whole = (cost.has_accuracy || cost.yes_or_no) && data.target_size(which) == (cost.weighs ? 2u : 1u);
        if (!whole) continue;
        data.for_each_position([&](std::size_t position) {
            const float target = data.target(position, which)[0];
            whole = whole && target == std::trunc(target);
        });
        if (whole) return which;
    }
    return {};
}

SIGMA_IMPL FitData fit_data(const Dataset& data, const FitOptions& o, const NetworkTable& network) {
    if (o.validation) return {data, o.validation};
    if (o.validation_share == 0) return {data, {}};
    const std::vector<double> shares{1 - o.validation_share, o.validation_share};
    if (const std::size_t rest = share_ends(shares, data.size())[0]; rest == 0 || rest == data.size())
        throw ArgumentError(sentence("fit of ", data.size(), " records with validation_share"),
                            "0, or 1 record or more for training and for validation", sentence(o.validation_share));
    const Dataset mixed = shuffled(data, o.seed);
    const auto classes = classes_in(network, mixed);
    std::vector<Dataset> parts = classes ? stratified_split_of(mixed, shares, *classes) : split_of(mixed, shares);
    return {std::move(parts[0]), std::move(parts[1])};
}

SIGMA_IMPL std::string fit_line(const EpochResult& e, std::uint64_t epochs) {
    const std::string all = sentence(epochs), now = sentence(e.epoch);
    std::string line =
        sentence("epoch ", std::string(all.size() - std::min(all.size(), now.size()), ' '), now, "/", all);
    line += sentence("   training loss ", fixed_text(e.training_loss, 4));
    if (!std::isnan(e.validation_loss)) line += sentence("   validation loss ", fixed_text(e.validation_loss, 4));
    if (!std::isnan(e.accuracy)) line += sentence("   accuracy ", fixed_text(100 * e.accuracy, 2), " %");
    return sentence(line, "   ", fixed_text(e.seconds, 2), " s", e.best ? "   best" : "");
}

}  // namespace sigma::detail
