// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Metrics: Accuracy, AUC, BinaryCounts, ClassCounts, MeanAbsoluteError, RootMeanSquaredError, R2, Perplexity. Included
/// by `<sigma/sigma.hpp>`.
// Metrics accept arrays, also of xtensor, and check their shapes; and ranges of numbers (a span, a vector) in row-major
// order, and check their count. They compute in double. They reject NaN with an ArgumentError that names its place: a
// metric that skipped NaN would look better than the predictions are.
#include <sigma/core/any_array.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/classes.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace sigma::detail {

inline double quotient(double part, double whole) {
    return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : part / whole;
}

/// The numbers of an array as doubles, and its shape if it has one.
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

/// A mean of numbers that are added in sums.
struct RunningMean {
    double total = 0;
    std::size_t count = 0;

    void add(double sum, std::size_t numbers) { total += sum, count += numbers; }
    double value() const { return quotient(total, static_cast<double>(count)); }
};

/// Predictions and targets of one shape or count. (n, 1) and (n) are equal: the targets of one output are class
/// numbers.
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
    /// Returns how many classes come before class `c` of row `i`: greater ones, and equal ones with a smaller number.
    std::size_t rank(std::size_t i, std::size_t c) const;
    std::size_t best(std::size_t i) const;
};

void check_classes(const char* metric, std::size_t classes);

}  // namespace sigma::detail

namespace sigma {

/// Options of `Accuracy`.
///
/// @see Accuracy
struct AccuracyOptions {
    /// A record is right if its class is among this many greatest predictions, from 1 to the number of classes.
    std::size_t top = 1;
    detail::Ignored ignore{};  ///< Label of records that do not count. Default: all count.
};

/// The share of records with the greatest prediction at their class, or with one of the `top` greatest.
///
/// Of equal predictions the first counts as greater.
///
/// @par Example
/// @code
/// Accuracy top_two(10, {.top = 2});
/// top_two.add(model.predict(images), std::vector<int>(100, 7));  // predictions (100, 10), 100 labels
/// const double share = top_two.value();
/// @endcode
///
/// @see ClassCounts, score, docs/metrics.md
class Accuracy {
public:
    /// Constructs the metric without records.
    /// @param classes  number of classes, at least 2
    /// @param options  number of greatest predictions, and ignored label
    /// @throws ArgumentError  if `classes` is less than 2, or `options.top` is not from 1 to `classes`
    explicit Accuracy(std::size_t classes, AccuracyOptions options = {});

    /// Adds records.
    /// @param predictions  (…, classes): numbers that are greater for likelier classes, such as scores or probabilities
    /// @param labels  (…): class numbers from 0
    /// @throws ShapeError  if the shapes do not match
    /// @throws ArgumentError  if a number is NaN or a label is no class
    template <class Predictions, class Labels>
    void add(const Predictions& predictions, const Labels& labels) {
        add({"accuracy", predictions, labels, classes_, options_.ignore});
    }
    /// Returns the share of right records, from 0 to 1; NaN without records.
    double value() const { return detail::quotient(static_cast<double>(right_), static_cast<double>(count_)); }
    /// Returns the number of records that count.
    std::size_t count() const { return count_; }
    /// Removes all records.
    void reset() { right_ = count_ = 0; }

private:
    void add(const detail::MetricRows& rows);
    std::size_t classes_;
    AccuracyOptions options_;
    std::size_t right_ = 0, count_ = 0;
};

/// The area under the receiver operating characteristic (ROC).
///
/// It is the probability that a record with target 1 has a greater prediction than one with target 0, where equal
/// predictions count one half (Mann and Whitney 1947). It is exact: the metric stores all predictions.
///
/// @par Example
/// @code
/// AUC area;
/// area.add(std::vector<double>{0.9, 0.2, 0.6}, std::vector<int>{1, 0, 1});
/// const double value = area.value();  // 1
/// @endcode
///
/// @see BinaryCounts, docs/metrics.md
class AUC {
public:
    /// Constructs the metric without records.
    /// @param ignore  target of records that do not count. Default: all count.
    explicit AUC(detail::Ignored ignore = {}) : ignore_(ignore) {}

    /// Adds records.
    /// @param predictions  numbers that are greater for likelier positives; they may be infinite
    /// @param targets  0 or 1, of the shape of the predictions, or (n) for predictions (n, 1)
    /// @throws ShapeError  if the shapes do not match
    /// @throws ArgumentError  if a number is NaN or a target is neither 0 nor 1
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        add({"AUC", predictions, targets, ignore_});
    }
    /// Returns the area, from 0 to 1; NaN without records of both targets.
    double value() const;
    /// Returns the number of records that count.
    std::size_t count() const { return yes_.size() + no_.size(); }
    /// Removes all records.
    void reset();

private:
    void add(const detail::MetricPair& pair);
    detail::Ignored ignore_;
    std::vector<double> yes_, no_;  // predictions of records with target 1, and with 0
};

/// Counts of right and wrong yes-or-no answers. Quotients 0/0 are NaN.
///
/// @par Example
/// @code
/// BinaryCounts counts(0.5);
/// counts.add(std::vector<double>{0.9, 0.2, 0.6}, std::vector<int>{1, 0, 0});
/// const double share = counts.precision();  // 0.5
/// @endcode
///
/// @see AUC, ClassCounts, docs/metrics.md
class BinaryCounts {
public:
    /// Constructs the metric without records.
    /// @param threshold  smallest prediction of a yes: 0.5 for probabilities (default), 0 for scores
    /// @param ignore  target of records that do not count. Default: all count.
    /// @throws ArgumentError  if the threshold is NaN
    explicit BinaryCounts(double threshold = 0.5, detail::Ignored ignore = {});

    /// Adds records.
    /// @param predictions  probabilities or scores of yes
    /// @param targets  0 or 1, of the shape of the predictions, or (n) for predictions (n, 1)
    /// @throws ShapeError  if the shapes do not match
    /// @throws ArgumentError  if a number is NaN or a target is neither 0 nor 1
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        add({"binary counts", predictions, targets, ignore_});
    }
    /// Returns the number of records with target 1 and a predicted yes.
    std::size_t true_positives() const { return counts_[3]; }
    /// Returns the number of records with target 1 and a predicted no.
    std::size_t false_negatives() const { return counts_[2]; }
    /// Returns the number of records with target 0 and a predicted yes.
    std::size_t false_positives() const { return counts_[1]; }
    /// Returns the number of records with target 0 and a predicted no.
    std::size_t true_negatives() const { return counts_[0]; }

    /// Returns the share of right answers.
    double accuracy() const {
        return share(counts_[0] + counts_[3], counts_[0] + counts_[1] + counts_[2] + counts_[3]);
    }
    /// Returns the share of right answers among predicted yes: tp / (tp + fp).
    double precision() const { return share(counts_[3], counts_[3] + counts_[1]); }
    /// Returns the share of right answers among targets of 1: tp / (tp + fn).
    double recall() const { return share(counts_[3], counts_[3] + counts_[2]); }
    /// Returns the harmonic mean of precision and recall: 2·tp / (2·tp + fp + fn).
    double f1() const { return share(2 * counts_[3], 2 * counts_[3] + counts_[1] + counts_[2]); }
    /// Removes all records.
    void reset() { *this = BinaryCounts(threshold_, ignore_); }

private:
    void add(const detail::MetricPair& pair);
    static double share(std::size_t part, std::size_t whole);
    double threshold_;
    detail::Ignored ignore_;
    std::size_t counts_[4]{};  // 2·actual + predicted
};

/// The confusion matrix: counts of each pair of a true and a predicted class, with precision, recall and F1.
///
/// For a class c, let tp be the records of c that are predicted as c. Then precision(c) = tp / predicted as c,
/// recall(c) = tp / records of c, and f1(c) = 2·tp / (predicted as c + records of c); 0/0 is NaN. The `macro_…` are
/// means over the classes that occur among labels or predictions, where 0/0 counts as 0. The `micro_…` sum numerators
/// and denominators first, and all equal the accuracy. Functions of a class throw ArgumentError if the class does not
/// exist.
///
/// @par Example
/// @code
/// ClassCounts counts(10);
/// counts.add(model.predict(images), std::vector<int>(100, 7));  // predictions (100, 10), 100 labels
/// const double share = counts.macro_f1();
/// @endcode
///
/// @see ConfusionMatrix (with names and a table), Accuracy, docs/metrics.md
class ClassCounts {
public:
    /// Constructs the metric without records.
    /// @param classes  number of classes
    /// @param ignore  label of records that do not count. Default: all count.
    explicit ClassCounts(std::size_t classes, detail::Ignored ignore = {});

    /// Adds one record.
    /// @param actual  true class, from 0
    /// @param predicted  predicted class, from 0
    /// @throws ArgumentError  if there is no such class
    void add(std::size_t actual, std::size_t predicted);
    /// Adds records.
    /// @param predictions  (…, classes); the (first) greatest is the predicted class. With 2 classes also (…): the
    /// probability
    ///   of class 1, which is predicted from 0.5 on.
    /// @param labels  (…): class numbers from 0
    /// @throws ShapeError  if the shapes do not match
    /// @throws ArgumentError  if a number is NaN or a label is no class
    template <class Predictions, class Labels>
        requires(!std::is_arithmetic_v<Predictions>)
    void add(const Predictions& predictions, const Labels& labels) {
        add(detail::MetricArray(predictions), detail::MetricArray(labels));
    }
    /// Removes all records.
    void reset();

    /// Returns the number of classes.
    std::size_t classes() const { return classes_; }
    /// Returns the number of records of a class that are predicted as another, or as itself.
    /// @param actual  true class
    /// @param predicted  predicted class
    /// @throws ArgumentError  if a class is not below `classes()`
    std::size_t count(std::size_t actual, std::size_t predicted) const;
    /// Returns the number of records of a class.
    /// @param actual  true class
    /// @throws ArgumentError  if `actual` is not below `classes()`
    std::size_t count_actual(std::size_t actual) const;
    /// Returns the number of records that are predicted as a class.
    /// @param predicted  predicted class
    /// @throws ArgumentError  if `predicted` is not below `classes()`
    std::size_t count_predicted(std::size_t predicted) const;
    /// Returns the number of records that count.
    std::size_t count() const;

    /// Returns the share of records with the right class; NaN without records.
    double accuracy() const { return share(found(), count()); }
    /// Returns the share of right predictions among the records of a class.
    /// @param actual  true class
    double recall(std::size_t actual) const { return share(count(actual, actual), count_actual(actual)); }
    /// Returns the share of right predictions among the records that are predicted as a class.
    /// @param predicted  predicted class
    double precision(std::size_t predicted) const;
    /// Returns the harmonic mean of precision and recall of a class.
    /// @param number  the class
    double f1(std::size_t number) const {
        return share(2 * count(number, number), count_actual(number) + count_predicted(number));
    }

    /// Returns the mean recall over the classes that occur.
    double macro_recall() const { return macro(&ClassCounts::recall); }
    /// Returns the mean precision over the classes that occur.
    double macro_precision() const { return macro(&ClassCounts::precision); }
    /// Returns the mean F1 over the classes that occur.
    double macro_f1() const { return macro(&ClassCounts::f1); }
    /// Returns the recall of all classes together: the accuracy.
    double micro_recall() const { return accuracy(); }
    /// Returns the precision of all classes together: the accuracy.
    double micro_precision() const { return accuracy(); }
    /// Returns the F1 of all classes together: the accuracy.
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

/// The mean of |prediction - target| over all numbers.
///
/// @par Example
/// @code
/// MeanAbsoluteError error_of_prices;
/// error_of_prices.add(std::vector<double>{1.5, 2}, std::vector<double>{1, 2});
/// const double value = error_of_prices.value();  // 0.25
/// @endcode
///
/// @see RootMeanSquaredError, R2, docs/metrics.md
class MeanAbsoluteError {
public:
    /// Constructs the metric without numbers.
    /// @param ignore  target that does not count. Default: all count.
    explicit MeanAbsoluteError(detail::Ignored ignore = {}) : ignore_(ignore) {}

    /// Adds numbers.
    /// @param predictions  numbers of any shape
    /// @param targets  numbers of the same shape
    /// @throws ShapeError  if the shapes do not match
    /// @throws ArgumentError  if a number is NaN
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        add({"mean absolute error", predictions, targets, ignore_});
    }
    /// Returns the mean; NaN without numbers.
    double value() const { return mean_.value(); }
    /// Returns the number of targets that count.
    std::size_t count() const { return mean_.count; }
    /// Removes all numbers.
    void reset() { mean_ = {}; }

private:
    void add(const detail::MetricPair& pair);
    detail::Ignored ignore_;
    detail::RunningMean mean_;
};

/// The square root of the mean of (prediction - target)² over all numbers.
///
/// @par Example
/// @code
/// RootMeanSquaredError error_of_prices;
/// error_of_prices.add(std::vector<double>{1.5, 2}, std::vector<double>{1, 2});
/// const double value = error_of_prices.value();
/// @endcode
///
/// @see MeanAbsoluteError, R2, docs/metrics.md
class RootMeanSquaredError {
public:
    /// Constructs the metric without numbers.
    /// @param ignore  target that does not count. Default: all count.
    explicit RootMeanSquaredError(detail::Ignored ignore = {}) : ignore_(ignore) {}

    /// Adds numbers.
    /// @param predictions  numbers of any shape
    /// @param targets  numbers of the same shape
    /// @throws ShapeError  if the shapes do not match
    /// @throws ArgumentError  if a number is NaN
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        add({"root mean squared error", predictions, targets, ignore_});
    }
    /// Returns the root; NaN without numbers.
    double value() const;
    /// Returns the number of targets that count.
    std::size_t count() const { return mean_.count; }
    /// Removes all numbers.
    void reset() { mean_ = {}; }

private:
    void add(const detail::MetricPair& pair);
    detail::Ignored ignore_;
    detail::RunningMean mean_;
};

/// The coefficient of determination, 1 - Σ(y - prediction)² / Σ(y - mean of y)², of each output over all records.
///
/// It is 1 for perfect predictions, 0 for the mean, and below 0 for worse predictions.
///
/// @par Example
/// @code
/// R2 determination;
/// determination.add(std::vector<double>{1.1, 1.9, 3}, std::vector<double>{1, 2, 3});
/// const double value = determination.value();
/// @endcode
///
/// @see RootMeanSquaredError, docs/metrics.md
class R2 {
public:
    /// Constructs the metric without records.
    /// @param outputs  number of outputs, at least 1
    /// @param ignore  target that does not count. Default: all count.
    /// @throws ArgumentError  if `outputs` is less than 1
    explicit R2(std::size_t outputs = 1, detail::Ignored ignore = {});

    /// Adds records.
    /// @param predictions  (…, outputs), or a range of numbers of output 0, 1, …, 0, 1, …
    /// @param targets  numbers of the same shape
    /// @throws ShapeError  if the shapes do not match
    /// @throws ArgumentError  if a number is NaN
    template <class Predictions, class Targets>
    void add(const Predictions& predictions, const Targets& targets) {
        add({"R2", predictions, targets, ignore_});
    }
    /// Returns the coefficient of an output; NaN if all of its targets are equal or there is none.
    /// @param output  number of the output, from 0
    /// @throws ArgumentError  if there is no such output
    double value(std::size_t output) const;
    /// Returns the mean coefficient over the outputs.
    double value() const;
    /// Removes all records.
    void reset();

private:
    void add(const detail::MetricPair& pair);
    /// The spread around the running mean (Welford 1962), accurate far from 0, too.
    struct Output {
        double count = 0, mean = 0, spread = 0, residual = 0;
        void add(double prediction, double y);
    };
    std::vector<Output> outputs_;
    detail::Ignored ignore_;
};

/// The exponential of the mean of -log p[label].
///
/// It is the number of equally likely classes between which the predictions leave the choice.
///
/// @par Example
/// @code
/// Perplexity perplexity(10);
/// perplexity.add(model.predict(images), std::vector<int>(100, 7));  // probabilities (100, 10), 100 labels
/// const double value = perplexity.value();
/// @endcode
///
/// @see SoftmaxCE, docs/metrics.md
class Perplexity {
public:
    /// Constructs the metric without records.
    /// @param classes  number of classes, at least 2
    /// @param ignore  label of records that do not count. Default: all count.
    /// @throws ArgumentError  if `classes` is less than 2
    explicit Perplexity(std::size_t classes, detail::Ignored ignore = {});

    /// Adds records.
    /// @param probabilities  (…, classes), as a network with SoftmaxCE predicts them
    /// @param labels  (…): class numbers from 0
    /// @throws ShapeError  if the shapes do not match
    /// @throws ArgumentError  if a number is NaN or no probability, or a label is no class
    template <class Probabilities, class Labels>
    void add(const Probabilities& probabilities, const Labels& labels) {
        add({"perplexity", probabilities, labels, classes_, ignore_});
    }
    /// Adds a mean cross-entropy over labels, such as a loss that a trainer reports.
    /// @param mean  mean cross-entropy
    /// @param count  number of labels
    /// @throws ArgumentError  if the mean is NaN
    void add_loss(double mean, std::size_t count);
    /// Returns the perplexity, at least 1: infinite if a label had probability 0, NaN without records.
    double value() const;
    /// Returns the number of records that count.
    std::size_t count() const { return mean_.count; }
    /// Removes all records.
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
