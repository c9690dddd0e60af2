// SPDX-License-Identifier: BSL-1.0
// Code of the pages in docs/how-to/, compiled only.
#include <sigma/check_gradients.hpp>
#include <sigma/data/data.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/with_weights.hpp>
#include <sigma/environment/environment.hpp>
#include <sigma/exchange.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/hook/tensorboard.hpp>
#include <sigma/layer/weighted_records.hpp>
#include <sigma/optimizer/average.hpp>
#include <sigma/profile.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/averages.hpp>
#include <sigma/trainer/terminal.hpp>
#include <sigma/xtensor.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace sigma;

struct Iris : Network<Input(4) + Dense(16, tanh) + Dense(3) + SoftmaxCE()> {};
struct Digits : Network<Input(28, 28) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};

[[maybe_unused]] void predict_one(const Dataset& training) {
    Trainer trainer("iris", Iris{}, Adam{.learning_rate = 0.01}, minibatches(training, 16));
    trainer.run(cpu(), 50);
    // [one-row]
    const Array<float> p = trainer.predict({5.1f, 3.5f, 1.4f, 0.2f});  // (1, 3)
    const float setosa = p(0, 0);

    const std::vector<float> measured{5.1f, 3.5f, 1.4f, 0.2f};
    const std::string kind = trainer.model().classify(measured).name(0);  // "Iris-setosa"
    // [one-row]
    std::printf("%g %s\n", static_cast<double>(setosa), kind.c_str());
}

[[maybe_unused]] void predict_prepared(const Dataset& flowers) {
    // [one-row-prepared]
    const Dataset prepared = flowers >> data::standardize(data::inputs);
    auto iris = fit(Iris{}, prepared, Adam{.learning_rate = 0.01});

    const Array<float> raw{{5.1f, 3.5f, 1.4f, 0.2f}};  // one row, as it was measured
    const Classified kind = iris.classify(prepared.preprocessing()(raw));
    // [one-row-prepared]
    std::printf("%s\n", kind.name(0).c_str());
}

[[maybe_unused]] void probabilities(const Model<Iris>& model, const Dataset& testing) {
    // [probabilities]
    const Array<float> p = model.predict(testing.inputs());  // (records, 3), each row sums to 1
    const Classified kinds = model.classify(testing.inputs());
    for (std::size_t r = 0; r < testing.size(); ++r)
        std::printf("%s with probability %.2f\n", kinds.name(r).c_str(), static_cast<double>(p(r, kinds[r])));
    // [probabilities]
}

namespace binary {
// [probabilities-binary]
struct Tumor : Network<Input(30) + Dense(16, relu) + Dense(1) + BinaryCE()> {};

void show_tumors(const Model<Tumor>& model, const Array<float>& x) {
    const Array<float> malignant = model.predict(x);       // (records, 1), the probability of 1
    const Classified suspicious = model.classify(x, 0.2);  // 1 from a probability of 0.2 on
    std::printf("%.2f %zu\n", static_cast<double>(malignant(0, 0)), suspicious[0]);
}
// [probabilities-binary]
}  // namespace binary

[[maybe_unused]] void seeds(const Dataset& flowers) {
    // [seeds]
    constexpr std::uint64_t seed = 42;
    const auto [training, validation] = stratified_split(shuffled(flowers, seed), 0.8, 0.2);
    Trainer trainer("iris", Iris{}, Adam{}, minibatches(training, 16, seed), element<float>, seed);
    trainer.run(cpu(), 20);
    // [seeds]
    // [seeds-fit]
    auto iris = fit(Iris{}, flowers, Adam{}, {.seed = seed});
    // [seeds-fit]
}

[[maybe_unused]] void early(const Dataset& training, const Dataset& validation) {
    // [stop-early]
    Trainer trainer("iris", Iris{}, Adam{.learning_rate = 0.01}, minibatches(training, 16));
    trainer.add(every(1, epoch).then(score(validation)), early_stop(validation_error, {.patience = 10}));
    trainer.run(cpu(), 500);  // at most 500 epochs
    std::printf("ended after epoch %d\n", static_cast<int>(trainer.epoch()));
    // [stop-early]
}

[[maybe_unused]] void best(const Dataset& training, const Dataset& validation) {
    // [keep-best]
    Trainer trainer("iris", Iris{}, Adam{.learning_rate = 0.01}, minibatches(training, 16));
    trainer.add(every(1, epoch).then(score(validation)),  //
                save_best(validation_error, "best.sigma"), at(stop).then(restore_parameters("best.sigma")));
    trainer.run(cpu(), 100);  // the model then has the parameters of the best epoch
    // [keep-best]
}

[[maybe_unused]] void best_in_memory(const Dataset& training, const Dataset& validation) {
    Trainer trainer("iris", Iris{}, Adam{.learning_rate = 0.01}, minibatches(training, 16));
    // [keep-best-memory]
    ParameterSlot slot;
    trainer.add(every(1, epoch).then(score(validation)), when(validation_error.improves()).then(remember(slot)),
                at(stop).then(recall(slot)));
    // [keep-best-memory]
    trainer.run(cpu(), 100);
}

namespace imbalanced {
// [imbalanced-network]
struct Faults : Network<Input(20) + Dense(32, relu) + Dense(3) + SoftmaxCE().weighted(1, 5, 20)> {};
struct Alarm : Network<Input(20) + Dense(32, relu) + Dense(1) + BinaryCE({.positive_weight = 20})> {};
// [imbalanced-network]

[[maybe_unused]] void train(const Dataset& machines_seen) {
    // [imbalanced-batches]
    const auto [training, testing] = stratified_split(shuffled(machines_seen, 1), 0.8, 0.2);
    Trainer trainer("faults", Faults{}, Adam{}, minibatches(training, 64) >> data::balanced);
    trainer.run(cpu(), 20);
    std::puts(classification_report(trainer.model(), testing).text().c_str());
    // [imbalanced-batches]
}
}  // namespace imbalanced

namespace table {
// [csv]
using namespace sigma::data;

struct Houses : Network<Input(3) + Dense(32, relu) + Dense(1) + SquaredDiff()> {};

void learn_prices() {
    const auto all = csv(file("houses.csv"), {.header = true, .missing = {""}}) >>
                     sections(inputs = columns({"area", "rooms", "age"}), targets = column("price")) >>
                     dataset("houses", {.missing = true});
    const auto [some, others] = split(shuffled(all, 1), 0.8, 0.2);
    const Preprocessing scaled = fitted(impute(inputs, median) >> standardize(inputs) >> standardize(targets), some);
    const Dataset training = some >> scaled, testing = others >> scaled;

    Trainer trainer("houses", Houses{}, Adam{}, minibatches(training, 32));
    trainer.run({.epochs = 100, .validation = testing});
    save_model(trainer.model(), "houses.sigma", training);  // with its preprocessing
}
// [csv]
}  // namespace table

[[maybe_unused]] void splitting(const Dataset& all, const std::vector<int>& persons) {
    // [split]
    const auto [training, testing] = split(shuffled(all, 1), 0.8, 0.2);
    const auto [a, b, c] = stratified_split(shuffled(all, 1), 0.7, 0.15, 0.15);  // three parts, classes in proportion
    const auto [these, others] = split_groups(all, persons, 0.8, 0.2);           // no person is in both parts
    // [split]
    // [split-scaled]
    const data::Preprocessing scaled = fitted(data::standardize(data::inputs), training);
    const Dataset learned = training >> scaled, held_out = testing >> scaled;
    // [split-scaled]
    std::printf("%zu\n",
                a.size() + b.size() + c.size() + these.size() + others.size() + learned.size() + held_out.size());
}

[[maybe_unused]] void resume(const Dataset& training) {
    // [resume]
    const std::filesystem::path checkpoint = "run.sigma";
    Trainer trainer("iris", Iris{}, Adam{}, minibatches(training, 16));
    trainer.add(every(1, epoch).then(save(checkpoint)));
    if (std::filesystem::exists(checkpoint)) trainer.load(checkpoint);  // after all hooks are added
    constexpr int epochs = 100;
    trainer.run(cpu(), epochs - static_cast<int>(trainer.epoch()));
    // [resume]
}

namespace equations {
// [equation]
// u'' + u = f(t) with u(0) = 0 and u'(0) = 1.
constexpr auto body = shared("u", 2 * Dense(16, tanh) + Dense(1));
constexpr auto u_of = [](auto t) { return t + square(t) * layer(body, t); };
constexpr auto du_of = [](auto t) { return gradient([](auto s) { return sum(u_of(s)); })(t); };
constexpr auto ddu_of = [](auto t) { return gradient([](auto s) { return sum(du_of(s)); })(t); };

struct Equation : Loss {
    static constexpr Text kind = "equation";
    static constexpr bool classifies = false;
    constexpr Shape target(const Shape&) const { return {batch, 1}; }             // f
    constexpr Tensor predict(Tensor z) const { return slice(z, axis(1), 0, 1); }  // u
    constexpr Tensor loss(Tensor z, Tensor f) const {
        const Tensor left = slice(z, axis(1), 1, 2);  // u'' + u
        return mean(square(left - f));
    }
};

struct Oscillator : Network<Input(1) + [](auto t) {
    const auto u = u_of(t);
    const auto left = ddu_of(t) + u;
    return concatenate(axis(1), u, left);
} + Equation()> {};
// [equation]

[[maybe_unused]] void solve_it() {
    // [equation-train]
    auto times = Array<float>::from_shape({200, 1}), zeros = times;
    for (std::size_t i = 0; i < 200; ++i) times(i, 0) = 0.02f * static_cast<float>(i);  // where the equation holds
    zeros.fill(0);                                                                      // f
    const Dataset points = make_dataset(times, zeros, "times");
    Trainer trainer("oscillator", Oscillator{}, Adam{.learning_rate = 0.005}, minibatches(points, 50));
    trainer.add(schedule(cosine(1000), epoch), every(200, epoch).then(report(epoch, training_loss)));
    trainer.run(cpu(), 1000);
    const float found = trainer.predict({1.0f})(0, 0);  // sin 1 = 0.8415
    // [equation-train]
    std::printf("%.4f\n", static_cast<double>(found));
    std::puts(check_gradients(trainer.model(), points).text().c_str());
}

// [slope]
struct Slope : Layer {
    static constexpr Text kind = "slope";
    constexpr Tensor forward(Context& context, Tensor x) const {
        const Tensor inner = parameter(context, {x.shape().last(), 8}, "inner", glorot());
        const Tensor outer = parameter(context, {8, 1}, "outer", glorot());
        return x * gradient([=](auto s) { return sum(dot(tanh(dot(s, inner)), outer)); })(x);
    }
};
struct Sloped : Network<Input(4) + Slope() + Dense(3) + SoftmaxCE()> {};
// [slope]

[[maybe_unused]] Model<Sloped> sloped() { return Model<Sloped>(1); }

// [penalty]
constexpr auto judge = [](auto x) { return layer(shared("critic", Dense(32, tanh) + Dense(1)), x); };
constexpr auto judged = [](auto real, auto drawn, auto share) {
    const auto between = share * real + (1.0 - share) * drawn;
    const auto slope = gradient([](auto x) { return sum(judge(x)); })(between);
    const auto excess = norm(slope, axis(1), keep) - 1.0;
    const auto of_drawn = judge(drawn);
    const auto of_real = judge(real);
    return of_drawn - of_real + 10.0 * square(excess);
};

struct Mean : Loss {  // minimizes its input
    static constexpr Text kind = "mean";
    static constexpr bool classifies = false;
    constexpr Shape target(const Shape& z) const { return z; }
    constexpr Tensor predict(Tensor z) const { return z; }
    constexpr Tensor loss(Tensor z, Tensor y) const { return mean(z - y); }  // y is 0
};

struct Critic : Network<Input(2) + judge + Mean()> {};
struct CriticLoss : Network<(Input(2) & Input(2) & Input(1)) + judged + Mean()> {};
// [penalty]

[[maybe_unused]] double critic_step(const Array<float>& real, const Array<float>& drawn, const Array<float>& shares,
                                    const Array<float>& zeros) {
    // [penalty-train]
    Model<Critic> critic(1);
    BatchTrainer training{critic, Adam{.learning_rate = 1e-4}};
    const double loss = training.train_on_batch<CriticLoss>(real, drawn, shares, zeros);
    // [penalty-train]
    return loss;
}

[[maybe_unused]] void check_penalty(const Array<float>& real, const Array<float>& drawn, const Array<float>& shares,
                                    const Array<float>& zeros) {
    // [penalty-check]
    check_gradients(Model<CriticLoss>(), real, drawn, shares, zeros).require(1e-6);
    // [penalty-check]
}
}  // namespace equations

namespace real_time {

using Net = Iris;
// [handover]
/// Hands predictors from the thread that trains to one thread that must not wait or allocate.
class Handover {
    std::atomic<const Predictor<Net>*> next_{nullptr}, used_{nullptr};

public:
    /// Offers a new model. Call it on the thread that trains.
    void offer(const Model<Net>& model) {
        auto* fresh = new Predictor<Net>(model);  // a copy that never changes
        fresh->reserve(1);                        // allocates and warms up here
        delete next_.exchange(fresh);             // an offer that was not taken
        delete used_.exchange(nullptr);           // what the other thread has returned
    }
    /// Replaces `current` by the newest offer. Call it on the real-time thread.
    void take(const Predictor<Net>*& current) noexcept {
        if (used_.load() != nullptr) return;  // the old one was not collected yet
        if (const auto* fresh = next_.exchange(nullptr)) used_.store(std::exchange(current, fresh));
    }
    ~Handover() {
        delete next_.load();
        delete used_.load();
    }
};
// [handover]

[[maybe_unused]] void answer(Handover& handover, const Predictor<Net>*& current, const float* in, float* out) {
    // [answer]
    handover.take(current);
    current->predict(in, out, 1);  // one record: allocates nothing, and does not wait for the training
    // [answer]
}

[[maybe_unused]] void train(const Dataset& training, Handover& handover) {
    Trainer trainer("iris", Net{}, Adam{}, minibatches(training, 16));
    // [offer]
    trainer.add(every(1, epoch).then([&](auto& t) { handover.offer(t.model()); }));
    // [offer]
    trainer.run(cpu(), 5);
}
}  // namespace real_time

namespace groups {
[[maybe_unused]] void rates(const Dataset& training) {
    // [rates]
    const auto optimizer = group<"1-*">(Adam{.learning_rate = 0.001}, {.rate_factor = 0.1});  // layer 1 at 0.0001
    Trainer trainer("iris", Iris{}, optimizer, minibatches(training, 16));
    trainer.run(cpu(), 20);
    trainer.optimizer.rate_factor = 1;  // from the next step on
    // [rates]
}
}  // namespace groups

namespace freezing {
// [freeze]
constexpr auto features = named("features", Dense(64, relu) + Dense(32, relu));
struct Tuned : Network<Input(20) + features + Dense(3) + SoftmaxCE()> {};          // 1. and 2. below
struct Fixed : Network<Input(20) + frozen(features) + Dense(3) + SoftmaxCE()> {};  // 3.

void tune(const Dataset& training) {
    const auto batches = minibatches(training, 32);
    {
        Trainer trainer("tuned", Tuned{}, Adam{}, batches);
        trainer.load_parameters("pretrained.safetensors", "features*");
        trainer.freeze("features*");  // 1. by the trainer, until unfreeze
        trainer.run(cpu(), 5);
        trainer.unfreeze("features*");
        trainer.run(cpu(), 5);
    }
    {
        Trainer trainer("tuned", Tuned{}, frozen<"features*">(Adam{}), batches);  // 2. by the optimizer
        trainer.run(cpu(), 5);
    }
    Trainer trainer("fixed", Fixed{}, Adam{}, batches);  // 3. by the network
    trainer.run(cpu(), 5);
}
// [freeze]

[[maybe_unused]] void later(const Dataset& training) {
    Trainer trainer("tuned", Tuned{}, Adam{}, minibatches(training, 32));
    // [freeze-hook]
    trainer.freeze("features*");
    trainer.add(at(10, epoch).then(unfreeze("features*"), multiply(learning_rate, 0.1)));
    // [freeze-hook]
}
}  // namespace freezing

namespace adapting {
// [lora-attention]
constexpr TransformerBlock block(4, 256, {.causal = true});
constexpr LoraOptions queries_and_values{.alpha = 16, .weights = "*query_weights *value_weights"};
struct Tuned : Network<Input(64) + lora(8, Embedding(512, 64) + LearnedPositions() + 2 * block, queries_and_values) +
                       LayerNorm() + Linear(512) + SoftmaxCE()> {};
// [lora-attention]
static_assert(Tuned::output.last() == 512);
}  // namespace adapting

[[maybe_unused]] void threads(const Dataset& training, const Model<Iris>& model, const Array<float>& x) {
    Trainer trainer("iris", Iris{}, Adam{}, minibatches(training, 16));
    // [threads]
    trainer.run(cpu(2), 10);                    // two threads
    trainer.run(cpu(0.5), 10);                  // half of the cores
    fit(Iris{}, training, {.device = cpu(1)});  // one thread
    const auto p = model.predict(cpu(4), x);    // four threads for this prediction
    std::puts(trainer.device_text().c_str());   // what the last run used
    // [threads]
}

[[maybe_unused]] void clipping(const Dataset& training) {
    // [clip]
    Trainer trainer("iris", Iris{}, clip_gradient_norm(Adam{.learning_rate = 0.01}, 1.0), minibatches(training, 16));
    trainer.add(every(1, epoch).then(report(epoch, norm(gradients("*")))));
    trainer.run(cpu(), 20);
    // [clip]
}

[[maybe_unused]] void rates(const Dataset& training, const Dataset& validation) {
    // [schedule]
    Trainer trainer("iris", Iris{}, Adam{.learning_rate = 0.01}, minibatches(training, 16));
    trainer.add(schedule(warm_up(5, cosine(45)), epoch), every(10, epoch).then(report(epoch, learning_rate)));
    trainer.run(cpu(), 50);
    // [schedule]
    Trainer other("iris", Iris{}, Adam{.learning_rate = 0.01}, minibatches(training, 16));
    // [schedule-plateau]
    other.add(every(1, epoch).then(score(validation)), reduce_on_plateau(validation_error, {.factor = 0.5}));
    // [schedule-plateau]
}

[[maybe_unused]] void storing(const Dataset& training) {
    Trainer trainer("iris", Iris{}, Adam{}, minibatches(training, 16));
    // [save]
    save_model(trainer.model(), "iris.sigma", training);  // network, parameters, classes, preprocessing

    const auto model = load_model("iris.sigma");  // in another program
    const Array<float> raw{{5.1f, 3.5f, 1.4f, 0.2f}};
    std::puts(model.classify(model.preprocessing()(raw)).name(0).c_str());
    // [save]
}

namespace regression_page {
// [regression]
struct Houses : Network<Input(13) + 2 * Dense(64, relu) + Dense(1) + SquaredDiff()> {};

void train(const Dataset& some, const Dataset& others) {
    const data::Preprocessing prepared =
        fitted(data::standardize(data::inputs) >> data::standardize(data::targets), some);
    const Dataset training = some >> prepared, testing = others >> prepared;
    Trainer trainer("houses", Houses{}, Adam{}, minibatches(training, 64));
    trainer.add(every(10, epoch).then(score(testing, regression), report(epoch, value<"rmse">, value<"r2">)));
    trainer.run(cpu(), 50);

    const Array<float> raw = others.inputs();
    const Array<float> dollars = prepared.inverse(trainer.predict(prepared(raw)));  // in units of the targets
    std::printf("%.0f\n", static_cast<double>(dollars(0, 0)));
}
// [regression]
}  // namespace regression_page

[[maybe_unused]] void parts(const Dataset& all) {
    // [part]
    const Dataset first = take(all, 0, 1000);                                              // 1,000 records
    const Dataset random = take(shuffled(all, 1), 0, 1000);                                // at random
    const auto [tenth, rest] = stratified_split(shuffled(all, 1), 0.1, 0.9);               // classes in proportion
    const Dataset sevens = subset(all, [&](std::size_t r) { return all.label(r) == 7; });  // one class
    // [part]
    std::printf("%zu\n", first.size() + random.size() + tenth.size() + rest.size() + sevens.size());
}

namespace large {
struct Sensors : Network<Input(11) + Dense(32, relu) + Dense(1) + SquaredDiff()> {};

[[maybe_unused]] void train() {
    // [large]
    using namespace sigma::data;
    const auto readings = csv(file("readings.csv"), {.header = true}) >>
                          sections(inputs = columns<0, 10>(), targets = column<11>()) >>
                          dataset("readings", {.memory = std::size_t{1} << 30, .cache = cache::disk});
    Trainer trainer("readings", Sensors{}, Adam{}, minibatches(readings, 256) >> prefetch(4));
    trainer.run(cpu(), 10);
    // [large]
}
}  // namespace large

[[maybe_unused]] void metric(const Dataset& training, const Dataset& validation) {
    Trainer trainer("iris", Iris{}, Adam{}, minibatches(training, 16));
    // [metric]
    const auto confident = [&](auto& t) {  // share of validation records with a probability of 0.9 or more
        const Array<float> p = t.predict(validation.inputs());
        std::size_t count = 0;
        for (std::size_t r = 0; r < validation.size(); ++r)
            count += std::max({p(r, 0), p(r, 1), p(r, 2)}) >= 0.9f ? 1 : 0;
        return static_cast<double>(count) / static_cast<double>(validation.size());
    };
    trainer.add(every(1, epoch).then(compute<"confident">(confident), report(epoch, value<"confident">)),
                when(value<"confident">.reaches(0.95)).then(stop));
    // [metric]
    // [metric-gap]
    trainer.add(every(1, epoch).then(score(validation)),
                every(1, epoch).then(compute<"gap">(error, validation_error, [](double t, double v) { return v - t; }),
                                     report(value<"gap">)));
    // [metric-gap]
}

[[maybe_unused]] void plotting(const Dataset& training, const Dataset& validation) {
    // [plot]
    Trainer trainer("iris", Iris{}, Adam{}, minibatches(training, 16));
    trainer.add(every(1, epoch).then(score(validation), report(epoch, error, validation_error).to(csv("curve.csv")),
                                     report(error, validation_error).to(tensorboard("tensorboard/first"))));
    trainer.run(cpu(), 50);
    // [plot]
    Trainer other("iris", Iris{}, Adam{}, minibatches(training, 16));
    // [plot-history]
    const History history = other.run({.epochs = 50, .validation = validation});
    auto losses_file = std::ofstream("history.csv");
    losses_file << "epoch,training,validation\n";
    for (const EpochResult& e : history.epochs)
        losses_file << e.epoch << ',' << e.training_loss << ',' << e.validation_loss << '\n';
    // [plot-history]
}

[[maybe_unused]] void saturation(const Dataset& training) {
    struct Sigmoids : Network<Input(4) + Dense(16, sigmoid) + Dense(3) + SoftmaxCE()> {};
    Trainer trainer("iris", Sigmoids{}, Adam{}, minibatches(training, 16));
    // [saturated]
    trainer.add(every(10, iteration).then(compute<"saturated">(share_saturated(outputs("1-dense")), [](double x) {
        return x;
    })));
    // [saturated]
}

[[maybe_unused]] void profiling(const Dataset& training) {
    // [profile]
    Trainer trainer("digits", Digits{}, Adam{}, minibatches(training, 100));
    const Profile measured = profile(trainer, 100, iteration);
    std::puts(measured.text().c_str());
    measured.write_trace("trace.json");
    // [profile]
    // [profile-rows]
    for (const ProfileRow& row : measured["training step"].rows)
        if (row.share > 0.1)
            std::printf("%s, %s: %g us\n", row.layer.c_str(), row.kernel.c_str(), 1e6 * row.seconds_per_call());
    // [profile-rows]
    // [profile-prediction]
    const Profile predictions = profile([&] { trainer.predict(training.inputs()); });
    // [profile-prediction]
    std::puts(predictions.text().c_str());
    // [profile-running-time]
    trainer.add(every(100, iteration).then(report_running_time(iteration)),
                every(1, epoch).then(report(epoch, samples_per_second)));
    trainer.run(cpu(1), 5);
    // [profile-running-time]
}

namespace several {
// [several]
struct Houses : Network<(named("photo", Input(32, 32, 3)) & named("facts", Input(8))) +
                        Parallel(Conv2D(8, 3, relu) + GlobalAveragePool(), Dense(16, relu)) + Concatenate() +
                        Costs(named("kind", Dense(4) + SoftmaxCE()),
                              loss_weight(0.1, named("price", Dense(1) + SquaredDiff())))> {};

void train(const Array<float>& photos, const Array<float>& facts, const Array<float>& kinds,
           const Array<float>& prices) {
    const Dataset houses({{"photo", photos}, {"facts", facts}}, {{"kind", kinds}, {"price", prices}}, "houses");
    Trainer trainer("houses", Houses{}, Adam{}, minibatches(houses, 32));
    trainer.run(cpu(), 10);

    const auto results = trainer.evaluate(houses);
    std::printf("price: %.3f\n", results.costs[1].error);
    const Array<float> price = trainer.model().predict<"price">(photos, facts);  // (records, 1)
}
// [several]
}  // namespace several

[[maybe_unused]] void steering(const Dataset& training) {
    Trainer trainer("iris", Iris{}, Adam{}, minibatches(training, 16));
    // [steer]
    trainer.add(at(10, epoch).then(set(learning_rate, 1e-4), set(&Adam::beta1, 0.8)));  // planned
    trainer.on_epoch([](auto& t) { t.optimizer.learning_rate *= 0.95; });               // each epoch
    trainer.start(cpu(), 100);                                                          // on another thread
    trainer.post([&] { trainer.optimizer.learning_rate = 1e-3; }).wait();               // now, from any thread
    trainer.wait();
    // [steer]
}

[[maybe_unused]] void logging(const Dataset& training) {
    Trainer trainer("iris", Iris{}, Adam{}, minibatches(training, 16));
    // [log]
    Sigma sigma("lab", 42);  // <sigma/environment/environment.hpp>
    sigma.log.to_terminal(LogLevel::warning);
    sigma.log.to_file("training.log");
    trainer.output = [log = sigma.log.named("iris")](std::string_view line) { log.info(line); };
    trainer.add(every(1, epoch).then(report(epoch, error)));
    trainer.run(cpu(), 10);
    // [log]
    // [log-report]
    trainer.add(every(1, epoch).then(report(epoch, error).to(file("errors.txt"))));  // only this line
    // [log-report]
}

}  // namespace
