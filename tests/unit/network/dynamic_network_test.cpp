// SPDX-License-Identifier: BSL-1.0
// A network that is made while the program runs is the network that the compiler makes of the same expression: the same
// tables, the same programs node by node, and so the same bits wherever both are interpreted. What the compiler refuses
// there is refused here by a sentence.
#include <sigma/device/device_array.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/execution/check_gradients.hpp>
#include <sigma/execution/evaluator.hpp>
#include <sigma/layer/weighted_records.hpp>
#include <sigma/sigma.hpp>
#include <sigma/tape/print.hpp>

#include <catch2/catch.hpp>
#include <support/direct_step.hpp>
#include <support/sanitized.hpp>
#include <support/thrown.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace sigma;

namespace {

using detail::NetworkTable, detail::Program;

template <auto expression>
struct Constant : Network<expression> {};

/// A layer and a loss of a program's own. Members make it another layer, the number of its units for instance.
struct Scaled : Layer {
    int units;
    double from;
    static constexpr Text kind = "scaled";
    constexpr explicit Scaled(int u, double f = 1) : units(u), from(f) {}
    constexpr Tensor forward(Context& context, Tensor x) const {
        return tanh(dot(x, parameter(context, Shape{x.shape().last(), units}, "weights", glorot())) * from);
    }
};
struct FourthPower : Loss {
    static constexpr Text kind = "fourth_power";
    static constexpr bool classifies = false;
    constexpr Shape target(const Shape& output) const { return output; }
    constexpr Tensor predict(Tensor z) const { return 2.0 * z; }
    constexpr Tensor loss(Tensor z, Tensor y) const { return mean(square(square(z - y))); }
    constexpr Tensor accuracy(Tensor z, Tensor y) const { return mean(abs(z - y) < 0.5); }
};

/// All that a table says, to the last bit.
std::string described(const NetworkTable& of) {
    std::ostringstream to;
    to << std::hexfloat;
    const auto write = [&]<class X>(const X& x) {
        if constexpr (std::is_same_v<X, Text>) to << x.view() << ' ';
        else if constexpr (std::is_same_v<X, Shape>)
            to << x.rank << ':' << x[0] << ',' << x[1] << ',' << x.count() << ' ';
        else if constexpr (std::is_enum_v<X>) to << static_cast<int>(x) << ' ';
        else to << x << ' ';
    };
    const auto line = [&](const auto&... each) { to << '\n', (write(each), ...); };
    for (const auto& p : of.parameters) {
        const auto& i = p.initializer;
        line(p.name, p.shape, p.trained, i.kind, i.fan, i.first, i.second, i.custom != nullptr);
    }
    for (const auto& l : of.layers)
        line(l.name, l.output, l.parameters, l.kind, l.tags, l.named, l.variable, l.first_node, l.end_node);
    for (const auto& c : of.costs) {
        line(c.name, c.kind, c.loss_weight, c.named, c.classifies, c.has_accuracy, c.has_labels, c.has_rule, c.weighs);
        line(c.yes_or_no, c.probabilities, c.output, c.target, c.prediction, c.compared, c.range.lowest);
        line(c.range.greatest, c.labels.first, c.labels.end, c.labels.ignore.exists, c.labels.ignore.value);
        line(c.rule.kind, c.rule.longest, c.rule.ignore.exists, c.rule.ignore.value);
    }
    for (const Shape& shape : of.inputs) line(shape);
    for (const auto& id : of.ids) line(id.rows, id.layer);
    for (const auto& state : of.states) line(state.name, state.units, state.last);
    line(of.fingerprint);
    return to.str();
}
std::vector<int> ids(const auto& variables) {
    std::vector<int> all;
    for (const auto& each : variables)
        if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(each)>>) all.push_back(static_cast<int>(each));
        else all.push_back(each.id);
    return all;
}
/// What the compiler traces, or a function of the expression itself.
void check_same(const auto& constant, const Program& now) {
    const auto& nodes = [&]() -> const auto& {
        if constexpr (requires { constant.nodes; }) return constant.nodes;
        else return constant.tape;
    }();
    REQUIRE(now.tape.size() == nodes.size());
    for (int i = 0; i < now.tape.size(); ++i)
        if (!(nodes[i] == now.tape[i])) FAIL("node " << i << " is now " << to_text(now.tape, i));
    CHECK(ids(constant.outputs) == ids(now.outputs));
    CHECK(ids(constant.assignments) == ids(now.assignments));
}

/// What the networks that were compared consist of.
std::set<std::string> kinds_seen;

/// That a network of these layers is the constant.
template <auto expression>
void examine(const Layers& layers) {
    using N = Constant<expression>;
    const DynamicNetwork net = network(layers);
    const detail::MadeTables& made = net.made();
    const NetworkTable &constant = detail::network_table<N>, &table = made.table();
    for (const auto& layer : table.layers) kinds_seen.emplace(layer.kind.view());
    for (const auto& cost : table.costs) kinds_seen.emplace(cost.kind.view());
    CHECK(described(constant) == described(table));
    CHECK(made.training_fingerprint() == detail::constant_fingerprint<N>);
    CHECK(graphviz(net) == graphviz(N{}));
    CHECK(ids(made.graph().multiply_adds) == ids(detail::NetworkGraph<N>::table.multiply_adds));
    CHECK(ids(detail::changed_statistics(made.layers())) == ids(detail::changed_statistics(expression)));

    check_same(detail::traced_program<detail::NetworkProgram<N, detail::to_predict>>(),
               made.operations(detail::to_predict));
    check_same(detail::traced_program<detail::NetworkProgram<N, detail::to_evaluate>>(),
               made.operations(detail::to_evaluate));
    const detail::MadeTraining<float> training(made, detail::update_rule<Adam>, on_cpu::lanes<float>);
    check_same(detail::traced_program<detail::TrainingProgram<N, Adam>>(), training.operations());
    for (int i = 0; i < training.state_table().size(); ++i)
        CHECK(training.state_table()[i].name == detail::state_table<N, Adam>[i].name);
    for (const auto& purpose :
         {detail::to_see_layers, detail::to_inspect, detail::to_find_gradients, detail::to_find_local_gradients}) {
        Program p;
        detail::trace_program(p, expression, purpose, table.inputs.size());
        check_same(p, made.operations(purpose));
    }
}
template <auto expression>
void examine(const char* name) {
    INFO(name);
    examine<expression>(Layers(expression));
}
template <auto layers, int... extents>
void check_layers(const char* name) {
    examine<Input(extents...) + layers + SquaredDiff{}>(name);
}
template <int features, auto... losses>
void check_losses() {
    (examine<Input(features) + Linear(3) + losses>("a loss"), ...);
}

template <class L>
void note_kind(std::set<std::string>& kinds) {
    if constexpr (requires { L::kind; }) kinds.emplace(Text(L::kind).view());
}

/// A block of layers, of whatever type, at every place where one may stand.
constexpr auto of_blocks = [](const auto& block, int times) {
    return Input(4) + Residual(times * block) + named("tower", block) + Concatenate(skip, block) + frozen(block) +
           tagged("own", block) + shared("one", block) +
           Costs(block + SoftmaxCE(), loss_weight(0.5, named("price", block + SquaredDiff())));
};
constexpr auto shares = [](auto x) { return softmax(x); };
constexpr auto bent = [](auto x) { return x * sigmoid(x); };
constexpr auto compared = [](auto a, auto b) {
    const auto d = layer(Dense(3, relu), abs(a - b));
    return d * a;
};

DynamicNetwork classifier(int features, const std::vector<int>& widths, int classes) {
    Layers layers = Input(features);
    for (const int width : widths) layers += Dense(width, relu);
    layers += Dense(classes) + SoftmaxCE();
    return network(layers);
}

/// Records that a network takes, drawn by a seed: numbers, class numbers where it takes those.
Dataset drawn(const NetworkTable& network, std::size_t count, std::uint64_t seed) {
    const Philox random(seed, RandomUse::user, 0);
    std::uint64_t at = 0;
    const auto draw = [&](Text name, const Shape& shape, int classes, double lowest) {
        const auto extents = detail::array_extents(shape, static_cast<std::ptrdiff_t>(count));
        Numbers all{{extents.begin(), extents.end()},
                    std::vector<float>(static_cast<std::size_t>(shape.count()) * count)};
        for (float& x : all.values) {
            const double u = random.uniform<double>(at++);
            x = static_cast<float>(classes > 0 ? std::floor(u * classes) : lowest + u);
        }
        return NamedNumbers{std::string(name.view()), std::move(all)};
    };
    std::vector<NamedNumbers> inputs, targets;
    for (int i = 0; i < network.inputs.size(); ++i)
        inputs.push_back(draw(network.layers[i].name, network.inputs[i], network.ids[i].rows, -0.3));
    for (const auto& c : network.costs)
        targets.push_back(
            draw(c.name, c.target, c.has_labels ? c.output.last() : 0, c.yes_or_no || c.weighs ? 0 : -0.3));
    return {std::move(inputs), std::move(targets), "drawn"};
}

/// Everything that twenty steps and what follows say: losses, parameters, predictions, scores.
template <class N, class T>
std::vector<T> trained(const N& network, std::size_t count) {
    using M = Model<N, T>;
    M model(network, 3);
    const Dataset data = drawn(model.network(), count, 7);
    detail::EvaluatedRecords<T> batch(model.network(), data);
    batch.gather(0);
    const typename M::InputPointers inputs = batch.inputs();
    const typename M::TargetPointers targets = batch.targets();
    sigma::test::DirectStep<N, Adam, T> step(model);
    std::vector<T> all;
    for (int i = 1; i <= 20; ++i)
        all.push_back(static_cast<T>(
            step(Adam{}, static_cast<std::uint64_t>(i), inputs, targets, static_cast<std::ptrdiff_t>(count))));
    for (int p = 0; p < model.network().parameters.size(); ++p)
        for (const T x : model.parameter(p)) all.push_back(x);
    detail::Evaluator<N, T> evaluator(model.network(), data);
    evaluator.predict(model, [&](int, std::span<const T> said, std::span<const T>) {
        all.insert(all.end(), said.begin(), said.end());
    });
    all.push_back(static_cast<T>(evaluator(model).error));
    return all;
}
/// Both are interpreted where nobody optimizes: then they are the same to the last bit.
template <auto expression, class T>
void check_training(const char* name, std::size_t count) {
    INFO(name << ", " << count << " records");
    using N = Constant<expression>;
    using P = typename detail::StepPrograms<N, Adam, T>::P;
    constexpr bool same_bits =
        on_cpu::interprets<P>() && on_cpu::interprets<detail::NetworkPlan<N, detail::to_predict, T>>();
    const std::vector<T> constant = trained<N, T>(N{}, count),
                         made = trained<DynamicNetwork, T>(network(expression), count);
    REQUIRE(constant.size() == made.size());
    CHECK(made[19] != made[0]);  // it trains
    if (same_bits) CHECK(made == constant);
    else
        for (std::size_t i = 0; i < made.size(); ++i)
            CHECK(static_cast<double>(made[i]) == Approx(static_cast<double>(constant[i])).epsilon(1e-3).margin(1e-3));
}

/// What Dense(relu), Dense and a softmax say, by plain sums of double.
template <class T>
std::vector<double> by_hand(const Model<DynamicNetwork, T>& model, const Array<double>& x) {
    std::vector<double> at(x.begin(), x.end());
    const std::size_t count = x.shape(0);
    for (int layer = 0; layer < 2; ++layer) {
        const Array<double> w(model.parameter(2 * layer)), b(model.parameter(2 * layer + 1));
        const std::size_t in = w.shape(0), out = w.shape(1);
        std::vector<double> next(count * out);
        for (std::size_t r = 0; r < count; ++r) {
            double total = 0;
            for (std::size_t j = 0; j < out; ++j) {
                double sum = b(j);
                for (std::size_t i = 0; i < in; ++i) sum += at[r * in + i] * w(i, j);
                total += next[r * out + j] = layer == 0 ? std::max(sum, 0.0) : std::exp(sum);
            }
            for (std::size_t j = 0; layer == 1 && j < out; ++j) next[r * out + j] /= total;
        }
        at = next;
    }
    return at;
}

/// Networks drawn by chance. Their functions are smooth, so that differences say what gradients are.
class RandomNetworks {
public:
    explicit RandomNetworks(unsigned seed) : random_(seed) {}

    DynamicNetwork operator()() {
        const int width = up_to(6);
        Layers sequence = Input(2 + up_to(3), width) + Linear(4, tanh);
        for (int i = up_to(3); i > 0; --i) sequence += of_sequence();
        const Layers begin =
            any_of({sequence + Flatten(), Layers(Input(width)),
                    Input(5, 6, 2) + Conv2D(3, 2, tanh, {.padding = same}) + AveragePool(2) + Flatten()});
        const Layers layers = begin + Dense(width) + of_rows(width, 2);
        const int n = 2 + up_to(3);
        return network(
            layers +
            any_of({Dense(n) + SoftmaxCE(), Dense(n) + SquaredDiff(), Dense(1) + BinaryCE(), Scaled(n) + FourthPower(),
                    Costs(Dense(n) + SoftmaxCE(), loss_weight(0.4, Dense(2) + MeanSquaredError()))}));
    }

private:
    std::mt19937 random_;

    int up_to(int n) { return 1 + static_cast<int>(random_() % static_cast<unsigned>(n)); }
    Layers any_of(const std::vector<Layers>& all) { return all[random_() % all.size()]; }
    /// From (batch, width) to the same.
    Layers of_rows(int width, int depth) {
        Layers layers;
        for (int i = up_to(3); i > 0; --i) {
            const int other = up_to(7);
            const double factor = 0.5 + 0.25 * up_to(4);
            const Layers inner = depth > 0 ? of_rows(width, depth - 1) : Layers(Dense(width));
            const auto captures = [=](auto x) { return factor * x + sigmoid(layer(Dense(width), x)); };
            layers += any_of({Dense(other, tanh) + Dense(width), BatchNorm() + Dropout(0.2) + GaussianNoise(0.1),
                              captures, up_to(3) * Dense(width, sigmoid), Scaled(other, factor) + Dense(width),
                              frozen(Dense(width, tanh)) + Average(skip, Linear(width)), Residual(inner),
                              Multiply(Dense(width, softplus), inner), Concatenate(skip, inner) + Dense(width, gelu)});
        }
        return layers;
    }
    /// From (batch, time, 4) to the same.
    Layers of_sequence() {
        return any_of({LSTM(4), GRU(4, {.backwards = true}), Bidirectional(Recurrent(2)),
                       LearnedPositions() + Attention(2, {.causal = true}), Conv1D(4, 2, tanh, {.padding = same}),
                       TransformerBlock(2, 5, gelu), Residual(LayerNorm() + Linear(4, silu)), RMSNorm() + Linear(4)});
    }
};

constexpr auto two_inputs = (named("left", Input(3)) & named("right", Input(2))) + Parallel(Dense(4, tanh), Dense(4)) +
                            Add() +
                            Costs(named("kind", Dense(3) + SoftmaxCE()), named("price", Dense(2) + SquaredDiff()));

const Array<float> three{{1, 2, 3}, {-1, 0.5f, 4}}, pair{{1, 0}, {2, -1}};

std::string said(const auto& expression) {
    return error_text<MistakeError>([&] { network(expression); });
}

}  // namespace

TEST_CASE("Every layer and every loss is the same as a constant and as a value", "[network]") {
    kinds_seen.clear();
    check_layers<Dense(5, gelu) + Linear(3, bent) + Elementwise(mish) + Scaled(4) + Scaled(2, 0.5), 4>("dense");
    check_layers<PReLU() + PReLU({.each_feature = true}) + Dropout(0.2) + GaussianNoise(0.1) + AlphaDropout(0.1) +
                     GaussianDropout(0.3) + SpatialDropout(0.2),
                 3, 2>("noise");
    check_layers<BatchNorm() + LayerNorm() + RMSNorm() + GroupNorm(2) + InstanceNorm({.affine = true}), 3, 4>("norms");
    check_layers<Conv2D(4, 3, relu, {.padding = same}) + MaxPool(2) + Conv2D(4, 3, {.groups = 2}) + AveragePool(2), 12,
                 12>("images");
    check_layers<ConvTranspose2D(3, 4, {.stride = 2, .padding = same}) + DepthwiseConv2D(3) + GlobalAveragePool(), 5, 5,
                 2>("transposed");
    check_layers<Conv1D(4, 3) + ConvTranspose1D(2, 3) + GlobalMaxPool(), 6, 3>("sequences");
    check_layers<Conv3D(2, 2, relu) + Flatten(), 4, 5, 4, 2>("volumes");
    check_layers<Upsample(2, Interpolation::bilinear) + Permute(3, 1, 2) + Reshape(4, 12) + Upsample(1), 3, 4, 1>("up");
    check_layers<SinusoidalPositions() + LearnedPositions() + RotaryPositions() +
                     Attention(2, {.causal = true, .rotary = true}),
                 5, 8>("attention");
    check_layers<3 * TransformerBlock(2, 12, {.causal = true, .dropout = 0.1}), 5, 8>("transformer");
    check_layers<Embedding(9, 4) + LSTM(3) + GRU(4) + Recurrent(3, {.last = true}), 6>("recurrent");
    check_layers<Bidirectional(LSTM(3, {.backwards = true, .stateful = true})) + Bidirectional(GRU(2)) +
                     Bidirectional(Recurrent(2, relu)),
                 5, 2>("both directions");

    check_losses<4, SoftmaxCE({.smoothing = 0.1, .ignore = -1}), SoftmaxCE().weighted(1, 2, 0.5),
                 weighted_records(SoftmaxCE()), BinaryCE{}, Huber(0.5, {.reduction = Reduction::total}), Hinge{},
                 MulticlassHinge{}, KLDivergence{}, CosineLoss{}, HalfSquared{}, AbsoluteError{},
                 MeanSquaredError({.ignore = 2}), Elementwise(shares) + NLL{}, FourthPower{},
                 SoftmaxDistributionCE{}>();
    examine<Input(6, 4) + Linear(3) + CTC(2)>("CTC");
    examine<Input(4) + Costs(Dense(2) + NoLoss(), Dense(3) + SquaredDiff())>("no loss");
    examine<Input(4) + Add(Dense(3), Dense(3, tanh)) + Average(Dense(4), skip + Dense(4)) +
            Multiply(Dense(2), Dense(2)) + Fork(Dense(2), Dense(3)) + Concatenate() + SquaredDiff()>("joins");

    // Nothing that the library has is missing above.
    std::set<std::string> wanted;
#define SIGMA_NOTE_KIND(L) note_kind<L>(wanted);
    {
        using namespace sigma::detail;
        SIGMA_EACH_LAYER(SIGMA_NOTE_KIND)
        SIGMA_EACH_LOSS(SIGMA_NOTE_KIND)
    }
#undef SIGMA_NOTE_KIND
    CHECK(wanted.size() > 50);
    for (const std::string& kind : kinds_seen) wanted.erase(kind);
    CHECK(wanted == std::set<std::string>{});
}

TEST_CASE("Every combinator is the same as a constant and as a value", "[network]") {
    examine<Input(4) + Residual(2 * Dense(4, tanh)) + Concatenate(skip, named("wide", Dense(3))) +
            Costs(Dense(3) + SoftmaxCE(), loss_weight(0.3, named("price", Dense(1) + SquaredDiff())),
                  loss_weight(0.5, tagged("own", Dense(2)) + FourthPower()))>("costs");
    examine<(Input(4) & named("other", Input(4))) + Parallel(shared("tower", Dense(3)), shared("tower", Dense(3))) +
            compared + frozen(Dense(2)) + SquaredDiff()>("twins");
    examine<Input(4) + named("tower", 2 * (tagged("head", Dense(3)) + BatchNorm())) + frozen(Scaled(3)) +
            shared("again", Dense(3)) + shared("again", Dense(3)) + tagged("a", tagged("b", Dense(1))) +
            [](auto x) { return x * layer(named("gate", Dense(1, sigmoid)), x); } + BinaryCE()>("names");
    examine<(Input(3, 2) & Input(3) & Input(2)) + Parallel(LSTM(2, {.last = true}), skip, skip) +
            [](auto a, auto b, auto c) { return concatenate(axis(1), a, b, c); } +
            weighted_records(MeanSquaredError())>("three");
    examine<Input(6) + Embedding(5, 4) + LSTM(3, {.stateful = true}) + GRU(3, {.last = true, .stateful = true}) +
            Costs(named("kind", Dense(4) + SoftmaxCE()), named("yes", Dense(1) + BinaryCE()))>("memory");
}

TEST_CASE("Layers are put together in any way", "[network]") {
    Layers chain;
    CHECK((chain.empty() && !Layers(Input(4)).empty()));
    chain += Input(4);
    for (const int width : {5, 3}) chain += Dense(width, relu);
    chain += Scaled(2, 0.5) + Dense(2) + SoftmaxCE();
    examine<Input(4) + Dense(5, relu) + Dense(3, relu) + Scaled(2, 0.5) + Dense(2) + SoftmaxCE()>(chain);

    Layers part = Dense(4, tanh);
    const Layers before = part;
    for (int i = 0; i < 2; ++i) part += part;  // itself
    examine<Input(4) + 4 * Dense(4, tanh) + SquaredDiff()>(Layers(Input(4)) + part + SquaredDiff());
    examine<Input(4) + Dense(4, tanh) + SquaredDiff()>(Input(4) + before + SquaredDiff());  // a copy stays

    // A depth that the program computes may be 0; layers may be listed.
    for (const int depth : {0, 1, 2}) {
        const auto deep = Input(4) + depth * Dense(4, tanh) + Add(Dense(4), depth * Dense(4)) + SquaredDiff();
        if (depth == 1) examine<Input(4) + Dense(4, tanh) + Add(Dense(4), Dense(4)) + SquaredDiff()>(deep);
        if (depth == 2) examine<Input(4) + 2 * Dense(4, tanh) + Add(Dense(4), 2 * Dense(4)) + SquaredDiff()>(deep);
        if (depth == 0) {
            Model plain(network(Input(4) + Dense(4) + SquaredDiff()), 3), added(network(deep), 3);
            transfer(plain, added);
            const auto x = plain.predict({1, 2, 3, 4}), y = added.predict({1, 2, 3, 4});
            for (std::size_t k = 0; k < 4; ++k) CHECK(y(0, k) == x(0, k) + static_cast<float>(k + 1));
        }
    }
    const Layers listed = {Dense(5, relu), 2 * Dense(5), Dense(3) + Dense(2)};
    examine<Input(4) + Dense(5, relu) + 2 * Dense(5) + Dense(3) + Dense(2) + SquaredDiff()>(Input(4) + listed +
                                                                                            SquaredDiff());

    examine<of_blocks(Dense(4) + BatchNorm(), 3)>(of_blocks(Layers(Dense(4)) + BatchNorm(), 3));
    examine<(Input(4) & Input(4)) + Parallel(Dense(3), Dense(3)) + Add() + SquaredDiff()>(
        (Layers(Input(4)) & Layers(Input(4))) + Parallel(Layers(Dense(3)), Layers(Dense(3))) + Layers(Add()) +
        SquaredDiff());

    // A function that captures, here what the constant has written out; and names that are made while it runs.
    const double factor = 0.25;
    const int units = 4;
    Layers named_layers = Input(4);
    for (int i = 0; i < 2; ++i) named_layers += named(Text("hidden").append(i), Dense(units, tanh));
    named_layers += [=](auto x) { return x + factor * layer(Dense(units), x); };
    examine<Input(4) + named("hidden0", Dense(4, tanh)) + named("hidden1", Dense(4, tanh)) +
            [](auto x) { return x + 0.25 * layer(Dense(4), x); } + SquaredDiff()>(named_layers + SquaredDiff());

    struct Table : DynamicNetwork {
        explicit Table(int n) : DynamicNetwork(Layers(Input(n) + Dense(2) + SoftmaxCE())) {}
    };
    const Model model(Table(3), 5);
    CHECK(model.predict({1, 2, 3}) == Model<Constant<Input(3) + Dense(2) + SoftmaxCE()>>(5).predict({1, 2, 3}));
}

TEMPLATE_TEST_CASE("Trainings are the same, bit by bit where both are interpreted", "[network]", float, double) {
    using T = TestType;
    for (const std::size_t count : {1u, 7u, 8u, 9u})
        check_training<Input(5) + Dropout(0.2) + Dense(9, relu) + Dense(3) + SoftmaxCE(), T>("dense", count);
    check_training<Input(6) + Dense(7, tanh) + BatchNorm() + Residual(Dense(7, gelu)) + Scaled(4) + FourthPower(), T>(
        "norm", 9);
    check_training<
        Input(8, 8) + Conv2D(3, 3, relu, {.padding = same}) + MaxPool(2) + Flatten() + Dense(2) + SoftmaxCE(), T>(
        "image", 8);
    check_training<Input(5) + Embedding(9, 4) + LSTM(3) + GRU(3, {.last = true}) + Dense(1) + BinaryCE(), T>("text", 7);
    check_training<Input(4, 6) + TransformerBlock(2, 8, {.causal = true}) + GlobalAveragePool() +
                       Costs(Dense(3) + SoftmaxCE(), loss_weight(0.3, Dense(2) + SquaredDiff())),
                   T>("transformer", 9);
    check_training<(Input(3) & Input(3)) + Parallel(shared("a", Dense(4)), shared("a", Dense(4))) + Multiply() +
                       frozen(Dense(3)) + Dense(2) + weighted_records(MeanSquaredError()),
                   T>("twins", 7);
}

TEMPLATE_TEST_CASE("Sizes of all kinds say what plain sums say", "[network]", float, double) {
    using T = TestType;
    const double within = std::is_same_v<T, float> ? 2e-6 : 1e-14;
    const int lanes = on_cpu::lanes<T>;
    std::mt19937 random(5);
    const int some = 17 + static_cast<int>(random() % 80), more = 2 + static_cast<int>(random() % 40);
    const int sizes[]{1, 7, 8, 9, lanes - 1, lanes, lanes + 1, some, more};
    double worst = 0, worst_loss = 0;
    for (const int features : sizes)
        for (const int width : sizes) {
            const DynamicNetwork net = classifier(features, {width}, 2 + static_cast<int>(random() % 9));
            Model<DynamicNetwork, T> model(net, random());
            model.initialize("*.biases", gaussian(0.5));
            for (const std::size_t count : {1u, 7u, 8u, 9u}) {
                const Dataset data = drawn(model.network(), count, random());
                const std::vector<double> wanted = by_hand(model, Array<double>(data.inputs()));
                const auto found = model.predict(data.inputs());
                REQUIRE(found.size() == wanted.size());
                for (std::size_t i = 0; i < wanted.size(); ++i)
                    worst = std::max(worst, std::abs(static_cast<double>(found.data()[i]) - wanted[i]));
                double entropy = 0;
                for (std::size_t r = 0; r < count; ++r)
                    entropy -= std::log(wanted[r * found.shape(1) + data.label(r)]) / static_cast<double>(count);
                worst_loss = std::max(worst_loss, std::abs(model.evaluate(data).error - entropy) / (1 + entropy));
            }
        }
    CHECK((worst > 0 && worst < within));
    CHECK(worst_loss < within);
}

TEST_CASE("Gradients of random networks agree with differences", "[network]") {
    RandomNetworks next(11);
    std::set<std::uint64_t> different;
    const std::size_t count = test::sanitized ? 30 : 150;
    for (std::size_t i = 0; i < count; ++i) {
        const DynamicNetwork net = next();
        INFO("network " << i << "\n" << summary(net));
        Model<DynamicNetwork, double> model(net, i);
        different.insert(model.network().fingerprint);
        const Dataset data = drawn(model.network(), 5, 3);
        CHECK_NOTHROW(check_gradients(model, data, {.elements = 8}).require(1e-5));
    }
    CHECK(different.size() > count - count / 7);
}

TEST_CASE("Models of made networks predict whatever models predict", "[network]") {
    const Model<Constant<Input(3) + Dense(4, tanh) + Dense(3) + SoftmaxCE()>> wanted(7);
    const Model now(network(Input(3) + Dense(4, tanh) + Dense(3) + SoftmaxCE()), 7);
    CHECK(now.predict(three) == wanted.predict(three));
    CHECK(now.predict({1, 2, 3}) == wanted.predict({1, 2, 3}));
    CHECK(now.predict({{1, 2, 3}, {3, 2, 1}}) == wanted.predict({{1, 2, 3}, {3, 2, 1}}));
    CHECK(now.predict(std::vector<float>{1, 2, 3}) == wanted.predict({1, 2, 3}));
    CHECK(now.predict(cpu({.threads = 2}), three) == wanted.predict(three));
    CHECK(now.predict<"softmax_ce">(three) == wanted.predict(three));
    CHECK(now.predict(DeviceArray<float>(cpu(), three)).to_host() == wanted.predict(three));
    const Dataset data = make_dataset(three, Array<int>{0, 2});
    CHECK(now.predict(data.input(1)) == wanted.predict(data.input(1)));
    CHECK(now.evaluate(data).accuracy == wanted.evaluate(data).accuracy);
    CHECK(now.parameter<"2-dense.weights">() == wanted.parameter<"2-dense.weights">());
    CHECK(now.prediction_bytes(7) == wanted.prediction_bytes(7));
    for (std::size_t i = 0; i < 2; ++i) CHECK(now.classify(three)[i] == wanted.classify(three)[i]);
    CHECK(now.classify(std::vector<float>{1, 2, 3})[0] == wanted.classify(three)[0]);

    const Model<Constant<Input(3) + Dense(1) + BinaryCE()>> wanted_yes(3);
    const Model yes(network(Input(3) + Dense(1) + BinaryCE()), 3);
    for (const double threshold : {0.0, 0.2, 0.5, 0.8})
        CHECK(yes.classify(three, threshold)[1] == wanted_yes.classify(three, threshold)[1]);
    CHECK((yes.classify(three, 0.0)[0] == 1 && yes.classify(three, 1.0)[0] == 0));

    const Model<Constant<two_inputs>> wanted_both(7);
    const Model both(network(two_inputs), 7);
    const auto all = both.predict_all(three, pair);
    CHECK(std::ranges::equal(all, wanted_both.predict(three, pair)));
    CHECK(both.predict<0>(three, pair) == all[0]);
    CHECK(both.predict<1>(three, pair) == all[1]);
    CHECK(both.predict<"price">(three, pair) == all[1]);
    const Model joined(network((Input(3) & Input(2)) + Concatenate() + Dense(2) + SquaredDiff()), 7);
    const std::vector<float> left{1, 2, 3}, right{1, 0};
    CHECK(joined.predict(left, right) == joined.predict(Array<float>{{1, 2, 3}}, Array<float>{{1, 0}}));
    CHECK(joined.predict(DeviceArray<float>(cpu(), three), DeviceArray<float>(cpu(), pair)).to_host() ==
          joined.predict(three, pair));
}

TEST_CASE("What is wrong with a network is said when it is made", "[network]") {
    CHECK(said(Dense(3) + SquaredDiff()) == "a network must start with Input");
    CHECK(said(Layers()) == "a network must start with Input");
    CHECK(said(Layers(Input(4)) + Dense(3)) == "no error");  // it predicts
    CHECK(said(Input(4) + SquaredDiff() + Dense(3)) == "layer '0-input': a loss is only allowed last");
    CHECK(said(Input(4) + Dense(3) + Input(3) + SquaredDiff()) == "layer '2-input': Input is only allowed first");
    CHECK(said(Input(4) + Dense(0) + SquaredDiff()) == "layer '1-dense': Dense: units must be positive; units 0");
    CHECK(said(Input(4) + -1 * Dense(3) + SquaredDiff()) == "repeat count must be positive; times -1");
    CHECK(said(Input(4) + 2 * (Dense(4) + Layers(SquaredDiff()))) == "layer '1-dense': a loss is only allowed last");
    CHECK(said(Input(4, 4) + 2 * Conv2D(3, 3) + SquaredDiff()) ==
          "layer '2-conv2d': the kernel is larger than the padded image; image (batch, 2, 2, 3); weights (3, 3, 3, 3)");
    const auto joined = [](const auto& join) { return said(Input(4) + join + SquaredDiff()); };
    const std::string sizes = "branches do not fit; first value (batch, 5); second value (batch, 3)";
    CHECK(joined(Add(Dense(5), Dense(3))) == "layer '3-add': Add: " + sizes);
    CHECK(joined(Average(Dense(5), Dense(3))) == "layer '3-average': Average: " + sizes);
    CHECK(joined(Multiply(Dense(5), Dense(3))) == "layer '3-multiply': Multiply: " + sizes);
    CHECK(said(Input(4, 2) + Concatenate(axis(1), Linear(5), Linear(3)) + SquaredDiff()) ==
          "layer '3-concatenate': Concatenate: branches do not fit; axis 1; first value (batch, 4, 5); second value "
          "(batch, 4, 3)");
    CHECK(joined(Residual(Layers(Dense(5)))) ==
          "layer '2-add': Add: branches do not fit; first value (batch, 5); second value (batch, 4)");
    CHECK(joined(Fork(Dense(5)) + Add()) == "a join needs at least two branches; branches 1");
    CHECK(joined(Fork(Dense(5), Dense(5))) == "layer '2-dense': a loss needs one value; values 2");
    CHECK(joined(Layers(Add())) == "layer '1-add': a join needs at least two values; values 1");
    CHECK(joined(Parallel(Dense(5), Dense(5))) == "Parallel needs one branch for each value; branches 2; values 1");
    CHECK(joined(loss_weight(2, Dense(3))) == "layer '1-dense': a loss weight belongs to a cost");
    CHECK(joined(named("a b", Dense(3))) == "a name must have 1 to 24 letters, digits or dashes; characters 3");
    CHECK(joined(tagged("", Dense(3))) == "a name must have 1 to 24 letters, digits or dashes; characters 0");
    CHECK(joined(named("1-a", Dense(3))) == "a name must not begin with a number and a dash; name '1-a'");
    CHECK(joined(named("a", Dense(3)) + named("a", Dense(3))) == "two layers or costs have the same name; name 'a'");
    CHECK(joined(shared("t", Dense(3)) + shared("t", Dense(3))) ==
          "shared layers have different parameters; first (4, 3); second (3, 3)");
    Layers deep = Dense(4);
    for (int i = 0; i < 4; ++i) deep = Layers(named(Text("twenty-letters-name-").append(i), deep + Dense(4)));
    CHECK(joined(deep) == "a name is longer than 63 characters; characters 66");
    CHECK(said(Input(4) + Costs(Dense(2) + SquaredDiff(), Dense(3))) ==
          "layer '2-dense': a branch of Costs has no loss");
    CHECK(said(Input(4) + Costs()) == "Costs needs at least one cost");
    CHECK(joined(loss_weight(-1, Dense(3))) == "a loss weight must be finite and not negative; loss weight -1");
    CHECK(said(Input(4) + Dense(1) + SoftmaxCE()) ==
          "layer '1-dense': softmax losses need at least two classes; output (batch, 1)");
    CHECK(said(Input(4) + Dense(3, sigmoid) + BinaryCE()) == "the loss applies the activation before it itself");
    const int units = 3, line = __LINE__ + 1;
    const auto wrong = [=](auto x) { return x + layer(Dense(units), x); };
    CHECK(said(Input(4) + wrong + SquaredDiff()) ==
          sentence("layer '1-lambda': shapes do not broadcast; shape of x (batch, 4); shape of y (batch, 3); line ",
                   line));
}

TEST_CASE("What a model is not asked rightly is said when it is asked", "[network]") {
    const Model one(network(Input(3) + Dense(2) + SoftmaxCE())), two(network(two_inputs)),
        amount(network(Input(3) + Dense(1) + SquaredDiff()));
    const auto refused = [](auto f) { return error_text(f); };
    CHECK(refused([&] { one.predict(three, pair); }) == "inputs of the network: expected 1 arrays, found 2");
    CHECK(refused([&] { two.predict_all(three); }) == "inputs of the network: expected 2 arrays, found 1");
    const std::string several =
        "predict: expected a network with one output (use predict_all or predict<0> for several), found a network "
        "with 2 outputs";
    CHECK(refused([&] { two.predict(three, pair); }) == several);
    CHECK(refused([&] { two.predict(cpu({.threads = 2}), three, pair); }) == several);
    CHECK(refused([&] { two.predict_anew(three, pair); }) == several);
    CHECK(refused([&] { two.predict(DeviceArray<float>(cpu(), three), DeviceArray<float>(cpu(), pair)); }) == several);
    CHECK(refused([&] { one.predict(std::vector<float>{1, 2, 3}, std::vector<float>{1, 2}); }) ==
          "inputs of the network: expected 1 arrays, found 2");
    const std::string position = "output of the network: expected a position from 0 to 1, found ";
    CHECK(refused([&] { two.predict<2>(three, pair); }) == position + "2");
    CHECK(refused([&] { two.predict<-1>(three, pair); }) == position + "-1");
    CHECK(refused([&] { two.predict<"prize">(three, pair); }) ==
          "no output 'prize'; did you mean 'price'? The network has 'kind', 'price'");
    CHECK(refused([&] { two.predict_all(three, Array<float>{{1, 2}}); }) ==
          "input 'right' of the network: expected 2 records, as the first input, found 1");
    const std::string ends =
        "classify: expected a network with one loss of classes (SoftmaxCE) or of yes and no (BinaryCE), found a "
        "network with loss ";
    CHECK(refused([&] { two.classify(three, pair); }) == ends + "'kind' and others");
    CHECK(refused([&] { amount.classify(three); }) == ends + "'2-squared_diff'");
    CHECK(refused([&] { one.classify(three, 0.4); }) ==
          "classify: expected a network with one loss of yes and no (BinaryCE), found a network with loss "
          "'2-softmax_ce'");
    CHECK(refused([&] { one.parameter<"1-dense.weight">(); }) ==
          "no parameter '1-dense.weight'; did you mean '1-dense.weights'? The network has '1-dense.weights', "
          "'1-dense.biases'");
    CHECK(refused([&] { check_gradients(one, three, pair, pair); }) ==
          "arrays: expected 1 inputs and 1 targets, found 3");
}
