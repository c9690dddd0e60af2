// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/text/tokenizer.hpp>
#include <sigma/decoding/generate.hpp>
#include <sigma/decoding/sample.hpp>
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/dynamic_network.hpp>
#include <sigma/network/transfer.hpp>

#include <catch2/catch.hpp>

#include "support/thrown.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace sigma;

namespace {

using Ids = std::vector<std::size_t>;
constexpr int tokens = 7, window = 4;

/// The next token at each position, a longer window of the same, after the whole window, and one token at a time.
struct Reader : Network<Input(window) + Embedding(tokens, 3) + Recurrent(5) + Linear(tokens) + SoftmaxCE()> {};
struct Long : Network<Input(12) + Embedding(tokens, 3) + Recurrent(5) + Linear(tokens) + SoftmaxCE()> {};
struct Last
    : Network<Input(window) + Embedding(tokens, 3) + Recurrent(5, {.last = true}) + Linear(tokens) + SoftmaxCE()> {};
struct Writer
    : Network<Input(1) + Embedding(tokens, 3) + Recurrent(5, {.stateful = true}) + Linear(tokens) + SoftmaxCE()> {};

/// Parameters that make its probabilities differ.
template <class N, class T = float>
Model<N, T> made(std::uint64_t seed = 1) {
    Model<N, T> model(seed);
    model.initialize("*", gaussian(1));
    return model;
}

/// A loop by hand: the window begins `length` tokens before the end.
template <class N, class T>
Ids by_hand(const Model<N, T>& model, Ids ids, std::size_t count, const SampleOptions& how, std::uint64_t seed) {
    const std::size_t begun = ids.size();
    PhiloxSequence random{Philox(seed, RandomUse::generate, 0)};
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t seen = std::min<std::size_t>(window, ids.size());
        auto x = Array<T>::from_shape({1, window});
        for (std::size_t k = 0; k < seen; ++k) x(0, k) = static_cast<T>(ids[ids.size() - seen + k]);
        const auto said = model.predict(x);
        std::vector<T> p;
        for (std::size_t k = 0; k < tokens; ++k)
            if constexpr (N::predictions[0].rank == 3) p.push_back(said(0, seen - 1, k));
            else p.push_back(said(0, k));
        ids.push_back(sample(std::span<const T>(p), random, how));
    }
    return Ids(ids.begin() + static_cast<std::ptrdiff_t>(begun), ids.end());
}

TEST_CASE("Generated tokens are those of a loop by hand") {
    const auto reader = made<Reader>();
    for (const Ids& prompt : {Ids{2}, Ids{0, 6, 3}, Ids{1, 2, 3, 4, 5, 6}}) {
        CHECK(generate(reader, prompt, {.length = 20, .seed = 5}) == by_hand(reader, prompt, 20, {}, 5));
        CHECK(generate(reader, prompt, {.length = 20, .temperature = 0.5, .top_k = 3, .top_p = 0.9, .seed = 6}) ==
              by_hand(reader, prompt, 20, {.temperature = 0.5, .top_k = 3, .top_p = 0.9}, 6));
        CHECK(generate(reader, prompt, {.length = 20, .temperature = 0}) ==
              by_hand(reader, prompt, 20, {.temperature = 0}, 0));
    }
    const Ids prompt{1, 2, 3, 4};
    const auto last = made<Last>();
    CHECK(generate(last, prompt, {.length = 20, .seed = 7}) == by_hand(last, prompt, 20, {}, 7));
    const auto precise = made<Reader, double>();
    CHECK(generate(precise, prompt, {.length = 20, .seed = 7}) == by_hand(precise, prompt, 20, {}, 7));
    CHECK(generate(reader, prompt, {.length = 0}).empty());
    CHECK(generate(reader, prompt, {.length = 50, .seed = 1}) != generate(reader, prompt, {.length = 50, .seed = 2}));
}

TEST_CASE("A stateful network writes what the same network over a long window writes") {
    const auto reader = made<Long>();
    Model<Writer> writer;
    transfer(reader, writer, "*", Transfer::common);
    const Ids prompt{3, 1, 4};
    const auto written = generate(writer, prompt, {.length = 9, .seed = 3});
    CHECK(written == generate(reader, prompt, {.length = 9, .seed = 3}));
    CHECK(written == generate(writer, prompt, {.length = 9, .seed = 3}));  // it begins with nothing again

    // What the model itself remembers is its own affair.
    const Array<float> five{{5}};
    const auto before = writer.predict(five);
    const auto after = [&] {
        Model<Writer> other(writer);
        generate(other, prompt, {.length = 9});
        return other.predict(five);
    }();
    const auto again = writer.predict(five);
    CHECK(std::equal(after.begin(), after.end(), again.begin()));
    CHECK(!std::equal(before.begin(), before.end(), again.begin()));
    CHECK(written == generate(writer, prompt, {.length = 9, .seed = 3}));
}

TEST_CASE("Generation ends before what it stops at") {
    const auto reader = made<Reader>();
    const auto all = generate(reader, {1}, {.length = 40, .seed = 9});
    const Ids stop{all[10], all[11]};
    const auto at = std::search(all.begin(), all.end(), stop.begin(), stop.end());
    CHECK(generate(reader, {1}, {.length = 40, .stop = stop, .seed = 9}) == Ids(all.begin(), at));
    CHECK(generate(reader, {1}, {.length = 40, .stop = {all[0]}, .seed = 9}).empty());
    // The prompt does not count.
    CHECK(generate(reader, {all[0]}, {.length = 3, .stop = {all[0], 99}, .seed = 9}).size() == 3);
}

TEST_CASE("Text of characters") {
    const data::Vocabulary letters("abcdefg");
    const auto reader = made<Reader>();
    const auto text = generate(reader, letters, "gab", {.length = 30, .temperature = 0.8, .seed = 4});
    CHECK(text ==
          letters.decode(generate(reader, letters.encode("gab"), {.length = 30, .temperature = 0.8, .seed = 4})));
    CHECK(text.size() == 30);
    const std::string stop = text.substr(7, 2);
    CHECK(generate(reader, letters, "gab", {.length = 30, .temperature = 0.8, .stop = stop, .seed = 4}) ==
          text.substr(0, text.find(stop)));
    // Classes that the vocabulary has no token for are not drawn.
    const data::Vocabulary few("abc");
    CHECK(generate(reader, few, "a", {.length = 200}).find_first_not_of("abc") == std::string::npos);
}

TEST_CASE("Text of subwords") {
    const auto tokenizer =
        data::SubwordTokenizer::train("abab abab", {.vocabulary_size = 300, .special = {"<e>", "<p>"}});
    constexpr int classes = 261;  // one more than there are tokens
    Model reader(network(Input(window) + Embedding(classes, 3) + Linear(classes) + SoftmaxCE()), 1);
    reader.initialize("*", zeros);
    auto biases = reader.parameter("2-linear.biases");
    const auto say = [&](std::initializer_list<std::string_view> likely) {
        biases.fill(-30);
        for (const std::string_view token : likely) biases(tokenizer.id(token)) = 0;
    };
    say({"abab", "a", "b"});
    biases(260) = 30;  // is never drawn
    const auto text = generate(reader, tokenizer, "a", {.length = 40, .seed = 3});
    CHECK(text.size() > 50);
    CHECK(text.find_first_not_of("ab") == std::string::npos);
    const auto until = generate(reader, tokenizer, "a", {.length = 40, .stop = "bbab", .seed = 3});
    REQUIRE(text.find("bbab") != std::string::npos);
    CHECK(until == text.substr(0, text.find("bbab")));  // wherever it is cut into tokens
    say({"a", "<e>"});
    const auto ended = generate(reader, tokenizer, "b", {.length = 1000, .seed = 5});
    CHECK(ended.size() < 100);
    CHECK(ended == std::string(ended.size(), 'a'));
    const auto beams = beam_search(reader, tokenizer, "b", {.width = 3, .length = 5});
    REQUIRE(beams.size() == 3);
    for (const Hypothesis& h : beams) CHECK(h.ids == Ids(h.ids.size(), tokenizer.id("a")));
    // What stands for nothing that could be said is neither drawn nor an end.
    const auto filled = data::SubwordTokenizer::train("abab", {.special = {"<e>", "<pad>", "<unk>"}});
    say({});
    for (const std::string_view token : {"<pad>", "<unk>", "a"}) biases(filled.id(token)) = 0;
    CHECK(generate(reader, filled, "b", {.length = 50}) == std::string(50, 'a'));
    CHECK(beam_search(reader, filled, "b", {.width = 1, .length = 5})[0].ids == Ids(5, filled.id("a")));
    CHECK(error_text<ArgumentError>([&] { generate(made<Reader>(), tokenizer, "a"); }) ==
          "tokenizer: expected at most 7 tokens, as many as classes of the network, found 260");
}

TEST_CASE("Text of words: special tokens") {
    const data::TokenRule word{.unit = data::Unit::word};
    const data::Vocabulary words(word, {"<pad>", "<unk>", "<end>", "the", "cat", "sat", "."}, 3);
    auto reader = made<Reader>();
    // Whatever comes before, probabilities are those of the biases.
    const auto say = [&](const std::vector<double>& p) {
        reader.initialize("*", zeros);
        auto biases = reader.parameter<"3-linear.biases">();
        std::size_t i = 0;
        for (float& b : biases) b = static_cast<float>(std::log(p[i++]));
    };
    say({0.3, 0.3, 1e-9, 0.1, 0.1, 0.1, 0.1});
    const auto text = generate(reader, words, "the unicorn", {.length = 100});
    CHECK(text.find('<') == std::string::npos);
    CHECK(words.encode(text).size() == 100);
    CHECK(text.find("cat") != std::string::npos);
    auto until = words.encode(text);
    until.erase(std::find(until.begin(), until.end(), words.id("sat")), until.end());
    REQUIRE(until.size() < 100);
    CHECK(generate(reader, words, "the unicorn", {.length = 100, .stop = "sat"}) == words.decode(until));
    const auto is_text = [&](const Hypothesis& h) {
        return std::ranges::all_of(h.ids, [](std::size_t id) { return id > 2; });
    };
    const auto beams = beam_search(reader, words, "the unicorn", {.width = 6, .length = 4});
    CHECK(beams.size() == 6);
    CHECK(std::ranges::all_of(beams, is_text));
    // Asked for by name, it may end a sequence.
    CHECK(beam_search(reader, words, "the", {.width = 1, .length = 4, .stop = words.id("<pad>")})[0].stopped);
    CHECK(error_text<ArgumentError>([&] { beam_search(reader, data::Vocabulary("abcdefgh"), "a"); }) ==
          "vocabulary: expected at most 7 tokens, as many as classes of the network, found 8");
    const auto ids = generate(reader, Ids{3}, {.length = 200, .never = {0, 1, 2}});
    CHECK(std::ranges::all_of(ids, [](std::size_t id) { return id > 2; }));
    CHECK(error_text<ArgumentError>([&] { generate(reader, Ids{3}, {.never = {7}}); }) ==
          "tokens of .never: expected numbers below 7, found 7");
    say({0.1, 0.1, 0.9, 0.001, 0.001, 0.001, 0.001});
    const auto ended = beam_search(reader, words, "the", {.width = 1})[0];  // by <end>, without being told
    CHECK(ended.ids.empty());
    CHECK(ended.stopped);
    CHECK(ended.log_probability == Approx(std::log(0.9 / 1.104)));
    CHECK(generate(reader, words, "the", {.length = 100, .temperature = 0}).empty());  // <end> at once
    CHECK(error_text<ArgumentError>([&] { generate(reader, words, "the", {.stop = "unicorn"}); }) ==
          "text to stop at: expected tokens other than <unk>, <pad> and <start>, found '<unk>'");
}

TEST_CASE("Beam search over a network") {
    const auto reader = made<Reader>();
    const Ids prompt{1, 2};
    const auto one = beam_search(log_probabilities_after(reader, prompt), {.width = 1, .length = 6});
    CHECK(one[0].ids == generate(reader, prompt, {.length = 6, .temperature = 0}));
    Model<Writer> writer;
    transfer(reader, writer, "*", Transfer::common);
    // Hypotheses take turns, so what is remembered must be read anew.
    const auto read = beam_search(log_probabilities_after(reader, {1}), {.width = 6, .length = 3});
    const auto remembered = beam_search(log_probabilities_after(writer, {1}), {.width = 6, .length = 3});
    REQUIRE(remembered.size() == read.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
        CHECK(remembered[i].ids == read[i].ids);
        CHECK(remembered[i].log_probability == Approx(read[i].log_probability).epsilon(1e-5));
    }
}

struct WideWriter
    : Network<Input(2) + Embedding(tokens, 3) + Recurrent(5, {.stateful = true}) + Linear(tokens) + SoftmaxCE()> {};

TEST_CASE("What cannot be continued is refused") {
    const auto reader = made<Reader>();
    CHECK(error_text<ArgumentError>([&] { generate(reader, Ids{}); }) ==
          "prompt: expected at least one token, found none");
    CHECK(error_text<ArgumentError>([&] { generate(reader, Ids{1, 7}); }) ==
          "tokens of the prompt: expected numbers below 7, found 7");
    CHECK(error_text<ArgumentError>([&] { generate(made<Last>(), Ids{1, 2}); }) ==
          "prompt of a network that predicts after a whole window: expected at least 4 tokens, found 2");
    CHECK(error_text<ArgumentError>([&] { generate(made<WideWriter>(), Ids{1, 2}); }) ==
          "network with remembered state: expected a window of one token, Input(1), found a window of 2");
    CHECK(error_text<ArgumentError>([&] { generate(reader, data::Vocabulary("abcdefgh"), "a"); }) ==
          "vocabulary: expected at most 7 tokens, as many as classes of the network, found 8");
    CHECK(error_text<ArgumentError>([&] { generate(reader, Ids{1}, {.temperature = -1}); }) ==
          "sampling: expected a temperature of at least 0, found -1");
}

}  // namespace
