// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/execution/batch_buffers.hpp>
#include <sigma/execution/lbfgs.hpp>
#include <sigma/execution/observation.hpp>
#include <sigma/network/dynamic_network.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/network/programs.hpp>
#include <sigma/network/table.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace sigma::detail::quasi_newton {

using Vector = std::vector<double>;
using Objective = AnyFunction<double(std::span<const double>, std::span<double>)>;

SIGMA_IMPL double product(const Vector& a, const Vector& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
SIGMA_IMPL double greatest(const Vector& a) {
    double most = 0;
    for (const double x : a) most = std::max(most, std::abs(x));
    return most;
}

/// The function along a line from a place.
class Line {
public:
    struct Point {
        double at = 0, value = 0, slope = 0;
    };

    Line(const Objective& f, const Vector& from, const Vector& direction, std::int64_t& evaluations)
        : place(from.size()), gradient(from.size()), f_(f), from_(from), direction_(direction),
          evaluations_(evaluations) {}

    Vector place, gradient;  // of the last evaluation

    Point evaluate(double at) {
        for (std::size_t i = 0; i < place.size(); ++i) place[i] = from_[i] + at * direction_[i];
        ++evaluations_;
        const double value = f_(place, gradient);
        last_ = at;
        // A number that is not finite means that the place is too far away.
        const double slope = product(gradient, direction_);
        if (!std::isfinite(value) || !std::isfinite(slope)) return {at, std::numeric_limits<double>::infinity(), 0};
        return {at, value, slope};
    }
    /// Returns a point that satisfies the strong Wolfe conditions; place and gradient are then those of the point. If
    /// there is none, returns the lowest point found, with `at` = 0 if none is below the start.
    Point search(Point start, double first) {
        start_ = start;
        Point before = start;
        double at = first;
        for (int i = 0; i < most; ++i, at *= 2) {
            const Point now = evaluate(at);
            if (!descends(now) || (i > 0 && now.value > before.value + slack())) return zoom(before, now);
            if (flat(now)) return now;
            if (now.slope >= 0) return zoom(now, before);
            before = now;
        }
        return arrived(before);
    }

private:
    static constexpr int most = 30;
    static constexpr double sufficient = 1e-4, curvature = 0.9;
    const Objective& f_;
    const Vector &from_, &direction_;
    std::int64_t& evaluations_;
    Point start_{};
    double last_ = 0;

    /// Returns the rounding of values. If values differ by less, the slopes decide (Hager and Zhang 2005).
    double slack() const { return 1e-13 * std::abs(start_.value); }
    bool lower(const Point& p) const { return p.value <= start_.value + sufficient * p.at * start_.slope; }
    bool descends(const Point& p) const {
        if (lower(p)) return true;
        return p.value <= start_.value + slack() && p.slope <= (2 * sufficient - 1) * start_.slope;
    }
    bool flat(const Point& p) const { return std::abs(p.slope) <= -curvature * start_.slope; }
    Point arrived(const Point& p) {
        if (!lower(p)) return start_;
        if (p.at > 0 && last_ != p.at) evaluate(p.at);
        return p;
    }
    Point zoom(Point low, Point high) {
        for (int i = 0; i < most; ++i) {
            const Point now = evaluate(between(low, high));
            if (!descends(now) || now.value > low.value + slack()) {
                high = now;
            } else {
                if (flat(now)) return now;
                if (now.slope * (high.at - low.at) >= 0) high = low;
                low = now;
            }
            if (std::abs(high.at - low.at) <= 1e-14 * std::max(high.at, low.at)) break;
        }
        return arrived(low);
    }
    /// Returns the minimum of the cubic through both points, at some distance from each.
    static double between(const Point& low, const Point& high) {
        const double width = high.at - low.at;
        const double d1 = low.slope + high.slope - 3 * (low.value - high.value) / (low.at - high.at);
        const double root = d1 * d1 - low.slope * high.slope;
        double at = low.at + width / 2;
        if (std::isfinite(high.value) && root >= 0) {
            const double d2 = std::copysign(std::sqrt(root), width);
            const double cubic = high.at - width * (high.slope + d2 - d1) / (high.slope - low.slope + 2 * d2);
            if (std::isfinite(cubic)) at = cubic;
        }
        const double least = std::min(low.at, high.at), size = std::abs(width);
        return std::clamp(at, least + 0.1 * size, least + 0.9 * size);
    }
};

/// The last steps and the changes of the gradient in them.
class Curvature {
public:
    explicit Curvature(std::int64_t most) : most_(static_cast<std::size_t>(most)) {}

    bool empty() const { return pairs_.empty(); }
    void forget() { pairs_.clear(); }
    void add(Vector step, Vector change) {
        const double both = product(step, change);
        if (!(both > 1e-12 * std::sqrt(product(step, step) * product(change, change)))) return;
        pairs_.push_back({std::move(step), std::move(change), both});
        if (pairs_.size() > most_) pairs_.pop_front();
    }
    /// Returns -H·gradient, in two loops over the pairs.
    Vector direction(const Vector& gradient) const {
        Vector d = gradient, alpha(pairs_.size());
        for (std::size_t i = pairs_.size(); i-- > 0;) {
            alpha[i] = product(pairs_[i].step, d) / pairs_[i].both;
            add_to(d, -alpha[i], pairs_[i].change);
        }
        const double scale = empty() ? 1 : pairs_.back().both / product(pairs_.back().change, pairs_.back().change);
        for (double& x : d) x *= scale;
        for (std::size_t i = 0; i < pairs_.size(); ++i)
            add_to(d, alpha[i] - product(pairs_[i].change, d) / pairs_[i].both, pairs_[i].step);
        for (double& x : d) x = -x;
        return d;
    }

private:
    struct Pair {
        Vector step, change;
        double both;  // the product of step and change
    };
    std::size_t most_;
    std::deque<Pair> pairs_;

    static void add_to(Vector& to, double factor, const Vector& what) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * what[i];
    }
};

SIGMA_IMPL void examine(const LbfgsOptions& o) {
    const auto refuse = [](const char* name, const char* expected, auto found) {
        throw ArgumentError(sentence("lbfgs with ", name), expected, sentence(found));
    };
    if (o.iterations < 0) refuse("iterations", "0 or more", o.iterations);
    if (o.history < 1) refuse("history", "1 or more", o.history);
    if (!(o.gradient_tolerance >= 0)) refuse("gradient_tolerance", "0 or more", o.gradient_tolerance);
    if (!(o.change_tolerance >= 0)) refuse("change_tolerance", "0 or more", o.change_tolerance);
    if (!(o.l2 >= 0 && std::isfinite(o.l2))) refuse("l2", "0 or more, and finite", o.l2);
}

}  // namespace sigma::detail::quasi_newton

namespace sigma {

SIGMA_IMPL LbfgsResult lbfgs(std::span<double> x,
                             const detail::AnyFunction<double(std::span<const double>, std::span<double>)>& f,
                             const LbfgsOptions& options) {
    using namespace detail::quasi_newton;
    examine(options);
    Vector at(x.begin(), x.end()), gradient(x.size());
    LbfgsResult result;
    result.value = f(at, gradient);
    result.evaluations = 1;
    if (!std::isfinite(result.value) || !std::isfinite(product(gradient, gradient)))
        throw ArgumentError("lbfgs", "a finite value and gradient to begin with", sentence(result.value));
    Curvature curvature(options.history);
    while (true) {
        result.gradient = greatest(gradient);
        result.end = LbfgsEnd::gradient;
        if (result.gradient <= options.gradient_tolerance) break;
        result.end = LbfgsEnd::iterations;
        if (result.iterations >= options.iterations) break;
        Vector direction = curvature.direction(gradient);
        if (!(product(direction, gradient) < 0)) {  // rounding has spoiled the curvature
            curvature.forget();
            direction = curvature.direction(gradient);
        }
        const double slope = product(direction, gradient);
        const double first = curvature.empty() ? std::min(1.0, 1 / std::sqrt(-slope)) : 1.0;
        Line line(f, at, direction, result.evaluations);
        const Line::Point next_point = line.search({0, result.value, slope}, first);
        result.end = LbfgsEnd::no_descent;
        if (!(next_point.at > 0) || !(next_point.value <= result.value + 1e-13 * std::abs(result.value))) {
            if (curvature.empty()) break;
            curvature.forget();  // try again along the gradient
            continue;
        }
        Vector step = line.place, change = line.gradient;
        for (std::size_t i = 0; i < at.size(); ++i) step[i] -= at[i], change[i] -= gradient[i];
        curvature.add(std::move(step), std::move(change));
        at = line.place;
        gradient = line.gradient;
        ++result.iterations;
        const double less = result.value - next_point.value;
        const double size = std::max({std::abs(result.value), std::abs(next_point.value), 1.0});
        result.value = next_point.value;
        if (options.change_tolerance > 0 && less <= options.change_tolerance * size &&
            greatest(gradient) > options.gradient_tolerance) {
            result.gradient = greatest(gradient);
            result.end = LbfgsEnd::change;
            break;
        }
    }
    std::copy(at.begin(), at.end(), x.begin());
    return result;
}

namespace detail {

SIGMA_IMPL void refuse_statistics_of_batches(const MadeTables& network) {
    if (changed_statistics(network.layers()).empty()) return;
    throw ArgumentError("lbfgs", "a network without statistics of batches, such as those of BatchNorm",
                        "a network with such statistics");
}
template <class T>
LbfgsResult lbfgs_of(ModelStore<T>& model, const CompiledProgram<T>& program, const Dataset& data,
                     const LbfgsOptions& options) {
    BatchBuffers<T> gathered;
    gathered.bind(model.network(), data, data.size());
    std::vector<std::size_t> positions(data.size());
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    gathered.gather(data, positions);
    if (model.classes().empty() && !data.classes().empty()) model.set_classes(data.classes());

    const NetworkTable& network = model.network();
    std::vector<int> numbers;
    std::vector<double> x, penalty;
    for (int i = 0; i < network.parameters.size(); ++i) {
        const ParameterRecord& r = network.parameters[i];
        if (!r.trained) continue;
        numbers.push_back(i);
        const bool reached = options.l2 > 0 && matches(options.penalized, r.name.view());
        for (const T value : dense_elements(parameter_rows(static_cast<const ModelStore<T>&>(model), i))) {
            x.push_back(static_cast<double>(value));
            penalty.push_back(reached ? options.l2 : 0);
        }
    }
    if (options.l2 > 0 && std::find(penalty.begin(), penalty.end(), options.l2) == penalty.end())
        throw ArgumentError("lbfgs with l2", "a pattern that matches a parameter",
                            pattern_without_match(options.penalized, network, true));
    const auto put = [&](std::span<const double> from) {
        model.write([&] {
            std::size_t k = 0;
            for (const int i : numbers) {
                const ParameterRows<T> rows = parameter_rows(model, i);
                for (std::size_t row = 0; row < rows.count; ++row)
                    for (T& to : rows[row]) to = static_cast<T>(from[k++]);
            }
        });
    };
    Observation<T> observation(model, program, to_minimize);
    const LbfgsResult result = lbfgs(
        x,
        [&](std::span<const double> at, std::span<double> gradient) {
            put(at);
            observation.run(gathered.inputs(), gathered.targets(), static_cast<std::ptrdiff_t>(data.size()));
            std::size_t k = 0;
            double total = observation.loss();
            for (const int i : numbers)
                for (const T g : observation.values(i)) {
                    gradient[k] = static_cast<double>(g) + penalty[k] * at[k];
                    total += penalty[k] / 2 * at[k] * at[k];
                    ++k;
                }
            return total;
        },
        options);
    put(x);
    return result;
}

}  // namespace detail
}  // namespace sigma

#ifdef SIGMA_COMPILED
namespace sigma::detail {
template LbfgsResult lbfgs_of<float>(ModelStore<float>&, const CompiledProgram<float>&, const Dataset&,
                                     const LbfgsOptions&);
template LbfgsResult lbfgs_of<double>(ModelStore<double>&, const CompiledProgram<double>&, const Dataset&,
                                      const LbfgsOptions&);
}  // namespace sigma::detail
#endif
