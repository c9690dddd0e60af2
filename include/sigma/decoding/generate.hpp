// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/decoding/next_token.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sigma {

/// How a text is continued; see SampleOptions.
struct GenerateOptions {
    std::size_t length = 100;  ///< so many tokens at most
    double temperature = 1;
    std::size_t top_k = 0;
    double top_p = 1;
    std::string stop = {};  ///< a text, or a special token, before which it ends; none if it is empty
    std::uint64_t seed = 0;
};
/// The same for token numbers.
struct GenerateIdsOptions {
    std::size_t length = 100;
    double temperature = 1;
    std::size_t top_k = 0;
    double top_p = 1;
    std::vector<std::size_t> stop = {};  ///< tokens that end it when they come one after the other
    std::uint64_t seed = 0;
};

namespace detail {

template <class T>
std::vector<std::size_t> generate(NextTokenCore<T>& next, std::vector<std::size_t> prompt,
                                  const GenerateIdsOptions& options);
template <class T>
std::string generate(NextTokenCore<T>& next, const data::Vocabulary& vocabulary, std::string_view prompt,
                     const GenerateOptions& options);

}  // namespace detail

/// What a network that predicts the next token writes after a prompt, each token drawn with the probability that it
/// gives it: the text without the prompt, words with a space between them. The tokens <unk>, <pad> and <start> of the
/// vocabulary are not drawn, and <end> ends the text. The same seed gives the same text. What a stateful network
/// remembers is left alone: it begins with nothing.
///
///     generate(model, vocabulary, "ROMEO:\n", {.length = 400, .temperature = 0.8})
///
/// Throws ArgumentError where the prompt has no token, the network has no class for each token of the vocabulary, the
/// text to stop at has a token that the vocabulary has not, and as `sample` does.
template <AnyNetwork N, class T>
    requires detail::says_next_token<N>
std::string generate(const Model<N, T>& model, const data::Vocabulary& vocabulary, std::string_view prompt,
                     const GenerateOptions& options = {}) {
    detail::NextToken<N, T> next(model);
    return detail::generate<T>(next, vocabulary, prompt, options);
}
/// The same for token numbers: those that come after the prompt, without what it stops at.
template <AnyNetwork N, class T>
    requires detail::says_next_token<N>
std::vector<std::size_t> generate(const Model<N, T>& model, std::vector<std::size_t> prompt,
                                  const GenerateIdsOptions& options = {}) {
    detail::NextToken<N, T> next(model);
    return detail::generate<T>(next, std::move(prompt), options);
}
template <AnyNetwork N, class T>
    requires(!detail::says_next_token<N>)
error_next_token_needs_one_input_of_ids_and_one_cost_of_classes<N> generate(const Model<N, T>&, const data::Vocabulary&,
                                                                            std::string_view,
                                                                            const GenerateOptions& = {});
template <AnyNetwork N, class T>
    requires(!detail::says_next_token<N>)
error_next_token_needs_one_input_of_ids_and_one_cost_of_classes<N> generate(const Model<N, T>&,
                                                                            std::vector<std::size_t>,
                                                                            const GenerateIdsOptions& = {});

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/decoding/impl/generate.ipp>
#endif
