// SPDX-License-Identifier: BSL-1.0
#include <sigma/execution/define_by_run.hpp>

#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/network/wrappers.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/xtensor.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <string>
#include <vector>

using namespace sigma;

namespace {

using Rows = xt::xtensor<double, 2>;

Rows random_rows(std::size_t records, std::size_t columns, std::uint64_t stream) {
    Rows x = Rows::from_shape({records, columns});
    Philox(31, RandomUse::user, stream).fill_normal(std::span<double>(x.data(), x.size()));
    return x;
}
DynamicNetwork of_depth(int depth) {
    return network(Input(3) + named("first", Dense(4, tanh)) + named("body", depth * Dense(4, tanh)) +
                   named("last", Dense(2)) + SquaredDiff());
}
std::vector<double> values_of(const Model<DynamicNetwork, double>& model, int parameter) {
    std::vector<double> values;
    const auto rows = parameter_rows(model, parameter);
    for (std::size_t r = 0; r < rows.count; ++r) values.insert(values.end(), rows[r].begin(), rows[r].end());
    return values;
}
bool same_values(const Model<DynamicNetwork, double>& a, const Model<DynamicNetwork, double>& b) {
    for (int p = 0; p < a.network().parameters.size(); ++p)
        if (values_of(a, p) != values_of(b, p)) return false;
    return true;
}

struct Halved : Layer {
    bool halves;
    static constexpr Text kind = "halved";
    constexpr explicit Halved(bool h) : halves(h) {}
    constexpr Tensor forward(Context& context, Tensor x) const { return halves && !context.training() ? 0.5 * x : x; }
};

/// Adam with one count of steps for all parameters, by names (Kingma and Ba 2015, algorithm 1).
struct AdamByHand {
    struct Moments {
        std::vector<double> value, m, v;
    };
    std::map<std::string, Moments> all;
    int steps = 0;

    void step(Model<DynamicNetwork, double>& model, const Rows& x, const Rows& y) {
        const auto& parameters = model.network().parameters;
        for (int p = 0; p < parameters.size(); ++p) {
            Moments& known = all[std::string(parameters[p].name.view())];
            const auto rows = parameter_rows(model, p);
            if (known.value.empty()) {
                known = {values_of(model, p), {}, {}};
                known.m.resize(known.value.size());
                known.v.resize(known.value.size());
            }
            for (std::size_t r = 0; r < rows.count; ++r)
                for (std::size_t c = 0; c < rows.columns; ++c) rows[r][c] = known.value[r * rows.columns + c];
        }
        BatchTrainer trainer(model, GradientDescent{});
        trainer.gradients_on_batch(x, y);
        ++steps;
        for (int p = 0; p < parameters.size(); ++p) {
            Moments& known = all.at(std::string(parameters[p].name.view()));
            const xt::xarray<double> g = to_xtensor(trainer.gradient(p));
            for (std::size_t i = 0; i < g.size(); ++i) {
                const double d = g.data()[i];
                known.m[i] = 0.9 * known.m[i] + 0.1 * d;
                known.v[i] = 0.999 * known.v[i] + 0.001 * d * d;
                known.value[i] -= 0.01 * known.m[i] / (1 - std::pow(0.9, steps)) /
                                  (std::sqrt(known.v[i] / (1 - std::pow(0.999, steps))) + 1e-8);
            }
        }
    }
};

}  // namespace

TEST_CASE("networks with the same operations are one structure, trained as by a BatchTrainer") {
    const Rows x = random_rows(6, 3, 1), y = random_rows(6, 2, 2);
    DefineByRun<Adam, double> by_run(Adam{.learning_rate = 0.01}, 5);
    Model<DynamicNetwork, double> model(of_depth(2), 5);
    BatchTrainer trainer(model, Adam{.learning_rate = 0.01});
    for (int i = 0; i < 5; ++i) CHECK(by_run.train_on_batch(of_depth(2), x, y) == trainer.train_on_batch(x, y));
    CHECK(by_run.structures() == 1);
    CHECK(by_run.steps() == 5);
    CHECK(same_values(by_run.model(of_depth(2)), model));
}

TEST_CASE("parameters and states of Adam belong to names, whatever the structure") {
    const Rows x = random_rows(6, 3, 1), y = random_rows(6, 2, 2);
    DefineByRun<Adam, double> by_run(Adam{.learning_rate = 0.01}, 5), small(Adam{.learning_rate = 0.01}, 5, 1);
    AdamByHand by_hand;
    const int depths[] = {1, 3, 3, 2, 1, 4, 3, 1, 2, 2, 4, 1};
    std::uint64_t structures = 0;
    std::map<int, Model<DynamicNetwork, double>> models;
    for (const int depth : depths) {
        const DynamicNetwork net = of_depth(depth);
        if (!models.contains(depth)) {
            const std::uint64_t seed = structures == 0 ? 5 : Philox(5, RandomUse::initialize, structures).bits(0);
            models.emplace(depth, Model<DynamicNetwork, double>(net, seed));
            ++structures;
        }
        by_hand.step(models.at(depth), x, y);
        const double loss = by_run.train_on_batch(net, x, y);
        CHECK(loss > 0);
        const Model<DynamicNetwork, double>& now = by_run.model(net);
        for (int p = 0; p < now.network().parameters.size(); ++p) {
            const auto& wanted = by_hand.all.at(std::string(now.network().parameters[p].name.view())).value;
            const std::vector<double> found = values_of(now, p);
            for (std::size_t i = 0; i < wanted.size(); ++i) REQUIRE(found[i] == Approx(wanted[i]).epsilon(1e-11));
        }
    }
    CHECK(by_run.structures() == structures);
    CHECK(by_run.steps() == 12);

    // Parameters do not depend on how many plans are kept, if no new ones are drawn.
    for (const int depth : {4, 1, 2, 3}) transfer(by_run.model(of_depth(depth)), small.model(of_depth(depth)));
    DefineByRun<Adam, double> wide(Adam{.learning_rate = 0.01}, 5);
    for (const int depth : {4, 1, 2, 3}) transfer(by_run.model(of_depth(depth)), wide.model(of_depth(depth)));
    for (const int depth : depths)
        CHECK(small.train_on_batch(of_depth(depth), x, y) == wide.train_on_batch(of_depth(depth), x, y));
    CHECK(small.structures() == 1);
    CHECK(wide.structures() == 4);
}

TEST_CASE("statistics continue by name, and dropout draws other numbers in each step") {
    const auto net = [](int depth) {
        return network(Input(3) + depth * shared("again", Dense(3, tanh)) + named("norm", BatchNorm()) +
                       named("drop", Dropout(0.5)) + named("last", Dense(2)) + SquaredDiff());
    };
    const Rows x = random_rows(8, 3, 1), y = random_rows(8, 2, 2);
    DefineByRun<GradientDescent, double> by_run(GradientDescent{.learning_rate = 1e-9});
    by_run.train_on_batch(net(1), x, y);
    const auto first = xt::xarray<double>(to_xtensor(by_run.model(net(1)).parameter("norm.running_mean")));
    by_run.train_on_batch(net(2), x, y);
    const auto second = xt::xarray<double>(to_xtensor(by_run.model(net(1)).parameter("norm.running_mean")));
    CHECK_FALSE(xt::allclose(first, second));
    const double one = by_run.train_on_batch(net(1), x, y), two = by_run.train_on_batch(net(1), x, y);
    CHECK(one != two);
}

TEST_CASE("another shape under the same name is an error that changes nothing") {
    const Rows x = random_rows(6, 3, 1), y = random_rows(6, 2, 2);
    DefineByRun<Adam, double> by_run;
    by_run.train_on_batch(of_depth(1), x, y);
    const Model<DynamicNetwork, double> before = by_run.model(of_depth(1));
    const auto wider = network(Input(3) + named("first", Dense(5)) + named("last", Dense(2)) + SquaredDiff());
    CHECK_THROWS_AS(by_run.train_on_batch(wider, x, y), MismatchError);
    CHECK_THROWS_AS(by_run.model(wider), MismatchError);
    CHECK_THROWS_AS(by_run.train_on_batch(of_depth(2), x, random_rows(5, 2, 3)), ShapeError);
    CHECK(same_values(by_run.model(of_depth(1)), before));
    CHECK(by_run.steps() == 1);
    CHECK(by_run.structures() == 1);

    // The names of a network whose step has failed do not count.
    const auto tall = network(Input(3) + named("first", Dense(4, tanh)) + named("last", Dense(2)) +
                              named("extra", Dense(3)) + SquaredDiff());
    const auto other = network(Input(3) + named("first", Dense(4, tanh)) + named("last", Dense(2)) +
                               named("extra", Dense(2)) + SquaredDiff());
    CHECK_THROWS_AS(by_run.train_on_batch(tall, x, y), ShapeError);
    CHECK(by_run.train_on_batch(other, x, y) > 0);
    CHECK(by_run.steps() == 2);
    by_run.train_on_batch(of_depth(1), x, y);
    CHECK(by_run.steps() == 3);
}

TEST_CASE("networks that differ in predictions only are two structures") {
    const auto net = [](bool halves) {
        return network(Input(3) + named("last", Dense(2)) + Halved(halves) + SquaredDiff());
    };
    const Rows x = random_rows(6, 3, 1), y = random_rows(6, 2, 2);
    DefineByRun<Adam, double> by_run;
    by_run.train_on_batch(net(false), x, y);
    const auto whole = xt::xarray<double>(to_xtensor(by_run.model(net(false)).predict(x)));
    const auto half = xt::xarray<double>(to_xtensor(by_run.model(net(true)).predict(x)));
    CHECK(xt::allclose(half, 0.5 * whole));
    CHECK(by_run.structures() == 2);
}
