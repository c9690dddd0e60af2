// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/trainer/terminal/progress.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace sigma {

/// How often records of each class were taken for each class.
class ConfusionMatrix {
public:
    /// Classes with names; one without a name prints as its index.
    explicit ConfusionMatrix(std::size_t classes, std::vector<std::string> names = {})
        : classes_(classes), names_(std::move(names)), counts_(classes * classes) {
        while (names_.size() < classes_) names_.push_back(std::to_string(names_.size()));
    }

    void add(std::size_t actual, std::size_t predicted) {
        if (actual >= classes_ || predicted >= classes_)
            throw ArgumentError("confusion matrix", sentence("classes below ", classes_),
                                sentence("actual ", actual, " and predicted ", predicted));
        ++counts_[actual * classes_ + predicted];
    }

    std::size_t classes() const { return classes_; }
    std::size_t count(std::size_t actual, std::size_t predicted) const {
        return counts_[actual * classes_ + predicted];
    }
    std::size_t count_actual(std::size_t actual) const {
        const auto row = counts_.begin() + static_cast<std::ptrdiff_t>(actual * classes_);
        return std::accumulate(row, row + static_cast<std::ptrdiff_t>(classes_), std::size_t{0});
    }
    std::size_t count() const { return std::accumulate(counts_.begin(), counts_.end(), std::size_t{0}); }

    /// The share of records whose class was found; NaN where there are none.
    double accuracy() const {
        std::size_t right = 0;
        for (std::size_t c = 0; c < classes_; ++c) right += count(c, c);
        return share(right, count());
    }
    /// The share of the records of a class that were found as such.
    double recall(std::size_t actual) const { return share(count(actual, actual), count_actual(actual)); }

    /// A table: a row for each actual class, a column for each predicted one, and the recall of each row.
    std::string table() const {
        std::size_t left = 6, cell = 4;
        for (const std::string& name : names_) {
            left = std::max(left, width(name));
            cell = std::max(cell, std::min(width(name), std::size_t{12}) + 1);
        }
        for (const std::size_t number : counts_) cell = std::max(cell, std::to_string(number).size() + 1);

        std::string text = padded("", left + 1) + " predicted\n" + padded("actual", left + 1);
        for (const std::string& name : names_) text += padded_left(shortened(name, cell - 1), cell);
        text += "   recall\n";
        for (std::size_t actual = 0; actual < classes_; ++actual) {
            text += padded(names_[actual], left + 1);
            for (std::size_t predicted = 0; predicted < classes_; ++predicted) {
                const std::size_t number = count(actual, predicted);
                text += padded_left(number == 0 ? "." : std::to_string(number), cell);
            }
            text +=
                std::isnan(recall(actual)) ? "         -\n" : terminal::formatted("  %6.2f %%\n", 100 * recall(actual));
        }
        if (count() != 0) text += terminal::formatted("accuracy %.2f %% of %zu records\n", 100 * accuracy(), count());
        return text;
    }

private:
    static double share(std::size_t part, std::size_t whole) {
        return whole == 0 ? NAN : static_cast<double>(part) / static_cast<double>(whole);
    }
    static bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }
    /// Columns, taking each character of UTF-8 for one.
    static std::size_t width(const std::string& text) {
        return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
    }
    static std::string shortened(const std::string& text, std::size_t columns) {
        std::size_t end = 0, seen = 0;
        while (end < text.size() && (seen < columns || continues(text[end]))) seen += !continues(text[end++]);
        return text.substr(0, end);
    }
    static std::string padded(const std::string& text, std::size_t columns) {
        return text + std::string(columns - std::min(columns, width(text)), ' ');
    }
    static std::string padded_left(const std::string& text, std::size_t columns) {
        return std::string(columns - std::min(columns, width(text)), ' ') + text;
    }

    std::size_t classes_;
    std::vector<std::string> names_;
    std::vector<std::size_t> counts_;
};

}  // namespace sigma
