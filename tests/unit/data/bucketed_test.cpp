// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/iterate.hpp>
#include <sigma/data/split.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/wrappers.hpp>
#include <sigma/optimizer/gradient_descent.hpp>

#include <catch2/catch.hpp>

#include "support/thrown.hpp"

#include <cmath>
#include <vector>

using namespace sigma;

namespace {

// [networks]
/// A label of a sequence of up to `width` positions; the second input is 1 where it has one.
template <int width>
struct Tagger
    : Network<(Input(width, 2) & named("given", Input(width))) + GRU(3, {.last = true}) + Linear(2) + SoftmaxCE()> {};
// [networks]

const std::vector<std::size_t> lengths{3, 8, 1, 5, 4, 7, 2};

/// Sequences of 8 positions, 0 behind their ends; `given` says where those are.
Dataset sequences() {
    const std::size_t count = lengths.size();
    Numbers x{{count, 8, 2}, {}}, given{{count, 8}, {}}, y{{count}, {}};
    for (std::size_t r = 0; r < count; ++r) {
        for (std::size_t t = 0; t < 8; ++t) {
            given.values.push_back(t < lengths[r] ? 1.0f : 0.0f);
            for (std::size_t i = 0; i < 2; ++i)
                x.values.push_back(t < lengths[r] ? Philox(1).normal<float>((r * 8 + t) * 2 + i) : 0.0f);
        }
        y.values.push_back(static_cast<float>(r % 2));
    }
    return Dataset({{"", std::move(x)}, {"given", std::move(given)}}, {{"", std::move(y)}}, "spoken", {"no", "yes"});
}

TEST_CASE("Buckets have the records of their lengths, cut to their widths") {
    const Dataset all = sequences();
    const auto buckets = bucketed(all, lengths, {2, 4, 8});
    const std::vector<std::vector<std::size_t>> records{{2, 6}, {0, 4}, {1, 3, 5}};
    const std::vector<std::size_t> widths{2, 4, 8};
    REQUIRE(buckets.size() == 3);
    for (std::size_t b = 0; b < 3; ++b) {
        INFO("bucket " << b);
        const Dataset& bucket = buckets[b];
        REQUIRE(bucket.size() == records[b].size());
        CHECK(std::vector(bucket.input_shape(0).begin(), bucket.input_shape(0).end()) ==
              std::vector{widths[b], std::size_t{2}});
        CHECK(std::vector(bucket.input_shape(1).begin(), bucket.input_shape(1).end()) == std::vector{widths[b]});
        CHECK(bucket.target_shape().empty());
        CHECK(bucket.input_name(1) == "given");
        CHECK(bucket.classes() == all.classes());
        for (std::size_t i = 0; i < bucket.size(); ++i) {
            const std::size_t r = records[b][i];
            CHECK(bucket.label(i) == all.label(r));
            for (std::size_t k = 0; k < 2 * widths[b]; ++k) CHECK(bucket.input(i)[k] == all.input(r)[k]);
            for (std::size_t k = 0; k < widths[b]; ++k) CHECK(bucket.input(i, 1)[k] == all.input(r, 1)[k]);
        }
    }
    CHECK(buckets[0].name() == "spoken up to 2");
}

TEST_CASE("Batches from buckets have the gradients of the padded records") {
    const Dataset all = sequences();
    // [buckets]
    const auto buckets = bucketed(all, lengths, {4, 8});  // lengths: one for each record
    // [buckets]
    Model<Tagger<8>, double> model(1);
    // [loop]
    BatchTrainer tagger{model, GradientDescent{}};
    const auto gradients = [&]<int width>(const Batch& batch, double share) {
        const std::size_t n = batch.size();
        return tagger.weighted_gradients_on_batch<Tagger<width>>(share, ArrayView(batch.inputs(0), {n, width, 2}),
                                                                 ArrayView(batch.inputs(1), {n, width}),
                                                                 ArrayView(batch.targets(), {n}));
    };
    // [loop]
    const auto whole = [&](const Dataset& from, auto width, double share) {
        for (const Batch& batch : epoch_of(minibatches(from, from.size()), 0))
            gradients.operator()<width()>(batch, share);
    };
    whole(all, std::integral_constant<int, 8>{}, 1);
    std::vector<double> wanted;
    for (int p = 0; p < model.parameter_count; ++p)
        for (const double g : tagger.gradient(p)) wanted.push_back(g);
    tagger.forget();
    whole(buckets[0], std::integral_constant<int, 4>{}, 4.0 / 7);
    whole(buckets[1], std::integral_constant<int, 8>{}, 3.0 / 7);
    std::size_t k = 0;
    double worst = 0, greatest = 0;
    for (int p = 0; p < model.parameter_count; ++p)
        for (const double g : tagger.gradient(p)) {
            worst = std::max(worst, std::abs(g - wanted[k]));
            greatest = std::max(greatest, std::abs(wanted[k++]));
        }
    CHECK(worst < 1e-14);
    CHECK(greatest > 1e-3);
}

TEST_CASE("Buckets that cannot be are refused") {
    const Dataset all = sequences();
    const auto text = [&](const std::vector<std::size_t>& of, std::initializer_list<std::size_t> widths) {
        return error_text<ArgumentError>([&] { bucketed(all, of, widths); });
    };
    CHECK(text({1, 2}, {8}) == "buckets of dataset 'spoken': expected 7 lengths, one for each record, found 2");
    CHECK(text(lengths, {}) == "buckets of dataset 'spoken': expected at least one width, found none");
    CHECK(text(lengths, {4, 4}) ==
          "buckets of dataset 'spoken': expected widths that grow, from 1 to the 8 positions of a record, found 4 "
          "after 4");
    CHECK(text(lengths, {4, 9}) ==
          "buckets of dataset 'spoken': expected widths that grow, from 1 to the 8 positions of a record, found 9 "
          "after 4");
    CHECK(text(lengths, {4, 7}) == "buckets of dataset 'spoken', record 1: expected a length of at most 7, found 8");
    CHECK(text({3, 3, 3, 3, 3, 3, 3}, {2, 4}) ==
          "buckets of dataset 'spoken': expected records of lengths from 0 to 2, found none");
    const Dataset single({{2}, {1, 2}}, {{2}, {0, 1}}, "numbers", {"no", "yes"});
    CHECK(thrown<ShapeError>([&] { bucketed(single, std::vector<std::size_t>{1, 1}, {1}); }).found == "()");
}

}  // namespace
