// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Generating text with a network that predicts the next token: generate, beam_search, conditioned,
/// log_probabilities_after. Include it yourself.
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

// Text is continued by a network of one input, a window of token numbers, (batch, window), and one cost of classes
// (SoftmaxCE) at each position, (batch, window, classes), or for the token after the window, (batch, classes). Of
// several inputs, the window is the first, and the others need values: `conditioned`.
template <class Network>
struct error_next_token_needs_one_input_of_ids_and_one_cost_of_classes;
template <class Network>
struct error_conditioned_needs_ids_then_inputs_and_one_cost_of_classes;

template <AnyNetwork N, class T>
class Conditioned;

namespace detail {

/// Returns whether a network predicts the next token of its first input. It has others if `conditioned` is true.
constexpr bool has_next_token(const NetworkTable& network, bool conditioned = false) {
    const int inputs = network.inputs.size();
    if (conditioned ? inputs < 2 : inputs != 1) return false;
    if (network.costs.size() != 1) return false;
    const Shape &ids = network.inputs[0], &predicted = network.costs[0].prediction;
    return network.costs[0].probabilities && ids.rank == 2 &&
           (predicted.rank == 2 || (predicted.rank == 3 && predicted[1] == ids[1]));
}
/// True for a network that predicts the next token, and for run-time networks, which only their tables describe.
template <class N, bool conditioned = false>
inline constexpr bool predicts_next_token = [] {
    if constexpr (MadeNetwork<N>) return true;
    else return has_next_token(network_table<N>, conditioned);
}();

/// The inputs and predictions of a network that predicts the next token.
struct NextTokenForm {
    std::size_t window = 0, classes = 0;
    bool each_position = false;  ///< True if it predicts at every position, false if only after the last one.
    bool remembers = false;      ///< True if it has layers that are stateful or remember.
    std::size_t positions = 0;   ///< most positions that it remembers, 0 if it does not count them

    /// Throws ArgumentError if the network does not predict a next token.
    explicit NextTokenForm(const NetworkTable& network, std::size_t given = 0);

    /// Returns the first of these tokens that a network which remembers so many positions sees. If all positions are in
    /// use, it restarts with the last half of them.
    std::size_t first_seen(std::size_t tokens) const {
        const std::size_t step = (positions + 1) / 2;
        return positions == 0 || tokens <= positions ? 0 : (tokens - positions + step - 1) / step * step;
    }
};

/// Computes the probabilities of the token after some tokens.
template <class T>
class NextTokenCore {
public:
    using Predict = AnyFunction<void(const T* window, T* probabilities)>;
    /// Throws ArgumentError if a network that remembers accepts more than one token at a time.
    NextTokenCore(const NextTokenForm& form, Predict predict, AnyFunction<void()> forget);

    std::size_t classes() const { return form_.classes; }
    /// Returns the probabilities of the classes after these tokens. The last ones count, as many as the window has.
    /// Throws ArgumentError if there are none, too few for a network that predicts only after a full window, or one is
    /// no class.
    std::span<const T> after(std::span<const std::size_t> ids);

private:
    NextTokenForm form_;
    Predict predict_;
    AnyFunction<void()> forget_;
    std::vector<std::size_t> read_;  ///< tokens that a network which remembers has read, from first_ on
    std::size_t first_ = 0;
    std::vector<T> window_, predicted_;
};

template <class N, class T>
class NextToken : public NextTokenCore<T> {
    using M = Model<N, T>;

public:
    /// Constructs it for a model, which must outlive it, and for a record of each input after the first.
    explicit NextToken(const M& model, const std::vector<std::vector<T>>& given = {})
        : NextTokenCore<T>(
              NextTokenForm(model.network(), given.size()),
              [this](const T* window, T* to) {
                  inputs_[0] = window;
                  results_[0] = to;
                  (own_ ? *own_ : *model_).predict(inputs_, results_, 1);
              },
              [this] { own_->forget(); }),
          model_(&model), given_(given), inputs_(M::Inputs::make(static_cast<int>(given.size() + 1))),
          results_(M::Results::make(1)) {
        for (std::size_t i = 0; i < given_.size(); ++i) inputs_[i + 1] = given_[i].data();
        if (model.network().states.empty()) return;
        own_.emplace(model);  // a copy: the state of the model stays unchanged
        own_->forget();
    }
    NextToken(const NextToken&) = delete;
    NextToken& operator=(const NextToken&) = delete;

private:
    const M* model_;
    std::optional<M> own_;
    std::vector<std::vector<T>> given_;
    typename M::InputPointers inputs_;
    typename M::ResultPointers results_;
};

/// Returns the logarithms. log 0 is -infinity.
template <class T>
std::vector<double> logarithms(std::span<const T> probabilities);

/// Checks that these are records of the network's inputs after the first. Throws ArgumentError if they are not.
template <class T>
void check_given(const NetworkTable& network, const std::vector<std::vector<T>>& given);

template <class T>
std::vector<T> numbers_of_record(const auto& record) {
    std::vector<T> numbers;
    for (const auto x : record) numbers.push_back(static_cast<T>(x));
    return numbers;
}

/// Log probabilities of the token after a prompt and further tokens.
template <class N, class T>
class LogProbabilities {
public:
    LogProbabilities(const Model<N, T>& model, std::vector<std::size_t> prompt,
                     const std::vector<std::vector<T>>& given = {})
        : next_(model, given), prompt_(std::move(prompt)) {}
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

/// A model whose inputs after the window of tokens have values, made by `conditioned`.
///
/// @tparam N  type of the network
/// @tparam T  element type of the model
/// @see conditioned
template <AnyNetwork N, class T>
class Conditioned {
public:
    /// @cond internal
    Conditioned(const Model<N, T>& model, std::vector<std::vector<T>> given)
        : model_(&model), given_(std::move(given)) {
        detail::check_given<T>(model.network(), given_);
    }
    const Model<N, T>& model() const { return *model_; }
    const std::vector<std::vector<T>>& given() const { return given_; }
    /// @endcond

private:
    const Model<N, T>* model_;
    std::vector<std::vector<T>> given_;
};

/// Gives values to the inputs after the window of tokens, for `generate`, `beam_search` and `log_probabilities_after`.
///
/// The network writes a text about something else, such as a translation or a caption. The window of tokens is its
/// first input. Each token computes the whole network, with the encoder of the other inputs.
/// @tparam N  type of the network
/// @tparam T  element type of the model
/// @param model  the model; it must outlive the result
/// @param records  the numbers of one record for each input after the first: a vector, a span or a Record
/// @return an object that these functions accept in place of the model
/// @throws ArgumentError  if a number of records or of their elements differs from the inputs of the network
/// @par Example
/// @code
/// struct Translator : Network<(Input(10) & Input(24)) +
///                             Parallel(Embedding(14, 32), Embedding(40, 32) + TransformerBlock(4, 64)) +
///                             TransformerBlock(4, 64, {.causal = true}) + Linear(14) + SoftmaxCE()> {};
/// Model<Translator> translator(1);
/// const std::vector<float> source(24, 3.0f);
/// const auto ids = generate(conditioned(translator, source), {13}, {.length = 10, .temperature = 0});
/// @endcode
///
/// @see generate, beam_search, docs/decoding.md
template <AnyNetwork N, class T, class... R>
    requires(detail::predicts_next_token<N, true> && sizeof...(R) > 0 &&
             (std::is_arithmetic_v<detail::ElementInRow<const R>> && ...))
Conditioned<N, T> conditioned(const Model<N, T>& model, const R&... records) {
    return {model, {detail::numbers_of_record<T>(std::span(records))...}};
}
template <AnyNetwork N, class T, class... R>
    requires(!detail::predicts_next_token<N, true>)
error_conditioned_needs_ids_then_inputs_and_one_cost_of_classes<N> conditioned(const Model<N, T>&, const R&...);

/// Returns a function of token numbers that computes the log probabilities of the token after a prompt and these
/// tokens.
///
/// `beam_search` accepts this function. The state of a stateful network stays unchanged. The function has no
/// vocabulary, so <unk> is a token like others: exclude tokens by `.never`, or call `beam_search(model, vocabulary,
/// prompt)`.
/// @tparam N  type of the network
/// @tparam T  element type of the model
/// @param model  the model; it must outlive the function
/// @param prompt  numbers of the first tokens
/// @return a function from a span of std::size_t to a std::vector<double>
/// @par Example
/// @code
/// struct Writer : Network<Input(16) + Embedding(65, 32) + TransformerBlock(4, 64, {.causal = true}) + Linear(65) +
///                         SoftmaxCE()> {};
/// Model<Writer> writer(1);
/// const auto found = beam_search(log_probabilities_after(writer, {4, 2}), {.width = 8, .never = {0}});
/// @endcode
///
/// @see beam_search, generate
template <AnyNetwork N, class T>
    requires detail::predicts_next_token<N>
detail::LogProbabilities<N, T> log_probabilities_after(const Model<N, T>& model, std::vector<std::size_t> prompt) {
    return {model, std::move(prompt)};
}
/// @copydoc log_probabilities_after(const Model<N, T>&, std::vector<std::size_t>)
template <AnyNetwork N, class T>
detail::LogProbabilities<N, T> log_probabilities_after(const Conditioned<N, T>& model,
                                                       std::vector<std::size_t> prompt) {
    return {model.model(), std::move(prompt), model.given()};
}
template <AnyNetwork N, class T>
    requires(!detail::predicts_next_token<N>)
error_next_token_needs_one_input_of_ids_and_one_cost_of_classes<N> log_probabilities_after(const Model<N, T>&,
                                                                                           std::vector<std::size_t>);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/decoding/impl/next_token.ipp>
#endif

namespace sigma {

/// Options of `generate` for texts.
///
/// @see generate, SampleOptions
struct GenerateOptions {
    std::size_t length = 100;  ///< Most tokens to generate.
    /// Finite and at least 0. Below 1 likelier tokens are preferred. 0: always the likeliest.
    double temperature = 1;
    std::size_t top_k = 0;   ///< Draws from this many likeliest tokens. 0: from all.
    double top_p = 1;        ///< Draws from as many likeliest tokens as reach this share, in (0, 1].
    std::string stop = {};   ///< Text or special token before which generation ends. Empty: none.
    std::uint64_t seed = 0;  ///< Seed of the random numbers. The same seed gives the same text.
};
/// Options of `generate` for token numbers.
///
/// @see generate, SampleOptions
struct GenerateIdsOptions {
    std::size_t length = 100;  ///< Most tokens to generate.
    /// Finite and at least 0. Below 1 likelier tokens are preferred. 0: always the likeliest.
    double temperature = 1;
    std::size_t top_k = 0;                ///< Draws from this many likeliest tokens. 0: from all.
    double top_p = 1;                     ///< Draws from as many likeliest tokens as reach this share, in (0, 1].
    std::vector<std::size_t> stop = {};   ///< Tokens that end generation when they occur one after the other.
    std::uint64_t seed = 0;               ///< Seed of the random numbers. The same seed gives the same tokens.
    std::vector<std::size_t> never = {};  ///< Tokens that are not drawn, below the number of classes.
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
template <class Tokens>
std::vector<Hypothesis> search_texts(auto&& next, const Tokens& tokens, const BeamOptions& options) {
    const TokenRules rules = token_rules(tokens, next.classes());
    return search_beams([&](std::span<const std::size_t> ids) { return next(ids); }, options, rules);
}

/// A vocabulary or a tokenizer.
template <class Tokens>
concept TextTokens = std::is_same_v<Tokens, data::Vocabulary> || std::is_same_v<Tokens, data::SubwordTokenizer>;

}  // namespace detail

/// Continues a text with a network that predicts the next token, and returns the new text.
///
/// Each token is drawn with its predicted probability. Words of a vocabulary are joined by spaces. The tokens <unk>,
/// <pad> and <start> of a vocabulary are not drawn, and <end> ends the text. Of a tokenizer, the unknown token, <unk>,
/// [UNK], <pad> and [PAD] are not drawn, and any other special token ends the text. The state of a stateful network
/// stays unchanged: generation begins without a state.
/// @tparam N  type of the network
/// @tparam T  element type of the model
/// @tparam Tokens  data::Vocabulary or data::SubwordTokenizer
/// @param model  the model
/// @param tokens  the vocabulary or tokenizer of the training data
/// @param prompt  first text, with at least one token
/// @param options  length, temperature, cuts, stop and seed
/// @return the text after the prompt
/// @throws ArgumentError  if the prompt has no token or an option is out of its range; if the network has fewer classes
///                        than `tokens`; or if `.stop` contains an unknown token
/// @par Example
/// @code
/// struct Writer : Network<Input(16) + Embedding(65, 32) + TransformerBlock(4, 64, {.causal = true}) + Linear(65) +
///                         SoftmaxCE()> {};
/// Model<Writer> writer(1);
/// const auto continued = [&](const data::Vocabulary& vocabulary) {
///     return generate(writer, vocabulary, "ROMEO:\n", {.length = 400, .temperature = 0.8});
/// };
/// @endcode
///
/// @see sample, beam_search, docs/decoding.md
template <AnyNetwork N, class T, detail::TextTokens Tokens>
    requires detail::predicts_next_token<N>
std::string generate(const Model<N, T>& model, const Tokens& tokens, std::string_view prompt,
                     const GenerateOptions& options = {}) {
    detail::NextToken<N, T> next(model);
    return detail::generate<T>(next, tokens, prompt, options);
}
/// @copydoc generate(const Model<N, T>&, const Tokens&, std::string_view, const GenerateOptions&)
template <AnyNetwork N, class T, detail::TextTokens Tokens>
std::string generate(const Conditioned<N, T>& model, const Tokens& tokens, std::string_view prompt,
                     const GenerateOptions& options = {}) {
    detail::NextToken<N, T> next(model.model(), model.given());
    return detail::generate<T>(next, tokens, prompt, options);
}
/// Continues a sequence of token numbers, and returns the new tokens without the stop sequence.
///
/// Exclude tokens that are no text by `.never`.
/// @tparam N  type of the network
/// @tparam T  element type of the model
/// @param model  the model
/// @param prompt  numbers of the first tokens, at least one
/// @param options  length, temperature, cuts, stop, seed and excluded tokens
/// @return the tokens after the prompt
/// @throws ArgumentError  if the prompt is empty, a token is no class of the network, or an option is out of its range
/// @par Example
/// @code
/// struct Writer : Network<Input(16) + Embedding(65, 32) + TransformerBlock(4, 64, {.causal = true}) + Linear(65) +
///                         SoftmaxCE()> {};
/// Model<Writer> writer(1);
/// const std::vector<std::size_t> ids = generate(writer, {4, 2}, {.length = 20, .never = {0}});
/// @endcode
///
/// @see sample, beam_search
template <AnyNetwork N, class T>
    requires detail::predicts_next_token<N>
std::vector<std::size_t> generate(const Model<N, T>& model, std::vector<std::size_t> prompt,
                                  const GenerateIdsOptions& options = {}) {
    detail::NextToken<N, T> next(model);
    return detail::generate<T>(next, std::move(prompt), options);
}
/// @copydoc generate(const Model<N, T>&, std::vector<std::size_t>, const GenerateIdsOptions&)
template <AnyNetwork N, class T>
std::vector<std::size_t> generate(const Conditioned<N, T>& model, std::vector<std::size_t> prompt,
                                  const GenerateIdsOptions& options = {}) {
    detail::NextToken<N, T> next(model.model(), model.given());
    return detail::generate<T>(next, std::move(prompt), options);
}
/// Searches the likeliest sequences of tokens after a prompt, and returns them, the best score first.
///
/// Tokens that `generate` does not draw are in no sequence, except for the stop token. Tokens that end a text end a
/// sequence.
/// @tparam N  type of the network
/// @tparam T  element type of the model
/// @tparam Tokens  data::Vocabulary or data::SubwordTokenizer
/// @param model  the model
/// @param tokens  the vocabulary or tokenizer of the training data
/// @param prompt  first text, with at least one token
/// @param options  width, length, stop token, penalty and excluded tokens
/// @return at most `options.width` sequences
/// @throws ArgumentError  if the prompt has no token or an option is out of its range; or if the network has fewer
/// classes
///                        than `tokens`
/// @par Example
/// @code
/// struct Writer : Network<Input(16) + Embedding(65, 32) + TransformerBlock(4, 64, {.causal = true}) + Linear(65) +
///                         SoftmaxCE()> {};
/// Model<Writer> writer(1);
/// const auto print = [&](const data::Vocabulary& vocabulary) {
///     for (const Hypothesis& h : beam_search(writer, vocabulary, "ROMEO:\n", {.width = 8}))
///         std::puts(vocabulary.decode(h.ids).c_str());
/// };
/// @endcode
///
/// @see generate, docs/decoding.md
template <AnyNetwork N, class T, detail::TextTokens Tokens>
    requires detail::predicts_next_token<N>
std::vector<Hypothesis> beam_search(const Model<N, T>& model, const Tokens& tokens, std::string_view prompt,
                                    const BeamOptions& options = {}) {
    return detail::search_texts(detail::LogProbabilities<N, T>(model, tokens.encode(prompt)), tokens, options);
}
/// @copydoc beam_search(const Model<N, T>&, const Tokens&, std::string_view, const BeamOptions&)
template <AnyNetwork N, class T, detail::TextTokens Tokens>
std::vector<Hypothesis> beam_search(const Conditioned<N, T>& model, const Tokens& tokens, std::string_view prompt,
                                    const BeamOptions& options = {}) {
    return detail::search_texts(detail::LogProbabilities<N, T>(model.model(), tokens.encode(prompt), model.given()),
                                tokens, options);
}

template <AnyNetwork N, class T, detail::TextTokens Tokens>
    requires(!detail::predicts_next_token<N>)
error_next_token_needs_one_input_of_ids_and_one_cost_of_classes<N> beam_search(const Model<N, T>&, const Tokens&,
                                                                               std::string_view,
                                                                               const BeamOptions& = {});
template <AnyNetwork N, class T, detail::TextTokens Tokens>
    requires(!detail::predicts_next_token<N>)
error_next_token_needs_one_input_of_ids_and_one_cost_of_classes<N> generate(const Model<N, T>&, const Tokens&,
                                                                            std::string_view,
                                                                            const GenerateOptions& = {});
template <AnyNetwork N, class T>
    requires(!detail::predicts_next_token<N>)
error_next_token_needs_one_input_of_ids_and_one_cost_of_classes<N> generate(const Model<N, T>&,
                                                                            std::vector<std::size_t>,
                                                                            const GenerateIdsOptions& = {});

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/decoding/impl/generate.ipp>
#endif
