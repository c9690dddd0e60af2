// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <sigma/layer/dense.hpp>
#include <sigma/layer/positions.hpp>
#include <sigma/layer/transformer_block.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

struct Before : Network<Input(4, 6) + Elementwise() + TransformerBlock(2, 5) + SquaredDiff()> {};
struct After : Network<Input(5, 4) + Elementwise() + TransformerBlock(2, 7, tanh, {.causal = true, .pre_norm = false}) +
                       SquaredDiff()> {};
struct Dropped
    : Network<Input(3, 4) + Elementwise() +
              TransformerBlock(1, 5, [](auto x) { return x * x; }, {.dropout = 0.25, .bias = false}) + SquaredDiff()> {
};
struct Sines : Network<Input(5, 6) + SinusoidalPositions() + SquaredDiff()> {};
struct Learned : Network<Input(5, 3) + Elementwise() + LearnedPositions() + SquaredDiff()> {};

// [reading]
struct Reading : Layer {  // (batch, time, width + 1), the last column is the mask
    static constexpr Text kind = "reading";
    constexpr Tensor forward(Context& context, Tensor x) const {
        const int times = x.shape()[1], width = x.shape()[2] - 1;
        const auto mask = reshape(slice(x, axis(2), width, width + 1), {batch, times});
        return inner(TransformerBlock(4, 64), context, "block", slice(x, axis(2), 0, width), mask);
    }
};
// [reading]
struct Padded : Network<Input(5, 9) + Reading() + SquaredDiff()> {};
struct Whole : Network<Input(5, 8) + TransformerBlock(4, 64) + SquaredDiff()> {};

/// A block of a decoder: the first four times are its input, the other three the memory, which has 5 columns. With
/// `masked`, the last column is the mask of the memory.
template <bool pre_norm, bool masked>
struct Decoding : Layer {
    static constexpr Text kind = "decoding";
    constexpr Tensor forward(Context& context, Tensor x) const {
        const Tensor now = slice(slice(x, axis(1), 0, 4), axis(2), 0, 6), others = slice(x, axis(1), 4, 7);
        const Tensor memory = slice(others, axis(2), 0, 5);
        const TransformerBlock block(2, 5, {.causal = true, .pre_norm = pre_norm});
        if constexpr (masked) {
            const Tensor mask = stop_gradient(reshape(slice(others, axis(2), 6, 7), {batch, 3}));
            return inner(block, context, "block", now, memory, mask);
        } else {
            return inner(block, context, "block", now, memory);
        }
    }
};
struct Decoder : Network<Input(7, 6) + Elementwise() + Decoding<true, false>() + SquaredDiff()> {};
struct DecoderAfter : Network<Input(7, 6) + Elementwise() + Decoding<false, false>() + SquaredDiff()> {};
struct DecoderMasked : Network<Input(7, 7) + Decoding<true, true>() + SquaredDiff()> {};
struct AttendBack : Network<Input(4, 6) + Attention(2, {.causal = true}) + SquaredDiff()> {};
struct Recall : Network<(Input(4, 6) & Input(3, 5)) + Attention(2) + SquaredDiff()> {};
struct RecallMasked : Network<(Input(4, 6) & Input(3, 5) & Input(3)) + Attention(2) + SquaredDiff()> {};

/// The block put together from layers of their own in one network must be the same; these are the parts.
struct Norm : Network<Input(4, 6) + LayerNorm() + SquaredDiff()> {};
struct Attend : Network<Input(4, 6) + Attention(2) + SquaredDiff()> {};
struct Feed : Network<Input(4, 6) + Linear(5, gelu) + Linear(6) + SquaredDiff()> {};

/// Copies the parameters of `from` whose names contain `part`, in order.
template <class To, class From>
void take(To& to, From& from, std::initializer_list<std::string_view> parts) {
    int next = 0;
    for (std::string_view part : parts)
        for (int i = 0; i < from.parameter_count; ++i)
            if (from.records.parameters[i].name.view().find(part) != std::string_view::npos)
                to.parameter(next++) = from.parameter(i);
    REQUIRE(next == to.parameter_count);
}
/// Predicts for one record of each input.
template <class N>
Values predict_of(const Model<N, double>& model, const std::vector<Values>& inputs) {
    typename Model<N, double>::InputPointers from{};
    for (std::size_t i = 0; i < inputs.size(); ++i) from[i] = inputs[i].data();
    Values y(24);
    model.predict(from, {y.data()}, 1);
    return y;
}
Values plus(Values a, const Values& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
}

}  // namespace

TEST_CASE("A block is normalization, attention and two products, each added to what it reads") {
    Model<Before, double> block(1);
    scramble(block, 5);
    Model<Norm, double> norm;
    Model<Attend, double> attend;
    Model<Feed, double> feed;
    const Values x = normal(3 * 24, 6), w = values(block.parameter(0)), b = values(block.parameter(1));
    Values z;
    for (std::size_t i = 0; i < x.size(); ++i) z.push_back(x[i] * w[i % 24] + b[i % 24]);
    take(norm, block, {"attention_norm."});
    take(attend, block, {".attention."});
    const Values y = plus(z, predict(attend, predict(norm, z)));
    take(norm, block, {"output_norm."});
    take(feed, block, {".hidden.", ".output."});
    CHECK(distance(predict(block, x), plus(y, predict(feed, predict(norm, y)))) < 1e-13);
}

TEST_CASE("A block of a decoder attends to its past, then to a memory") {
    const Values x = normal(42, 6);
    Values now, memory;
    for (std::size_t i = 0; i < 42; ++i) {
        if (i < 24) now.push_back(x[i]);
        else if (i % 6 < 5) memory.push_back(x[i]);
    }
    Model<Norm, double> norm;
    Model<AttendBack, double> attend;
    Model<Recall, double> recall;
    Model<RecallMasked, double> recall_masked;
    Model<Feed, double> feed;
    const auto by_parts = [&](auto& block, const Values* mask) {
        take(attend, block, {".attention."});
        take(recall, block, {".memory_attention."});
        take(recall_masked, block, {".memory_attention."});
        take(feed, block, {".hidden.", ".output."});
        take(norm, block, {".attention_norm."});
        Values y = plus(now, predict(attend, predict(norm, now)));
        take(norm, block, {".memory_norm."});
        const Values query = predict(norm, y);
        y = plus(y, mask ? predict_of(recall_masked, {query, memory, *mask}) : predict_of(recall, {query, memory}));
        take(norm, block, {".output_norm."});
        return plus(y, predict(feed, predict(norm, y)));
    };
    Model<Decoder, double> block(1);
    scramble(block, 5);
    block.parameter(0).fill(1);
    block.parameter(1).fill(0);
    CHECK(distance(predict_of(block, {x}), by_parts(block, nullptr)) < 1e-13);
    CHECK(gradient_error<Decoder>(2) < gradient_tolerance);
    CHECK(gradient_error<DecoderAfter>(2) < gradient_tolerance);

    Model<DecoderMasked, double> masked(2);
    scramble(masked, 7);
    const Values mask{1, 0, 1};
    Values wide;
    for (std::size_t i = 0; i < 42; ++i) {
        wide.push_back(x[i]);
        if (i % 6 == 5) wide.push_back(i < 24 ? 0 : mask[i / 6 - 4]);
    }
    const Values y = predict_of(masked, {wide});
    CHECK(distance(y, by_parts(masked, &mask)) < 1e-13);
    wide[36] += 1e3;  // hidden by the mask
    CHECK(predict_of(masked, {wide}) == y);
    CHECK(Model<Decoder>::find_parameter("2-decoding.block.memory_attention.key_weights") >= 0);
    CHECK(Model<Decoder>::find_parameter("2-decoding.block.memory_norm.scales") >= 0);
}

TEST_CASE("A block's gradients are those of finite differences") {
    CHECK(gradient_error<Before>(2) < gradient_tolerance);
    CHECK(gradient_error<After>(2) < gradient_tolerance);
    CHECK(gradient_error<Dropped>(3) < gradient_tolerance);
}

TEST_CASE("In a causal block the future does not change the past, bit for bit") {
    Model<After, double> model(1);
    Values x = normal(20, 7);
    const Values before = predict(model, x);
    for (std::size_t i = 12; i < 20; ++i) x[i] += 1;
    const Values after = predict(model, x);
    CHECK(Values(before.begin(), before.begin() + 12) == Values(after.begin(), after.begin() + 12));
    CHECK(before[12] != after[12]);
}

TEST_CASE("A block takes a mask, and what is masked changes nothing else, bit for bit") {
    Model<Padded, double> padded(1);
    Model<Whole, double> whole(1);
    const Values z = normal(40, 3);
    Values open, hidden;
    for (std::size_t i = 0; i < 40; ++i) {
        open.push_back(z[i]), hidden.push_back(z[i]);
        if (i % 8 == 7) open.push_back(1), hidden.push_back(i < 24 ? 1 : 0);
    }
    CHECK(distance(predict(padded, open), predict(whole, z)) < 1e-13);
    const Values before = predict(padded, hidden);
    for (std::size_t i = 27; i < 45; ++i)
        hidden[i] = i % 9 == 8 ? 0 : i == 27 ? std::numeric_limits<double>::infinity() : 1e3;
    const Values after = predict(padded, hidden);
    CHECK(Values(before.begin(), before.begin() + 24) == Values(after.begin(), after.begin() + 24));
    CHECK(before[0] != predict(whole, z)[0]);
}

TEST_CASE("Names of a block's parameters tell where they are") {
    CHECK(Model<Before>::find_parameter("2-transformer_block.attention.query_weights") >= 0);
    CHECK(Model<Before>::find_parameter("2-transformer_block.output_norm.scales") >= 0);
    CHECK(Model<Before>::find_parameter("2-transformer_block.hidden.biases") >= 0);
    CHECK(Model<Dropped>::parameter_count == 2 + 4 + 2 + 4);
}

TEST_CASE("Positions are sines and cosines of growing wave lengths, or learned") {
    Model<Sines, double> model;
    Values wanted;
    for (int r = 0; r < 2; ++r)
        for (int t = 0; t < 5; ++t)
            for (int c = 0; c < 6; ++c) {
                const double angle = t / std::pow(10000.0, (c - c % 2) / 6.0);
                wanted.push_back(c % 2 ? std::cos(angle) : std::sin(angle));
            }
    CHECK(distance(predict(model, Values(60)), wanted) < 1e-14);
    const Values x = normal(60, 3);
    CHECK(distance(predict(model, x), plus(x, wanted)) < 1e-14);
    Model<Learned, double> learned;
    CHECK(learned.parameter(2).shape(0) == 5);
    const Values p = values(learned.parameter(2)), z = normal(15, 4);
    CHECK(distance(predict(learned, z), plus(z, p)) < 1e-15);
    CHECK(gradient_error<Learned>(3) < gradient_tolerance);
}
