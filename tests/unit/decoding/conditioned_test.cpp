// SPDX-License-Identifier: BSL-1.0
#include <sigma/decoding/generate.hpp>
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/transformer_block.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/network/dynamic_network.hpp>
#include <sigma/network/transfer.hpp>

#include <catch2/catch.hpp>

#include "support/thrown.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace sigma;

namespace {

using Ids = std::vector<std::size_t>;
constexpr int classes = 5, written = 4, source_length = 3;

constexpr auto body = Parallel(Embedding(classes, 8), Embedding(9, 8) + TransformerBlock(2, 8)) +
                      TransformerBlock(2, 8, {.causal = true}) + Linear(classes) + SoftmaxCE();
struct Translator : Network<(Input(written) & Input(source_length)) + body> {};
struct WithMask : Network<(Input(written) & Input(source_length, 8) & Input(source_length)) +
                          Parallel(Embedding(classes, 8), skip, skip) + TransformerBlock(2, 8, {.causal = true}) +
                          Linear(classes) + SoftmaxCE()> {};
/// One token at a time: the attention to earlier tokens is remembered, that to the source is not.
struct Writer : Network<(Input(1) & Input(source_length)) +
                        Parallel(Embedding(classes, 8), Embedding(9, 8) + TransformerBlock(2, 8)) +
                        TransformerBlock(2, 8, {.causal = true, .remember = written}) + Linear(classes) + SoftmaxCE()> {
};

/// Parameters that make the probabilities differ.
template <class N, class T = float>
Model<N, T> made(std::uint64_t seed = 1) {
    Model<N, T> model(seed);
    model.initialize("*", gaussian(0.3));
    return model;
}

/// Log probabilities of the token after these.
template <class T>
std::vector<double> after(const Model<Translator, T>& model, const std::vector<T>& source, const Ids& ids) {
    auto tokens = Array<T>::from_shape({1, written}), memory = Array<T>::from_shape({1, source_length});
    for (std::size_t i = 0; i < ids.size(); ++i) tokens(0, i) = static_cast<T>(ids[i]);
    for (std::size_t i = 0; i < source_length; ++i) memory(0, i) = source[i];
    const auto said = model.predict(tokens, memory);
    std::vector<double> logs;
    for (std::size_t k = 0; k < classes; ++k) logs.push_back(std::log(static_cast<double>(said(0, ids.size() - 1, k))));
    return logs;
}

/// The likeliest continuation by trying all.
template <class T>
std::pair<Ids, double> best_of_all(const Model<Translator, T>& model, const std::vector<T>& source, std::size_t first) {
    Ids best;
    double best_log = -1e300;
    for (std::size_t code = 0; code < classes * classes * classes; ++code) {
        Ids ids{first};
        double log = 0;
        for (std::size_t i = 0, rest = code; i < 3; ++i, rest /= classes) {
            log += after(model, source, ids)[rest % classes];
            ids.push_back(rest % classes);
        }
        if (log > best_log) best = Ids(ids.begin() + 1, ids.end()), best_log = log;
    }
    return {best, best_log};
}

}  // namespace

TEMPLATE_TEST_CASE("A search of all beginnings finds the likeliest text about a source", "", float, double) {
    const auto model = made<Translator, TestType>();
    std::vector<double> found;
    for (const std::vector<TestType>& source :
         {std::vector<TestType>{1, 2, 3}, std::vector<TestType>{8, 0, 5}, std::vector<TestType>{4, 4, 7}}) {
        const auto [ids, log] = best_of_all(model, source, 2);
        auto next = log_probabilities_after(conditioned(model, source), {2});
        const auto hypotheses = beam_search(next, {.width = 125, .length = 3});
        CHECK(hypotheses.at(0).ids == ids);
        CHECK(hypotheses.at(0).log_probability == Approx(log).epsilon(1e-4));
        found.push_back(log);
    }
    CHECK((found[0] != found[1] && found[1] != found[2]));  // the source matters
}

TEST_CASE("Generation without chance takes the likeliest token each time") {
    const auto model = made<Translator>();
    const std::vector<float> source{8, 0, 5};
    Ids wanted{1};
    for (int i = 0; i < 3; ++i) {
        const auto logs = after(model, source, wanted);
        wanted.push_back(static_cast<std::size_t>(std::ranges::max_element(logs) - logs.begin()));
    }
    wanted.erase(wanted.begin());
    const std::vector<int> integers{8, 0, 5};
    CHECK(generate(conditioned(model, source), {1}, {.length = 3, .temperature = 0}) == wanted);
    CHECK(generate(conditioned(model, integers), {1}, {.length = 3, .temperature = 0}) == wanted);
    const data::Vocabulary letters("abcde");
    const std::string text =
        generate(conditioned(model, source), letters, letters.token(1), {.length = 3, .temperature = 0});
    Ids ids;
    for (const char c : text) ids.push_back(letters.id(c));
    CHECK(ids == wanted);
    CHECK(beam_search(conditioned(model, source), letters, letters.token(1), {.width = 1, .length = 3}).at(0).ids ==
          wanted);
}

TEST_CASE("A decoder that remembers its own tokens writes the same about a source") {
    const auto model = made<Translator>();
    Model<Writer> writer(2);
    transfer(model, writer);
    for (const std::vector<float>& source : {std::vector<float>{1, 2, 3}, std::vector<float>{8, 0, 5}}) {
        const GenerateIdsOptions how{.length = 3, .temperature = 0};
        CHECK(generate(conditioned(writer, source), {1}, how) == generate(conditioned(model, source), {1}, how));
    }
}

TEST_CASE("A record for each further input, of its size") {
    const auto model = made<WithMask>();
    const std::vector<float> image(24, 0.5f), mask{1, 1, 0}, wrong(4);
    CHECK(generate(conditioned(model, image, mask), {1}, {.length = 2}).size() == 2);
    CHECK(error_text<ArgumentError>([&] { static_cast<void>(conditioned(model, image)); }) ==
          "conditioned: expected a record for each of 2 inputs after the first, found 1 records");
    CHECK(error_text<ArgumentError>([&] { static_cast<void>(conditioned(model, image, wrong)); }) ==
          "conditioned, input 2: expected 3 numbers, found 4");

    const auto made_now = network((Input(written) & Input(source_length)) + body);
    const Model run_time(made_now, 1);
    const std::vector<float> source{8, 0, 5};
    CHECK(generate(conditioned(run_time, source), {1}, {.length = 2}).size() == 2);
    const Model plain(network(Input(4) + Embedding(7, 3) + Linear(7) + SoftmaxCE()), 1);
    CHECK(error_text<ArgumentError>([&] { static_cast<void>(conditioned(plain, source)); }) ==
          "conditioned: expected a record for each of 0 inputs after the first, found 1 records");
}
