// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/metric/arrays.hpp>

#include <cmath>

namespace sigma::detail {

SIGMA_IMPL void MetricArray::refuse_nan(const std::string& metric, const char* what) const {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::isnan(values[i]))
            throw ArgumentError(sentence(what, " of ", metric, ", position ", i), "a number", "nan");
}

SIGMA_IMPL void MetricRows::check_range(const MetricArray& labels, const std::string& metric, std::size_t classes,
                                        const Ignored& ignore) {
    const LabelRange range{0, static_cast<int>(classes), ignore};
    for (std::size_t i = 0; i < labels.values.size(); ++i)
        if (!range.contains(labels.values[i]))
            throw ArgumentError(sentence("labels of ", metric, ", position ", i),
                                sentence("a label from 0 to ", classes - 1), sentence(labels.values[i]));
}

SIGMA_IMPL bool MetricRows::counts(std::size_t i, const Ignored& ignore) const {
    return !(ignore.given && labels.values[i] == ignore.value);
}

SIGMA_IMPL std::size_t MetricRows::rank(std::size_t i, std::size_t c) const {
    std::size_t before = 0;
    for (std::size_t j = 0; j < classes; ++j) before += row(i)[j] > row(i)[c] || (row(i)[j] == row(i)[c] && j < c);
    return before;
}

SIGMA_IMPL std::size_t MetricRows::best(std::size_t i) const {
    std::size_t at = 0;
    for (std::size_t j = 1; j < classes; ++j)
        if (row(i)[j] > row(i)[at]) at = j;
    return at;
}

SIGMA_IMPL void check_classes(const char* metric, std::size_t classes) {
    if (classes < 2) throw ArgumentError(metric, "2 classes or more", sentence(classes));
}

/// One number for each record may stand with or without an axis of its own: (n, 1) or (n).
SIGMA_IMPL bool same_records(std::vector<std::size_t> a, std::vector<std::size_t> b) {
    auto& longer = a.size() > b.size() ? a : b;
    const std::size_t shorter = a.size() > b.size() ? b.size() : a.size();
    if (longer.size() == shorter + 1 && shorter > 0 && longer.back() == 1) longer.pop_back();
    return a == b;
}

SIGMA_IMPL void MetricPair::check(const char* metric) const {
    const bool both = predictions.shaped && targets.shaped;
    if (both ? !same_records(predictions.shape, targets.shape) : predictions.values.size() != targets.values.size())
        throw ShapeError(sentence("targets of ", metric),
                         sentence("shape ", shape_text(predictions.shape), " as the predictions"),
                         sentence("shape ", shape_text(targets.shape)));
    predictions.refuse_nan(metric, "predictions");
    targets.refuse_nan(metric, "targets");
}

SIGMA_IMPL void MetricRows::check(const char* metric, const Ignored& ignore) const {
    bool fits = predictions.values.size() == labels.values.size() * classes;
    if (predictions.shaped) {
        auto leading = predictions.shape;
        fits = fits && !leading.empty() && leading.back() == classes;
        if (fits) leading.pop_back();
        if (labels.shaped) fits = fits && leading == labels.shape;
    }
    if (!fits) {
        auto wanted = labels.shape;
        wanted.push_back(classes);
        throw ShapeError(sentence("predictions of ", metric), sentence("shape ", shape_text(wanted)),
                         sentence("shape ", shape_text(predictions.shape)));
    }
    predictions.refuse_nan(metric, "predictions");
    check_range(labels, metric, classes, ignore);
}

}  // namespace sigma::detail
