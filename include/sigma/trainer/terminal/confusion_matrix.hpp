// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/metric/metrics.hpp>
#include <sigma/trainer/terminal/progress.hpp>

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace sigma {

/// How often records of each class were taken for each class, with names, as a table.
class ConfusionMatrix : public ClassCounts {
public:
    /// Classes with names; one without a name prints as its index, and names of more do not count.
    explicit ConfusionMatrix(std::size_t classes, std::vector<std::string> names = {}, detail::Ignored ignore = {});

    const std::string& name(std::size_t c) const& { return names_[c]; }
    std::string name(std::size_t c) && { return names_[c]; }
    /// A table: a row for each actual class, a column for each predicted one, and the recall of each row.
    std::string table() const;

private:
    static std::string padded(const std::string& text, std::size_t columns);
    static std::string padded_left(const std::string& text, std::size_t columns);

    std::vector<std::string> names_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/terminal/impl/confusion_matrix.ipp>
#endif
