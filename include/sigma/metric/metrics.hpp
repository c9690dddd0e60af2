// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_array.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/classes.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

/// What metrics take: arrays, those of xtensor, too, whose shapes are checked, and any range of numbers (a span, a
/// vector) in row-major order, whose count is. Everything is computed in double. NaN is refused everywhere, by an
/// ArgumentError that says where it is: a metric that swallowed it would look better than the predictions are. Targets
/// that are `ignore` count for nothing.
namespace sigma::detail {

inline double quotient(double part, double whole) {
    return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : part / whole;
}

/// The numbers of an array as doubles, with its shape where it has one.
struct MetricArray {
    std::vector<double> values;
    std::vector<std::size_t> shape;
    bool shaped = false;

    template <class A>
    explicit MetricArray(const A& a) {
        if constexpr (AnyArray<A>) {
            shaped = true;
            shape = shape_of(a);
            values.reserve(a.size());
            for_each_element(a, [this](const auto& x) { values.push_back(static_cast<double>(x)); });
        } else {
            for (const auto& v : a) values.push_back(static_cast<double>(v));
            shape = {values.size()};
        }
    }
    void refuse_nan(const std::string& metric, const char* what) const;
};

/// A mean of numbers that come in sums.
struct RunningMean {
    double total = 0;
    std::size_t count = 0;

    void add(double sum, std::size_t numbers) { total += sum, count += numbers; }
    double value() const { return quotient(total, static_cast<double>(count)); }
};

/// Predictions and targets of one shape (or count); (n, 1) and (n) are the same, so that class numbers are the targets
/// of one output.
struct MetricPair {
    MetricArray predictions, targets;
    Ignored ignored;

    template <class P, class Y>
    MetricPair(const char* metric, const P& p, const Y& y, const Ignored& ignore = {})
        : predictions(p), targets(y), ignored(ignore) {
        examine(metric);
    }
    void examine(const char* metric) const;
    std::size_t size() const { return targets.values.size(); }
    bool counts(std::size_t i) const { return !ignored.is(targets.values[i]); }
};

/// Predictions (…, classes) and labels (…), each a class below `classes` or ignored.
struct MetricRows {
    MetricArray predictions, labels;
    std::size_t classes;

    template <class P, class Y>
    MetricRows(const char* metric, const P& p, const Y& y, std::size_t classes_, const Ignored& ignore)
        : predictions(p), labels(y), classes(classes_) {
        examine(metric, ignore);
    }
    void examine(const char* metric, const Ignored& ignore) const;
    static void check_range(const MetricArray& labels, const std::string& metric, std::size_t classes,
                            const Ignored& ignore);
    std::size_t size() const { return labels.values.size(); }
    const double* row(std::size_t i) const { return predictions.values.data() + i * classes; }
    bool counts(std::size_t i, const Ignored& ignore) const;
    std::size_t label(std::size_t i) const { return static_cast<std::size_t>(labels.values[i]); }
    /// How many classes come before class `c` of row `i`: those with more, and with as much those of smaller number.
    std::size_t rank(std::size_t i, std::size_t c) const;
    std::size_t best(std::size_t i) const;
};

void check_classes(const char* metric, std::size_t classes);

}  // namespace sigma::detail

namespace sigma {

struct AccuracyOptions {
    std::size_t top = 1;       ///< right if the class is among this many greatest predictions
    detail::Ignored ignore{};  ///< labels that count for nothing
};

/// The share of records whose class has the greatest prediction, or one of the `top` greatest. Of equal predictions the
/// first is taken for the greater. NaN before the first record.
class Accuracy {
public:
    explicit Accuracy(std::size_t classes, AccuracyOptions options = {});

    /// Predictions (…, classes), any numbers that are greater where the class is likelier, and labels (…).
    template <class Predictions, class Labels>
    void add(const Predictions& predictions, const Labels& labels) {
        add({"accuracy", predictions, labels, classes_, options_.ignore});
    }
    double value() const { return detail::quotient(static_cast<double>(right_), static_cast<double>(count_)); }
    std::size_t count() const { return count_; }
    void reset() { right_ = count_ = 0; }

private:
    void add(const detail::MetricRows& rows);
    std::size_t classes_;
    AccuracyOptions options_;
    std::size_t right_ = 0, count_ = 0;
};

/// The area under the receiver operating characteristic: the probability that a record with target 1 is predicted above
/// one with target 0, equal predictions counting one half (Mann and Whitney 1947). Exact, from the ranks of all
/// predictions, which are kept. NaN unless there are records of both kinds.
class AUC {
public:
    explicit AUC(detail::Ignored ignore = {}) : ignore_(ignore) {}

    /// Predictions and targets of one shape, or (n, 1) and (n); targets are 0 or 1. Infinite predictions are fine.
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        add({"AUC", predictions, targets, ignore_});
    }
    double value() const;
    std::size_t count() const { return yes_.size() + no_.size(); }
    void reset();

private:
    void add(const detail::MetricPair& pair);
    detail::Ignored ignore_;
    std::vector<double> yes_, no_;  ///< predictions of records with target 1, and with 0
};

/// Right and wrong answers to yes or no: yes is predicted where the prediction is at least `threshold` (0.5 for
/// probabilities, 0 for scores). Quotients are NaN where they are 0/0.
class BinaryCounts {
public:
    explicit BinaryCounts(double threshold = 0.5, detail::Ignored ignore = {});

    /// Predictions and targets of one shape, or (n, 1) and (n); targets are 0 or 1.
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        add({"binary counts", predictions, targets, ignore_});
    }
    std::size_t true_positives() const { return counts_[3]; }
    std::size_t false_negatives() const { return counts_[2]; }
    std::size_t false_positives() const { return counts_[1]; }
    std::size_t true_negatives() const { return counts_[0]; }

    double accuracy() const {
        return share(counts_[0] + counts_[3], counts_[0] + counts_[1] + counts_[2] + counts_[3]);
    }
    double precision() const { return share(counts_[3], counts_[3] + counts_[1]); }
    double recall() const { return share(counts_[3], counts_[3] + counts_[2]); }
    double f1() const { return share(2 * counts_[3], 2 * counts_[3] + counts_[1] + counts_[2]); }
    void reset() { *this = BinaryCounts(threshold_, ignore_); }

private:
    void add(const detail::MetricPair& pair);
    static double share(std::size_t part, std::size_t whole);
    double threshold_;
    detail::Ignored ignore_;
    std::size_t counts_[4]{};  // 2·actual + predicted
};

/// How often records of each class were taken for each class (the confusion matrix), and what follows from it. Per
/// class c, with tp(c) its records that were found:
///   precision(c) = tp / predicted as c,  recall(c) = tp / records of c,  f1(c) = 2·tp / (predicted as c + records of
///   c),
/// each NaN where it is 0/0. `macro_…` is their mean over the classes that occur among labels or predictions, where 0/0
/// counts 0; `micro_…` has summed numerators and denominators, which makes all three the accuracy. NaN without records.
class ClassCounts {
public:
    explicit ClassCounts(std::size_t classes, detail::Ignored ignore = {});

    void add(std::size_t actual, std::size_t predicted);
    /// Predictions (…, classes), of which the (first) greatest is taken, and labels (…). Of 2 classes also one number
    /// for each label, the probability of the second class, which is taken from 0.5 on.
    template <class Predictions, class Labels>
        requires(!std::is_arithmetic_v<Predictions>)
    void add(const Predictions& predictions, const Labels& labels) {
        add(detail::MetricArray(predictions), detail::MetricArray(labels));
    }
    void reset();

    // Throw ArgumentError where there is no such class.
    std::size_t classes() const { return classes_; }
    std::size_t count(std::size_t actual, std::size_t predicted) const;
    std::size_t count_actual(std::size_t actual) const;
    std::size_t count_predicted(std::size_t predicted) const;
    std::size_t count() const;

    /// The share of records whose class was found; NaN where there are none.
    double accuracy() const { return share(found(), count()); }
    /// The share of the records of a class that were found as such.
    double recall(std::size_t actual) const { return share(count(actual, actual), count_actual(actual)); }
    /// The share of what was taken for a class that is of it.
    double precision(std::size_t predicted) const;
    double f1(std::size_t c) const { return share(2 * count(c, c), count_actual(c) + count_predicted(c)); }

    double macro_recall() const { return macro(&ClassCounts::recall); }
    double macro_precision() const { return macro(&ClassCounts::precision); }
    double macro_f1() const { return macro(&ClassCounts::f1); }
    double micro_recall() const { return accuracy(); }
    double micro_precision() const { return accuracy(); }
    double micro_f1() const { return accuracy(); }

protected:
    const std::vector<std::size_t>& counts() const { return counts_; }

private:
    void add(const detail::MetricArray& predictions, const detail::MetricArray& labels);
    static double share(std::size_t part, std::size_t whole);
    std::size_t found() const;
    double macro(double (ClassCounts::*of)(std::size_t) const) const;
    std::size_t checked(std::size_t c) const;

    std::size_t classes_;
    detail::Ignored ignore_;
    std::vector<std::size_t> counts_;
};

/// The mean of |prediction - target| over all numbers; NaN before the first.
class MeanAbsoluteError {
public:
    explicit MeanAbsoluteError(detail::Ignored ignore = {}) : ignore_(ignore) {}

    /// Predictions and targets of one shape.
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        add({"mean absolute error", predictions, targets, ignore_});
    }
    double value() const { return mean_.value(); }
    std::size_t count() const { return mean_.count; }
    void reset() { mean_ = {}; }

private:
    void add(const detail::MetricPair& pair);
    detail::Ignored ignore_;
    detail::RunningMean mean_;
};

/// The square root of the mean of (prediction - target)² over all numbers; NaN before the first.
class RootMeanSquaredError {
public:
    explicit RootMeanSquaredError(detail::Ignored ignore = {}) : ignore_(ignore) {}

    /// Predictions and targets of one shape.
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        add({"root mean squared error", predictions, targets, ignore_});
    }
    double value() const;
    std::size_t count() const { return mean_.count; }
    void reset() { mean_ = {}; }

private:
    void add(const detail::MetricPair& pair);
    detail::Ignored ignore_;
    detail::RunningMean mean_;
};

/// The coefficient of determination, 1 - Σ(y - prediction)² / Σ(y - mean of y)², of each output over all records:
/// 1 for perfect predictions, 0 for the mean, below 0 for worse. NaN where the targets of an output are all the same
/// (or there is none).
class R2 {
public:
    explicit R2(std::size_t outputs = 1, detail::Ignored ignore = {});

    /// Predictions and targets of one shape, whose numbers belong to output 0, 1, …, 0, 1, … in row-major order: with
    /// several outputs, (…, outputs).
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        add({"R2", predictions, targets, ignore_});
    }
    double value(std::size_t output) const;
    /// The mean over the outputs.
    double value() const;
    void reset();

private:
    void add(const detail::MetricPair& pair);
    /// Spread around the running mean (Welford 1962), which keeps its digits far from 0.
    struct Output {
        double count = 0, mean = 0, spread = 0, residual = 0;
        void add(double prediction, double y);
    };
    std::vector<Output> outputs_;
    detail::Ignored ignore_;
};

/// exp of the mean of -log p[label]: between how many equally likely classes the predictions leave the choice. Infinite
/// if a label ever had probability 0, NaN before the first record.
class Perplexity {
public:
    explicit Perplexity(std::size_t classes, detail::Ignored ignore = {});

    /// Probabilities (…, classes), as SoftmaxCE predicts them, and labels (…).
    template <class Probabilities, class Labels>
    void add(const Probabilities& probabilities, const Labels& labels) {
        add({"perplexity", probabilities, labels, classes_, ignore_});
    }
    /// A mean cross-entropy over `count` labels, such as a loss that a trainer reports.
    void add_loss(double mean, std::size_t count);
    double value() const;
    std::size_t count() const { return mean_.count; }
    void reset() { mean_ = {}; }

private:
    void add(const detail::MetricRows& rows);
    std::size_t classes_;
    detail::Ignored ignore_;
    detail::RunningMean mean_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/metric/impl/metrics.ipp>
#endif
