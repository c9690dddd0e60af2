// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_function.hpp>
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/decoding/sample.hpp>
#include <sigma/network/model.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma::data {
class SubwordTokenizer;
}

namespace sigma {

/// Text is continued by a network of one input, a window of token numbers, (batch, window), and one cost of classes
/// (SoftmaxCE) at each position, (batch, window, classes), or for what comes after the window, (batch, classes).
template <class Network>
struct error_next_token_needs_one_input_of_ids_and_one_cost_of_classes;

namespace detail {

constexpr bool has_next_token(const NetworkTable& network) {
    if (network.inputs.size() != 1 || network.costs.size() != 1) return false;
    const Shape &ids = network.inputs[0], &said = network.costs[0].prediction;
    return network.costs[0].probabilities && ids.rank == 2 && (said.rank == 2 || (said.rank == 3 && said[1] == ids[1]));
}
/// True where only its tables know.
template <class N>
inline constexpr bool says_next_token = [] {
    if constexpr (MadeNetwork<N>) return true;
    else return has_next_token(network_table<N>);
}();

/// What a network looks at and says.
struct NextTokenForm {
    std::size_t window = 0, classes = 0;
    bool each_position = false;  ///< it predicts at every position, from those up to there; else after the last one
    bool remembers = false;      ///< it goes on from the prediction before: layers that are stateful or remember
    std::size_t positions = 0;   ///< so many at most, where it counts them

    /// Throws ArgumentError where the network continues no text.
    explicit NextTokenForm(const NetworkTable& network);

    /// Of so many tokens, the first that is looked at by a network that remembers so many positions: where they are
    /// full, it begins anew with the last half of them.
    std::size_t first_seen(std::size_t tokens) const {
        const std::size_t step = (positions + 1) / 2;
        return positions == 0 || tokens <= positions ? 0 : (tokens - positions + step - 1) / step * step;
    }
};

/// Asks a network what comes after some tokens.
template <class T>
class NextTokenCore {
public:
    using Predict = AnyFunction<void(const T* window, T* said)>;
    /// Throws ArgumentError where a network that remembers does not take one token at a time.
    NextTokenCore(const NextTokenForm& form, Predict predict, AnyFunction<void()> forget);

    std::size_t classes() const { return form_.classes; }
    /// Probabilities of the classes after these tokens, of which the last ones count, as many as the window has.
    /// Throws ArgumentError where there are none, too few for a network that predicts only after a full window, or one
    /// is no class.
    std::span<const T> after(std::span<const std::size_t> ids);

private:
    NextTokenForm form_;
    Predict predict_;
    AnyFunction<void()> forget_;
    std::vector<std::size_t> read_;  ///< by a network that remembers, from
    std::size_t first_ = 0;
    std::vector<T> window_, said_;
};

template <class N, class T>
class NextToken : public NextTokenCore<T> {
    using M = Model<N, T>;

public:
    /// The model outlives it.
    explicit NextToken(const M& model)
        : NextTokenCore<T>(
              NextTokenForm(model.network()),
              [this](const T* window, T* said) { (own_ ? *own_ : *model_).predict(window, said, 1); },
              [this] { own_->forget(); }),
          model_(&model) {
        if (model.network().states.empty()) return;
        own_.emplace(model);  // what the model remembers is left alone
        own_->forget();
    }
    NextToken(const NextToken&) = delete;
    NextToken& operator=(const NextToken&) = delete;

private:
    const M* model_;
    std::optional<M> own_;
};

/// log 0 is -infinity.
template <class T>
std::vector<double> logarithms(std::span<const T> probabilities);

/// log of the probabilities after a prompt and further tokens.
template <class N, class T>
class LogProbabilities {
public:
    LogProbabilities(const Model<N, T>& model, std::vector<std::size_t> prompt)
        : next_(model), prompt_(std::move(prompt)) {}
    std::size_t classes() const { return next_.classes(); }
    std::vector<double> operator()(std::span<const std::size_t> ids) {
        std::vector<std::size_t> all(prompt_);
        all.insert(all.end(), ids.begin(), ids.end());
        return logarithms<T>(next_.after(all));
    }

private:
    NextToken<N, T> next_;
    std::vector<std::size_t> prompt_;
};

}  // namespace detail

/// A function from token numbers to the log probabilities of the token after a prompt and these, as `beam_search` takes
/// it. The model outlives it, and what a stateful network remembers is left alone. It knows no vocabulary, so that
/// <unk> is a token as others are: say what is no answer by `.never`, or search with a vocabulary, beam_search(model,
/// vocabulary, prompt).
template <AnyNetwork N, class T>
    requires detail::says_next_token<N>
detail::LogProbabilities<N, T> log_probabilities_after(const Model<N, T>& model, std::vector<std::size_t> prompt) {
    return {model, std::move(prompt)};
}
template <AnyNetwork N, class T>
    requires(!detail::says_next_token<N>)
error_next_token_needs_one_input_of_ids_and_one_cost_of_classes<N> log_probabilities_after(const Model<N, T>&,
                                                                                           std::vector<std::size_t>);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/decoding/impl/next_token.ipp>
#endif

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
    std::vector<std::size_t> never = {};  ///< tokens that are not drawn
};

namespace detail {

template <class T>
std::vector<std::size_t> generate(NextTokenCore<T>& next, std::vector<std::size_t> prompt,
                                  const GenerateIdsOptions& options);
template <class T>
std::string generate(NextTokenCore<T>& next, const data::Vocabulary& vocabulary, std::string_view prompt,
                     const GenerateOptions& options);
template <class T>
std::string generate(NextTokenCore<T>& next, const data::SubwordTokenizer& tokenizer, std::string_view prompt,
                     const GenerateOptions& options);

TokenRules token_rules(const data::Vocabulary& vocabulary);
TokenRules token_rules(const data::SubwordTokenizer& tokenizer);
template <class Tokens>
TokenRules token_rules(const Tokens& tokens, std::size_t classes);

/// What knows the tokens of a text.
template <class Tokens>
concept TextTokens = std::is_same_v<Tokens, data::Vocabulary> || std::is_same_v<Tokens, data::SubwordTokenizer>;

}  // namespace detail

/// What a network that predicts the next token writes after a prompt, each token drawn with the probability that it
/// gives it: the text without the prompt, words with a space between them. The tokens <unk>, <pad> and <start> of a
/// vocabulary are not drawn, and <end> ends the text; of a tokenizer what is unknown and <pad>, [PAD] are not drawn,
/// and any other special token ends it. The same seed gives the same text. What a stateful network remembers is left
/// alone: it begins with nothing.
///
///     generate(model, vocabulary, "ROMEO:\n", {.length = 400, .temperature = 0.8})
///
/// Throws ArgumentError where the prompt has no token, the network has no class for each token of the vocabulary, the
/// text to stop at has a token that the vocabulary has not, and as `sample` does.
template <AnyNetwork N, class T, detail::TextTokens Tokens>
    requires detail::says_next_token<N>
std::string generate(const Model<N, T>& model, const Tokens& tokens, std::string_view prompt,
                     const GenerateOptions& options = {}) {
    detail::NextToken<N, T> next(model);
    return detail::generate<T>(next, tokens, prompt, options);
}
/// The same for token numbers: those that come after the prompt, without what it stops at. Only `.never` says which are
/// no text.
template <AnyNetwork N, class T>
    requires detail::says_next_token<N>
std::vector<std::size_t> generate(const Model<N, T>& model, std::vector<std::size_t> prompt,
                                  const GenerateIdsOptions& options = {}) {
    detail::NextToken<N, T> next(model);
    return detail::generate<T>(next, std::move(prompt), options);
}
/// The likeliest sequences of tokens after a prompt; see the beam_search of <sigma/decoding/sample.hpp>. As of
/// `generate`, tokens that are no text are in none of them, but for the one to stop at, and what ends a text ends a
/// sequence.
///
///     for (const Hypothesis& h : beam_search(model, vocabulary, "ROMEO:\n", {.width = 8}))
///         std::puts(vocabulary.decode(h.ids).c_str());
template <AnyNetwork N, class T, detail::TextTokens Tokens>
    requires detail::says_next_token<N>
std::vector<Hypothesis> beam_search(const Model<N, T>& model, const Tokens& tokens, std::string_view prompt,
                                    const BeamOptions& options = {}) {
    detail::LogProbabilities<N, T> next(model, tokens.encode(prompt));
    const detail::TokenRules rules = detail::token_rules(tokens, next.classes());
    return detail::search_beams([&](std::span<const std::size_t> ids) { return next(ids); }, options, rules);
}

template <AnyNetwork N, class T, detail::TextTokens Tokens>
    requires(!detail::says_next_token<N>)
error_next_token_needs_one_input_of_ids_and_one_cost_of_classes<N> beam_search(const Model<N, T>&, const Tokens&,
                                                                               std::string_view,
                                                                               const BeamOptions& = {});
template <AnyNetwork N, class T, detail::TextTokens Tokens>
    requires(!detail::says_next_token<N>)
error_next_token_needs_one_input_of_ids_and_one_cost_of_classes<N> generate(const Model<N, T>&, const Tokens&,
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
