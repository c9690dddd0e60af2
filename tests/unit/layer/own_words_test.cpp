// SPDX-License-Identifier: BSL-1.0
// Words for layers of one's own: random numbers that are drawn anew in each step, activations as options, masks.
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/layer/attention.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/xtensor.hpp>

#include "support.hpp"

using namespace sigma;
using namespace sigma::test;

namespace {

/// Its input plus uniform numbers, and normal ones in place of its second half.
struct Noisy : Layer {
    static constexpr Text kind{"noisy"};
    constexpr Tensor forward(Context& context, Tensor x) const {
        const Tensor uniform = x + random_uniform(context, x.shape());  // the order is the compiler's choice
        return concatenate(axis(1), uniform, x + random_normal(context, x.shape()));
    }
};
struct Noise : Network<Input(1) + Noisy{} + SquaredDiff()> {};

struct Square {
    constexpr auto operator()(auto v) const { return v * v; }
};

struct Moments {
    double mean = 0, square = 0, least = 1e30, most = -1e30;
    void add(double x, std::size_t count) {
        mean += x / static_cast<double>(count), square += x * x / static_cast<double>(count);
        least = std::min(least, x), most = std::max(most, x);
    }
};

}  // namespace

TEST_CASE("masked_softmax is softmax where it is allowed, and nothing elsewhere") {
    const auto f = evaluate([](auto scores, auto allowed) { return masked_softmax(scores, allowed); });
    const xt::xtensor<double, 2> scores{{1, 2, 3}, {500, -500, 0}, {1, 2, 3}}, allowed{{1, 0, 1}, {1, 1, 1}, {0, 0, 0}};
    const auto p = f(shaped<3, 3>(scores), shaped<3, 3>(allowed));
    const double whole = std::exp(1.0) + std::exp(3.0);
    CHECK(p(0, 0) == Approx(std::exp(1.0) / whole).epsilon(1e-14));
    CHECK(p(0, 1) == 0);
    CHECK(p(0, 2) == Approx(std::exp(3.0) / whole).epsilon(1e-14));
    CHECK(p(1, 0) == 1);
    CHECK(p(1, 1) == 0);
    for (std::size_t i = 0; i < 3; ++i) CHECK(p(2, i) == 0);  // a row that allows nothing
}

TEST_CASE("a layer's random numbers are uniform in [0, 1), or normal, and others in each step") {
    constexpr std::size_t count = 20'000;
    Model<Noise, double> model(5);
    const auto drawn = [&](std::uint64_t number) {
        const Values inputs(count);
        sigma::detail::Observation<double> look(
            model, sigma::detail::network_program<Noise, sigma::detail::to_see_layers, double>(),
            sigma::detail::to_see_layers);
        const double* const x[] = {inputs.data()};
        look.run(x, {}, static_cast<std::ptrdiff_t>(count), number);
        return look.outputs().back();
    };
    const Values first = drawn(1), second = drawn(2);
    Moments uniform, normal;
    for (std::size_t i = 0; i < count; ++i) uniform.add(first[2 * i], count), normal.add(first[2 * i + 1], count);
    CHECK(uniform.least >= 0);
    CHECK(uniform.most < 1);
    CHECK(uniform.mean == Approx(0.5).epsilon(0.02));
    CHECK(uniform.square == Approx(1.0 / 3).epsilon(0.02));
    CHECK(std::abs(normal.mean) < 0.03);
    CHECK(normal.square == Approx(1).epsilon(0.03));
    CHECK(normal.most > 3);
    CHECK(first != second);
    CHECK(first == drawn(1));
}

TEST_CASE("An activation that is an option is called") {
    const auto f = evaluate(
        [](auto x) { return std::tuple{sigma::detail::Activation(relu)(x), sigma::detail::Activation(Square{})(x)}; });
    const auto [positive, square] = f(xt::xtensor<double, 1>{-2, 3});
    CHECK(positive(0) == 0);
    CHECK(positive(1) == 3);
    CHECK(square(0) == 4);
}

TEST_CASE("lecun_normal is lecun") {
    Values a(12), b(12);
    const Philox random(1, RandomUse::initialize, 0);
    fill(lecun_normal(), Shape{3, 4}, random, a.data(), 4);
    fill(lecun(), Shape{3, 4}, random, b.data(), 4);
    CHECK(a == b);
}
