// SPDX-License-Identifier: BSL-1.0
#include <sigma/check_gradients.hpp>
#include <sigma/core/array.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/data/with_weights.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/layer/weighted_records.hpp>
#include <sigma/sigma.hpp>

#include <catch2/catch.hpp>
#include <support/thrown.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace sigma;

namespace {

Array<double> normal_rows(std::vector<std::size_t> shape, std::uint64_t seed) {
    auto x = Array<double>::from_shape(std::move(shape));
    Philox(seed).fill_normal(std::span<double>(x.data(), x.size()));
    return x;
}
constexpr std::size_t count = 5;
constexpr double weights[count]{1, 0.25, 3, 0, 2};
/// Flat targets of each record, and a weight behind them.
Array<double> with_column(const Array<double>& y, bool ones = false) {
    const std::size_t size = y.size() / count;
    auto both = Array<double>::from_shape({count, size + 1});
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t k = 0; k < size; ++k) both(i, k) = y.data()[i * size + k];
        both(i, size) = ones ? 1.0 : weights[i];
    }
    return both;
}
/// The row of one record as a batch of its own.
Array<double> row_of(const Array<double>& a, std::size_t i) {
    std::vector<std::size_t> shape(a.shape().begin(), a.shape().end());
    shape[0] = 1;
    auto one = Array<double>::from_shape(std::move(shape));
    std::copy_n(a.data() + i * one.size(), one.size(), one.data());
    return one;
}

template <class A, class B>
void check_equal_gradients(A& a, B& b, int parameters) {
    for (int p = 0; p < parameters; ++p) {
        const auto x = a.gradient(p), y = b.gradient(p);
        auto other = y.begin();
        for (const double g : x) CHECK(g == Approx(*other++).epsilon(1e-11).margin(1e-14));
    }
}
/// Loss and gradients are those of batches of one record, weighed by hand: their sum over `divisor` records. Weights of
/// 1 are none, and the gradients are the slopes of the loss.
template <class Weighted, class Plain>
void check_weighed(const Array<double>& x, const Array<double>& y, double divisor = count) {
    INFO(detail::network_table<Plain>.costs[0].kind.view() << ", divided by " << divisor);
    Model<Weighted, double> weighted(4);
    Model<Plain, double> plain(4);
    BatchTrainer at_once(weighted, GradientDescent{});
    BatchTrainer by_hand(plain, GradientDescent{});
    const double loss_at_once = at_once.gradients_on_batch(x, with_column(y));
    double loss_by_hand = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double share = weights[i] / divisor;
        if (share == 0) continue;
        loss_by_hand += share * by_hand.weighted_gradients_on_batch(share, row_of(x, i), row_of(y, i));
    }
    CHECK(loss_at_once == Approx(loss_by_hand).epsilon(1e-12));
    if (divisor == count)
        check_equal_gradients(at_once, by_hand, Model<Plain>::parameter_count);  // totals have no share
    // A part of a batch adds a sum as it is, and its share of a mean.
    BatchTrainer half(weighted, GradientDescent{});
    half.weighted_gradients_on_batch(0.5, x, with_column(y));
    for (int p = 0; p < Model<Plain>::parameter_count; ++p) {
        auto whole = at_once.gradient(p);
        for (double& g : whole) g *= divisor == count ? 0.5 : 1.0;
        const auto part = half.gradient(p);
        CHECK(std::ranges::equal(part, whole, [](double a, double b) { return a == Approx(b).margin(1e-14); }));
    }

    BatchTrainer of_ones(weighted, GradientDescent{});
    BatchTrainer of_all(plain, GradientDescent{});
    CHECK(of_ones.gradients_on_batch(x, with_column(y, true)) ==
          Approx(of_all.gradients_on_batch(x, y)).epsilon(1e-12));
    check_equal_gradients(of_ones, of_all, Model<Plain>::parameter_count);
    check_gradients(weighted, x, with_column(y)).require();
}
template <auto of, int outputs = 3>
struct Rows : Network<Input(3) + Dense(outputs) + of> {};
template <auto of, int outputs = 3>
void check_loss(const Array<double>& y, double divisor = count) {
    check_weighed<Rows<weighted_records(of), outputs>, Rows<of, outputs>>(normal_rows({count, 3}, 1), y, divisor);
}
const Array<double> classes({count}, {2, 0, 1, 1, 2});
const Array<double> numbers = normal_rows({count, 3}, 2);
const Array<double> shares({count, 3}, {0.2, 0.3, 0.5, 1, 0, 0, 0.25, 0.5, 0.25, 0, 0.5, 0.5, 0.1, 0.1, 0.8});

struct Words : Network<Input(6, 3) + GRU(4) + CTC(2)> {};
struct WeightedWords : Network<Input(6, 3) + GRU(4) + weighted_records(CTC(2))> {};
struct Tagger : Network<Input(4, 3) + GRU(3) + SoftmaxCE()> {};
struct WeightedTagger : Network<Input(4, 3) + GRU(3) + weighted_records(SoftmaxCE())> {};

}  // namespace

TEST_CASE("Weights of records multiply the losses of records") {
    check_loss<SoftmaxCE{}>(classes);
    check_loss<SoftmaxCE({.smoothing = 0.1})>(classes);
    check_loss<MulticlassHinge{}>(classes);
    check_loss<SquaredDiff{}>(numbers);
    check_loss<MeanSquaredError{}>(numbers);
    check_loss<Huber(0.5)>(numbers);
    check_loss<CosineLoss{}>(numbers);
    check_loss<BinaryCE{}>(shares);
    check_loss<KLDivergence{}>(shares);
    check_loss<SoftmaxDistributionCE{}>(shares);
    check_loss<MeanSquaredError({.reduction = Reduction::total})>(numbers, 1);
    check_loss<SquaredDiff{}, 1>(normal_rows({count, 1}, 3));
}

TEST_CASE("Targets of several axes stand in a row before the weight") {
    const Array<double> tags({count, 4}, {0, 1, 2, 1, 2, 2, 0, 1, 0, 0, 1, 1, 2, 1, 0, 2, 1, 1, 1, 0});
    check_weighed<WeightedTagger, Tagger>(normal_rows({count, 4, 3}, 5), tags);
    const Array<double> words({count, 2}, {1, 2, 3, 0, 2, 2, 1, -1, 3, 1});
    check_weighed<WeightedWords, Words>(normal_rows({count, 6, 3}, 6), words);
}

TEST_CASE("What sums are divided by is as without weights") {
    // By hand: two of the five do not count, so that the sum of three is divided by three.
    struct Ignoring : Network<Input(1) + weighted_records(MeanSquaredError({.ignore = -1}))> {};
    const Array<double> x({count, 1}, {1, 2, 3, 4, 5}), y({count, 1}, {0, -1, 1, -1, 2});
    Model<Ignoring, double> model(1);
    const double found = BatchTrainer(model, GradientDescent{}).gradients_on_batch(x, with_column(y));
    CHECK(found == Approx((1 * 1 + 3 * 4 + 2 * 9) / 3.0));
    // Weights of classes count besides: Σ w·v·l / Σ v.
    struct Both : Network<Input(2) + weighted_records(SoftmaxCE().weighted(1, 3))> {};
    const Array<double> scores({count, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), of({count}, {0, 1, 1, 0, 0});
    Model<Both, double> two(1);
    CHECK(BatchTrainer(two, GradientDescent{}).gradients_on_batch(scores, with_column(of)) ==
          Approx(std::log(2.0) * (1 * 1 + 0.25 * 3 + 3 * 3 + 0 * 1 + 2 * 1) / (1 + 3 + 3 + 1 + 1)));
}

TEST_CASE("Datasets get weights of any type of number, and networks learn with them") {
    Numbers x{{6, 2}, {0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1}}, y{{6}, {0, 1, 1, 0, 1, 1}};
    const Dataset plain(x, y, "xor");
    const Dataset weighed = with_weights(plain, std::vector<int>{1, 1, 1, 1, 0, 0});
    CHECK(weighed.target_shape().size() == 1);
    CHECK(weighed.target_size() == 2);
    CHECK(weighed.target(3)[0] == 0);
    CHECK(weighed.target(3)[1] == 1);
    CHECK(weighed.target(4)[1] == 0);
    CHECK(weighed.name() == "xor");
    CHECK(weighed.inputs() == plain.inputs());
    const std::size_t some[]{4, 1};
    const Dataset chosen = with_weights(plain.select(some), Array<double>({2}, {0.5, 2}));
    CHECK(chosen.target(0)[0] == 1);
    CHECK(chosen.target(0)[1] == 0.5f);
    CHECK(chosen.input(1)[1] == 1);

    struct Xor : Network<Input(2) + Dense(8, tanh) + Dense(2) + weighted_records(SoftmaxCE())> {};
    Trainer trainer("xor", Xor{}, Adam{.learning_rate = 0.05}, minibatches(weighed, 6));
    trainer.run(cpu(), 200);
    const auto score = trainer.evaluate(weighed);
    CHECK(score.error < 0.05);
    CHECK(score.accuracy == Approx(4.0 / 6));  // of records, each of which counts once
}

TEST_CASE("A dataset that is compact stays so under weights") {
    Numbers x{{4, 16}, std::vector<float>(64)}, y{{4}, {0, 1, 0, 1}};
    for (std::size_t i = 0; i < 64; ++i) x.values[i] = static_cast<float>(i % 7) / 255;
    const Dataset plain(x, y, "pixels");
    const std::size_t some[]{3, 0, 2};
    const Dataset small = with_weights(plain.compact().select(some), std::vector<float>{1, 2, 3});
    CHECK(small.inputs() == plain.select(some).inputs());
    CHECK(small.input(0).data() != small.input(0).data());  // made anew from bytes
    const Dataset large = with_weights(plain, std::vector<float>{1, 2, 3, 4});
    CHECK(large.input(0).data() == large.input(0).data());
}

TEST_CASE("Classes with weights are split by class") {
    Numbers x{{40, 1}, std::vector<float>(40)}, y{{40}, std::vector<float>(40)};
    for (std::size_t i = 0; i < 40; ++i) y.values[i] = i < 10 ? 1.0f : 0.0f;
    const Dataset weighed = with_weights(Dataset(x, y, "rare"), std::vector<double>(40, 0.5));
    const auto [training, testing] = stratified_split(weighed, 0.8, 0.2);
    CHECK(training.size() == 32);
    double rare = 0;
    for (std::size_t i = 0; i < testing.size(); ++i) rare += static_cast<double>(testing.target(i)[0]);
    CHECK(rare == 2);
}

TEST_CASE("Weights that do not fit are refused") {
    const Dataset data(Numbers{{3, 1}, {1, 2, 3}}, Numbers{{3}, {0, 1, 0}}, "three");
    const auto message = [&](const auto& w) { return error_text<ArgumentError>([&] { with_weights(data, w); }); };
    CHECK(message(std::vector<double>{1, 2}) ==
          "weights of dataset 'three': expected one for each of its 3 records, found numbers of shape (2)");
    CHECK(message(std::vector<double>{1, -2, 1}) ==
          "weights of dataset 'three': expected finite numbers of 0 or more, found -2 for record 1");
    CHECK_THROWS_AS(with_weights(data, std::vector<double>{1, 1, std::nan("")}), ArgumentError);
    CHECK_THROWS_AS(with_weights(data, std::vector<double>{1, 1, std::numeric_limits<double>::infinity()}),
                    ArgumentError);
    CHECK_THROWS_AS(with_weights(data, Array<double>({3, 1}, {1, 1, 1})), ArgumentError);
    CHECK_THROWS_AS(with_weights(data, std::vector<double>{1, 1, 1}, 1), ArgumentError);
}

TEST_CASE("Targets and weights of a dataset are checked before a run") {
    struct Few : Network<Input(1) + Dense(2) + weighted_records(SoftmaxCE())> {};
    const auto message = [](Numbers y) {
        const Dataset data(Numbers{{3, 1}, {1, 2, 3}}, std::move(y), "three");
        return error_text<Error>([&] { Trainer("few", Few{}, Adam{}, minibatches(data, 3)).run(cpu(), 1); });
    };
    CHECK(message({{3, 2}, {0, 1, 1, 1, 2, 1}}).find("expected a label from 0 to 1, found 2") != std::string::npos);
    CHECK(message({{3, 2}, {0, 1, 1, 7, 1, -1}}).find("expected a weight of 0 or more, found -1") != std::string::npos);
    CHECK(message({{3}, {0, 1, 1}}).find("(records, 2)") != std::string::npos);
}
