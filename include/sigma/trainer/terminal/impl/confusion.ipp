// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/trainer/terminal/confusion.hpp>

#include <algorithm>
#include <cmath>

namespace sigma {

SIGMA_IMPL ConfusionMatrix::ConfusionMatrix(std::size_t classes, std::vector<std::string> names, detail::Ignored ignore)
    : ClassCounts(classes, ignore), names_(std::move(names)) {
    names_.resize(std::min(names_.size(), classes));
    while (names_.size() < classes) names_.push_back(sentence(names_.size()));
}

/// Returns the cost with the classes that the data name: the first one with exactly so many classes, or else the first
/// one with more, or else the first binary cost.
SIGMA_IMPL int named_cost(const detail::NetworkTable& network, std::size_t names) {
    int found = -1;
    for (int i = 0; i < network.costs.size(); ++i) {
        const detail::CostRecord& cost = network.costs[i];
        const bool answers = cost.yes_or_no && cost.prediction.count() == 1;
        if (!cost.classifies && !answers) continue;
        const auto classes = static_cast<std::size_t>(answers ? 2 : cost.prediction.last());
        if (cost.classifies && classes == names) return i;
        if (classes < names) continue;
        if (found < 0 || (cost.classifies && !network.costs[found].classifies)) found = i;
    }
    return found;
}

SIGMA_IMPL ConfusionMatrix Confusion::matrix_of(const detail::ScoredCost& at, const detail::NetworkTable& network,
                                                const std::vector<std::string>& known, const Dataset& data) {
    const std::vector<std::string>& own = data.classes();  // may lack the last classes
    const auto& longer = known.size() > own.size() ? known : own;
    const bool named = at.number == named_cost(network, longer.size());
    const int classes = at.record.yes_or_no ? 2 : at.record.prediction.last();
    return ConfusionMatrix(static_cast<std::size_t>(classes), named ? longer : detail::no_class_names(),
                           at.record.ignored);
}

SIGMA_IMPL std::string ConfusionMatrix::table() const {
    std::size_t left = 6, cell = 4;
    for (const std::string& name : names_) {
        left = std::max(left, terminal::width(name));
        cell = std::max(cell, std::min(terminal::width(name), std::size_t{12}) + 1);
    }
    for (const std::size_t number : counts()) cell = std::max(cell, sentence(number).size() + 1);

    std::string text = padded("", left + 1) + " predicted\n" + padded("actual", left + 1);
    for (const std::string& name : names_) text += padded_left(terminal::shortened(name, cell - 1, true), cell);
    text += "   recall\n";
    for (std::size_t actual = 0; actual < classes(); ++actual) {
        text += padded(names_[actual], left + 1);
        for (std::size_t predicted = 0; predicted < classes(); ++predicted) {
            const std::size_t number = count(actual, predicted);
            text += padded_left(number == 0 ? "." : sentence(number), cell);
        }
        text += std::isnan(recall(actual)) ? "         -\n"
                                           : sentence("  ", detail::fixed_text(100 * recall(actual), 2, 6), " %\n");
    }
    if (count() != 0)
        text += sentence("accuracy ", detail::fixed_text(100 * accuracy(), 2), " % of ", count(), " records\n");
    return text;
}

SIGMA_IMPL std::string ConfusionMatrix::padded(const std::string& text, std::size_t columns) {
    return text + std::string(columns - std::min(columns, terminal::width(text)), ' ');
}

SIGMA_IMPL std::string ConfusionMatrix::padded_left(const std::string& text, std::size_t columns) {
    return std::string(columns - std::min(columns, terminal::width(text)), ' ') + text;
}

SIGMA_IMPL Confusion::Confusion() : kept_(detail::SharedOwner<Kept>::make()) {}

SIGMA_IMPL ConfusionMatrix Confusion::matrix() const {
    const std::lock_guard lock(kept_->mutex);
    return kept_->matrix;
}

SIGMA_IMPL std::array<double, 4> Confusion::values(const ConfusionMatrix& matrix) const {
    const std::lock_guard lock(kept_->mutex);
    kept_->matrix = matrix;
    return {matrix.accuracy(), matrix.macro_precision(), matrix.macro_recall(), matrix.macro_f1()};
}

}  // namespace sigma
