// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/data/text/tokenizer.hpp>
#include <sigma/data/text/tokenizer_model.hpp>
#include <sigma/decoding/generate.hpp>
#include <sigma/decoding/sample.hpp>

#include <algorithm>

namespace sigma::detail {

/// Rules of generating that both kinds of options share.
struct GenerateRules {
    TokenRules tokens{};
    std::vector<std::vector<std::size_t>> stops{};           ///< sequences, each of which ends it
    AnyFunction<bool(std::span<const std::size_t>)> ends{};  ///< optional: returns whether these tokens end it
};

/// Returns whether the tokens end with these.
SIGMA_IMPL bool ends_with(std::span<const std::size_t> ids, std::span<const std::size_t> stop) {
    return !stop.empty() && ids.size() >= stop.size() && std::ranges::equal(ids.last(stop.size()), stop);
}

template <class T, class Options>
std::vector<std::size_t> generate_by(NextTokenCore<T>& next, std::vector<std::size_t> ids, const Options& options,
                                     const GenerateRules& rules) {
    const std::size_t prompt = ids.size();
    const SampleOptions how{options.temperature, options.top_k, options.top_p};
    PhiloxSequence random{Philox(options.seed, RandomUse::generate, 0)};
    std::vector<T> probabilities;
    for (std::size_t i = 0; i < options.length; ++i) {
        const auto predicted = next.after(ids);
        probabilities.assign(predicted.begin(), predicted.begin() + static_cast<std::ptrdiff_t>(rules.tokens.tokens));
        for (const std::size_t id : rules.tokens.never) probabilities[id] = 0;
        ids.push_back(sample(std::span<const T>(probabilities), random, how));
        const auto made = std::span(ids).subspan(prompt);
        for (const auto& stop : rules.stops)
            if (ends_with(made, stop)) return {made.begin(), made.end() - static_cast<std::ptrdiff_t>(stop.size())};
        if (rules.ends && rules.ends(made)) break;
    }
    return {ids.begin() + static_cast<std::ptrdiff_t>(prompt), ids.end()};
}

template <class T>
std::vector<std::size_t> generate(NextTokenCore<T>& next, std::vector<std::size_t> prompt,
                                  const GenerateIdsOptions& options) {
    for (const std::size_t id : options.never)
        if (id >= next.classes())
            throw ArgumentError("tokens of .never", sentence("numbers below ", next.classes()), sentence(id));
    return generate_by(next, std::move(prompt), options,
                       {.tokens = {.tokens = next.classes(), .never = options.never}, .stops = {options.stop}});
}

SIGMA_IMPL TokenRules token_rules(const data::Vocabulary& vocabulary) {
    TokenRules rules{.tokens = vocabulary.size()};
    for (const std::string_view special : {data::unknown_token, data::padding_token, data::start_token})
        if (const auto id = vocabulary.find(special)) rules.never.push_back(*id);
    if (const auto id = vocabulary.find(data::end_token)) rules.ends.push_back(*id);
    return rules;
}
SIGMA_IMPL TokenRules token_rules(const data::SubwordTokenizer& tokenizer) {
    TokenRules rules{.tokens = tokenizer.size()};
    // The unknown token of the file, and names that are padding everywhere. No file lists which of the others end a
    // text.
    std::vector<std::string_view> never{tokenizer.model().unknown, "<unk>", "[UNK]", "<pad>", "[PAD]"};
    for (const std::string_view name : never)
        if (const auto id = tokenizer.find(name); id && std::ranges::count(rules.never, *id) == 0)
            rules.never.push_back(*id);
    for (std::size_t id = 0; id < tokenizer.size(); ++id)
        if (tokenizer.is_special(id) && std::ranges::count(rules.never, id) == 0) rules.ends.push_back(id);
    return rules;
}
template <class Tokens>
TokenRules token_rules(const Tokens& tokens, std::size_t classes) {
    if (tokens.size() > classes)
        throw ArgumentError(std::is_same_v<Tokens, data::Vocabulary> ? "vocabulary" : "tokenizer",
                            sentence("at most ", classes, " tokens, as many as classes of the network"),
                            sentence(tokens.size()));
    return token_rules(tokens);
}

template <class T>
std::string generate(NextTokenCore<T>& next, const data::SubwordTokenizer& tokenizer, std::string_view prompt,
                     const GenerateOptions& options) {
    GenerateRules rules{.tokens = token_rules(tokenizer, next.classes())};
    for (const std::size_t id : rules.tokens.ends) rules.stops.push_back({id});
    // A text can be split into tokens in many ways, so it is searched in the joined text.
    const std::string& stop = options.stop;
    if (!stop.empty())
        rules.ends = [&](std::span<const std::size_t> made) {
            return tokenizer.decode(made).find(stop) != std::string::npos;
        };
    const std::string text = tokenizer.decode(generate_by(next, tokenizer.encode(prompt), options, rules));
    return stop.empty() ? text : text.substr(0, text.find(stop));
}

template <class T>
std::string generate(NextTokenCore<T>& next, const data::Vocabulary& vocabulary, std::string_view prompt,
                     const GenerateOptions& options) {
    GenerateRules rules{.tokens = token_rules(vocabulary, next.classes())};
    for (const std::size_t id : rules.tokens.ends) rules.stops.push_back({id});
    if (const auto id = vocabulary.find(options.stop)) rules.stops.push_back({*id});
    else if (!options.stop.empty()) {
        auto stop = vocabulary.encode(options.stop);
        if (stop.empty())
            throw ArgumentError("text to stop at", "at least one token",
                                sentence("'", options.stop, "' without tokens"));
        rules.stops.push_back(std::move(stop));
    }
    for (const auto& stop : rules.stops)
        for (const std::size_t id : stop)
            if (std::ranges::count(rules.tokens.never, id) != 0)
                throw ArgumentError("text to stop at", "tokens other than <unk>, <pad> and <start>",
                                    sentence("'", vocabulary.token(id), "'"));
    return vocabulary.decode(generate_by(next, vocabulary.encode(prompt), options, rules));
}

#ifdef SIGMA_COMPILED
template TokenRules token_rules(const data::Vocabulary&, std::size_t);
template TokenRules token_rules(const data::SubwordTokenizer&, std::size_t);
template std::vector<std::size_t> generate(NextTokenCore<float>&, std::vector<std::size_t>, const GenerateIdsOptions&);
template std::vector<std::size_t> generate(NextTokenCore<double>&, std::vector<std::size_t>, const GenerateIdsOptions&);
template std::string generate(NextTokenCore<float>&, const data::Vocabulary&, std::string_view, const GenerateOptions&);
template std::string generate(NextTokenCore<double>&, const data::Vocabulary&, std::string_view,
                              const GenerateOptions&);
template std::string generate(NextTokenCore<float>&, const data::SubwordTokenizer&, std::string_view,
                              const GenerateOptions&);
template std::string generate(NextTokenCore<double>&, const data::SubwordTokenizer&, std::string_view,
                              const GenerateOptions&);
#endif

}  // namespace sigma::detail
