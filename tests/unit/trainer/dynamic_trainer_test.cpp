// SPDX-License-Identifier: BSL-1.0
// Training, scoring, saving and inspecting a run-time network gives the results of the compile-time network with the
// same layers, bit-identical if both are interpreted. Layers that do not match are reported when the network is
// made.
#include <sigma/decoding/generate.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/execution/check_gradients.hpp>
#include <sigma/execution/lbfgs.hpp>
#include <sigma/network/tensor_file.hpp>
#include <sigma/optimizer/accumulate.hpp>
#include <sigma/optimizer/average.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/averages.hpp>
#include <sigma/trainer/cross_validate.hpp>
#include <sigma/trainer/registry.hpp>
#include <sigma/trainer/terminal/classification_report.hpp>

#include <catch2/catch.hpp>
#include <support/direct_step.hpp>
#include <support/sanitized.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

using namespace sigma;
using Catch::Matchers::Contains;

namespace {

constexpr auto table_layers = Input(4) + Dense(6, tanh) + Dropout(0.2) + BatchNorm() + Dense(3) + SoftmaxCE();
struct Table : Network<table_layers> {};
constexpr auto plain_layers = Input(4) + Dense(5, tanh) + Dense(2) + SquaredDiff();
struct Plain : Network<plain_layers> {};
constexpr auto task_layers =
    (named("left", Input(3)) & named("right", Input(2))) + Parallel(Dense(4, tanh), Dense(4)) + Add() +
    Costs(named("kind", Dense(3) + SoftmaxCE()), loss_weight(0.5, named("price", Dense(2) + SquaredDiff())));
struct Tasks : Network<task_layers> {};
constexpr auto stateful = Input(4, 2) + LSTM(3, {.stateful = true}) + Linear(1) + SquaredDiff();
struct Stateful : Network<stateful> {};
constexpr auto reader = Input(4) + Embedding(7, 3) + Recurrent(5) + Linear(7) + SoftmaxCE();
struct Reader : Network<reader> {};
constexpr auto writer = Input(1) + Embedding(7, 3) + Recurrent(5, {.stateful = true}) + Linear(7) + SoftmaxCE();
struct Writer : Network<writer> {};

/// Makes the same layers in a loop.
DynamicNetwork table() {
    Layers layers = Input(4);
    for (const int width : {6}) layers += Dense(width, tanh) + Dropout(0.2) + BatchNorm();
    return network(layers + Dense(3) + SoftmaxCE());
}

Numbers drawn(std::vector<std::size_t> shape, std::uint64_t seed) {
    std::size_t count = 1;
    for (const std::size_t extent : shape) count *= extent;
    Numbers all{std::move(shape), std::vector<float>(count)};
    Philox(seed, RandomUse::user, 0).fill_normal(std::span(all.values));
    return all;
}
Numbers labels(std::size_t records, int classes) {
    Numbers y{{records}, {}};
    for (std::size_t i = 0; i < records; ++i)
        y.values.push_back(static_cast<float>(i * i % 7 % static_cast<unsigned>(classes)));
    return y;
}
Dataset flowers(std::size_t records = 40, std::uint64_t seed = 1) {
    return {drawn({records, 4}, seed), labels(records, 3), "flowers"};
}
Dataset amounts(std::size_t records = 40) { return {drawn({records, 4}, 1), drawn({records, 2}, 2), "amounts"}; }
Dataset two_tasks(std::size_t records = 30) {
    return {{{"left", drawn({records, 3}, 1)}, {"right", drawn({records, 2}, 2)}},
            {{"kind", labels(records, 3)}, {"price", drawn({records, 2}, 3)}},
            "tasks"};
}
Array<float> array(const Numbers& n) {
    Array<float> all = Array<float>::from_shape(n.shape);
    std::ranges::copy(n.values, all.begin());
    return all;
}

/// Checks equal results, bit-identical without optimization, since both are interpreted then. NaN equals NaN.
void check_same(const std::vector<double>& a, const std::vector<double>& b) {
    constexpr bool same_bits = on_cpu::interprets<detail::StepPrograms<Table, Adam, float>::P>();
    REQUIRE(a.size() == b.size());
    REQUIRE(!a.empty());
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
        INFO("number " << i);
        if (same_bits) CHECK(a[i] == b[i]);
        else CHECK(a[i] == Approx(b[i]).epsilon(2e-3).margin(2e-3));
    }
}
/// Checks that f gives equal results for the compile-time and the run-time network of the same layers.
template <class N>
void check_both(const DynamicNetwork& made, auto f) {
    check_same(f(N{}), f(made));
}
void add(std::vector<double>& to, const auto& numbers) {
    for (const auto x : numbers) to.push_back(static_cast<double>(x));
}
template <class M>
void add_parameters(std::vector<double>& to, const M& model) {
    for (int p = 0; p < model.network().parameters.size(); ++p) add(to, model.parameter(p));
}
/// Returns parameters, states and loss of a trainer.
template <class Trainer>
std::vector<double> everything(Trainer& trainer) {
    std::vector<double> all;
    add_parameters(all, trainer.model());
    for (int s = 0; s < trainer.training_step().states.size(); ++s)
        for (std::size_t r = 0; r < trainer.training_step().state_rows(s).count; ++r)
            add(all, trainer.training_step().state_rows(s)[r]);
    all.push_back(trainer.training_loss());
    return all;
}

/// Checks some steps of an optimizer with a compile-time and a run-time network.
template <class O>
void check_optimizer(O optimizer) {
    INFO(detail::optimizer_table<O>.name);
    check_both<Plain>(network(plain_layers), [&](const auto& net) {
        Model model(net, 3);
        sigma::test::DirectStep<std::remove_cvref_t<decltype(net)>, O> step(model);
        const Numbers x = drawn({9, 4}, 1), y = drawn({9, 2}, 2);
        std::vector<double> seen;
        for (std::uint64_t i = 1; i <= 6; ++i) seen.push_back(step(optimizer, i, x.values.data(), y.values.data(), 9));
        CHECK(seen[5] != seen[0]);
        add_parameters(seen, model);
        for (int s = 0; s < step.states.size(); ++s)
            for (std::size_t r = 0; r < step.state_rows(s).count; ++r) add(seen, step.state_rows(s)[r]);
        return seen;
    });
}
std::string refused(const DynamicNetwork& net, const Dataset& data, auto hook) {
    Trainer trainer("net", net, Adam{}, minibatches(data, 5));
    return error_text([&] { trainer.add(every(1, epoch).then(hook)); });
}
const auto nothing = [](const auto&...) {};

}  // namespace

TEST_CASE("A training with hooks of all kinds goes the same way", "[trainer]") {
    std::vector<std::string> lines[2];
    int run = 0;
    check_both<Table>(table(), [&](const auto& net) {
        const Scratch folder;
        const Dataset data = flowers(), test = flowers(25, 2);
        Trainer trainer("table", net, Adam{.learning_rate = 0.02}, minibatches(data, 8, 3), element<float>, 5);
        std::vector<double> seen;
        const auto note = [&](auto... x) { (seen.push_back(static_cast<double>(x)), ...); };
        trainer.output = [&lines, run](std::string_view line) { lines[run].emplace_back(line); };
        trainer.add(
            every(1, epoch).then(score(test), score<"test">(test, top<1, 3>), report(error, accuracy),
                                 use(accuracy, note), use(validation_error, note), use(value<"test.top1">, note),
                                 use(value<"test.top3">, note)),
            schedule(warm_up(3, cosine(40, 0.1)), iteration),
            every(4, iteration)
                .then(use(norm(gradients("1-*")), note), use(norm(update<"4-dense.biases">()), note),
                      use(mean_of(parameters("*.weights")), note), use(norm(gradient<"1-dense.weights">()), note),
                      use(share_saturated(outputs("1-*"), -0.5, 0.5), note)),
            at(2, epoch).then(freeze("1-*")), at(4, epoch).then(unfreeze("1-*.weights")),
            at(5, epoch).then(reinitialize("4-*", gaussian(0.3))),
            when(error.decreases()).then(save(folder / "best.sigma")),
            every(3, iteration).then(modify("4-dense.weights", max_norm(1))),
            every(2, epoch).then(pass(Array<float>{{1, 2, 3, 4}}, [&](const auto& y) { add(seen, y); }),
                                 maximise(1, {.steps = 20, .attempts = 1, .cost = 1e-3},
                                          [&](const auto& found) { add(seen, found.input); })),
            early_stop(validation_error, {.patience = 3}));
        trainer.on_iteration([&](auto& t) {
            if (t.iteration() % 5 != 0) return;
            add(seen, t.gradients().template of<"4-dense.weights">());
            for (const auto& each : t.outputs()) add(seen, each);
            seen.push_back(t.losses()[0]);
        });
        trainer.run(cpu(), 12);
        seen.push_back(static_cast<double>(trainer.epoch()));
        add(seen, everything(trainer));
        seen.push_back(trainer.evaluate(test).error);
        seen.push_back(trainer.evaluate(test).accuracy);
        CHECK(std::filesystem::exists(folder / "best.sigma"));
        ++run;
        return seen;
    });
    CHECK(lines[0].size() > 3);
    CHECK(lines[0] == lines[1]);
}

TEST_CASE("Networks of several inputs and costs are trained and scored the same way", "[trainer]") {
    check_both<Tasks>(network(task_layers), [](const auto& net) {
        Trainer trainer("tasks", net, Momentum{}, minibatches(two_tasks(), 8, 3));
        std::vector<double> seen;
        const auto note = [&](auto... x) { (seen.push_back(static_cast<double>(x)), ...); };
        trainer.add(every(1, epoch).then(
            score(two_tasks(), of_cost<"price">(regression), of_cost<"kind">(top<1, 2>)), score(two_tasks()),
            use(value<"price.rmse">, value<"price.mae">, value<"price.r2">, note),
            use(value<"kind.top1">, value<"kind.top2">, note), use(accuracy, validation_error, note)));
        trainer.run(cpu({.threads = 2}), 4);
        add(seen, trainer.losses());
        add(seen, everything(trainer));
        const auto left = array(drawn({5, 3}, 8)), right = array(drawn({5, 2}, 9));
        add(seen, trainer.template predict<0>(left, right));
        add(seen, trainer.template predict<"price">(left, right));
        const auto score = trainer.evaluate(two_tasks());
        for (const auto& cost : score.costs) seen.push_back(cost.error);
        Inspection look(trainer.model());
        seen.push_back(look.run(left, right, array(labels(5, 3)), array(drawn({5, 2}, 1))));
        add(seen, look.gradient("2-dense.weights"));
        return seen;
    });
    const DynamicNetwork made = network(task_layers);
    const detail::StepPrograms<Tasks, Adam, float> constant(Tasks{});
    detail::StepPrograms<DynamicNetwork, Adam, float> now(made);
    CHECK(now.data_parallel().losses == constant.data_parallel().losses);
    CHECK(now.states.size() == constant.states.size());
}

TEST_CASE("What hooks cannot do with a network is said when they are added", "[trainer]") {
    const DynamicNetwork plain = network(plain_layers), both = network(task_layers);
    const Dataset data = flowers(), numbers = amounts();
    CHECK(refused(table(), data, score(data, top<1, 4>)) ==
          "layer '5-softmax_ce': top: k is more than the number of classes; top 4; classes 3");
    CHECK(refused(plain, numbers, score(numbers, top<1>)) ==
          "layer '3-squared_diff': the metric needs a loss that classifies; the loss is 'squared_diff'");
    CHECK(refused(table(), data, score(data, binary)) ==
          "layer '5-softmax_ce': binary: the network must predict one number for each target, or two classes; "
          "the loss is 'softmax_ce'");
    CHECK(refused(table(), data, score(data, regression)) ==
          "layer '5-softmax_ce': regression: the network must predict one number for each target; the loss is "
          "'softmax_ce'");
    CHECK(refused(table(), data, score(data, of_cost<"price">(top<1>))) ==
          "no output 'price'; the network has '5-softmax_ce'");
    CHECK(refused(both, two_tasks(), score(two_tasks(), top<1>)) ==
          "score: expected of_cost<\"…\">(metric) for a network of several costs, found a metric without a cost, and 2 "
          "costs");
    CHECK(refused(both, two_tasks(), score(two_tasks(), of_cost<"price">(top<1>))) ==
          "layer 'price': the metric needs a loss that classifies; the loss is 'squared_diff'");
    CHECK(refused(both, two_tasks(), maximise(1, nothing)) ==
          "maximise: expected a network with one input, found one with 2");
    CHECK(refused(table(), data, maximise(5, nothing)) == "target of maximise: expected a class from 0 to 2, found 5");
    CHECK(refused(table(), data, maximise<1>(2, nothing)) ==
          "output of the network: expected a position from 0 to 0, found 1");
    CHECK(refused(table(), data, pass(Array<float>{{1, 2}}, nothing)) ==
          "inputs of the network: expected shape (records, 4), found shape (1, 2)");
    CHECK(refused(both, two_tasks(), pass(Array<float>{{1, 2, 3}}, nothing)) ==
          "inputs of the network: expected 2 arrays, found 1");
    CHECK_THAT(refused(both, two_tasks(), pass(Array<float>{{1, 2, 3}}, Array<float>{{1, 2}}, nothing)),
               Contains("2 outputs"));
    CHECK_THAT(refused(table(), data, freeze("9-*")), Contains("matches a parameter, found '9-*'"));
    CHECK_THAT(refused(table(), data, reinitialize("dense", gaussian(1))), Contains("found 'dense'"));
    CHECK_THAT(refused(table(), data, use(norm(gradients("9-*")), nothing)), Contains("found '9-*'"));
    CHECK_THAT(refused(table(), data, use(norm(gradient<"1-dense.weight">()), nothing)), Contains("'1-dense.weight'"));
    CHECK(refused(table(), data, score(data, top<1, 3>)) == "no error");

    CHECK(error_text([&] { Trainer("net", table(), Adam{}, minibatches(numbers, 5)); }) ==
          "dataset 'amounts': expected one class index for each record, found targets of shape (2) each");
    CHECK_THROWS_AS(Trainer("net", table(), frozen<"7-*">(Adam{}), minibatches(data, 5)), ArgumentError);
}

TEST_CASE("Optimizers move both alike", "[trainer]") {
    check_optimizer(GradientDescent{});
    check_optimizer(Momentum{});
    check_optimizer(Nesterov{});
    check_optimizer(AdamW{});
    check_optimizer(NAdam{});
    check_optimizer(RAdam{});
    check_optimizer(Lion{});
    check_optimizer(Adagrad{});
    check_optimizer(RMSprop{});
    check_optimizer(Adadelta{});
    check_optimizer(clip_gradient_norm(Adam{}, 0.1));
    check_optimizer(clip_each_gradient_norm(clip_gradients(Momentum{}, 0.1), 0.2));
    check_optimizer(accumulate(Adam{}, 2));
    check_optimizer(frozen<"1-*">(l2_penalty<"*.weights">(Adam{}, 0.1)));
    check_optimizer(group<"*.biases">(l1_penalty<"2-*">(AdamW{}, 0.1), {.rate_factor = 0.5, .decay_factor = 0}));
    check_optimizer(ema(Adam{}, 0.8));
    check_optimizer(swa(Momentum{}, {.start = 2, .interval = 2}));
}

TEST_CASE("fit, cross_validate, reports and averages say the same of both", "[trainer]") {
    const FitOptions options{.epochs = 6, .batch_size = 8, .quiet = true, .seed = 4};
    check_both<Table>(table(), [&](const auto& net) {
        auto fitted = fit(net, flowers(), options);
        std::vector<double> seen;
        for (const auto& each : fitted.history().epochs) seen.push_back(each.training_loss);
        add_parameters(seen, fitted.model());
        add(seen, fitted.predict({1, 2, 3, 4}));
        seen.push_back(static_cast<double>(fitted.classify(std::vector<float>{1, 2, 3, 4})[0]));
        auto other = fit(net, array(drawn({20, 4}, 1)), array(labels(20, 3)), Momentum{}, options);
        add_parameters(seen, other.model());
        for (const auto& fold : cross_validate(net, flowers(), Adam{}, {.folds = 3, .fit = options}).folds)
            add(seen, std::vector<double>{fold.error, fold.accuracy, static_cast<double>(fold.epochs)});
        const ClassificationReport report = classification_report(fitted.model(), flowers());
        for (const auto& each : report.classes()) add(seen, std::vector<double>{each.precision, each.recall, each.f1});

        Trainer averaged("table", net, ema(Adam{}, 0.8), minibatches(flowers(), 8, 3));
        averaged.run(cpu(), 2);
        add_parameters(seen, averaged_model(averaged));
        CHECK(averaged_model(averaged) != averaged.model());
        return seen;
    });
    check_both<Plain>(network(plain_layers), [&](const auto& net) {
        Model<std::remove_cvref_t<decltype(net)>, double> model(net, 3);
        const LbfgsResult found = lbfgs(model, amounts(), {.iterations = 5});
        std::vector<double> seen{found.value, found.gradient};
        add_parameters(seen, model);
        return seen;
    });
    Model counted(table());
    CHECK(error_text([&] { lbfgs(counted, flowers()); }) ==
          "lbfgs: expected a network without statistics of batches, such as those of BatchNorm, found a network with "
          "such statistics");
}

TEST_CASE("Batches trained by hand are trained the same way", "[trainer]") {
    const auto x = array(drawn({8, 4}, 1)), y = array(drawn({8, 2}, 2)), up = array(drawn({8, 2}, 3));
    check_both<Plain>(network(plain_layers), [&](const auto& net) {
        Model model(net, 3);
        BatchTrainer trainer(model, Adam{.learning_rate = 0.05});
        std::vector<double> seen{trainer.train_on_batch(x, y), trainer.gradients_on_batch(x, y),
                                 trainer.weighted_gradients_on_batch(0.5, x, y)};
        add(seen, trainer.template gradient<"1-dense.weights">());
        add(seen, trainer.gradient("2-dense.biases"));
        add(seen, trainer.gradient(0));
        trainer.apply();
        trainer.backward(x, up);
        add(seen, trainer.gradient(0));
        trainer.forget();
        if constexpr (MadeNetwork<std::remove_cvref_t<decltype(net)>>) {
            const auto all = trainer.input_gradients(x, y);
            REQUIRE(all.size() == 1);
            add(seen, all[0]);
        } else {
            add(seen, trainer.input_gradients(x, y));
        }
        for (const Batch& each : epoch_of(minibatches(amounts(), 8), 0)) seen.push_back(trainer.train_on_batch(each));
        seen.push_back(trainer.loss(0));
        seen.push_back(static_cast<double>(trainer.steps()));
        add_parameters(seen, model);
        return seen;
    });
    const auto piece = array(drawn({5, 4, 2}, 1)), wanted = array(drawn({5, 4, 1}, 2));
    check_both<Stateful>(network(stateful), [&](const auto& net) {
        Model model(net, 3);
        BatchTrainer trainer(model, Adam{.learning_rate = 0.05});
        std::vector<double> seen{trainer.train_on_batch(piece, wanted), trainer.train_on_next_batch(piece, wanted),
                                 trainer.train_on_next_batch(piece, wanted)};
        CHECK(seen[1] != seen[0]);
        for (int i = 0; i < 2; ++i) add(seen, model.predict(piece));
        add(seen, model.predict_anew(piece));
        model.forget();
        add(seen, model.predict(piece));
        add_parameters(seen, model);
        return seen;
    });

    Model model(network(plain_layers));
    BatchTrainer trainer(model, Adam{});
    const auto wrong = [](auto f) { return error_text(f); };
    CHECK(wrong([&] { trainer.train_on_batch(x, y, y); }) == "arrays: expected 1 inputs and 1 targets, found 3");
    CHECK(wrong([&] { trainer.backward(x, y, y); }) == "arrays: expected 1 inputs and 1 targets, found 3");
    CHECK(wrong([&] { trainer.input_gradients(x, y, y); }) == "arrays: expected 1 inputs and 1 targets, found 3");
    CHECK(wrong([&] { trainer.train_on_batch(x, x); }) ==
          "targets of the network: expected shape (records, 2), found shape (8, 4)");
    CHECK_THAT(wrong([&] { trainer.gradient<"bias">(); }), Contains("no parameter 'bias'"));
    trainer.train_on_batch(x, y);
    CHECK_THROWS_AS(trainer.train_on_next_batch(x, y), ArgumentError);  // nothing goes on where nothing is stateful
}

TEST_CASE("What stands inside is seen the same way, and checked", "[trainer]") {
    check_both<Table>(table(), [](const auto& net) {
        const Model model(net, 3);
        const auto x = array(drawn({7, 4}, 1)), y = array(labels(7, 3));
        Inspection look(model);
        std::vector<double> seen{look.run(x, y), look.loss(), look.run(x.data(), y.data(), 7)};
        add(seen, look.template output<"1-dense">());
        add(seen, look.output(2));
        add(seen, look.template gradient<"4-dense.weights">());
        add(seen, look.gradient(0));
        for (const auto& each : layer_outputs(model, {x.data()}, 7)) add(seen, each);
        const GradientReport report = check_gradients(model, x, y);
        report.require(1e-5);
        for (const auto& each : report.gradients) seen.push_back(each.error < 1e-5);
        return seen;
    });
    const Model model(table());
    Inspection look(model);
    const auto x = array(drawn({7, 4}, 1)), y = array(labels(7, 3));
    CHECK(error_text([&] { look.run(x, y, y); }) == "arrays: expected 1 inputs and 1 targets, found 3");
    look.run(x, y);
    CHECK(error_text([&] { look.output<"dense">(); }) == "layer: expected the name of a layer, found 'dense'");
    CHECK_THAT(error_text([&] { look.gradient<"1-dense.weight">(); }), Contains("did you mean '1-dense.weights'?"));
    CHECK_THAT(error_text([&] { Gradients(model).of<"1-dense.weight">(); }),
               Contains("did you mean '1-dense.weights'?"));

    // The checked run takes the same steps, and names the layer and what a number came from.
    check_both<Plain>(network(plain_layers), [](const auto& net) {
        Trainer trainer("plain", net, Adam{}, minibatches(amounts(), 8, 3));
        trainer.run(debug(), 2);
        std::vector<double> seen = everything(trainer);
        add(seen, trainer.predict(debug(), array(drawn({3, 4}, 1))));
        return seen;
    });
    const double base = 2;
    const auto power = [base](auto z) { return exp(base * z); };
    Trainer steep("steep", network(Input(4) + Dense(3) + named("power", power) + Dense(2) + SquaredDiff()), Adam{},
                  minibatches_in_order(amounts(), 8));
    steep.initialize("1-*", constant(1e5));
    const auto wrong = thrown<OperationError>([&] { steep.run(debug(), 1); });
    CHECK(wrong.layer == "power");
    CHECK(wrong.origin.operation == "exp");
}

TEST_CASE("Checkpoints and parameters go from constants to values and back", "[trainer]") {
    const ScratchFile by_constant("constant"), by_value("value"), alone("alone");
    const auto batches = minibatches(flowers(), 8, 3);
    const auto add_hooks = [](auto& trainer) {
        trainer.add(when(error.decreases(2)).then(multiply(learning_rate, 0.5)),
                    every(1, epoch).then(score(flowers(), top<1>), use(value<"top1">, [](double) {})));
    };
    Trainer constant("table", Table{}, Adam{}, batches);
    Trainer made("table", table(), Adam{}, batches);
    add_hooks(constant), add_hooks(made);
    constant.run(cpu(), 3), made.run(cpu(), 3);
    constant.save(by_constant.name), made.save(by_value.name);
    check_same(everything(constant), everything(made));
    Trainer from_value("table", Table{}, Adam{}, batches, element<float>, 9);
    Trainer from_constant("table", table(), Adam{}, batches, element<float>, 9);
    add_hooks(from_value), add_hooks(from_constant);
    from_value.load(by_value.name), from_constant.load(by_constant.name);
    CHECK(everything(from_value) == everything(made));
    CHECK(everything(from_constant) == everything(constant));
    CHECK(from_constant.epoch() == 3);
    for (auto* each : {&made, &from_constant}) each->run(cpu(), 2);
    for (auto* each : {&constant, &from_value}) each->run(cpu(), 2);
    check_same(everything(from_value), everything(made));
    check_same(everything(from_constant), everything(constant));
    check_same(everything(constant), everything(made));
    made.rewind();
    CHECK(made.epoch() == 3);

    // Other layers, dropout rates and losses are others.
    const auto load = [&](const auto& net) {
        Trainer other("other", net, Adam{}, batches);
        add_hooks(other);
        return error_text([&] { other.load(by_constant.name); });
    };
    const auto like = [](Dense first, double rate, const auto& judge) {
        return network(Input(4) + first + Dropout(rate) + BatchNorm() + Dense(3) + judge);
    };
    CHECK(load(like(Dense(6, tanh), 0.2, SoftmaxCE())) == "no error");
    CHECK_THAT(load(like(Dense(7, tanh), 0.2, SoftmaxCE())), Contains("'1-dense.weights' (4, 7)"));
    const DynamicNetwork bent = like(Dense(6, relu), 0.2, SoftmaxCE());
    CHECK(load(bent) == sentence("checkpoint '", by_constant.name,
                                 "' for trainer 'other': expected a network of architecture ",
                                 detail::architecture(bent.made().table()), ", found a network of architecture ",
                                 detail::architecture(detail::network_table<Table>),
                                 " with the same tensors, which computes something else"));
    const std::string training = "expected the dropout, noise, losses and frozen layers of this network, fingerprint ";
    CHECK_THAT(load(like(Dense(6, tanh), 0.3, SoftmaxCE())), Contains(training));
    CHECK_THAT(load(like(Dense(6, tanh), 0.2, SoftmaxCE({.smoothing = 0.1}))), Contains(training));

    const Model<Table> from(4);
    Model to(table(), 5);
    save_parameters(from, alone.name);
    CHECK(load_parameters(to, alone.name) == from.parameter_count);
    CHECK(detail::equal_parameters<float>(from, to));
    Model<Table> back(6);
    save_parameters(Model(table(), 8), alone.name);
    CHECK(load_parameters(back, alone.name) == from.parameter_count);
    CHECK(detail::equal_parameters<float>(back, Model(table(), 8)));
    Model<DynamicNetwork, double> wide(table(), 7);
    CHECK(transfer(from, wide) == from.parameter_count);
    CHECK(wide.parameter("4-dense.weights")(2, 1) == static_cast<double>(from.parameter("4-dense.weights")(2, 1)));
    CHECK(transfer(wide, back) == from.parameter_count);
    CHECK(detail::equal_parameters<float>(back, from));
    CHECK(transfer(from, made, "1-*") == 2);
    Model narrow(network(Input(4) + Dense(5, tanh) + Dense(3) + SoftmaxCE()));
    CHECK_THROWS_AS(transfer(from, narrow), MismatchError);
    CHECK_THROWS_AS(transfer(wide, narrow, "*.biases"), MismatchError);
    CHECK(transfer(wide, narrow, "*", Transfer::common) == 0);
}

TEST_CASE("A registry has everything of a made network by name", "[trainer]") {
    Trainer trainer("table", table(), Adam{}, minibatches(flowers(), 8, 3));
    const Registry registry = trainer.registry();
    trainer.run(cpu(), 1);
    CHECK(registry.get<std::int64_t>("network.parameters") == trainer.model().parameter_elements());
    CHECK(registry.get<double>("optimizer.learning_rate") == 0.001);
    for (int p = 0; p < trainer.model().records.parameters.size(); ++p)
        CHECK(registry.get<Array<float>>(
                  sentence("network.layers.", trainer.model().records.parameters[p].name.view())) ==
              trainer.model().parameter(p));
    const auto gradient = registry.get<Array<float>>("network.layers.4-dense.gradients.weights");
    CHECK(std::ranges::equal(gradient, trainer.gradients().of("4-dense.weights")));
    const auto outputs = registry.get<Array<float>>("network.layers.1-dense.outputs");
    CHECK(std::ranges::equal(outputs, trainer.outputs()[1]));
}

TEST_CASE("Made networks write texts", "[trainer]") {
    const auto written = [](auto model) {
        model.initialize("*", gaussian(1));
        const std::vector<std::size_t> prompt{2, 5};
        return generate(model, prompt, {.length = 30, .seed = 5});
    };
    const auto wanted = written(Model<Reader>(1));
    CHECK(wanted.size() == 30);
    CHECK(written(Model(network(reader), 1)) == wanted);
    CHECK(written(Model(network(writer), 1)) == written(Model<Writer>(1)));
    CHECK(log_probabilities_after(Model(network(reader), 1), {2, 5})(wanted) ==
          log_probabilities_after(Model<Reader>(1), {2, 5})(wanted));
    CHECK(error_text([&] { generate(Model(network(plain_layers)), std::vector<std::size_t>{1}); }) ==
          "text: expected a network of one input of ids and one cost of classes, found one of 1 "
          "inputs and 1 costs, the first '3-squared_diff'");
}

TEST_CASE("Threads make programs of one network and predict at a time", "[trainer]") {
    const auto x = array(drawn({9, 4}, 1));
    const auto wanted = Model(table(), 1).predict(x);
    for (int round = 0; round < 20; ++round) {
        const DynamicNetwork net = table();
        const Model model(net, 1);
        std::vector<char> right(4);
        std::vector<std::thread> threads;
        for (char& each : right)
            threads.emplace_back([&] {
                const Model own(net, 1);
                each = model.evaluate(flowers()).error > 0 && model.predict(x) == wanted && own.predict(x) == wanted &&
                       net.made().graph().layers() == 5 && net.made().tape().layers.size() == 5;
            });
        for (std::thread& each : threads) each.join();
        CHECK(std::ranges::count(right, 1) == 4);
    }
}

TEST_CASE("Networks that are made, trained and dropped leave nothing behind", "[trainer]") {
    const auto resident = [] {
        long long pages = 0, resident_pages = 0;
        std::ifstream("/proc/self/statm") >> pages >> resident_pages;
        return resident_pages * 4096;
    };
    const Dataset data = flowers(8);
    const auto make = [&](int from, int to) {
        for (int i = from; i < to; ++i) {
            const DynamicNetwork net =
                network(Input(4) + (1 + i % 3) * Dense(8 + i % 7, tanh) + Dense(3) + SoftmaxCE());
            Trainer trainer("dropped", net, Adam{}, minibatches(data, 8));
            trainer.run(cpu(), 1);
            if (!(trainer.training_loss() > 0 && trainer.evaluate(data).error > 0)) FAIL("network " << i);
        }
    };
    make(0, 100);
    const long long before = resident();
    make(100, 1100);
    CHECK(before > 0);
    if (!test::sanitized) CHECK(resident() - before < 4'000'000);  // sanitizers keep what is freed
}

TEST_CASE("Copies of networks and models", "[trainer]") {
    DynamicNetwork net = network(plain_layers);
    const DynamicNetwork copy = net;
    const detail::MadeTables* const made = &net.made();
    CHECK(&copy.made() == made);
    Model model(net, 1);
    net = network(Input(4) + Dense(300) + Dense(7) + Dense(2) +
                  SquaredDiff());  // the model and the copy keep what they have
    CHECK(&copy.made() == made);
    CHECK(&model.definition().made() == made);
    const auto x = array(drawn({3, 4}, 1));
    const auto said_before = model.predict(x);
    Model again(copy, 2), twin(model);
    CHECK(twin == model);
    CHECK(again != model);
    again = model;
    CHECK(again == model);
    CHECK(again.predict(x) == said_before);
    Model alike(network(plain_layers), 3);  // made once more
    alike = model;
    CHECK(alike == model);

    // The compiler tells networks apart that are constants; of these only their tables say that they differ.
    Model other(net, 1);
    CHECK(model != other);
    CHECK(other != model);
    const Model other_before(other);
    REQUIRE_THROWS_AS(other = model, MismatchError);
    CHECK(other == other_before);
    REQUIRE_THROWS_AS(model = other, MismatchError);
    CHECK(model == twin);
}
