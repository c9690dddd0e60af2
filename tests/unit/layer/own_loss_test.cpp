// SPDX-License-Identifier: BSL-1.0
// The loss that docs/losses.md shows as one of a program's own.
#include <sigma/check_gradients.hpp>
#include <sigma/core/array.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/reduction.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/trainer.hpp>

#include <catch2/catch.hpp>

#include <cstddef>
#include <vector>

using namespace sigma;

namespace {

struct QuantileLoss : ElementLoss<QuantileLoss, Reduction::over_elements> {
    double share;

    constexpr explicit QuantileLoss(double s, Options o = {}) : ElementLoss(o), share(s) {}

    static constexpr Text kind = "quantile";
    constexpr Tensor term(Tensor z, Tensor y) const {
        const auto missing = y - z;
        const auto too_low = share * missing;
        return max(too_low, (share - 1) * missing);
    }
};
struct Upper : Network<Input(1) + Dense(1) + QuantileLoss(0.9)> {};
struct UpperOfSome : Network<Input(2) + Dense(3) + QuantileLoss(0.75, {.ignore = -1})> {};

}  // namespace

TEST_CASE("A loss of one's own of each element learns what it says") {
    Numbers x{{100, 1}, std::vector<float>(100, 0)}, y{{100, 1}, {}};
    for (std::size_t i = 0; i < 100; ++i) y.values.push_back(static_cast<float>(i * 37 % 100) / 100);
    Trainer trainer("upper", Upper{}, Adam{.learning_rate = 0.01}, minibatches(Dataset(x, y, "drawn"), 100));
    trainer.run(cpu(), 500);
    CHECK(trainer.model().parameter<"1-dense.biases">()(0) == Approx(0.9).margin(0.02));
}

TEST_CASE("Slopes of a loss of one's own are right, and what it ignores has none") {
    const Model<UpperOfSome, double> model(3);
    const Array<double> x({2, 2}, {0.5, -1, 0.25, 2}), y({2, 3}, {0.5, -1, 3, -0.5, 0.75, -1});
    check_gradients(model, x, y).require();
}
