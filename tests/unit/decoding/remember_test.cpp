// SPDX-License-Identifier: BSL-1.0
#include <sigma/decoding/generate.hpp>
#include <sigma/decoding/sample.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/positions.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/transformer_block.hpp>
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
constexpr int tokens = 11, length = 12, width = 8;

/// What reads `length` positions at once where `remember` is 0, else one at a time.
template <int remember, auto positions, bool rotary = false, bool pre_norm = true>
constexpr auto body =
    Embedding(tokens, width) + positions +
    2 * TransformerBlock(2, 12, {.causal = true, .pre_norm = pre_norm, .rotary = rotary, .remember = remember}) +
    Linear(tokens) + SoftmaxCE();
template <int remember, auto positions, bool rotary = false, bool pre_norm = true>
struct Reads : Network<Input(remember > 0 ? 1 : length) + body<remember, positions, rotary, pre_norm>> {};

template <class N, class T>
Model<N, T> made() {
    Model<N, T> model(3);
    model.initialize("*weights", gaussian(0.6));
    model.initialize("*table", gaussian(1));
    model.initialize("*biases", gaussian(0.3));
    return model;
}
Ids random_ids(std::size_t count, std::uint64_t seed) {
    PhiloxSequence random{Philox(seed)};
    Ids ids(count);
    for (std::size_t& id : ids) id = random.bits() % tokens;
    return ids;
}
/// Several texts side by side, each position by the network that remembers against all at once.
template <class Reader, class Writer, class T>
double farthest() {
    constexpr std::size_t texts = 3;
    const auto reader = made<Reader, T>();
    Model<Writer, T> writer;
    transfer(reader, writer);  // throws unless all names and shapes are the same
    const Ids ids = random_ids(texts * length, 5);
    auto all = Array<T>::from_shape({texts, length});
    for (std::size_t i = 0; i < ids.size(); ++i) all(i / length, i % length) = static_cast<T>(ids[i]);
    const auto wanted = reader.predict(all);
    double most = 0;
    for (std::size_t t = 0; t < length; ++t) {
        auto now = Array<T>::from_shape({texts, 1});
        for (std::size_t r = 0; r < texts; ++r) now(r, 0) = all(r, t);
        const auto found = writer.predict(now);
        for (std::size_t r = 0; r < texts; ++r)
            for (std::size_t c = 0; c < tokens; ++c)
                most = std::max(most,
                                std::abs(static_cast<double>(found(r, 0, c)) - static_cast<double>(wanted(r, t, c))));
    }
    return most;
}
template <auto at_once, auto one_at_a_time, bool rotary = false, bool pre_norm = true>
void check_prefixes() {
    using Reader = Reads<0, at_once, rotary, pre_norm>;
    using Writer = Reads<length, one_at_a_time, rotary, pre_norm>;
    CHECK(farthest<Reader, Writer, double>() < 1e-13);
    CHECK(farthest<Reader, Writer, float>() < 3e-6);
}

using LearnedReader = Reads<0, LearnedPositions{}>;
using LearnedWriter = Reads<length, LearnedPositions({.remember = length})>;

}  // namespace

TEST_CASE("What remembers keys and values predicts at each position what all at once do") {
    check_prefixes<LearnedPositions{}, LearnedPositions({.remember = length})>();
    check_prefixes<SinusoidalPositions{}, SinusoidalPositions({.remember = length})>();
    check_prefixes<RotaryPositions{}, RotaryPositions({.remember = 1})>();
    check_prefixes<Identity{}, Identity{}, true>();
    check_prefixes<LearnedPositions{}, LearnedPositions({.remember = length}), true, false>();
}

TEST_CASE("A network as a value remembers, too") {
    const auto layers = [](int remember) {
        Layers all = Input(remember > 0 ? 1 : length);
        all += Embedding(tokens, width) + LearnedPositions({.remember = remember}) +
               2 * TransformerBlock(2, 12, {.causal = true, .remember = remember}) + Linear(tokens) + SoftmaxCE();
        return network(all);
    };
    Model reader(layers(0), 3), writer(layers(length));
    reader.initialize("*", gaussian(0.7));
    transfer(reader, writer);
    const Ids prompt = random_ids(4, 1);
    CHECK(generate(writer, prompt, {.length = 8, .seed = 2}) == generate(reader, prompt, {.length = 8, .seed = 2}));
}

TEST_CASE("A text is continued one position a token") {
    const auto reader = made<LearnedReader, float>();
    Model<LearnedWriter> writer;
    transfer(reader, writer);
    const Ids prompt = random_ids(5, 7);
    CHECK(generate(writer, prompt, {.length = 8, .seed = 3}) == generate(reader, prompt, {.length = 8, .seed = 3}));

    // Longer: where `length` positions are full, it begins anew with the last half of them.
    Ids ids = prompt;
    PhiloxSequence random{Philox(4, RandomUse::generate, 0)};
    for (std::size_t i = 0; i < 30; ++i) {
        const std::size_t half = length / 2;
        const std::size_t first = ids.size() <= length ? 0 : (ids.size() - length + half - 1) / half * half;
        CHECK(ids.size() - first > half - (first == 0 ? half : 0));
        auto window = Array<float>::from_shape({1, length});
        for (std::size_t k = first; k < ids.size(); ++k) window(0, k - first) = static_cast<float>(ids[k]);
        const auto said = reader.predict(window);
        std::vector<float> p;
        for (std::size_t c = 0; c < tokens; ++c) p.push_back(said(0, ids.size() - first - 1, c));
        ids.push_back(sample(std::span<const float>(p), random));
    }
    CHECK(generate(writer, prompt, {.length = 30, .seed = 4}) == Ids(ids.begin() + 5, ids.end()));
    CHECK(generate(writer, random_ids(40, 2), {.length = 3}).size() == 3);  // a prompt that is longer
    const auto found = beam_search(log_probabilities_after(writer, prompt), {.width = 3, .length = 3});
    const auto wanted = beam_search(log_probabilities_after(reader, prompt), {.width = 3, .length = 3});
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i].ids == wanted[i].ids);
}

TEST_CASE("Attention looks at the last positions that it remembers, and forgets") {
    using Ring = Reads<3, RotaryPositions({.remember = 1})>;
    using Wide = Reads<50, RotaryPositions({.remember = 1})>;
    auto model = made<Ring, double>();
    const auto wide = [&] {
        Model<Wide, double> other;
        transfer(model, other);
        return other;
    }();
    const Ids ids = random_ids(20, 9);
    const auto say = [](const auto& m, std::size_t id) { return m.predict(Array<double>{{static_cast<double>(id)}}); };
    Array<double> last, of_wide;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        last = say(model, ids[i]);
        of_wide = say(wide, ids[i]);
        CHECK(std::equal(last.begin(), last.end(), of_wide.begin(),
                         [](double a, double b) { return std::abs(a - b) < 1e-13; }) == (i < 3));
    }
    model.forget();
    const auto first = say(model, ids[0]);
    model.forget();
    const auto again = say(model, ids[0]);
    CHECK(std::equal(first.begin(), first.end(), again.begin()));
    CHECK_FALSE(std::equal(first.begin(), first.end(), last.begin()));
}

TEST_CASE("What cannot remember is refused") {
    const auto refusal = [](const auto& layer, const Shape& shape) {
        return error_text<Error>([&] { network(Input(shape[0], shape[1]) + layer + SquaredDiff()); });
    };
    CHECK(refusal(Attention(2, {.remember = 4}), {1, 8}) ==
          "layer '1-attention': Attention that remembers must be causal; positions 4");
    CHECK(refusal(Attention(2, {.causal = true, .remember = 4}), {2, 8}) ==
          "layer '1-attention': layers that remember positions take one at a time, Input(1); input (batch, 2, 8)");
    CHECK(refusal(LearnedPositions({.remember = -1}), {1, 8}) ==
          "layer '1-learned_positions': remember: a number of positions must not be negative; positions -1");
    CHECK(error_text<Error>([] {
              network((Input(1, 8) & Input(1, 8)) + Attention(2, {.causal = true, .remember = 4}) + SquaredDiff());
          }) ==
          "layer '2-attention': Attention that remembers takes no memory and no mask; input (batch, 1, 8); memory "
          "(batch, 1, 8)");
}
