// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_array.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/label_range.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

/// What metrics take: arrays, those of xtensor, too, whose shapes are checked, and any range of numbers (a span, a
/// vector) in row-major order, whose count is. Everything is computed in double. NaN is refused everywhere, by an
/// ArgumentError that says where it is: a metric that swallowed it would look better than the predictions are.
namespace sigma::detail {

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

/// Predictions and targets of one shape (or count); (n, 1) and (n) are the same, so that class numbers are the targets
/// of one output.
struct MetricPair {
    MetricArray predictions, targets;

    template <class P, class Y>
    MetricPair(const char* metric, const P& p, const Y& y) : predictions(p), targets(y) {
        check(metric);
    }
    void check(const char* metric) const;
    std::size_t size() const { return targets.values.size(); }
};

/// Predictions (…, classes) and labels (…), each a class below `classes` or ignored.
struct MetricRows {
    MetricArray predictions, labels;
    std::size_t classes;

    template <class P, class Y>
    MetricRows(const char* metric, const P& p, const Y& y, std::size_t classes_, const Ignored& ignore)
        : predictions(p), labels(y), classes(classes_) {
        check(metric, ignore);
    }
    void check(const char* metric, const Ignored& ignore) const;
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
inline double quotient(double part, double whole) {
    return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : part / whole;
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/metric/impl/arrays.ipp>
#endif
