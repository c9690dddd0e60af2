// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/decoding/sample.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace sigma {

namespace detail {

SIGMA_IMPL void examine(const SampleOptions& options) {
    if (!(options.temperature >= 0 && options.temperature <= std::numeric_limits<double>::max()))
        throw ArgumentError("sampling", "a temperature of at least 0", sentence(options.temperature));
    if (!(options.top_p > 0 && options.top_p <= 1))
        throw ArgumentError("sampling", "a top_p above 0 and at most 1", sentence(options.top_p));
}

/// Sets all but the greatest to 0.
SIGMA_IMPL void keep_greatest(std::vector<double>& weights, const SampleOptions& options) {
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
    });
    std::size_t kept = options.top_k == 0 ? order.size() : std::min(options.top_k, order.size());
    if (options.top_p < 1) {
        double all = 0, reached = 0;
        for (std::size_t i = 0; i < kept; ++i) all += weights[order[i]];
        std::size_t enough = 0;
        while (enough < kept && reached < options.top_p * all) reached += weights[order[enough++]];
        kept = enough;
    }
    for (std::size_t i = kept; i < order.size(); ++i) weights[order[i]] = 0;
}

template <class T>
std::size_t sample_of(std::span<const T> probabilities, PhiloxSequence& random, const SampleOptions& options) {
    examine(options);
    T greatest = 0;
    std::size_t where = 0;
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        const T p = probabilities[i];
        if (!(p >= 0 && p <= std::numeric_limits<T>::max()))
            throw ArgumentError(sentence("probability ", i), "a finite number of at least 0", sentence(p));
        if (p > greatest) {
            greatest = p;
            where = i;
        }
    }
    if (!(greatest > 0))
        throw ArgumentError("sampling", "a probability above 0",
                            probabilities.empty() ? "no probabilities" : "zeros only");
    if (options.temperature == 0) return where;

    std::vector<double> weights(probabilities.size(), 0);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double share = static_cast<double>(probabilities[i]) / static_cast<double>(greatest);
        if (options.temperature == 1) weights[i] = share;
        else if (share > 0) weights[i] = std::exp(std::log(share) / options.temperature);
    }
    if (options.top_k != 0 || options.top_p < 1) keep_greatest(weights, options);

    double left = random.uniform<double>() * std::accumulate(weights.begin(), weights.end(), 0.0);
    std::size_t last = where;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] <= 0) continue;
        last = i;
        if ((left -= weights[i]) < 0) return i;
    }
    return last;  // a rest of rounding
}

}  // namespace detail

SIGMA_IMPL std::size_t sample(std::span<const float> probabilities, PhiloxSequence& random,
                              const SampleOptions& options) {
    return detail::sample_of(probabilities, random, options);
}
SIGMA_IMPL std::size_t sample(std::span<const double> probabilities, PhiloxSequence& random,
                              const SampleOptions& options) {
    return detail::sample_of(probabilities, random, options);
}

}  // namespace sigma

namespace sigma::detail {

SIGMA_IMPL void examine(const BeamOptions& options) {
    if (options.width < 1) throw ArgumentError("beam search", "a width of at least 1", "0");
    if (options.length < 1) throw ArgumentError("beam search", "a length of at least 1", "0");
    if (!(std::abs(options.length_penalty) <= std::numeric_limits<double>::max()))
        throw ArgumentError("beam search", "a finite length_penalty", sentence(options.length_penalty));
    if (options.stop && std::ranges::count(options.never, *options.stop) != 0)
        throw ArgumentError("beam search", "a stop token outside of .never", sentence(*options.stop));
}
SIGMA_IMPL double beam_score(double log_probability, std::size_t tokens, double penalty) {
    return log_probability / std::pow(static_cast<double>(tokens), penalty);
}
/// A hypothesis and one more token.
struct BeamStep {
    double log_probability;
    std::size_t from, token;
};

SIGMA_IMPL std::vector<Hypothesis> search_beams(
    const AnyFunction<std::vector<double>(std::span<const std::size_t>)>& next, const BeamOptions& options,
    const TokenRules& rules) {
    examine(options);
    const auto is_among = [](const std::vector<std::size_t>& all, std::size_t token) {
        return std::ranges::find(all, token) != all.end();
    };
    const auto ends = [&](std::size_t token) { return token == options.stop || is_among(rules.ends, token); };
    const auto taken = [&](std::size_t token) {
        if (token == options.stop) return true;
        return token < rules.tokens && !is_among(options.never, token) && !is_among(rules.never, token);
    };
    const auto score = [&](double l, std::size_t tokens) { return beam_score(l, tokens, options.length_penalty); };
    std::vector<Hypothesis> live{Hypothesis{}}, found;
    for (std::size_t tokens = 1; tokens <= options.length && !live.empty(); ++tokens) {
        std::vector<BeamStep> steps;
        for (std::size_t i = 0; i < live.size(); ++i) {
            const std::vector<double> following = next(live[i].ids);
            for (std::size_t token = 0; token < following.size(); ++token) {
                if (!(following[token] <= 1e-3))  // what rounding leaves of log 1
                    throw ArgumentError(sentence("log probability of token ", token), "a number of at most 0",
                                        sentence(following[token]));
                if (const double l = live[i].log_probability + following[token];
                    l > -std::numeric_limits<double>::infinity() && taken(token))
                    steps.push_back({l, i, token});
            }
        }
        std::ranges::sort(steps, [](const BeamStep& a, const BeamStep& b) {
            return std::tuple(-a.log_probability, a.from, a.token) < std::tuple(-b.log_probability, b.from, b.token);
        });
        std::vector<Hypothesis> longer;
        for (const BeamStep& s : steps) {
            if (longer.size() == options.width) break;
            Hypothesis h = live[s.from];
            h.log_probability = s.log_probability;
            h.score = score(s.log_probability, tokens);
            h.stopped = ends(s.token);
            if (!h.stopped) h.ids.push_back(s.token);
            (h.stopped || tokens == options.length ? found : longer).push_back(std::move(h));
        }
        live = std::move(longer);
        std::ranges::sort(found, [](const Hypothesis& a, const Hypothesis& b) {
            return a.score != b.score ? a.score > b.score : a.ids < b.ids;
        });
        if (found.size() > options.width) found.resize(options.width);
        if (found.size() < options.width) continue;
        // Further tokens lower the probability, so the best score is at one end of the remaining lengths.
        const auto hopeless = [&](const Hypothesis& h) {
            const double best =
                std::max(score(h.log_probability, tokens + 1), score(h.log_probability, options.length));
            return best < found.back().score;
        };
        if (tokens < options.length && std::ranges::all_of(live, hopeless)) break;
    }
    return found;
}

}  // namespace sigma::detail
