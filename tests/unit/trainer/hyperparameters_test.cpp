// SPDX-License-Identifier: BSL-1.0
// Hyperparameters of layers and losses that change during training. The network then equals one with these numbers in
// its expression.
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/registry.hpp>
#include <sigma/xtensor.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace sigma;
using Catch::Matchers::Contains;

namespace {

constexpr auto stack(double rate, double smoothing, double weight) {
    return Input(4) + Dense(6, tanh) + Dropout(rate) +
           Costs(Dense(3) + SoftmaxCE({.smoothing = smoothing}),
                 loss_weight(weight, named("price", Dense(2) + SquaredDiff())));
}
constexpr auto first_stack = stack(0.25, 0.1, 0.5), second_stack = stack(0.5, 0.3, 2);
struct Before : Network<first_stack> {};
struct After : Network<second_stack> {};

/// Returns all layers with random numbers, at one rate.
constexpr auto noisy(double rate) {
    return Input(4, 3) + Dropout(rate) + SpatialDropout(rate, 1) + GaussianDropout(rate) + AlphaDropout(rate) +
           GaussianNoise(rate) + TransformerBlock(1, 5, relu, {.dropout = rate}) + Flatten() + Dense(2) + SquaredDiff();
}
constexpr auto noisy_before = noisy(0.125), noisy_after = noisy(0.375);
struct Without : Network<Input(4) + Dense(2) + SquaredDiff()> {};
struct NoisyBefore : Network<noisy_before> {};
struct NoisyAfter : Network<noisy_after> {};

Numbers drawn(std::vector<std::size_t> shape, std::uint64_t seed) {
    std::size_t count = 1;
    for (const std::size_t extent : shape) count *= extent;
    Numbers all{std::move(shape), std::vector<float>(count)};
    Philox(seed, RandomUse::user, 0).fill_normal(std::span(all.values));
    return all;
}
Dataset tasks(std::size_t records = 30) {
    Numbers kinds{{records}, {}};
    for (std::size_t i = 0; i < records; ++i) kinds.values.push_back(static_cast<float>(i * i % 7 % 3));
    return {{{"inputs", drawn({records, 4}, 1)}},
            {{"5-softmax_ce", std::move(kinds)}, {"price", drawn({records, 2}, 3)}},
            "tasks"};
}
Dataset sequences() { return {drawn({20, 4, 3}, 1), drawn({20, 2}, 2), "sequences"}; }

template <class M>
std::vector<float> parameters_of(const M& model) {
    std::vector<float> all;
    for (int i = 0; i < model.network().parameters.size(); ++i)
        for (const float x : sigma::detail::dense_elements(parameter_rows(model, i))) all.push_back(x);
    return all;
}
std::vector<std::string> names_of(const sigma::detail::NetworkTable& table) {
    std::vector<std::string> names;
    for (const auto& h : table.hyperparameters) names.emplace_back(h.name.view());
    return names;
}
void become_after(auto& model) {
    CHECK(model.set_hyperparameter("*rate", 0.5) == 1);
    CHECK(model.set_hyperparameter("*.smoothing", 0.3) == 1);
    CHECK(model.set_hyperparameter("price.loss_weight", 2) == 1);
}

}  // namespace

TEST_CASE("hyperparameters: rates, smoothing and weights have names, and are what the expression says") {
    Model<Before> constant;
    Model<DynamicNetwork> made(network(first_stack));
    const std::vector<std::string> names{"2-dropout.rate", "5-softmax_ce.smoothing", "price.loss_weight"};
    CHECK(names_of(constant.network()) == names);
    CHECK(names_of(made.network()) == names);
    CHECK(constant.hyperparameter("2-dropout.rate") == 0.25);
    CHECK(constant.hyperparameter("5-softmax_ce.smoothing") == 0.1);  // though a float is a little more
    CHECK(made.hyperparameter("price.loss_weight") == 0.5);
    // A hyperparameter of 0 is omitted, and a cost without a weight has none.
    struct Plain : Network<Input(4) + Dropout(0) + Dense(3) + SoftmaxCE()> {};
    CHECK(names_of(Model<Plain>().network()).empty());
    CHECK(names_of(Model<NoisyBefore>().network()) ==
          std::vector<std::string>{"1-dropout.rate", "2-spatial_dropout.rate", "3-gaussian_dropout.rate",
                                   "4-alpha_dropout.rate", "5-gaussian_noise.deviation",
                                   "6-transformer_block.attention.rate", "6-transformer_block.attention_dropout.rate",
                                   "6-transformer_block.hidden_dropout.rate",
                                   "6-transformer_block.output_dropout.rate"});
    // Parameters are what they were: files and counts have none of these numbers.
    CHECK(constant.records.parameters.size() == 6);
    CHECK(constant.parameter_elements() == 4 * 6 + 6 + 6 * 3 + 3 + 6 * 2 + 2);
}

TEST_CASE("hyperparameters: what is set is checked, and a copy has it") {
    Model<Before> model;
    CHECK_THROWS_WITH(model.hyperparameter("rate"), Contains("'2-dropout.rate', '5-softmax_ce.smoothing'"));
    CHECK_THROWS_WITH(model.set_hyperparameter("3-*", 0.5), Contains("'3-*'"));
    CHECK_THROWS_WITH(Model<Without>().set_hyperparameter("1-dropout.rate", 0.5),
                      "hyperparameter: expected a network with hyperparameters, found '1-dropout.rate' and a network "
                      "without hyperparameters");
    for (const double wrong : {1.0, -0.1, std::nan(""), 0.99999999}) {
        CHECK_THROWS_WITH(model.set_hyperparameter("2-dropout.rate", wrong),
                          Contains("hyperparameter '2-dropout.rate'") && Contains("a number from 0 to below 1"));
        // One that cannot be it keeps the others from it.
        CHECK_THROWS_AS(model.set_hyperparameter("*", wrong == 0.99999999 ? 1.0 : wrong), ArgumentError);
    }
    CHECK(model.hyperparameter("price.loss_weight") == 0.5);
    become_after(model);
    CHECK(Model<Before>(model).hyperparameter("5-softmax_ce.smoothing") == 0.3);
    Model<Before> other;
    other = model;
    CHECK(other.hyperparameter("2-dropout.rate") == 0.5);
    other.reset();
    CHECK(other.hyperparameter("2-dropout.rate") == 0.25);
    CHECK(Model<Before, double>().hyperparameter("5-softmax_ce.smoothing") == 0.1);
    // Of another network what has the same name.
    Model<DynamicNetwork> with(network(Input(4) + Dropout(0.5) + Dense(2) + SquaredDiff())),
        without(network(Input(4) + GaussianDropout(0.125) + Dense(2) + SquaredDiff()));
    without = with;
    CHECK(without.hyperparameter("1-gaussian_dropout.rate") == 0.125);
}

TEST_CASE("hyperparameters: a network that is set trains as one that is written so, bit by bit") {
    const auto trained = [](const auto& net, bool set, auto where) {
        Trainer trainer("tasks", net, Adam{.learning_rate = 0.01}, minibatches(tasks(), 8));
        if (set) become_after(trainer.model());
        trainer.run(where, 3);
        std::vector<float> all = parameters_of(trainer.model());
        all.push_back(static_cast<float>(trainer.evaluate(tasks()).error));
        return all;
    };
    CHECK(trained(Before{}, true, cpu()) == trained(After{}, false, cpu()));
    CHECK(trained(Before{}, false, cpu()) != trained(After{}, false, cpu()));
    CHECK(trained(Before{}, true, cpu({.threads = 2})) == trained(After{}, false, cpu()));
    CHECK(trained(Before{}, true, debug()) == trained(After{}, false, debug()));
    CHECK(trained(network(first_stack), true, cpu()) == trained(network(second_stack), false, cpu()));

    const auto noise = [](const auto& net, double rate) {
        Trainer trainer("noise", net, GradientDescent{.learning_rate = 0.01}, minibatches(sequences(), 5));
        if (rate > 0) CHECK(trainer.model().set_hyperparameter("*", rate) == 9);
        trainer.run(cpu(), 2);
        return parameters_of(trainer.model());
    };
    CHECK(noise(NoisyBefore{}, 0.375) == noise(NoisyAfter{}, 0));
    CHECK(noise(network(noisy_before), 0.375) == noise(network(noisy_after), 0));
}

TEST_CASE("hyperparameters: at 0 a layer does nothing") {
    struct Without : Network<Input(4) + Dense(6, tanh) + Dropout(0) + Dense(3) + SoftmaxCE()> {};
    struct With : Network<Input(4) + Dense(6, tanh) + Dropout(0.5) + Dense(3) + SoftmaxCE({.smoothing = 0.5})> {};
    const Dataset data(drawn({20, 4}, 1), {{20}, std::vector<float>(20, 1.f)}, "ones");
    Trainer without("x", Without{}, Adam{}, minibatches(data, 5));
    Trainer with("x", With{}, Adam{}, minibatches(data, 5));
    with.model().set_hyperparameter("*", 0);
    without.run(cpu(), 2), with.run(cpu(), 2);
    const auto a = parameters_of(without.model()), b = parameters_of(with.model());
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]).margin(1e-6));
    for (const double rate : {0.0, 0.25}) {  // the mean and the variance stay what they are
        Model<DynamicNetwork> model(network(Input(4) + AlphaDropout(0.125) + Linear(1) + SquaredDiff()));
        model.set_hyperparameter("*", rate);
        CHECK(model.hyperparameter("1-alpha_dropout.rate") == rate);
    }
}

TEST_CASE("hyperparameters: hooks set, multiply and schedule them") {
    Trainer trainer("tasks", Before{}, Adam{}, minibatches(tasks(), 10));  // 3 steps an epoch
    trainer.add(at(start).then(set(hyperparameter("*.smoothing"), 0.2)),
                every(1, epoch).then(multiply(hyperparameter("price.loss_weight"), 0.5).at_least(0.2)),
                schedule(hyperparameter("2-dropout.rate"), linear(6), iteration));
    std::vector<double> rates, weights;
    trainer.on_iteration([&](auto& t) { rates.push_back(t.model().hyperparameter("2-dropout.rate")); });
    trainer.on_epoch([&](auto& t) { weights.push_back(t.model().hyperparameter("price.loss_weight")); });
    trainer.run(cpu(), 3);
    CHECK(trainer.model().hyperparameter("5-softmax_ce.smoothing") == 0.2);
    REQUIRE(rates.size() == 9);
    for (std::size_t i = 0; i < rates.size(); ++i) {
        // Callbacks come behind the hooks: they see what the next step has.
        const double t = std::min(static_cast<double>(i + 1), 6.0);
        CHECK(rates[i] == Approx(0.25 * (1 - t / 6)).margin(1e-7));
    }
    CHECK(weights.back() == 0.2);
    trainer.reset();
    CHECK(trainer.model().hyperparameter("price.loss_weight") == 0.5);
    CHECK(trainer.model().hyperparameter("2-dropout.rate") == 0.25);

    CHECK_THROWS_WITH(trainer.add(every(1, epoch).then(set(hyperparameter("7-*"), 0.5))), Contains("'7-*'"));
    CHECK_THROWS_WITH(trainer.add(schedule(hyperparameter("rate"), linear(3), epoch)), Contains("'2-dropout.rate'"));
    Trainer steep("tasks", Before{}, Adam{}, minibatches(tasks(), 10));
    steep.add(every(1, iteration).then(multiply(hyperparameter("2-dropout.rate"), 2)));
    CHECK_THROWS_WITH(steep.run(cpu(), 1), Contains("hyperparameter '2-dropout.rate'"));
}

TEST_CASE("hyperparameters: a checkpoint has them, and goes on bit by bit") {
    const Scratch folder;
    const auto batches = minibatches(tasks(), 10);
    Trainer whole("tasks", Before{}, Adam{}, batches), first("tasks", Before{}, Adam{}, batches),
        second("tasks", Before{}, Adam{}, batches);
    for (auto* each : {&whole, &first, &second})
        each->add(schedule(hyperparameter("*.rate"), linear(20), iteration),
                  every(2, iteration).then(multiply(hyperparameter("*.smoothing"), 0.75)));
    whole.run(cpu(), 4);
    first.run(cpu(), 2);
    first.save(folder / "half.sigma");
    second.load(folder / "half.sigma");
    CHECK(second.model().hyperparameter("5-softmax_ce.smoothing") ==
          first.model().hyperparameter("5-softmax_ce.smoothing"));
    second.run(cpu(), 2);
    CHECK(parameters_of(second.model()) == parameters_of(whole.model()));
    // Of a network as a value, too.
    Trainer value("tasks", network(first_stack), Adam{}, minibatches(tasks(), 10));
    value.load(folder / "half.sigma", HooksFromFile::ignore);
    CHECK(value.model().hyperparameter("2-dropout.rate") == first.model().hyperparameter("2-dropout.rate"));
    // One that is written otherwise is another network in training.
    Trainer other("tasks", After{}, Adam{}, minibatches(tasks(), 10));
    CHECK_THROWS_AS(other.load(folder / "half.sigma", HooksFromFile::ignore), MismatchError);
}

TEST_CASE("hyperparameters: going back and failing take them along") {
    Trainer trainer("tasks", Before{}, GradientDescent{.learning_rate = 0.01}, minibatches(tasks(), 10));
    trainer.run(cpu(), 1);
    trainer.model().set_hyperparameter("2-dropout.rate", 0.125);
    trainer.on_iteration([&](auto& t) { t.model().set_hyperparameter("2-dropout.rate", 0.5); });
    trainer.run(cpu(), 1);
    trainer.rewind();
    CHECK(trainer.model().hyperparameter("2-dropout.rate") == 0.125);

    // A step that fails after others, each at another rate: the parameters are those before it.
    const auto steps = [](std::uint64_t until, bool fails) {
        Trainer run("tasks", Before{}, GradientDescent{.learning_rate = 0.01}, minibatches(tasks(), 3));
        run.add(schedule(hyperparameter("*"), exponential(0.75), iteration));
        run.on_iteration([&, until, fails](auto& t) {
            if (t.iteration() != until) return;
            if (fails) t.optimizer.learning_rate = 1e38;
            else t.stop();
        });
        if (fails) CHECK_THROWS_AS(run.run(cpu(), 2), NumericError);
        else run.run(cpu(), 2);
        return std::pair(run.iteration(), parameters_of(run.model()));
    };
    const auto [failed, left] = steps(4, true);
    CHECK(failed >= 4);
    if (failed == 4) CHECK(left == steps(4, false).second);
}

TEST_CASE("hyperparameters: the registry has them") {
    Trainer trainer("tasks", Before{}, Adam{}, minibatches(tasks(), 10));
    auto& registry = trainer.registry();
    CHECK(registry.get<double>("network.hyperparameters.2-dropout.rate") == 0.25);
    registry.set("network.hyperparameters.price.loss_weight", 3.0);
    CHECK(trainer.model().hyperparameter("price.loss_weight") == 3);
    CHECK_THROWS_WITH(registry.set("network.hyperparameters.2-dropout.rate", 1.5),
                      Contains("hyperparameter '2-dropout.rate'"));
}

TEST_CASE("hyperparameters: a BatchTrainer follows the model") {
    const auto step = [&](const auto& net, bool set) {
        Model model(net);
        BatchTrainer batches(model, GradientDescent{.learning_rate = 0.1});
        if (set) become_after(model);
        const Array<float> x({8, 4}, drawn({8, 4}, 1).values), kinds({8}, {0, 1, 2, 0, 1, 2, 0, 1}),
            prices({8, 2}, drawn({8, 2}, 3).values);
        batches.train_on_batch(x, kinds, prices);
        return parameters_of(model);
    };
    CHECK(step(Before{}, true) == step(After{}, false));
    CHECK(step(Before{}, false) != step(After{}, false));
}

namespace {

/// A layer that divides scores by a temperature, in prediction, too.
struct Temperature : Layer {
    double initial;
    constexpr explicit Temperature(double t) : initial(t) {}
    static constexpr Text kind = "temperature";
    constexpr Tensor forward(Context&, Tensor x) const {
        return x / hyperparameter(x, "temperature", initial, NumberRange::finite_above_0());
    }
};
/// A user-defined loss: |z - y|^power.
struct PowerLoss : Loss {
    static constexpr Text kind = "power";
    static constexpr bool classifies = false;
    constexpr Shape target(const Shape& output) const { return output; }
    constexpr Tensor predict(Tensor z) const { return z; }
    constexpr Tensor loss(Tensor z, Tensor y) const { return mean(pow(abs(z - y), hyperparameter(z, "power", 2))); }
};
struct Warm : Network<Input(3) + Temperature(2) + PowerLoss()> {};

}  // namespace

TEST_CASE("hyperparameters: layers and losses of one's own have them, in prediction too") {
    const auto examine = [](auto net) {
        Model model(net);
        CHECK(names_of(model.network()) == std::vector<std::string>{"1-temperature.temperature", "2-power.power"});
        const Array<float> x({2, 3}, {1, 2, 3, 4, 5, 6});
        CHECK(model.predict(x)(1, 2) == 3);
        model.set_hyperparameter("*.temperature", 4);
        CHECK(model.predict(x)(1, 2) == 1.5f);
        CHECK(model.predict(cpu({.threads = 2}), x)(0, 1) == 0.5f);
        const Dataset data(Numbers{{2, 3}, {1, 2, 3, 4, 5, 6}}, Numbers{{2, 3}, std::vector<float>(6, 0)}, "x");
        Trainer trainer("warm", net, GradientDescent{}, minibatches(data, 2));
        CHECK(trainer.evaluate(data).error == Approx((1 + 4 + 9 + 16 + 25 + 36) / 24.0));
        trainer.model().set_hyperparameter("*.power", 1);
        CHECK(trainer.evaluate(data).error == Approx(21 / 12.0));
        CHECK(trainer.predict(debug(), x)(1, 2) == 3);
        trainer.model().set_hyperparameter("*.temperature", 1);
        CHECK(trainer.predict(debug(), x)(1, 2) == 6);
    };
    examine(Warm{});
    examine(network(Warm::expression));
    // Outside of a network it is a constant.
    const xt::xarray<float> z = {{3, 1}, {-1, 2}}, y = {{0, 0}, {0, 0}};
    CHECK(evaluate([](Tensor a, Tensor b) { return PowerLoss().loss(a, b); })(z, y)() == 3.75f);
    CHECK_THROWS_WITH(
        network(Input(3) + Temperature(0) + SquaredDiff()),
        Contains("a hyperparameter is outside of the range of its layer or loss") && Contains("temperature"));
}
