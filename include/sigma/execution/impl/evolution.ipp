// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/execution/evolution.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/network/table.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <string>

namespace sigma::detail::evolution {

using Vector = std::vector<double>;
using Order = std::vector<std::size_t>;
using Objective = AnyFunction<double(std::span<const double>)>;
inline constexpr double infinite = std::numeric_limits<double>::infinity();

[[noreturn]] SIGMA_IMPL void refuse(const char* where, const char* name, const std::string& expected, double found) {
    throw ArgumentError(sentence(where, name), expected, sentence(found));
}
SIGMA_IMPL void examine_number(const char* where, const char* name, double x) {
    if (!(x > 0 && x < infinite)) refuse(where, name, "a finite number above 0", x);
}
SIGMA_IMPL void examine_start(const char* where, std::span<const double> x, std::int64_t evaluations) {
    if (evaluations < 1) throw ArgumentError(sentence(where, " with evaluations"), "1 or more", sentence(evaluations));
    if (x.empty()) throw ArgumentError(where, "1 number or more to start at", "none");
    for (const double each : x)
        if (!(std::abs(each) < infinite)) refuse(where, "", "finite numbers to start at", each);
}
/// A value of which NaN is the greatest.
SIGMA_IMPL double ordered(double value) { return std::isnan(value) ? infinite : value; }
/// Returns the numbers of the candidates, the least value first.
SIGMA_IMPL Order order_of(const Vector& values) {
    Order order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(
        order, [&](std::size_t a, std::size_t b) { return values[a] != values[b] ? values[a] < values[b] : a < b; });
    return order;
}

/// Bounds of each number. Outside of them, numbers are mirrored.
class Bounds {
public:
    explicit Bounds(const CmaEsOptions& o, std::span<const double> start)
        : lower_(spread("lower", o.lower, start.size(), -infinite)),
          upper_(spread("upper", o.upper, start.size(), infinite)) {
        for (std::size_t i = 0; i < start.size(); ++i) {
            if (!(lower_[i] < upper_[i]))
                refuse("cma_es with ", "upper", sentence("a bound above ", lower_[i]), upper_[i]);
            if (!(start[i] >= lower_[i] && start[i] <= upper_[i]))
                throw ArgumentError("cma_es", sentence("a start from ", lower_[i], " to ", upper_[i]),
                                    sentence(start[i]));
        }
    }
    void mirror(Vector& x) const {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = mirrored(x[i], lower_[i], upper_[i]);
    }

private:
    Vector lower_, upper_;

    static Vector spread(const char* name, const Vector& given, std::size_t n, double none) {
        if (given.empty()) return Vector(n, none);
        if (given.size() == 1) return Vector(n, given[0]);
        if (given.size() != n)
            throw ArgumentError(sentence("cma_es with ", name), sentence("1 or ", n, " bounds"),
                                sentence(given.size()));
        return given;
    }
    static double mirrored(double x, double low, double high) {
        if (x >= low && x <= high) return x;
        if (low == -infinite || high == infinite) return x < low ? 2 * low - x : 2 * high - x;
        const double width = high - low, into = std::fmod(std::abs(x - low), 2 * width);
        return std::clamp(into > width ? high - (into - width) : low + into, low, high);
    }
};

/// Makes the symmetric `a` diagonal by rotations, to 14 digits of each pair (cyclic Jacobi method: Golub and Van Loan,
/// Matrix Computations, section 8.5). Rotates the rows of `b` in the same way.
SIGMA_IMPL void make_diagonal(Vector& a, Vector& b, std::size_t n) {
    bool rotated = true;
    for (int sweep = 0; rotated && sweep < 30; ++sweep) {
        rotated = false;
        for (std::size_t p = 0; p < n; ++p)
            for (std::size_t q = p + 1; q < n; ++q) {
                const double off = a[p * n + q], first = a[p * n + p], last = a[q * n + q];
                if (!(std::abs(off) > 1e-14 * std::sqrt(std::abs(first * last)))) continue;
                rotated = true;
                const double theta = (last - first) / (2 * off);
                const double t = std::copysign(1, theta) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                const auto rotate_rows = [&](double* x, double* y) {
                    for (std::size_t k = 0; k < n; ++k) {
                        const double before = x[k];
                        x[k] = c * before - s * y[k];
                        y[k] = s * before + c * y[k];
                    }
                };
                rotate_rows(&b[p * n], &b[q * n]);
                rotate_rows(&a[p * n], &a[q * n]);
                for (std::size_t k = 0; k < n; ++k) a[k * n + p] = a[p * n + k], a[k * n + q] = a[q * n + k];
                a[p * n + p] = first - t * off;
                a[q * n + q] = last + t * off;
                a[p * n + q] = a[q * n + p] = 0;
            }
    }
}

/// The normal distribution of the candidates, and its adaptation. The names and formulas are those of Hansen 2016.
class Distribution {
public:
    Distribution(std::span<const double> start, double step, std::size_t lambda, bool full)
        : mean(start.begin(), start.end()), sigma(step), n_(start.size()), lambda_(lambda), full_(full),
          z_(lambda * n_), y_(lambda * n_), p_sigma_(n_, 0), p_c_(n_, 0), d_(n_, 1), c_(full ? n_ * n_ : n_, 0),
          w_(lambda) {
        const auto n = static_cast<double>(n_);
        for (std::size_t i = 0; i < n_; ++i) variance(i) = 1;
        b_ = full ? c_ : Vector{};
        // Equations 49 to 58: weights and rates of learning.
        const std::size_t mu = lambda / 2;
        for (std::size_t i = 0; i < lambda; ++i)
            w_[i] = std::log((static_cast<double>(lambda) + 1) / 2) - std::log(static_cast<double>(i + 1));
        const auto effective = [&](std::size_t from, std::size_t to) {
            double sum = 0, squares = 0;
            for (std::size_t i = from; i < to; ++i) sum += w_[i], squares += w_[i] * w_[i];
            return sum * sum / squares;
        };
        mu_eff_ = effective(0, mu);
        const double mu_eff_minus = effective(mu, lambda);
        c_sigma_ = (mu_eff_ + 2) / (n + mu_eff_ + 5);
        d_sigma_ = 1 + 2 * std::max(0.0, std::sqrt((mu_eff_ - 1) / (n + 1)) - 1) + c_sigma_;
        c_c_ = (4 + mu_eff_ / n) / (n + 4 + 2 * mu_eff_ / n);
        const double faster = full ? 1 : (n + 2) / 3;  // Ros and Hansen 2008: a diagonal has fewer numbers to learn
        c_1_ = std::min(0.5, faster * 2 / ((n + 1.3) * (n + 1.3) + mu_eff_));
        c_mu_ = std::min(1 - c_1_, faster * 2 * (0.25 + mu_eff_ + 1 / mu_eff_ - 2) / ((n + 2) * (n + 2) + mu_eff_));
        double positive = 0, negative = 0;
        for (const double w : w_) (w >= 0 ? positive : negative) += std::abs(w);
        const double alpha =
            std::min({1 + c_1_ / c_mu_, 1 + 2 * mu_eff_minus / (mu_eff_ + 2), (1 - c_1_ - c_mu_) / (n * c_mu_)});
        for (double& w : w_) w *= w >= 0 ? 1 / positive : alpha / negative;
        norm_ = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
        period_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(1 / ((c_1_ + c_mu_) * n * 10)));
    }

    Vector mean;
    double sigma;

    /// Draws the steps y = B D z of a generation.
    void draw(std::uint64_t seed) {
        Philox(seed, RandomUse::user, static_cast<std::uint64_t>(generation_)).fill_normal(std::span(z_));
        Vector scaled(n_);
        for (std::size_t k = 0; k < lambda_; ++k) {
            for (std::size_t i = 0; i < n_; ++i) scaled[i] = d_[i] * z_[k * n_ + i];
            turn(scaled, std::span(y_).subspan(k * n_, n_));
        }
    }
    void candidate(std::size_t k, Vector& x) const {
        for (std::size_t i = 0; i < n_; ++i) x[i] = mean[i] + sigma * y_[k * n_ + i];
    }
    /// Adapts mean, step size and covariance to the candidates, the best first.
    void update(const Order& order) {
        ++generation_;
        Vector z_w(n_, 0), y_w(n_, 0), whitened(n_);
        for (std::size_t k = 0; k < lambda_ / 2; ++k)
            for (std::size_t i = 0; i < n_; ++i) {
                z_w[i] += w_[k] * z_[order[k] * n_ + i];
                y_w[i] += w_[k] * y_[order[k] * n_ + i];
            }
        turn(z_w, whitened);  // C^(-1/2) y_w = B z_w
        double squares = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            mean[i] += sigma * y_w[i];
            p_sigma_[i] = (1 - c_sigma_) * p_sigma_[i] + std::sqrt(c_sigma_ * (2 - c_sigma_) * mu_eff_) * whitened[i];
            squares += p_sigma_[i] * p_sigma_[i];
        }
        const double length = std::sqrt(squares), n = static_cast<double>(n_);
        const double begun = 1 - std::pow(1 - c_sigma_, 2 * static_cast<double>(generation_));
        const double h = length / std::sqrt(begun) < (1.4 + 2 / (n + 1)) * norm_ ? 1 : 0;
        sigma *= std::exp(std::min(1.0, c_sigma_ / d_sigma_ * (length / norm_ - 1)));
        for (std::size_t i = 0; i < n_; ++i)
            p_c_[i] = (1 - c_c_) * p_c_[i] + h * std::sqrt(c_c_ * (2 - c_c_) * mu_eff_) * y_w[i];
        const double sum = std::accumulate(w_.begin(), w_.end(), 0.0);
        const double kept = 1 + c_1_ * (1 - h) * c_c_ * (2 - c_c_) - c_1_ - c_mu_ * sum;
        for (double& each : c_) each *= kept;
        add(c_1_, p_c_);
        for (std::size_t k = 0; k < lambda_; ++k) {
            double w = w_[k];
            if (w < 0) {  // C^(-1/2) y has the length of z
                double z = 0;
                for (std::size_t i = 0; i < n_; ++i) z += z_[order[k] * n_ + i] * z_[order[k] * n_ + i];
                w *= n / std::max(z, 1e-300);
            }
            add(c_mu_ * w, std::span(y_).subspan(order[k] * n_, n_));
        }
        if (generation_ % period_ == 0) decompose();
    }
    /// Returns the greatest deviation of a number.
    double deviation() const {
        double most = 0;
        for (std::size_t i = 0; i < n_; ++i)
            most = std::max({most, sigma * std::sqrt(variance(i)), sigma * std::abs(p_c_[i])});
        return most;
    }
    double condition() const {
        const auto [least, most] = std::ranges::minmax(d_);
        return (most / least) * (most / least);
    }

private:
    std::size_t n_, lambda_;
    bool full_;
    Vector z_, y_, p_sigma_, p_c_, d_, b_{}, c_, w_;
    double mu_eff_, c_sigma_, d_sigma_, c_c_, c_1_, c_mu_, norm_;
    std::int64_t generation_ = 0, period_;

    double& variance(std::size_t i) { return c_[full_ ? i * n_ + i : i]; }
    double variance(std::size_t i) const { return c_[full_ ? i * n_ + i : i]; }
    /// Sets to = B from. The eigenvectors are the rows of b_.
    void turn(std::span<const double> from, std::span<double> to) const {
        if (!full_) return std::ranges::copy(from, to.begin()), void();
        std::ranges::fill(to, 0.0);
        for (std::size_t k = 0; k < n_; ++k)
            for (std::size_t i = 0; i < n_; ++i) to[i] += from[k] * b_[k * n_ + i];
    }
    /// C += factor · y yᵀ
    void add(double factor, std::span<const double> y) {
        if (!full_)
            for (std::size_t i = 0; i < n_; ++i) c_[i] += factor * y[i] * y[i];
        else
            for (std::size_t i = 0; i < n_; ++i)
                for (std::size_t j = 0; j < n_; ++j) c_[i * n_ + j] += factor * (y[i] * y[j]);
    }
    /// C = B D² Bᵀ. The vectors of the last generation nearly make it diagonal, so that few rotations remain.
    void decompose() {
        Vector a = c_;
        if (full_) {
            Vector turned(n_ * n_, 0);  // Bᵀ C, whose rows are C b
            for (std::size_t k = 0; k < n_; ++k)
                for (std::size_t i = 0; i < n_; ++i)
                    for (std::size_t j = 0; j < n_; ++j) turned[k * n_ + j] += b_[k * n_ + i] * c_[i * n_ + j];
            for (std::size_t k = 0; k < n_; ++k)
                for (std::size_t l = 0; l <= k; ++l) {
                    const double* const row = &turned[k * n_];
                    a[k * n_ + l] = a[l * n_ + k] = std::inner_product(row, row + n_, &b_[l * n_], 0.0);
                }
            make_diagonal(a, b_, n_);
        }
        // Rounding may leave a variance of 0 or less. The condition then ends the search.
        for (std::size_t i = 0; i < n_; ++i) d_[i] = std::sqrt(std::max(a[full_ ? i * n_ + i : i], 1e-300));
    }
};

/// Counts, keeps the best numbers, and finds the reason for the end.
class Progress {
public:
    Progress(const Objective& f, std::int64_t evaluations, double target)
        : f_(f), evaluations_(evaluations), target_(target) {}

    Vector best{};
    EvolutionResult result{.value = infinite};

    /// Evaluates numbers, and keeps them if they are the best and `keeps`.
    double evaluate(const Vector& x, bool keeps) {
        ++result.evaluations;
        const double value = ordered(f_(x));
        if (keeps && (best.empty() || value < result.value)) {
            best = x;
            result.value = value;
        }
        return value;
    }
    /// Returns whether the search ends after a generation.
    bool ends(double least, double step_size, const Vector& mean,
              const AnyFunction<bool(const Generation&)>& after_generation) {
        ++result.generations;
        const auto end = [&](EvolutionEnd reason) {
            result.end = reason;
            return true;
        };
        if (after_generation &&
            !after_generation({result.generations, result.evaluations, least, result.value, step_size, mean}))
            return end(EvolutionEnd::stopped);
        if (result.value <= target_) return end(EvolutionEnd::target);
        return result.evaluations >= evaluations_ && end(EvolutionEnd::evaluations);
    }

private:
    const Objective& f_;
    std::int64_t evaluations_;
    double target_;
};

}  // namespace sigma::detail::evolution

namespace sigma {

SIGMA_IMPL EvolutionResult cma_es(std::span<double> x, const detail::AnyFunction<double(std::span<const double>)>& f,
                                  const CmaEsOptions& options) {
    using namespace detail::evolution;
    examine_start("cma_es", x, options.evaluations);
    examine_number("cma_es with ", "step_size", options.step_size);
    if (!(options.value_tolerance >= 0))
        refuse("cma_es with ", "value_tolerance", "0 or more", options.value_tolerance);
    if (!(options.step_tolerance >= 0)) refuse("cma_es with ", "step_tolerance", "0 or more", options.step_tolerance);
    if (options.population != 0 && options.population < 4)
        throw ArgumentError("cma_es with population", "0, or 4 or more", sentence(options.population));
    const Bounds bounds(options, x);
    const std::size_t n = x.size();
    const std::size_t lambda = options.population != 0
                                   ? options.population
                                   : 4 + static_cast<std::size_t>(3 * std::log(static_cast<double>(n)));
    const std::size_t compared = 10 + (30 * n + lambda - 1) / lambda;

    Distribution candidates(x, options.step_size, lambda, n <= options.full_up_to);
    Progress progress(f, options.evaluations, options.target);
    Vector at(n), values(lambda);
    std::deque<double> least;
    while (true) {
        candidates.draw(options.seed);
        for (std::size_t k = 0; k < lambda; ++k) {
            candidates.candidate(k, at);
            bounds.mirror(at);
            values[k] = progress.evaluate(at, true);
        }
        const Order order = order_of(values);
        if (progress.result.value == infinite)
            throw ArgumentError("cma_es", "a value below infinity in the first generation", "none");
        candidates.update(order);
        least.push_back(values[order[0]]);
        if (least.size() > compared) least.pop_front();
        if (progress.ends(least.back(), candidates.sigma, candidates.mean, options.after_generation)) break;

        const auto [low, high] = std::ranges::minmax(least);
        const bool flat = least.size() == compared && high - low < options.value_tolerance &&
                          values[order[lambda - 1]] - values[order[0]] < options.value_tolerance;
        const bool narrow = candidates.deviation() < options.step_tolerance * options.step_size;
        if (flat || narrow || !(candidates.condition() <= 1e14)) {
            progress.result.end = flat ? EvolutionEnd::value : narrow ? EvolutionEnd::step : EvolutionEnd::condition;
            break;
        }
    }
    std::ranges::copy(progress.best, x.begin());
    return progress.result;
}

SIGMA_IMPL EvolutionResult evolution_strategy(std::span<double> x,
                                              const detail::AnyFunction<double(std::span<const double>)>& f,
                                              const EvolutionStrategyOptions& options) {
    using namespace detail::evolution;
    examine_start("evolution_strategy", x, options.evaluations);
    examine_number("evolution_strategy with ", "step_size", options.step_size);
    examine_number("evolution_strategy with ", "learning_rate", options.learning_rate);
    if (options.pairs < 1) throw ArgumentError("evolution_strategy with pairs", "1 or more", "0");
    const std::size_t n = x.size(), all = 2 * options.pairs;
    Progress progress(f, options.evaluations, options.target);
    Vector mean(x.begin(), x.end()), at(n), noise(options.pairs * n), values(all), first(n, 0), second(n, 0);
    if (progress.evaluate(mean, true) == infinite)
        throw ArgumentError("evolution_strategy", "a start with a finite value", sentence(infinite));
    do {
        const auto generation = static_cast<std::uint64_t>(progress.result.generations);
        Philox(options.seed, RandomUse::user, generation).fill_normal(std::span(noise));
        for (std::size_t k = 0; k < all; ++k) {
            const double step = k % 2 == 0 ? options.step_size : -options.step_size;
            for (std::size_t i = 0; i < n; ++i) at[i] = mean[i] + step * noise[k / 2 * n + i];
            values[k] = progress.evaluate(at, false);
        }
        const Order order = order_of(values);
        Vector share(options.pairs, 0), gradient(n, 0);  // ranks from -1/2 to 1/2
        for (std::size_t rank = 0; rank < all; ++rank) {
            const double centred = static_cast<double>(rank) / static_cast<double>(all - 1) - 0.5;
            share[order[rank] / 2] += order[rank] % 2 == 0 ? centred : -centred;
        }
        for (std::size_t k = 0; k < options.pairs; ++k)
            for (std::size_t i = 0; i < n; ++i)
                gradient[i] += share[k] * noise[k * n + i] / (static_cast<double>(all) * options.step_size);
        const auto steps = static_cast<double>(generation + 1);
        for (std::size_t i = 0; i < n; ++i) {  // Adam (Kingma and Ba 2015, algorithm 1)
            first[i] = 0.9 * first[i] + 0.1 * gradient[i];
            second[i] = 0.999 * second[i] + 0.001 * gradient[i] * gradient[i];
            mean[i] -= options.learning_rate * first[i] / (1 - std::pow(0.9, steps)) /
                       (std::sqrt(second[i] / (1 - std::pow(0.999, steps))) + 1e-8);
        }
        const double value = progress.evaluate(mean, true);
        if (progress.ends(std::min(value, values[order[0]]), options.step_size, mean, options.after_generation)) break;
    } while (true);
    std::ranges::copy(progress.best, x.begin());
    return progress.result;
}

namespace detail {

template <class T, class Store, class F>
void each_trained_row(Store& model, F f) {
    for (int i = 0; i < model.network().parameters.size(); ++i) {
        if (!model.network().parameters[i].trained) continue;
        const auto rows = parameter_rows<T>(model, i);
        for (std::size_t row = 0; row < rows.count; ++row) f(rows[row]);
    }
}
template <class T>
std::vector<double> trained_elements(const ModelStore<T>& model) {
    std::vector<double> elements;
    model.read([&] {
        each_trained_row<T>(model, [&](auto row) { elements.insert(elements.end(), row.begin(), row.end()); });
    });
    return elements;
}
template <class T>
void set_trained_elements(ModelStore<T>& model, std::span<const double> elements) {
    model.write([&] {
        auto from = elements.begin();
        each_trained_row<T>(model, [&](auto row) {
            for (T& to : row) to = static_cast<T>(*from++);
        });
    });
}

}  // namespace detail
}  // namespace sigma

#ifdef SIGMA_COMPILED
namespace sigma::detail {
template std::vector<double> trained_elements<float>(const ModelStore<float>&);
template std::vector<double> trained_elements<double>(const ModelStore<double>&);
template void set_trained_elements<float>(ModelStore<float>&, std::span<const double>);
template void set_trained_elements<double>(ModelStore<double>&, std::span<const double>);
}  // namespace sigma::detail
#endif
