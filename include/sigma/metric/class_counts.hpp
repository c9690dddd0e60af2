// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/metric/arrays.hpp>

namespace sigma {

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
    /// Predictions (…, classes), of which the (first) greatest is taken, and labels (…).
    template <class Predictions, class Labels>
        requires(!std::is_arithmetic_v<Predictions>)
    void add(const Predictions& predictions, const Labels& labels) {
        add_rows({"confusion matrix", predictions, labels, classes_, ignore_});
    }
    void reset();

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
    void add_rows(const detail::MetricRows& rows);
    static double share(std::size_t part, std::size_t whole);
    std::size_t found() const;
    double macro(double (ClassCounts::*of)(std::size_t) const) const;

    std::size_t classes_;
    detail::Ignored ignore_;
    std::vector<std::size_t> counts_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/metric/impl/class_counts.ipp>
#endif
