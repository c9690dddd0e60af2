// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/metric/metrics.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

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

SIGMA_IMPL bool MetricRows::counts(std::size_t i, const Ignored& ignore) const { return !ignore.is(labels.values[i]); }

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

/// Returns whether shapes are equal, or differ by a last axis of extent 1: (n, 1) and (n).
SIGMA_IMPL bool same_records(std::vector<std::size_t> a, std::vector<std::size_t> b) {
    auto& longer = a.size() > b.size() ? a : b;
    const std::size_t shorter = a.size() > b.size() ? b.size() : a.size();
    if (longer.size() == shorter + 1 && shorter > 0 && longer.back() == 1) longer.pop_back();
    return a == b;
}

SIGMA_IMPL void MetricPair::examine(const char* metric) const {
    const bool both = predictions.shaped && targets.shaped;
    if (both ? !same_records(predictions.shape, targets.shape) : predictions.values.size() != targets.values.size())
        throw ShapeError(sentence("targets of ", metric),
                         sentence("shape ", shape_text(predictions.shape), " as the predictions"),
                         sentence("shape ", shape_text(targets.shape)));
    predictions.refuse_nan(metric, "predictions");
    targets.refuse_nan(metric, "targets");
}

SIGMA_IMPL void MetricRows::examine(const char* metric, const Ignored& ignore) const {
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

namespace sigma {

SIGMA_IMPL Accuracy::Accuracy(std::size_t classes, AccuracyOptions options) : classes_(classes), options_(options) {
    detail::check_classes("accuracy", classes);
    if (options.top < 1 || options.top > classes)
        throw ArgumentError("top of accuracy", sentence("1 to ", classes), sentence(options.top));
}

SIGMA_IMPL void Accuracy::add(const detail::MetricRows& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows.counts(i, options_.ignore)) continue;
        ++count_;
        right_ += rows.rank(i, rows.label(i)) < options_.top;
    }
}

SIGMA_IMPL double AUC::value() const {
    auto yes = yes_, no = no_;
    std::sort(yes.begin(), yes.end());
    std::sort(no.begin(), no.end());
    double twice = 0;  // 2 for each pair in order, 1 for each tie
    std::size_t below = 0, upto = 0;
    for (const double score : yes) {
        while (below < no.size() && no[below] < score) ++below;
        while (upto < no.size() && no[upto] <= score) ++upto;
        twice += static_cast<double>(below) + static_cast<double>(upto);
    }
    return detail::quotient(twice, 2 * static_cast<double>(yes.size()) * static_cast<double>(no.size()));
}

SIGMA_IMPL void AUC::add(const detail::MetricPair& pair) {
    detail::MetricRows::check_range(pair.targets, "AUC", 2, ignore_);
    for (std::size_t i = 0; i < pair.size(); ++i)
        if (pair.counts(i)) (pair.targets.values[i] != 0 ? yes_ : no_).push_back(pair.predictions.values[i]);
}

SIGMA_IMPL void AUC::reset() {
    yes_.clear();
    no_.clear();
}

SIGMA_IMPL BinaryCounts::BinaryCounts(double threshold, detail::Ignored ignore)
    : threshold_(threshold), ignore_(ignore) {
    if (std::isnan(threshold)) throw ArgumentError("threshold of binary counts", "a number", "nan");
}

SIGMA_IMPL double BinaryCounts::share(std::size_t part, std::size_t whole) {
    return detail::quotient(static_cast<double>(part), static_cast<double>(whole));
}

SIGMA_IMPL void BinaryCounts::add(const detail::MetricPair& pair) {
    detail::MetricRows::check_range(pair.targets, "binary counts", 2, ignore_);
    for (std::size_t i = 0; i < pair.size(); ++i) {
        if (!pair.counts(i)) continue;
        const bool yes = pair.predictions.values[i] >= threshold_, is = pair.targets.values[i] != 0;
        ++counts_[2 * is + yes];
    }
}

SIGMA_IMPL ClassCounts::ClassCounts(std::size_t classes, detail::Ignored ignore)
    : classes_(classes), ignore_(ignore), counts_(classes * classes) {}

SIGMA_IMPL void ClassCounts::reset() { counts_.assign(counts_.size(), 0); }

SIGMA_IMPL void ClassCounts::add(std::size_t actual, std::size_t predicted) {
    if (actual >= classes_ || predicted >= classes_)
        throw ArgumentError("confusion matrix", sentence("classes below ", classes_),
                            sentence("actual ", actual, " and predicted ", predicted));
    ++counts_[actual * classes_ + predicted];
}

SIGMA_IMPL std::size_t ClassCounts::checked(std::size_t c) const {
    if (c < classes_) return c;
    const std::string wanted = classes_ == 0 ? std::string("a class (there is none before the first score)")
                                             : sentence("a class below ", classes_);
    throw ArgumentError("confusion matrix", wanted, sentence(static_cast<std::ptrdiff_t>(c)));
}

SIGMA_IMPL std::size_t ClassCounts::count(std::size_t actual, std::size_t predicted) const {
    return counts_[checked(actual) * classes_ + checked(predicted)];
}

SIGMA_IMPL std::size_t ClassCounts::count_actual(std::size_t actual) const {
    const auto row = counts_.begin() + static_cast<std::ptrdiff_t>(checked(actual) * classes_);
    return std::accumulate(row, row + static_cast<std::ptrdiff_t>(classes_), std::size_t{0});
}

SIGMA_IMPL std::size_t ClassCounts::count_predicted(std::size_t predicted) const {
    std::size_t n = 0;
    (void)checked(predicted);
    for (std::size_t a = 0; a < classes_; ++a) n += count(a, predicted);
    return n;
}

SIGMA_IMPL double ClassCounts::precision(std::size_t predicted) const {
    return share(count(predicted, predicted), count_predicted(predicted));
}

SIGMA_IMPL double ClassCounts::share(std::size_t part, std::size_t whole) {
    return detail::quotient(static_cast<double>(part), static_cast<double>(whole));
}

SIGMA_IMPL std::size_t ClassCounts::found() const {
    std::size_t n = 0;
    for (std::size_t c = 0; c < classes_; ++c) n += count(c, c);
    return n;
}

SIGMA_IMPL double ClassCounts::macro(double (ClassCounts::*of)(std::size_t) const) const {
    double total = 0;
    std::size_t occur = 0;
    for (std::size_t c = 0; c < classes_; ++c) {
        if (count_actual(c) + count_predicted(c) == 0) continue;
        ++occur;
        const double value = (this->*of)(c);
        if (!std::isnan(value)) total += value;
    }
    return detail::quotient(total, static_cast<double>(occur));
}

SIGMA_IMPL void ClassCounts::add(const detail::MetricArray& predictions, const detail::MetricArray& labels) {
    const char* const metric = "confusion matrix";
    if (classes_ != 2 || predictions.values.size() != labels.values.size() || labels.values.empty()) {
        const detail::MetricRows rows(metric, predictions, labels, classes_, ignore_);
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows.counts(i, ignore_)) add(rows.label(i), rows.best(i));
        return;
    }
    const detail::MetricPair answers(metric, predictions, labels, ignore_);
    detail::MetricRows::check_range(labels, metric, 2, ignore_);
    for (std::size_t i = 0; i < answers.size(); ++i)
        if (answers.counts(i))
            add(static_cast<std::size_t>(labels.values[i]), static_cast<std::size_t>(predictions.values[i] >= 0.5));
}

SIGMA_IMPL std::size_t ClassCounts::count() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::size_t{0});
}

SIGMA_IMPL void MeanAbsoluteError::add(const detail::MetricPair& pair) {
    for (std::size_t i = 0; i < pair.size(); ++i)
        if (pair.counts(i)) mean_.add(std::abs(pair.predictions.values[i] - pair.targets.values[i]), 1);
}

SIGMA_IMPL void RootMeanSquaredError::add(const detail::MetricPair& pair) {
    for (std::size_t i = 0; i < pair.size(); ++i) {
        if (!pair.counts(i)) continue;
        const double d = pair.predictions.values[i] - pair.targets.values[i];
        mean_.add(d * d, 1);
    }
}

SIGMA_IMPL double RootMeanSquaredError::value() const { return std::sqrt(mean_.value()); }

SIGMA_IMPL R2::R2(std::size_t outputs, detail::Ignored ignore) : outputs_(outputs), ignore_(ignore) {
    if (outputs < 1) throw ArgumentError("R2", "1 output or more", sentence(outputs));
}

SIGMA_IMPL void R2::reset() { outputs_.assign(outputs_.size(), {}); }

SIGMA_IMPL double R2::value(std::size_t output) const {
    if (output >= outputs_.size())
        throw ArgumentError("R2", sentence("an output from 0 to ", outputs_.size() - 1), sentence(output));
    const Output& o = outputs_[output];
    return 1 - (o.spread == 0 ? NAN : o.residual / o.spread);
}

SIGMA_IMPL double R2::value() const {
    double total = 0;
    for (std::size_t o = 0; o < outputs_.size(); ++o) total += value(o);
    return total / static_cast<double>(outputs_.size());
}

SIGMA_IMPL void R2::Output::add(double prediction, double y) {
    const double d = y - mean;
    mean += d / ++count;
    spread += d * (y - mean);
    residual += (y - prediction) * (y - prediction);
}

SIGMA_IMPL void R2::add(const detail::MetricPair& pair) {
    const auto other_rows = [&](const detail::MetricArray& a) {
        return outputs_.size() > 1 && a.shaped && (a.shape.empty() || a.shape.back() != outputs_.size());
    };
    if (pair.size() % outputs_.size() != 0 || other_rows(pair.targets) || other_rows(pair.predictions))
        throw ShapeError("targets of R2", sentence("rows of ", outputs_.size(), " outputs"),
                         sentence("shape ", detail::shape_text(pair.targets.shape)));
    for (std::size_t i = 0; i < pair.size(); ++i)
        if (pair.counts(i)) outputs_[i % outputs_.size()].add(pair.predictions.values[i], pair.targets.values[i]);
}

SIGMA_IMPL Perplexity::Perplexity(std::size_t classes, detail::Ignored ignore) : classes_(classes), ignore_(ignore) {
    detail::check_classes("perplexity", classes);
}

SIGMA_IMPL void Perplexity::add_loss(double mean, std::size_t count) {
    if (std::isnan(mean)) throw ArgumentError("losses of perplexity", "a number", "nan");
    mean_.add(mean * static_cast<double>(count), count);
}

SIGMA_IMPL void Perplexity::add(const detail::MetricRows& rows) {
    for (std::size_t i = 0; i < rows.predictions.values.size(); ++i) {
        const double p = rows.predictions.values[i];
        if (!(p >= 0 && p <= 1 + 1e-5))  // softmax in float rounds
            throw ArgumentError(sentence("predictions of perplexity, position ", i), "a probability from 0 to 1",
                                sentence(p));
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows.counts(i, ignore_)) add_loss(-std::log(rows.row(i)[rows.label(i)]), 1);
}

SIGMA_IMPL double Perplexity::value() const { return std::exp(mean_.value()); }

}  // namespace sigma
