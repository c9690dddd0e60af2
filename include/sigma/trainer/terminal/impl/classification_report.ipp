// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/terminal.hpp>
#include <sigma/trainer/terminal/classification_report.hpp>

#include <algorithm>
#include <cmath>

namespace sigma {

namespace detail {

SIGMA_IMPL std::string report_row(const ClassificationReport::Class& c, std::size_t left) {
    std::string row = c.name + std::string(left - terminal::width(c.name), ' ');
    for (const double share : {c.precision, c.recall, c.f1})
        row += sentence("   ", std::isnan(share) ? std::string("        -") : fixed_text(share, 4, 9));
    const std::string support = sentence(c.support);
    return sentence(row, std::string(10 - std::min<std::size_t>(9, support.size()), ' '), support, "\n");
}

}  // namespace detail

SIGMA_IMPL ClassificationReport::ClassificationReport(ConfusionMatrix matrix) : matrix_(std::move(matrix)) {
    for (std::size_t c = 0; c < matrix_.classes(); ++c)
        classes_.push_back(
            {matrix_.name(c), matrix_.precision(c), matrix_.recall(c), matrix_.f1(c), matrix_.count_actual(c)});
}

SIGMA_IMPL ClassificationReport::Class ClassificationReport::macro() const {
    return {"macro", matrix_.macro_precision(), matrix_.macro_recall(), matrix_.macro_f1(), matrix_.count()};
}

SIGMA_IMPL ClassificationReport::Class ClassificationReport::weighted() const {
    Class mean{"weighted", 0, 0, 0, matrix_.count()};
    const double all = static_cast<double>(matrix_.count());
    for (const Class& c : classes_) {
        if (c.support == 0) continue;
        const double share = static_cast<double>(c.support) / all;
        mean.precision += share * (std::isnan(c.precision) ? 0 : c.precision);
        mean.recall += share * c.recall;
        mean.f1 += share * c.f1;
    }
    if (matrix_.count() == 0) mean.precision = mean.recall = mean.f1 = accuracy();
    return mean;
}

SIGMA_IMPL std::string ClassificationReport::text() const {
    std::size_t left = 8;
    for (const Class& c : classes_) left = std::max(left, terminal::width(c.name));
    std::string all = std::string(left, ' ') + "   precision      recall          f1   support\n";
    for (const Class& c : classes_) all += detail::report_row(c, left);
    all += detail::report_row(macro(), left) + detail::report_row(weighted(), left);
    if (matrix_.count() > 0)
        all += sentence("accuracy ", detail::fixed_text(100 * accuracy(), 2), " % of ", matrix_.count(), " records\n");
    return all;
}

}  // namespace sigma
