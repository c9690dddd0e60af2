// SPDX-License-Identifier: BSL-1.0
// Networks of examples/ that read sequences.
#include <catch2/catch.hpp>
#include <gpu/examples.hpp>

using namespace examples;

namespace {

constexpr int characters = 13, length = 6, seen = 9, ahead = 4;

/// The network of example 11.
struct Reader : Network<Input(length) + Embedding(characters, 7) + LSTM(11) + Linear(characters) + SoftmaxCE()> {};
/// The network of example 12.
struct Transformer
    : Network<Input(length) + Embedding(characters, 8) + LearnedPositions() +
              2 * TransformerBlock(2, 12, {.causal = true}) + LayerNorm() + Linear(characters) + SoftmaxCE()> {};
/// The network of example 13.
struct Forecast : Network<Input(seen, 1) + [](auto x) {
    const auto state = layer(GRU(7, {.last = true}), x);
    const auto change = layer(Dense(ahead), state);
    return mean(slice(x, axis(1), seen - ahead, seen), axis(1)) + change;
} + Huber(0.2)> {};
/// The network of example 23.
struct Guesser : Network<Input(length) + Embedding(characters, 5) + Recurrent(9) + Linear(characters) + SoftmaxCE()> {};

/// Characters and the characters that follow them.
Dataset text() { return {labels({records, length}, characters), labels({records, length}, characters, 3), "text", {}}; }

}  // namespace

TEST_CASE("example 11, an LSTM, on every device") { check_devices<Reader>(text(), Adam{.learning_rate = 0.005}); }
TEST_CASE("example 12, a transformer, on every device") {
    check_devices<Transformer>(text(), Adam{.learning_rate = 0.003});
}
TEST_CASE("example 13, a GRU, on every device") {
    check_devices<Forecast>({fractions({records, seen, 1}), fractions({records, ahead}, 3), "series", {}},
                            Adam{.learning_rate = 0.003});
}
TEST_CASE("example 23, a recurrent layer, on every device") {
    check_devices<Guesser>(text(), Adam{.learning_rate = 0.005});
}
