// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_function.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/core/words.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

SIGMA_INCLUDED(sigma, include_sigma_decoding_sample_hpp);

namespace sigma {

/// How one of several is drawn. What they ask for is done in this order.
struct SampleOptions {
    double temperature = 1;  ///< p becomes p^(1/temperature); 0: no draw, the first greatest
    std::size_t top_k = 0;   ///< only so many of the greatest, of equal ones the first; 0: all
    double top_p = 1;        ///< only as many of the greatest as reach this share (Holtzman et al. 2020)
};

/// The number of one of several, drawn with these probabilities, which need not add up to 1. Takes one number of
/// `random`, none where the temperature is 0. Throws ArgumentError where no probability is above 0, one is negative or
/// not finite, or an option is out of its range.
std::size_t sample(std::span<const float> probabilities, PhiloxSequence& random, const SampleOptions& options = {});
std::size_t sample(std::span<const double> probabilities, PhiloxSequence& random, const SampleOptions& options = {});

struct BeamOptions {
    std::size_t width = 4;                 ///< so many sequences are followed, and found at most
    std::size_t length = 20;               ///< tokens of a sequence at most, the one it stops at among them
    std::optional<std::size_t> stop = {};  ///< a sequence ends with this token
    double length_penalty = 0;             ///< 0: none; above 0 longer sequences score higher
    std::vector<std::size_t> never = {};   ///< tokens that no sequence has
};

/// A sequence that a search found.
struct Hypothesis {
    std::vector<std::size_t> ids{};  ///< without the token it stops at
    double log_probability = 0;      ///< of all its tokens, that one among them
    double score = 0;                ///< log_probability / tokens^length_penalty
    bool stopped = false;            ///< by that token, not by its length

    friend bool operator==(const Hypothesis&, const Hypothesis&) = default;
};

namespace detail {

/// What texts are made of: tokens that stand for no text are never chosen, or end it.
struct TokenRules {
    std::size_t tokens = static_cast<std::size_t>(-1);  ///< only those below
    std::vector<std::size_t> never{}, ends{};
};
std::vector<Hypothesis> search_beams(const AnyFunction<std::vector<double>(std::span<const std::size_t>)>& next,
                                     const BeamOptions& options, const TokenRules& rules = {});

}  // namespace detail

/// The likeliest sequences, the best score first: each step continues the `width` likeliest so far by every token. It
/// finds the best of all where the width is that of all beginnings, and for width 1, without a length_penalty, what
/// taking the likeliest token each time gives. `next(ids)` are the log probabilities of what comes after some tokens,
/// any numbers in a row; ids is a span of std::size_t, empty at first. The search ends when no sequence that goes on
/// can become one of the best.
///
///     const auto found = beam_search(log_probabilities_after(model, {4, 2}), {.width = 8, .never = {0}});
///
/// `next` knows numbers only: say which of them are no answer, that of <unk> for instance, by `.never`; the beam_search
/// of <sigma/decoding/generate.hpp> takes a vocabulary, which knows. Throws ArgumentError where an option is out of its
/// range, the token to stop at is among those that are never taken, or a log probability is NaN or above 0 by more
/// than rounding.
template <class Next>
std::vector<Hypothesis> beam_search(Next&& next, const BeamOptions& options = {}) {
    return detail::search_beams(
        [&next](std::span<const std::size_t> ids) {
            const auto said = next(ids);
            return std::vector<double>(said.begin(), said.end());
        },
        options);
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/decoding/impl/sample.ipp>
#endif
