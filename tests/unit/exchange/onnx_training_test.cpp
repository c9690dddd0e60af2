// SPDX-License-Identifier: BSL-1.0
// What is trained of ONNX files as exporters write them: weights that reach their operator through others, equal
// tensors that the file stores once, statistics.
#include <sigma/execution/batch_trainer.hpp>

#include <catch2/catch.hpp>
#include <support/onnx_made.hpp>

#include <cmath>

using namespace sigma;

namespace {

using Trained = Model<DynamicNetwork, double>;

/// With a loss of squares behind it.
Trained model_to_train(const Made& m) { return Trained(network(Layers(m.read()) + SquaredDiff())); }
Array<double> drawn(std::vector<std::size_t> extents, double shift = 0) {
    auto a = Array<double>::from_shape(extents);
    for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = std::sin(1.7 * static_cast<double>(i) + shift);
    return a;
}
/// The losses of a few steps.
std::vector<double> losses_of(Trained& model, const Array<double>& x, const Array<double>& y, int steps = 4) {
    BatchTrainer one{model, GradientDescent{.learning_rate = 0.1}};
    std::vector<double> all;
    for (int i = 0; i < steps; ++i) all.push_back(one.train_on_batch(x, y));
    return all;
}
int frozen(const Trained& model) {
    int count = 0;
    for (const auto& p : model.records.parameters) count += !p.trained;
    return count;
}

/// As PyTorch's exporter writes an LSTM in training: gates i, f, g, o, which Slice and Concat put in ONNX's order, i,
/// o, f, c. `direct` stores them so.
void make_lstm(Made& m, bool direct) {
    constexpr long long units = 2, size = 3;
    m.input("x", {-1, 4, size}).output("y");
    const auto weights = [&](const std::string& name, long long columns) {
        const std::vector<float> all = counted(static_cast<std::size_t>(4 * units * columns), -0.5f, 0.07f);
        const std::string raw = name + "_of_torch";
        const auto rows = [&](long long first, long long end) {
            return std::vector<float>(all.begin() + first * units * columns, all.begin() + end * units * columns);
        };
        const Extents bias{4 * units}, matrix{4 * units, columns};
        if (direct) {
            std::vector<float> moved;
            for (const auto& part : {rows(0, 1), rows(3, 4), rows(1, 3)})
                moved.insert(moved.end(), part.begin(), part.end());
            m.floats(name + "_parts", columns == 1 ? bias : matrix, moved);
            return;
        }
        m.floats(raw, columns == 1 ? bias : matrix, all);
        std::vector<std::string> parts;
        for (const auto& [first, end] : {std::pair{0, 1}, {3, 4}, {1, 3}}) {
            const std::string part = name + std::to_string(first);
            m.wholes(part + "_first", {1}, {first * units}), m.wholes(part + "_end", {1}, {end * units});
            m.node("Slice", {raw, part + "_first", part + "_end", "zero"}, {part});
            parts.push_back(part);
        }
        set(m.node("Concat", parts, {name + "_parts"}), "axis", 0);
    };
    m.wholes("zero", {1}, {0});
    weights("w", size), weights("r", units), weights("a", 1), weights("b", 1);
    set(m.node("Concat", {"a_parts", "b_parts"}, {"both"}), "axis", 0);
    for (const char* each : {"w_parts", "r_parts", "both"})
        m.node("Unsqueeze", {each, "zero"}, {each + std::string("_1")});
    set(m.node("Transpose", {"x"}, {"t"}), "perm", {1, 0, 2});
    set(m.node("LSTM", {"t", "w_parts_1", "r_parts_1", "both_1"}, {"all", "last"}, "lstm"), "hidden_size", 2);
    m.node("Squeeze", {"last", "zero"}, {"y"});
}
/// Each of four features by a weight of its own name, with a second normalization that repeats the numbers of the
/// first.
void make_norms(Made& m, bool by_identity) {
    m.input("x", {-1, 2}).output("y");
    m.floats("one", {2}, {1, 1}), m.floats("none", {2}, {0, 0}), m.floats("m1", {2}, {0, 0}),
        m.floats("v1", {2}, {1, 1});
    for (const auto& [name, of] : {std::pair{"s2", "one"}, {"b2", "none"}, {"m2", "none"}, {"v2", "one"}}) {
        if (by_identity) m.node("Identity", {of}, {name});
        else m.floats(name, {2}, of == std::string("one") ? std::vector<float>{1, 1} : std::vector<float>{0, 0});
    }
    m.node("BatchNormalization", {"x", "one", "none", "m1", "v1"}, {"n"}, "first");
    m.node("BatchNormalization", {"n", "s2", "b2", "m2", "v2"}, {"y"}, "second");
}

}  // namespace

TEST_CASE("Weights that reach an LSTM through Slice and Concat are trained") {
    Made through, direct;
    make_lstm(through, false), make_lstm(direct, true);
    auto model = model_to_train(through), other = model_to_train(direct);
    CHECK(frozen(model) == 0);
    CHECK(frozen(other) == 0);
    const Array<double> x = drawn({5, 4, 3}), y = drawn({5, 2}, 1);
    const std::vector<double> found = losses_of(model, x, y), wanted = losses_of(other, x, y);
    CHECK(wanted.back() < 0.97 * wanted.front());
    for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(found[i] == Approx(wanted[i]).epsilon(1e-10));
}

TEST_CASE("A weight is trained whatever else used it before") {
    Made m;
    m.input("x", {-1, 2}).output("y");
    m.floats("w", {2, 2}, {1, 2, 3, 4});
    m.node("MatMul", {"x", "w"}, {"p"}), m.node("Equal", {"w", "w"}, {"e"});
    set(m.node("Cast", {"e"}, {"ones"}), "to", 1);
    m.node("MatMul", {"p", "ones"}, {"y"});
    m.graph.mutable_node()->SwapElements(0, 1), m.graph.mutable_node()->SwapElements(1, 2);  // the comparison first
    const auto model = model_to_train(m);
    REQUIRE(model.records.parameters.size() == 1);
    CHECK(model.records.parameters[0].trained);
}

TEST_CASE("Equal tensors that a file stores once are weights of their own where Identity gives them") {
    Made once, each;
    make_norms(once, true), make_norms(each, false);
    auto model = model_to_train(once), other = model_to_train(each);
    CHECK(model.records.parameters.size() == 8);
    CHECK(frozen(model) == 4);
    const Array<double> x = drawn({6, 2}), y = drawn({6, 2}, 1);
    const std::vector<double> found = losses_of(model, x, y), wanted = losses_of(other, x, y);
    CHECK(found == wanted);
    CHECK(model.predict(x) == other.predict(x));
    Made shared;  // by one name: one weight, which is a statistic as well
    shared.input("x", {-1, 2}).output("y");
    shared.floats("one", {2}, {1, 1}), shared.floats("none", {2}, {0, 0});
    shared.node("BatchNormalization", {"x", "one", "none", "none", "one"}, {"y"}, "norm");
    const auto apart = model_to_train(shared);
    CHECK(apart.records.parameters.size() == 4);
    CHECK(frozen(apart) == 2);
}

TEST_CASE("Running variances are divided by n - 1 in training, as PyTorch does, and by n in an output, as ONNX says") {
    const auto make = [](Made& m, bool training_mode, bool outputs) {
        m.input("x", {-1, 1}).output("y");
        for (const char* name : {"scale", "variance"}) m.floats(name, {1}, {1});
        for (const char* name : {"shift", "mean"}) m.floats(name, {1}, {0});
        auto& n = m.node("BatchNormalization", {"x", "scale", "shift", "mean", "variance"},
                         {"y", "new_mean", "new_variance"}, "norm");
        if (training_mode) set(n, "training_mode", 1);
        if (outputs) m.output("doubled"), m.node("Add", {"y", "new_variance"}, {"doubled"});
    };
    const Array<double> x({4, 1}, {1, 2, 3, 6});  // of mean 3, of variance 14 / 4 or 14 / 3
    for (const bool training_mode : {false, true}) {
        Made m(15);
        make(m, training_mode, false);
        auto model = model_to_train(m);
        losses_of(model, x, x, 1);
        const auto statistic = [&](const char* name) { return model.parameter(model.find_parameter(name))(0); };
        CHECK(statistic("norm.running_mean") == Approx(0.1 * 3));
        CHECK(statistic("norm.running_variance") == Approx(0.9 + 0.1 * 14 / 3));
        // What is predicted rests on these, whether or not the file is of a network in training.
        const double scale = model.parameter(model.find_parameter("norm.scales"))(0);
        const double shift = model.parameter(model.find_parameter("norm.shifts"))(0);
        CHECK(model.predict(x)(0, 0) ==
              Approx((1 - 0.3) / std::sqrt(0.9 + 0.1 * 14 / 3 + 1e-5) * scale + shift).epsilon(1e-6));
    }
    Made m(15);
    make(m, true, true);
    const auto model = model_of(m);  // whose graph reads new statistics, which are those of the batch
    CHECK(predicted_of(model, {{1, 2, 3, 6}}, 4, 0)[0] == Approx(-2 / std::sqrt(3.5f)).epsilon(1e-4));
    CHECK(predicted_of(model, {{1, 2, 3, 6}}, 4, 1)[0] == Approx(-2 / std::sqrt(3.5f) + 0.9f + 0.35f).epsilon(1e-4));
}
