// SPDX-License-Identifier: BSL-1.0
// Training by several processes, simulated by threads, is bit-identical for any number of processes.
#include <sigma/sigma.hpp>
#include <sigma/trainer/machines/machines.hpp>

#include <catch2/catch.hpp>
#include <support/thread_group.hpp>
#include <support/thrown.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace sigma;
using Catch::Matchers::Contains;

namespace {

struct Plain : Network<Input(4) + Dense(6, tanh) + Dense(3) + SoftmaxCE()> {};
struct Dropped : Network<Input(4) + Dense(6, tanh) + Dropout(0.3) + Dense(3) + SoftmaxCE({.smoothing = 0.1})> {};
struct Normal : Network<Input(4) + Dense(6) + BatchNorm() + Dense(5, tanh) + BatchNorm() + Dense(3) + SoftmaxCE()> {};
struct Ignoring : Network<Input(4) + Dense(6, tanh) + Dense(3) + SoftmaxCE({.ignore = 2})> {};
struct Times : Network<Input(4) + Reshape(4, 1) + LSTM(5, {.last = true}) + Dense(3) + SoftmaxCE()> {};

Dataset points(std::size_t records = 43) {
    Numbers x{{records, 4}, std::vector<float>(4 * records)}, y{{records}, {}};
    Philox(1, RandomUse::user, 0).fill_normal(std::span(x.values));
    for (std::size_t i = 0; i < records; ++i) y.values.push_back(static_cast<float>(i * i % 7 % 3));
    return {std::move(x), std::move(y), "points"};
}
/// Returns batches of 12 records, the last of 7. For 39 records the last batch has 3, fewer than there are parts.
Minibatches batches(std::size_t records = 43) { return minibatches(points(records), 12, 5); }

template <class T>
struct Result {
    std::vector<T> parameters, states;
    double mean = 0;
    std::uint64_t steps = 0;
    std::size_t epochs = 0;
    friend bool operator==(const Result&, const Result&) = default;
};
template <class N, class O, class T>
Result<T> result_of(Trainer<N, O, T>& trainer) {
    Result<T> all{{}, {}, trainer.training_loss(), trainer.iteration(), trainer.history().epochs.size()};
    const auto add = [](std::vector<T>& to, const auto& rows) {
        for (const T x : sigma::detail::dense_elements(rows)) to.push_back(x);
    };
    for (int i = 0; i < trainer.model().network().parameters.size(); ++i)
        add(all.parameters, parameter_rows(std::as_const(trainer.model()), i));
    for (int i = 0; i < trainer.training_step().state_table().size(); ++i)
        add(all.states, std::as_const(trainer.training_step()).state_rows(i));
    return all;
}
/// Returns the results of each rank after a few epochs.
template <class N, class T, class O>
std::vector<Result<T>> trained(int ranks, O optimizer, Minibatches from, MachineOptions options = {}, int threads = 1) {
    support::ThreadGroup group(ranks);
    std::vector<Result<T>> all(static_cast<std::size_t>(ranks));
    const auto thrown = group.run([&](int rank) {
        Trainer trainer("points", N{}, optimizer, from, element<T>);
        trainer.run(MachineSet{group.member(rank), cpu(ExactThreads{threads}), options}, 3);
        all[static_cast<std::size_t>(rank)] = result_of(trainer);
    });
    for (const std::string& text : thrown) CHECK(text == "");
    return all;
}
template <class N, class T, class O>
Result<T> trained_alone(O optimizer, Minibatches from) {
    Trainer trainer("points", N{}, optimizer, std::move(from), element<T>);
    trainer.run(cpu(1), 3);
    return result_of(trainer);
}
template <class N, class T = double, class O>
void check_same(O optimizer, Minibatches from, double tolerance = 1e-9) {
    const auto one = trained<N, T>(1, optimizer, from)[0];
    for (const int ranks : {2, 3, 4})
        for (const Result<T>& r : trained<N, T>(ranks, optimizer, from)) {
            CHECK(r.parameters == one.parameters);
            CHECK(r.states == one.states);
            CHECK(r == one);
        }
    // Equal to one process up to the order of sums.
    const auto alone = trained_alone<N, T>(optimizer, from);
    REQUIRE(alone.parameters.size() == one.parameters.size());
    double worst = 0;
    for (std::size_t i = 0; i < alone.parameters.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(alone.parameters[i] - one.parameters[i])));
    CHECK(worst < tolerance);
    CHECK(one.mean == Approx(alone.mean).epsilon(tolerance));
    CHECK(one.steps == alone.steps);
}

}  // namespace

TEST_CASE("1, 2, 3 and 4 processes train to the same bits, which are one process's up to rounding", "[machines]") {
    SECTION("SGD") { check_same<Plain>(GradientDescent(0.1), batches()); }
    SECTION("float") { check_same<Plain, float>(GradientDescent(0.1), batches(), 1e-4); }
    SECTION("Adam") { check_same<Plain>(Adam(0.01), batches()); }
    SECTION("dropout, whose numbers follow the place of a record") {
        check_same<Dropped>(GradientDescent(0.1), batches());
    }
    SECTION("BatchNorm has the statistics of the whole batch") { check_same<Normal>(GradientDescent(0.1), batches()); }
    SECTION("ignored targets") { check_same<Ignoring>(GradientDescent(0.1), batches()); }
    SECTION("loops over time") { check_same<Times>(GradientDescent(0.1), batches()); }
    SECTION("fewer records than parts") { check_same<Normal>(GradientDescent(0.1), batches(39)); }
}

TEST_CASE("Threads, made networks and numbers of parts", "[machines]") {
    const GradientDescent descent(0.1);
    const auto one = trained<Dropped, double>(2, descent, batches())[0];
    CHECK(trained<Dropped, double>(2, descent, batches(), {}, 3)[1] == one);
    // Other parts give other sums.
    const auto other = trained<Dropped, double>(3, descent, batches(), {.parts = 5});
    CHECK(other[0] == other[2]);
    CHECK(other[0].parameters != one.parameters);
    CHECK(other[0].mean == Approx(one.mean).epsilon(1e-9));

    const auto layers = [](int width) { return Input(4) + Dense(width, tanh) + BatchNorm() + Dense(3) + SoftmaxCE(); };
    std::vector<Result<float>> made[3];
    for (const int ranks : {1, 2}) {
        support::ThreadGroup group(ranks);
        made[ranks].resize(2);
        group.run([&](int rank) {
            Trainer trainer("made", network(layers(5 + 1)), Adam{}, batches());
            trainer.run(MachineSet{group.member(rank), cpu(1), {}}, 2);
            made[ranks][static_cast<std::size_t>(rank)] = result_of(trainer);
        });
    }
    CHECK(made[1][0] == made[2][0]);
    CHECK(made[1][0] == made[2][1]);
    CHECK(made[1][0].steps == 8);
}

TEST_CASE("Hooks act in rank 0, and what they change goes to all", "[machines]") {
    std::vector<Result<double>> of[3];
    std::vector<int> calls(2, 0);
    for (const int ranks : {1, 2}) {
        support::ThreadGroup group(ranks);
        of[ranks].resize(2);
        const auto thrown = group.run([&](int rank) {
            Trainer trainer("points", Dropped{}, Momentum{.learning_rate = 0.1}, batches(), element<double>);
            trainer.modify("1-*.weights", clip(-0.4, 0.4));
            trainer.add(every(3, iteration).then(multiply(learning_rate, 0.9)),
                        every(2, iteration).then(multiply(hyperparameter("*.rate"), 0.9)),
                        when(iteration.equals(7)).then(freeze("1-*")));
            trainer.on_iteration([&, rank](auto& t) {
                if (ranks == 2 && t.iteration() < 10) ++calls[static_cast<std::size_t>(rank)];
                if (t.iteration() == 5) t.model().template parameter<"3-dense.biases">().fill(0.25);
                if (t.iteration() == 9) t.stop();
            });
            trainer.run(MachineSet{group.member(rank), cpu(1), {}}, 3);
            of[ranks][static_cast<std::size_t>(rank)] = result_of(trainer);
            CHECK(trainer.iteration() == 9);
            CHECK(trainer.optimizer.learning_rate == Approx(0.1 * 0.9 * 0.9 * 0.9));
            if (rank == 0) return;
            trainer.run(cpu(1), 1);            // it goes on by itself
            CHECK(trainer.iteration() == 12);  // the rest of the epoch
        });
        for (const std::string& text : thrown) CHECK(text == "");
    }
    CHECK(calls == std::vector{9, 0});
    for (const Result<double>& two : of[2]) {
        CHECK(of[1][0].parameters == two.parameters);
        CHECK(of[1][0].states == two.states);
        CHECK(of[1][0].mean == two.mean);
        CHECK(of[1][0].epochs == two.epochs);
    }
}

TEST_CASE("Whoever fails ends the run of all, with its words", "[machines]") {
    support::ThreadGroup group(3);
    const auto thrown = group.run([&](int rank) {
        Trainer trainer("points", Plain{}, GradientDescent(0.1), batches());
        trainer.on_iteration([](auto& t) {
            if (t.iteration() == 6) throw ArgumentError("the test", "patience", "none");
        });
        trainer.run(MachineSet{group.member(rank), cpu(1), {}}, 3);
    });
    CHECK(thrown[0] == "the test: expected patience, found none");
    CHECK(thrown[1] == "rank 0: the test: expected patience, found none");
    CHECK(thrown[2] == thrown[1]);

    const auto other = [](int ranks, const auto& make) {
        support::ThreadGroup all(ranks);
        return all.run([&](int rank) {
            auto trainer = make(rank);
            trainer->run(MachineSet{all.member(rank), cpu(1), {}}, 1);
        });
    };
    using T = Trainer<Plain, GradientDescent>;
    for (const std::string& text : other(2, [](int rank) {
             return std::make_unique<T>("points", Plain{}, GradientDescent(0.1), minibatches(points(), rank ? 11 : 12));
         }))
        CHECK(text == "rank 1 is not like rank 0: expected batch size '12', found '11'");
    for (const std::string& text : other(3, [](int rank) {
             return std::make_unique<T>(rank == 2 ? "lines" : "points", Plain{}, GradientDescent(0.1), batches());
         }))
        CHECK(text == "rank 2 is not like rank 0: expected trainer 'points', found 'lines'");
}

TEST_CASE("Parts are alike, and who fails before the first step is heard of", "[machines]") {
    const auto run = [](int parts_of_last) {
        support::ThreadGroup group(3);
        return group.run([&](int rank) {
            Trainer trainer("points", Plain{}, GradientDescent(0.1), batches());
            trainer.run(MachineSet{group.member(rank), cpu(1), {.parts = rank == 2 ? parts_of_last : 4}}, 1);
        });
    };
    for (const std::string& text : run(8))
        CHECK(text == "rank 2 is not like rank 0: expected parts of a batch '4', found '8'");
    const auto thrown = run(2);
    CHECK(thrown[2] == "parts of a batch: expected 3 or more, one for each process, found 2");
    CHECK(thrown[0] == "rank 2: " + thrown[2]);
    CHECK(thrown[1] == thrown[0]);
}

TEST_CASE("Another network, seed, rate, order or number of epochs on a rank is refused", "[machines]") {
    const auto refused = [](const char* what) {
        support::ThreadGroup group(2);
        const auto thrown = group.run([&](int rank) {
            const std::string other = rank == 1 ? what : "";
            const MachineSet all{group.member(rank), cpu(1), {}};
            const auto train = [&](auto net, auto optimizer, const Minibatches& from, std::uint64_t seed = 0) {
                Trainer trainer("points", net, optimizer, from, element<float>, seed);
                trainer.run(all, other == "epochs" ? 2 : 1);
            };
            if (other == "network")
                return train(network(Input(4) + Dense(7, tanh) + Dense(3) + SoftmaxCE()), Adam{}, batches());
            const auto net = network(Input(4) + Dense(6, tanh) + Dense(3) + SoftmaxCE());
            if (other == "seed") return train(net, Adam{}, batches(), 3);
            if (other == "rate") return train(net, Adam{.learning_rate = 0.5}, batches());
            if (other == "decay") return train(net, Adam{.beta2 = 0.5}, batches());
            if (other == "order") return train(net, Adam{}, minibatches(points(), 12, 6));
            if (other == "unshuffled") return train(net, Adam{}, minibatches_in_order(points(), 12));
            train(net, Adam{}, batches());
        });
        CHECK(thrown[0] == thrown[1]);
        return thrown[0];
    };
    const std::string begin = "rank 1 is not like rank 0: expected ";
    CHECK(refused("") == "");
    CHECK(refused("seed") == begin + "seed of the trainer '0', found '3'");
    CHECK(refused("rate") == begin + "learning_rate of the optimizer '0.001', found '0.5'");
    CHECK_THAT(refused("decay"), Contains(" of the optimizer '0.999', found '0.5'"));
    CHECK(refused("order") == begin + "seed of minibatches '5', found '6'");
    CHECK(refused("unshuffled") == begin + "shuffled minibatches 'yes', found 'no'");
    CHECK(refused("epochs") == begin + "number of epochs '1', found '2'");
    // Both networks are shown.
    const std::string networks = refused("network");
    CHECK_THAT(networks, Contains(begin + "network and losses '"));
    CHECK(networks.find('6') < networks.find("', found '"));
    CHECK(networks.find('7', networks.find("', found '")) != networks.npos);
}

TEST_CASE("A loss that is no number is found where it arose", "[machines]") {
    support::ThreadGroup group(2);
    const auto thrown = group.run([&](int rank) {
        Trainer trainer("points", Plain{}, GradientDescent(1e38), batches());
        trainer.run(MachineSet{group.member(rank), cpu(1), {}}, 3);
    });
    CHECK_THAT(thrown[0], Contains("iteration 2") && Contains("the loss became"));
    CHECK(thrown[1] == "rank 0: " + thrown[0]);
}

TEST_CASE("There are as many parts as processes at least", "[machines]") {
    support::ThreadGroup group(5);
    CHECK(MachineSet{group.member(0), cpu(1), {}}.parts() == 8);
    CHECK(MachineSet{group.member(0), cpu(1), {.parts = 6}}.parts() == 6);
    const MachineSet less{group.member(1), cpu(1), {.parts = 3}};
    CHECK_THROWS_WITH(less.parts(), Contains("parts of a batch: expected 5 or more, one for each process, found 3"));
}

TEST_CASE("Records are evaluated and predicted for by all, with the bits of one", "[machines]") {
    const Dataset more = points(1000);
    for (const int ranks : {1, 2, 3}) {
        support::ThreadGroup group(ranks);
        std::vector<double> told, wanted, predicted, predictions_wanted;
        const auto thrown = group.run([&](int rank) {
            Trainer trainer("points", Normal{}, Adam{}, batches());
            trainer.add(every(1, epoch).then(score(more),
                                             use(validation_error,
                                                 [&, rank](double e) {
                                                     if (rank == 0) told.push_back(e);
                                                 }),
                                             use(accuracy, [&, rank](double a) {
                                                 if (rank == 0) told.push_back(a);
                                             })));
            sigma::detail::Evaluator<Normal> evaluator(more);
            trainer.on_epoch([&, rank](auto& t) {
                if (rank > 0) return;
                const auto whole = t.evaluate(more);
                wanted.push_back(whole.error);
                wanted.push_back(whole.accuracy);
                evaluator.predict(t.model(), [&](int, auto found, auto) {
                    predicted.insert(predicted.end(), found.begin(), found.end());
                });
                const auto alone = t.model().predict(more.inputs());
                for (std::size_t i = 0; i < alone.size(); ++i) predictions_wanted.push_back(alone.data()[i]);
            });
            trainer.run(MachineSet{group.member(rank), cpu(1), {}}, 3);
        });
        for (const std::string& text : thrown) CHECK(text == "");
        CHECK(told == wanted);
        double worst = 0;
        for (std::size_t i = 0; i < predicted.size() && i < predictions_wanted.size(); ++i)
            worst = std::max(worst, std::abs(predicted[i] - predictions_wanted[i]));
        CHECK(worst == 0);
        CHECK(told.size() == 6);
        CHECK(predicted.size() == 9000);
    }
}
