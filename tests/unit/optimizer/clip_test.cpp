// SPDX-License-Identifier: BSL-1.0
#include <sigma/device/debug/device.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/execution/inspect.hpp>
#include <sigma/execution/step.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/clip.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/optimizer/rmsprop.hpp>
#include <sigma/xtensor.hpp>

#include <catch2/catch.hpp>

#include <limits>
#include <support/direct_step.hpp>

using namespace sigma;

namespace {

struct Steep : Network<Input(2) + Dense(1, {.bias = false}) + AbsoluteError()> {};
struct Three : Network<Input(3) + 2 * Dense(3, tanh) + Dense(2) + MeanSquaredError()> {};
constexpr int parameter_number = Model<Three, double>::parameter_count;
constexpr double inputs[] = {0.5, -1.0, 2.0, 1.5, 0.25, -0.75, -0.5, 1.0, 1.25, 2.0, -0.125, 0.375};
constexpr double targets[] = {1.0, -2.0, 0.5, 0.25, -1.5, 1.0, 0.75, -0.5};

using Gradients = std::vector<std::vector<double>>;
constexpr double norm_limit = 0.6, value_limit = 0.25, each_limit = 0.3;

// ---- clipping by hand; each returns whether it changed anything ----

bool by_value(Gradients& gradients) {
    bool changed = false;
    for (auto& gradient : gradients)
        for (double& g : gradient)
            if (std::abs(g) > value_limit) {
                g = g > 0 ? value_limit : -value_limit;
                changed = true;
            }
    return changed;
}
bool shrink(std::span<std::vector<double>> gradients, double limit) {
    double squares = 0;
    for (const auto& gradient : gradients)
        for (const double g : gradient) squares += g * g;
    if (std::sqrt(squares) <= limit) return false;
    for (auto& gradient : gradients)
        for (double& g : gradient) g *= limit / std::sqrt(squares);
    return true;
}
bool by_norm(Gradients& gradients) { return shrink(gradients, norm_limit); }
bool by_each_norm(Gradients& gradients) {
    bool changed = false;
    for (auto& gradient : gradients) changed |= shrink({&gradient, 1}, each_limit);
    return changed;
}

// ---- rules by hand: w, g, two states, number of the step ----

double descend(double w, double g, double&, double&, int) { return w - 0.5 * g; }
double momentum(double w, double g, double& v, double&, int) { return w + (v = 0.9 * v - 0.1 * g); }
double nesterov(double w, double g, double& v, double&, int) {
    v = 0.9 * v - 0.1 * g;
    return w + 0.9 * v - 0.1 * g;
}
double adagrad(double w, double g, double& s, double&, int) {
    s += g * g;
    return w - 0.1 * g / (std::sqrt(s) + 1e-10);
}
double adadelta(double w, double g, double& s, double& d, int) {
    s = 0.9 * s + 0.1 * g * g;
    const double delta = std::sqrt(d + 1e-6) / std::sqrt(s + 1e-6) * g;
    d = 0.9 * d + 0.1 * delta * delta;
    return w - delta;
}
double adam(double w, double g, double& m, double& v, int t) {
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    return w - 0.1 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
}
double adamw(double w, double g, double& m, double& v, int t) { return adam(w, g, m, v, t) - 0.1 * 0.05 * w; }

/// Six steps beside those by hand.
template <class T = double, class O, class Clip>
void examine(O optimizer, double (*rule)(double, double, double&, double&, int), Clip clip, double tolerance = 1e-12) {
    Model<Three, T> model(5);
    sigma::test::DirectStep<Three, O, T> step(model);
    const std::vector<T> x(std::begin(inputs), std::end(inputs)), y(std::begin(targets), std::end(targets));
    Model<Three, double> by_hand;
    Inspection<Three, double> inspection(by_hand);
    std::vector<double> states[2][parameter_number];
    for (int p = 0; p < parameter_number; ++p) {
        by_hand.parameter(p) = model.parameter(p);
        for (auto& s : states) s[p].resize(by_hand.parameter(p).size());
    }
    int clipped = 0;
    for (int t = 1; t <= 6; ++t) {
        INFO("step " << t);
        inspection.run(inputs, targets, 4);
        Gradients gradients;
        for (int p = 0; p < parameter_number; ++p) {
            const xt::xarray<double> g = to_xtensor(inspection.gradient(p));
            gradients.emplace_back(g.begin(), g.end());
        }
        clipped += clip(gradients);
        step(optimizer, static_cast<std::uint64_t>(t), x.data(), y.data(), 4);
        for (int p = 0; p < parameter_number; ++p) {
            xt::xarray<double> w = to_xtensor(by_hand.parameter(p));
            for (std::size_t i = 0; i < w.size(); ++i)
                w.flat(i) =
                    rule(w.flat(i), gradients[static_cast<std::size_t>(p)][i], states[0][p][i], states[1][p][i], t);
            by_hand.parameter(p) = w;
            CHECK(xt::allclose(to_xtensor(model.parameter(p)), w, 0, tolerance));
        }
    }
    CHECK(clipped > 0);  // a limit that is never reached tests nothing
}
bool both(Gradients& gradients) {
    const bool shrunk = by_norm(gradients), cut = by_value(gradients);
    return shrunk && cut;
}
bool both_turned(Gradients& gradients) {
    const bool cut = by_value(gradients), shrunk = by_norm(gradients);
    return shrunk && cut;
}
template <class O>
constexpr auto clipped_twice(O o) {  // the outer wrapper clips first
    return clip_gradient_norm(clip_gradients(o, value_limit), norm_limit);
}

template <class O>
std::vector<float> after_three_steps(const O& optimizer, bool fit = false) {
    Model<Three> model(5);
    sigma::test::DirectStep<Three, O> step(model);
    const std::vector<float> x(std::begin(inputs), std::end(inputs));
    std::vector<float> y(std::begin(targets), std::end(targets));
    for (std::uint64_t t = 1; t <= 3; ++t) {
        if (fit) model.predict(x.data(), y.data(), 4);  // nothing left to learn
        step(optimizer, t, x.data(), y.data(), 4);
    }
    return {model.parameter_memory().begin(), model.parameter_memory().end()};
}

}  // namespace

TEST_CASE("Clipped gradients reach every optimizer") {
    examine(clipped_twice(GradientDescent{.learning_rate = 0.5}), descend, both);
    examine(clipped_twice(Momentum{.learning_rate = 0.1}), momentum, both);
    examine(clipped_twice(Nesterov{.learning_rate = 0.1}), nesterov, both);
    examine(clipped_twice(Adagrad{.learning_rate = 0.1}), adagrad, both);
    examine(clipped_twice(Adadelta{}), adadelta, both);
    examine(clipped_twice(Adam{.learning_rate = 0.1}), adam, both);
    examine(clipped_twice(AdamW{.learning_rate = 0.1, .weight_decay = 0.05}), adamw, both);
}

TEST_CASE("Each way to clip does what it says by itself and in the other order") {
    const GradientDescent descent{.learning_rate = 0.5};
    examine(clip_gradients(descent, value_limit), descend, by_value);
    examine(clip_gradient_norm(descent, norm_limit), descend, by_norm);
    examine(clip_each_gradient_norm(descent, each_limit), descend, by_each_norm);
    examine(clip_gradients(clip_gradient_norm(descent, norm_limit), value_limit), descend, both_turned);
    examine<float>(clip_gradient_norm(Momentum{.learning_rate = 0.1}, norm_limit), momentum, by_norm, 1e-5);
}

TEST_CASE("Gradients whose squares are infinite are clipped as others") {
    const Array<float> x{{3e30f, -4e30f}}, y{{3}};
    const auto moved = [&](auto optimizer) {
        Model<Steep> model(1);
        model.parameter_memory()[0] = model.parameter_memory()[1] = 0;
        BatchTrainer trainer{model, optimizer};
        trainer.train_on_batch(x, y);
        const auto w = model.parameter<"1-dense.weights">();
        CHECK(w(0, 0) == Approx(0.6));
        CHECK(w(1, 0) == Approx(-0.8));
    };
    moved(clip_gradient_norm(GradientDescent{.learning_rate = 1}, 1));
    moved(clip_each_gradient_norm(GradientDescent{.learning_rate = 1}, 1));
}

TEST_CASE("Limits that are not reached leave the bits of the optimizer") {
    const Adam optimizer{.learning_rate = 0.1};
    const auto plain = after_three_steps(optimizer);
    CHECK(after_three_steps(clip_gradients(optimizer, 1e30)) == plain);
    CHECK(after_three_steps(clip_gradient_norm(optimizer, 1e30)) == plain);
    CHECK(after_three_steps(clip_each_gradient_norm(optimizer, 1e30)) == plain);
    CHECK(after_three_steps(clip_gradient_norm(optimizer, std::numeric_limits<double>::infinity())) == plain);
    CHECK(after_three_steps(clip_gradient_norm(optimizer, 1e-3)) != plain);
    // The update of plain descent is folded into a product, which rounds once less.
    const GradientDescent descent{.learning_rate = 0.1};
    const auto folded = after_three_steps(descent), clipped = after_three_steps(clip_gradient_norm(descent, 1e30));
    for (std::size_t i = 0; i < folded.size(); ++i) CHECK(clipped[i] == Approx(folded[i]).margin(1e-6));
}

TEST_CASE("Gradients of norm 0 stay 0") {
    const std::vector<float> before{[] {
        Model<Three> model(5);
        return std::vector<float>(model.parameter_memory().begin(), model.parameter_memory().end());
    }()};
    const auto near_start = [&](const std::vector<float>& w) {
        for (std::size_t i = 0; i < w.size(); ++i) CHECK(w[i] == Approx(before[i]).margin(1e-6));
    };
    near_start(after_three_steps(clip_gradient_norm(GradientDescent{}, 1), true));
    near_start(after_three_steps(clip_gradient_norm(GradientDescent{}, 0), true));
    near_start(after_three_steps(clip_each_gradient_norm(GradientDescent{}, 0)));  // the limit makes them 0
    near_start(after_three_steps(clip_gradients(GradientDescent{}, 0)));
}

TEST_CASE("NaN is not clipped away") {
    const auto nan_after = [](const auto& optimizer) {
        Model<Three> model(5);
        sigma::test::DirectStep<Three, std::remove_cvref_t<decltype(optimizer)>> step(model);
        const std::vector<float> x(12, std::numeric_limits<float>::quiet_NaN()), y(8, 0.0f);
        step(optimizer, 1, x.data(), y.data(), 4);
        return static_cast<bool>(std::isnan(model.parameter(0)(0, 0)));
    };
    CHECK(nan_after(clip_gradients(GradientDescent{}, 1)));
    CHECK(nan_after(clip_gradient_norm(GradientDescent{}, 1)));
    CHECK(nan_after(clip_each_gradient_norm(GradientDescent{}, 1)));
}

TEST_CASE("Limits and the optimizer's own numbers may change between steps") {
    Model<Three> model(5);
    auto optimizer = clip_gradient_norm(GradientDescent{.learning_rate = 0}, 1);
    sigma::test::DirectStep<Three, decltype(optimizer)> step(model);
    const std::vector<float> x(std::begin(inputs), std::end(inputs)), y(std::begin(targets), std::end(targets));
    const auto moved = [&](std::uint64_t number) {
        const std::vector<float> before(model.parameter_memory().begin(), model.parameter_memory().end());
        step(optimizer, number, x.data(), y.data(), 4);
        double squares = 0;
        for (std::size_t i = 0; i < before.size(); ++i)
            squares += std::pow(static_cast<double>(model.parameter_memory()[i] - before[i]), 2);
        return std::sqrt(squares);
    };
    CHECK(moved(1) == 0);
    optimizer.learning_rate = 1;
    optimizer.norm_limit = 0.125;
    CHECK(moved(2) == Approx(0.125).epsilon(1e-5));
    optimizer.norm_limit = 0.0625;
    CHECK(moved(3) == Approx(0.0625).epsilon(1e-5));
    optimizer.norm_limit = -1;
    CHECK_THROWS_AS(moved(4), ArgumentError);
    CHECK_THROWS_WITH(moved(4), "norm_limit of clip_gradient_norm: expected 0 or more, found -1");
    CHECK_THROWS_WITH(clip_gradients(Adam{}, std::nan("")).scalars(1),
                      Catch::StartsWith("value_limit of clip_gradients: expected 0 or more, found "));
    CHECK_THROWS_WITH(clip_each_gradient_norm(Adam{}, -2).scalars(1),
                      "each_norm_limit of clip_each_gradient_norm: expected 0 or more, found -2");
}

TEST_CASE("Wrapped optimizers are aggregates and clip on the debug device too") {
    const ClipByNorm<Adam> written{Adam{.learning_rate = 0.25, .beta1 = 0.5}, 2};
    CHECK(written.learning_rate == 0.25);
    CHECK(written.beta1 == 0.5);
    CHECK(written.norm_limit == 2);
    CHECK(detail::Step<Three, ClipByNorm<Adam>>::states.size() == detail::Step<Three, Adam>::states.size());

    const auto optimizer = clip_gradient_norm(GradientDescent{.learning_rate = 1}, 0.125);
    using O = std::remove_const_t<decltype(optimizer)>;
    Model<Three, double> fast(5), slow(5);
    sigma::test::DirectStep<Three, O, double> step(fast), other(slow);
    step(optimizer, 1, inputs, targets, 4);
    detail::DebugDevice device;
    const detail::Program program = detail::TrainingProgram<Three, O>{}();
    const auto checked = device.make_program({other.plan(), &program});
    double mean_loss = 0;
    auto scalars = detail::scalars_at(optimizer, 1);
    int input = 0;
    for (const double* data : {inputs, targets})
        checked->bind(detail::Buffer::Where::input, input++, const_cast<double*>(data));
    for (double& scalar : scalars.data) checked->bind(detail::Buffer::Where::input, input++, &scalar);
    for (int p = 0; p < parameter_number; ++p)
        checked->bind(detail::Buffer::Where::parameter, p, slow.parameter_data(p));
    for (int s = 0; s < other.state_table().size(); ++s)
        checked->bind(detail::Buffer::Where::state, s, other.state_data(s));
    checked->bind(detail::Buffer::Where::output, 0, &mean_loss);
    checked->prepare(4);
    checked->run();
    for (int p = 0; p < parameter_number; ++p)
        CHECK(xt::allclose(to_xtensor(fast.parameter(p)), to_xtensor(slow.parameter(p)), 0, 1e-14));
}
