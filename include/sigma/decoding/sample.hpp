// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Drawing from probabilities and beam search: sample, beam_search. Include it yourself.
#include <sigma/core/any_function.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/core/words.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

SIGMA_INCLUDED(sigma, include_sigma_decoding_sample_hpp);

namespace sigma {

/// Options of `sample`, applied in this order.
///
/// @see sample
struct SampleOptions {
    /// Each probability p becomes p^(1/temperature). Finite and at least 0; 0: no draw, the first greatest.
    double temperature = 1;
    std::size_t top_k = 0;  ///< Draws from this many greatest, of equal ones the first. 0: from all.
    double top_p = 1;  ///< Draws from as many of the greatest as reach this share, in (0, 1] (Holtzman et al. 2020).
};

/// Draws an index with given probabilities.
///
/// It uses one number of `random`, or none if the temperature is 0.
/// @param probabilities  numbers of at least 0. They need not add up to 1.
/// @param random  source of random numbers
/// @param options  temperature and cuts. Default: none.
/// @return the index, from 0
/// @throws ArgumentError  if no probability is above 0, one is negative or not finite, or an option is out of its range
/// @par Example
/// @code
/// PhiloxSequence random{Philox(7)};
/// const std::vector<float> probabilities{0.1f, 0.7f, 0.2f};
/// const std::size_t index = sample(probabilities, random, {.temperature = 0.8, .top_k = 2});
/// @endcode
///
/// @see generate, docs/decoding.md
std::size_t sample(std::span<const float> probabilities, PhiloxSequence& random, const SampleOptions& options = {});
/// @copydoc sample(std::span<const float>, PhiloxSequence&, const SampleOptions&)
std::size_t sample(std::span<const double> probabilities, PhiloxSequence& random, const SampleOptions& options = {});

/// Options of `beam_search`.
///
/// @see beam_search
struct BeamOptions {
    std::size_t width = 4;    ///< Number of sequences that are followed, and found at most; at least 1.
    std::size_t length = 20;  ///< Most tokens of a sequence, the stop token included; at least 1.
    /// Token that ends a sequence, outside of `never`. Default: none.
    std::optional<std::size_t> stop = {};
    /// Exponent of the length in the score, finite. Above 0, longer sequences score higher.
    double length_penalty = 0;
    std::vector<std::size_t> never = {};  ///< Tokens that no sequence contains. Default: none.
};

/// A sequence that a beam search has found.
///
/// @see beam_search
struct Hypothesis {
    std::vector<std::size_t> ids{};  ///< Tokens, without the stop token.
    double log_probability = 0;      ///< Log probability of all tokens, the stop token included.
    double score = 0;                ///< log_probability / tokens^length_penalty.
    bool stopped = false;            ///< True if the stop token ended it, false if its length did.

    /// Returns whether two sequences are equal.
    friend bool operator==(const Hypothesis&, const Hypothesis&) = default;
};

namespace detail {

/// Tokens of a text: some are never chosen or end it.
struct TokenRules {
    std::size_t tokens = static_cast<std::size_t>(-1);  ///< number of tokens that may be chosen
    std::vector<std::size_t> never{}, ends{};
};
std::vector<Hypothesis> search_beams(const AnyFunction<std::vector<double>(std::span<const std::size_t>)>& next,
                                     const BeamOptions& options, const TokenRules& rules = {});

}  // namespace detail

/// Searches the likeliest sequences of tokens and returns them, the best score first.
///
/// Each step continues the `width` likeliest sequences by every token. With a width of all beginnings it finds the best
/// of all. With width 1 and no length penalty it chooses the likeliest token each time. The search ends when no
/// unfinished sequence can become one of the best. Tokens are numbers here: exclude unwanted ones, such as that of
/// <unk>, by `.never`, or pass a vocabulary to `beam_search` of `<sigma/decoding/generate.hpp>`.
/// @tparam Next  type of the function
/// @param next  a function of a span of std::size_t, the tokens so far (empty at first). It returns the log
/// probabilities of the
///   next token, any range of numbers.
/// @param options  width, length, stop token, penalty and excluded tokens
/// @return at most `options.width` sequences
/// @throws ArgumentError  if an option is out of its range, the stop token is in `.never`, or a log probability is NaN
/// or above 0
///   by more than rounding
/// @par Example
/// @code
/// const auto next = [](std::span<const std::size_t> ids) {  // log probabilities of three tokens
///     return ids.size() < 3 ? std::vector<double>{-0.7, -0.9, -2.4} : std::vector<double>{-3, -3, -0.1};
/// };
/// const std::vector<Hypothesis> found = beam_search(next, {.width = 8, .stop = 2});
/// @endcode
///
/// @see log_probabilities_after, generate, docs/decoding.md
template <class Next>
std::vector<Hypothesis> beam_search(Next&& next, const BeamOptions& options = {}) {
    return detail::search_beams(
        [&next](std::span<const std::size_t> ids) {
            const auto log_probabilities = next(ids);
            return std::vector<double>(log_probabilities.begin(), log_probabilities.end());
        },
        options);
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/decoding/impl/sample.ipp>
#endif
