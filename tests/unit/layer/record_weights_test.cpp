// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/gradient_descent.hpp>

#include <catch2/catch.hpp>

#include <span>

using namespace sigma;

namespace {

// [weights]
/// Squares of which each record's count as its weight says: the targets have one column more, that of the weights.
struct WeightedSquares : Loss {
    static constexpr Text kind = "weighted_squares";
    static constexpr bool classifies = false;

    template <Shape S>
    static constexpr auto check_output() {
        return MistakeIf<S.rank != 2, error_loss_needs_rows<typename detail::Spelled<S, S.rank>::type>>{};
    }
    static constexpr Shape target(auto, const Shape& output) { return output.with(1, output.last() + 1); }
    static constexpr auto predict(auto, auto z) { return z; }
    static constexpr auto loss(auto, auto z, auto y) {
        constexpr int n = z.shape.last();
        const auto numbers = slice<1, 0, n>(y);
        const auto weights = slice<1, n, n + 1>(y);
        return mean(sum(weights * square(z - numbers), axis<1>));
    }
};
// [weights]

struct Weighted : Network<Input(3) + Dense(2) + WeightedSquares()> {};
struct Plain : Network<Input(3) + Dense(2) + SquaredDiff()> {};

Array<double> random_rows(std::size_t records, std::size_t width, std::uint64_t seed) {
    auto x = Array<double>::from_shape({records, width});
    Philox(seed).fill_normal(std::span<double>(x.data(), x.size()));
    return x;
}

}  // namespace

TEST_CASE("A loss with a column of weights has the gradients of batches that are weighted by hand") {
    constexpr std::size_t count = 5;
    const auto x = random_rows(count, 3, 1), y = random_rows(count, 2, 2);
    const double weights[count]{1, 0.25, 3, 0.5, 2};
    auto both = Array<double>::from_shape({count, 3});
    for (std::size_t i = 0; i < count; ++i) both(i, 0) = y(i, 0), both(i, 1) = y(i, 1), both(i, 2) = weights[i];

    Model<Weighted, double> weighted(4);
    Model<Plain, double> plain(4);
    BatchTrainer at_once(weighted, GradientDescent{.learning_rate = 0.1});
    BatchTrainer by_hand(plain, GradientDescent{.learning_rate = 0.1});
    const double loss_at_once = at_once.gradients_on_batch(x, both);
    double loss_by_hand = 0;
    // [shares]
    for (std::size_t i = 0; i < count; ++i) {  // a batch may also be all records of one weight
        const auto x_i = Array<double>({1, 3}, {x(i, 0), x(i, 1), x(i, 2)});
        const auto y_i = Array<double>({1, 2}, {y(i, 0), y(i, 1)});
        const double share = weights[i] / count;
        loss_by_hand += share * by_hand.weighted_gradients_on_batch(share, x_i, y_i);
    }
    // [shares]
    CHECK(loss_at_once == Approx(loss_by_hand).epsilon(1e-12));
    for (int p = 0; p < 2; ++p) {
        const auto a = at_once.gradient(p), b = by_hand.gradient(p);
        auto other = b.begin();
        for (const double g : a) CHECK(g == Approx(*other++).epsilon(1e-12));
    }
    CHECK(weighted.predict(x).shape()[1] == 2);
}
