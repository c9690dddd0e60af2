// SPDX-License-Identifier: BSL-1.0
// Sizes that have names: the compiler checks with them, and the network that is made with values is the one that has
// these as constants.
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/cross_validate.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <string>
#include <vector>

using namespace sigma;
using Catch::Matchers::Contains;

namespace {

struct Table : Network<Input(dim<"features">) + 2 * Dense(dim<"width">, relu) + Dense(dim<"classes">) + SoftmaxCE()> {};
struct Plain : Network<Input(4) + 2 * Dense(9, relu) + Dense(3) + SoftmaxCE()> {};

struct Scaled : Layer {
    Extent units;
    constexpr explicit Scaled(Extent u) : units(u) {}
    static constexpr Text kind = "scaled";
    static constexpr void each_size(auto& self, auto f) { f(self.units); }
    constexpr Tensor forward(Context& context, Tensor x) const {
        const Tensor w = parameter(context, {x.shape().last(), units * 2}, "weights", glorot());
        return inner(Dense(units), context, "inner", dot(x, w));
    }
};

template <class N>
DynamicNetwork made(const N& named) {
    return network(named);
}
/// The programs of both, node by node, and what is known of them.
void check_same(const DynamicNetwork& found, const DynamicNetwork& wanted) {
    const detail::MadeTables &a = found.made(), &b = wanted.made();
    CHECK(a.table().fingerprint == b.table().fingerprint);
    CHECK(a.training_fingerprint() == b.training_fingerprint());
    REQUIRE(a.table().parameters.size() == b.table().parameters.size());
    for (int i = 0; i < a.table().parameters.size(); ++i) {
        CHECK(a.table().parameters[i].name == b.table().parameters[i].name);
        CHECK(a.table().parameters[i].shape == b.table().parameters[i].shape);
    }
    for (const detail::Purpose& purpose : {detail::to_predict, detail::to_find_gradients}) {
        const detail::Program p = a.operations(purpose), q = b.operations(purpose);
        REQUIRE(p.tape.size() == q.tape.size());
        for (int i = 0; i < p.tape.size(); ++i) CHECK(p.tape[i] == q.tape[i]);
    }
}
Dataset points(std::size_t features, int classes) {
    Numbers x{{120, features}, {}}, y{{120}, {}};
    for (std::size_t i = 0; i < 120 * features; ++i)
        x.values.push_back(static_cast<float>((i * 37 + 11) % 101) / 50 - 1);
    for (int i = 0; i < 120; ++i) y.values.push_back(static_cast<float>(i % classes));
    std::vector<std::string> names;
    for (int i = 0; i < classes; ++i) names.push_back("class " + std::to_string(i));
    return Dataset(x, y, "points", names);
}

}  // namespace

TEST_CASE("A network with values for its names is the one with these constants", "[network]") {
    check_same(made(Table{dim<"width"> = 9, dim<"features"> = 4, dim<"classes"> = 3}), network(Plain::expression));

    struct Recurrences : Network<Input(dim<"time">, dim<"features">) + LSTM(dim<"units">) +
                                 GRU(2 * dim<"units">, {.last = true}) + Dense(dim<"classes">) + SoftmaxCE()> {};
    for (const int units : {1, 3, 8})
        check_same(made(Recurrences{dim<"units"> = units, dim<"time"> = 6, dim<"features"> = 2, dim<"classes"> = 4}),
                   network(Input(6, 2) + LSTM(units) + GRU(2 * units, {.last = true}) + Dense(4) + SoftmaxCE()));

    struct Images : Network<Input(8, 8, dim<"planes">) + Conv2D(dim<"filters">, 3, relu, {.padding = same}) +
                            BatchNorm() + MaxPool(2) + Conv2D(2 * dim<"filters">, 3) + GroupNorm(dim<"filters">) +
                            Flatten() + Dense(dim<"classes">) + SoftmaxCE()> {};
    check_same(made(Images{dim<"planes"> = 3, dim<"filters"> = 5, dim<"classes"> = 4}),
               network(Input(8, 8, 3) + Conv2D(5, 3, relu, {.padding = same}) + BatchNorm() + MaxPool(2) +
                       Conv2D(10, 3) + GroupNorm(5) + Flatten() + Dense(4) + SoftmaxCE()));

    struct Reader
        : Network<Input(dim<"window">) + Embedding(dim<"words">, 4 * dim<"part">) + SinusoidalPositions() +
                  2 * TransformerBlock(4, dim<"hidden">, {.causal = true}) + Linear(dim<"words">) + SoftmaxCE()> {};
    check_same(made(Reader{dim<"window"> = 7, dim<"words"> = 11, dim<"part"> = 2, dim<"hidden"> = 10}),
               network(Input(7) + Embedding(11, 8) + SinusoidalPositions() +
                       2 * TransformerBlock(4, 10, {.causal = true}) + Linear(11) + SoftmaxCE()));

    // Sums of unlike names, a name less one, products of names, and a layer in a function.
    struct Sums : Network<Input(dim<"a">) + Concatenate(Dense(dim<"b">), skip, Dense(dim<"c"> + 1)) +
                          [](auto x) { return layer(Dense(dim<"b"> - 1, tanh), x); } + Dense(2) + SquaredDiff()> {};
    check_same(made(Sums{dim<"a"> = 3, dim<"b"> = 5, dim<"c"> = 2}),
               network(Input(3) + Concatenate(Dense(5), skip, Dense(3)) +
                       [](auto x) { return layer(Dense(4, tanh), x); } + Dense(2) + SquaredDiff()));
    struct Reshaped : Network<Input(dim<"rows">, dim<"columns">) + Flatten() + Reshape(dim<"columns">, dim<"rows">) +
                              Bidirectional(LSTM(dim<"units">)) + Flatten() + Dense(1) + SquaredDiff()> {};
    check_same(made(Reshaped{dim<"rows"> = 3, dim<"columns"> = 4, dim<"units"> = 2}),
               network(Input(3, 4) + Flatten() + Reshape(4, 3) + Bidirectional(LSTM(2)) + Flatten() + Dense(1) +
                       SquaredDiff()));
}

TEST_CASE("Sizes of one", "[network]") {
    check_same(made(Table{dim<"width"> = 1, dim<"features"> = 1, dim<"classes"> = 2}),
               network(Input(1) + 2 * Dense(1, relu) + Dense(2) + SoftmaxCE()));
}

TEST_CASE("A layer of one's own may have sizes with names", "[network]") {
    struct Net : Network<Input(3) + Scaled(dim<"width">) + SquaredDiff()> {};
    const Model model(Net{dim<"width"> = 5}, 2);
    CHECK(model.records.parameters[0].shape == Shape{3, 10});
    CHECK(model.records.parameters[1].shape == Shape{10, 5});
    CHECK(model.predict({1, 2, 3}).size() == 5);
}

TEST_CASE("Training takes what the data say, and gives the bits of the constant network", "[network]") {
    const Dataset data = points(4, 3);
    Trainer named("named", Table{dim<"width"> = 9}, Adam{}, minibatches(data, 7), element<float>, 5);
    Trainer value("value", network(Plain::expression), Adam{}, minibatches(data, 7), element<float>, 5);
    named.run(cpu(), 4), value.run(cpu(), 4);
    CHECK(named.loss() == value.loss());
    for (int i = 0; i < 6; ++i) CHECK(named.model().parameter(i) == value.model().parameter(i));
    CHECK(named.evaluate(data).accuracy == value.evaluate(data).accuracy);
    CHECK(named.predict(data.input(3)) == value.predict(data.input(3)));

    // What it has learned fits the constant network, and back.
    const Scratch folder;
    const std::string file = folder / "named.sigma";
    named.save(file);
    Trainer fixed("fixed", Plain{}, Adam{}, minibatches(data, 7), element<float>, 6);
    fixed.load(file);
    CHECK(fixed.model().parameter<"1-dense.weights">() == named.model().parameter("1-dense.weights"));
    fixed.run(cpu(), 1);
    fixed.save(file);
    named.load(file);
    CHECK(named.epoch() == 5);
    CHECK(named.model().parameter(0) == fixed.model().parameter(0));
    Trainer wider("wider", Table{dim<"width"> = 10}, Adam{}, minibatches(data, 7));
    CHECK_THROWS_AS(wider.load(file), Error);
}

TEST_CASE("fit, cross-validation, BatchTrainer and summaries of named sizes", "[network]") {
    const Dataset data = points(4, 3);
    const auto fitted = fit(Table{dim<"width"> = 8}, data, {.epochs = 3, .quiet = true});
    CHECK(fitted.model().records.parameters[0].shape == Shape{4, 8});
    const auto folds =
        cross_validate(Table{dim<"width"> = 8}, data, Adam{}, {.folds = 2, .fit = {.epochs = 2, .quiet = true}});
    CHECK(folds.folds.size() == 2);
    Model model(Table{dim<"width"> = 8, dim<"features"> = 2, dim<"classes"> = 3}, 4);
    BatchTrainer trainer(model, Adam{});
    CHECK(trainer.train_on_batch(Array<float>({{1, 2}, {0, 1}}), Array<float>{0, 2}) > 0);
    CHECK_THAT(summary(Table{dim<"width"> = 8, dim<"features"> = 2, dim<"classes"> = 3}),
               Contains("(batch, 8)") && Contains("(batch, 3)"));
    Trainer hooked("hooked", Table{dim<"width"> = 8}, Adam{}, minibatches(data, 10));
    hooked.add(every(1, epoch).then(score<"test">(data, top<1, 2>)), every(1, epoch).then(score(data)));
    hooked.run(cpu(), 1);
    const auto of_three = [&] { hooked.add(every(1, epoch).then(score(data, binary))); };
    CHECK_THAT(error_text(of_three),
               Contains("softmax_ce") &&
                   Contains("binary: the network must predict one number for each target, or two classes"));
}

TEST_CASE("Sizes of several inputs and targets", "[network]") {
    struct Two : Network<(Input(dim<"left">) & named("right", Input(dim<"right">))) +
                         Parallel(Dense(dim<"width">), Dense(dim<"width">)) + Add() +
                         Costs(named("kind", Dense(dim<"kinds">) + SoftmaxCE()),
                               named("price", Dense(dim<"prices">) + SquaredDiff()))> {};
    std::vector<NamedNumbers> inputs, targets;
    inputs.push_back({"", Numbers{{6, 3}, std::vector<float>(18, 0.5f)}});
    inputs.push_back({"right", Numbers{{6, 5}, std::vector<float>(30, 0.25f)}});
    targets.push_back({"", Numbers{{6}, {0, 1, 2, 0, 1, 2}}});
    targets.push_back({"price", Numbers{{6, 2}, std::vector<float>(12, 1.0f)}});
    const Dataset data(std::move(inputs), std::move(targets), "two", {"a", "b", "c"});
    Trainer trainer("two", Two{dim<"width"> = 4}, Adam{}, minibatches(data, 3));
    trainer.run(cpu(), 1);
    const auto& records = trainer.model().records;
    CHECK(records.inputs[0] == Shape{batch, 3});
    CHECK(records.inputs[1] == Shape{batch, 5});
    CHECK(records.costs[0].output == Shape{batch, 3});
    CHECK(records.costs[1].output == Shape{batch, 2});
    const Array<float> left({{1, 2, 3}}), right({{1, 2, 3, 4, 5}});
    const auto both = trainer.predict(left, right);
    static_assert(std::is_same_v<std::remove_const_t<decltype(both)>, std::array<Array<float>, 2>>);
    CHECK(trainer.predict_all(left, right).size() == 2);
    CHECK(trainer.predict<"price">(left, right) == both[1]);
}

TEST_CASE("Sizes that cannot be are refused in a sentence", "[network]") {
    const Dataset data = points(4, 3);
    const auto said = [](auto f) { return error_text(f); };
    CHECK(said([] { made(Table{dim<"width"> = 3, dim<"features"> = 4}); }) ==
          "size 'classes' of the network: expected a value, dim<\"classes\"> = …, found no value");
    CHECK(said([] { made(Table{dim<"width"> = 3, dim<"width"> = 4}); }) ==
          "size 'width' of the network: expected 3 (from the program), found 4 (from the program)");
    CHECK(said([] { made(Table{dim<"width"> = 0}); }) ==
          "size 'width' of the network: expected a number from 1 to 2147483647, found 0 (from the program)");
    CHECK_THAT(said([] { made(Table{dim<"width"> = -4}); }), Contains("-4"));
    CHECK(said([] { made(Table{dim<"width"> = std::size_t{1} << 40}); }) ==
          "size: expected a number from -2147483647 to 2147483647, found 1099511627776");
    CHECK(said([] { made(Table{dim<"width"> = std::int64_t{-1} << 31}); }) ==
          "size: expected a number from -2147483647 to 2147483647, found -2147483648");
    CHECK(said([&] { Trainer("t", Table{dim<"width"> = 3, dim<"features"> = 5}, Adam{}, minibatches(data, 5)); }) ==
          "size 'features' of the network: expected 5 (from the program), found 4 (from dataset 'points')");
    CHECK_THAT(said([] { made(Table{dim<"width"> = 65536, dim<"features"> = 65536, dim<"classes"> = 2}); }),
               Contains("'1-dense'") && Contains("65536"));
    const Dataset rows(Numbers{{6, 5, 2}, std::vector<float>(60)}, Numbers{{6}, std::vector<float>(6)}, "rows");
    CHECK_THAT(said([&] { Trainer("t", Table{dim<"width"> = 3}, Adam{}, minibatches(rows, 3)); }),
               Contains("inputs of dataset 'rows'") && Contains("(5, 2)"));
    const Dataset unnamed(Numbers{{6, 4}, std::vector<float>(24)}, Numbers{{6}, std::vector<float>(6)}, "unnamed");
    CHECK_THAT(said([&] { Trainer("t", Table{dim<"width"> = 3}, Adam{}, minibatches(unnamed, 3)); }),
               Contains("dim<\"classes\"> = …"));
    // The numbers are checked again, whatever the names let pass.
    struct Window : Network<Input(dim<"time">, 2) + Conv1D(3, 5) + Flatten() + Dense(1) + SquaredDiff()> {};
    CHECK_NOTHROW(made(Window{dim<"time"> = 5}));
    CHECK_THROWS_AS(made(Window{dim<"time"> = 4}), MistakeError);
    struct Two : Network<Input(4) + Dense(dim<"classes">) + SoftmaxCE()> {};
    CHECK_THAT(said([] { made(Two{dim<"classes"> = 1}); }), Contains("two classes"));
}

TEST_CASE("Sizes come from a file of parameters, or from a checkpoint", "[network]") {
    const Scratch folder;
    Trainer trainer("table", Table{dim<"width"> = 7}, Adam{}, minibatches(points(5, 4), 30));
    trainer.run(cpu(), 1);
    trainer.save(folder / "run.sigma");
    trainer.save_parameters(folder / "best.safetensors");
    for (const std::string& file : {folder / "run.sigma", folder / "best.safetensors"}) {
        Model<Table> model(network(Table{}, file));
        CHECK(load_parameters(model, file) == 6);
        CHECK(model.parameter("2-dense.weights").shape() == std::vector<std::size_t>{7, 7});
        CHECK(model == trainer.model());
        CHECK(error_text([&] { network(Table{dim<"width"> = 8}, file); }) ==
              "size 'width' of the network: expected 8 (from the program), found 7 (from '1-dense.weights' of file '" +
                  file + "')");
    }
    // A trainer goes on.
    Trainer again("table", network(Table{}, folder / "run.sigma"), Adam{}, minibatches(points(5, 4), 30));
    again.load(folder / "run.sigma");
    trainer.run(cpu(), 1), again.run(cpu(), 1);
    CHECK(again.loss() == trainer.loss());

    // Parameters that do not agree, that are of another kind of network, and none.
    struct Square : Network<Input(dim<"n">) + Dense(dim<"n">) + SquaredDiff()> {};
    CHECK_THAT(error_text([&] { network(Square{}, folder / "best.safetensors"); }),
               Contains("size 'n' of the network: expected 5 (from '1-dense.weights' of file") && Contains("found 7"));
    struct Half : Network<Input(5) + Dense(2 * dim<"n">) + Dense(3) + SquaredDiff()> {};
    CHECK_THAT(error_text([&] { network(Half{}, folder / "best.safetensors"); }),
               Contains("size 'n' of the network") && Contains("found 7"));
    struct Long : Network<Input(dim<"n">, 4) + Conv1D(2, 3) + GlobalMaxPool() + Dense(3) + SquaredDiff()> {};
    CHECK_THAT(error_text([&] { network(Long{}, folder / "best.safetensors"); }),
               Contains("size 'n' of the network: expected a value"));
    CHECK_THROWS_AS(network(Table{}, folder / "none.safetensors"), DataError);
    CHECK_THROWS_AS(network(Table{}, folder.write("bad.safetensors", "nothing")), DataError);
}

TEST_CASE("Images after a convolution are told from other sizes", "[network]") {
    struct Picture : Network<Input(dim<"rows">, dim<"columns">) + Conv2D(1, 5) + SquaredDiff()> {};
    const Dataset data(Numbers{{2, 20, 30}, std::vector<float>(1200)}, Numbers{{2, 16, 26, 1}, std::vector<float>(832)},
                       "pictures");
    Trainer trainer("pictures", Picture{}, Adam{}, minibatches(data, 2));
    CHECK(trainer.model().records.inputs[0] == Shape{batch, 20, 30});
}

TEST_CASE("A size that is too large is refused before anything is made of it", "[network]") {
    CHECK_THAT(error_text([] { network(Input(4) + 2 * Dense(65536) + SquaredDiff()); }),
               Contains("layer '2-dense'") && Contains("65536"));
    CHECK_THAT(error_text([] { network(Input(4) + Dense(2000000000) + SquaredDiff()); }), Contains("1-dense"));
    CHECK_NOTHROW(network(Input(4) + Dense(65536) + SquaredDiff()));
}

TEST_CASE("Many names multiply to more than an int counts, and numbers near a prime are numbers", "[network]") {
    struct Picture
        : Network<Input(dim<"height">, dim<"width">, 3) + Dense(dim<"units">, relu) + Dense(10) + SoftmaxCE()> {};
    check_same(made(Picture{dim<"height"> = 8, dim<"width"> = 6, dim<"units"> = 16}),
               network(Input(8, 6, 3) + Dense(16, relu) + Dense(10) + SoftmaxCE()));
    struct Deep : Network<Input(2 * dim<"h">, 2 * dim<"w">, dim<"c">) + Conv2D(dim<"f">, 3, relu, {.padding = same}) +
                          MaxPool(2) + Flatten() + Dense(2 * dim<"u">, relu) + Dense(dim<"classes">) + SoftmaxCE()> {};
    check_same(made(Deep{dim<"h"> = 4, dim<"w"> = 3, dim<"c"> = 2, dim<"f"> = 5, dim<"u"> = 7, dim<"classes"> = 3}),
               network(Input(8, 6, 2) + Conv2D(5, 3, relu, {.padding = same}) + MaxPool(2) + Flatten() +
                       Dense(14, relu) + Dense(3) + SoftmaxCE()));
    // 1024 is seven less than the prime of "b": the data say nothing of that.
    struct Plain1024 : Network<Input(1024) + Dense(dim<"a">) + Dense(dim<"b">) + Dense(dim<"classes">) + SoftmaxCE()> {
    };
    Trainer trainer("wide", Plain1024{dim<"a"> = 3, dim<"b"> = 5}, Adam{}, minibatches(points(1024, 4), 30));
    CHECK(trainer.model().parameter("2-dense.weights").shape() == std::vector<std::size_t>{3, 5});
    CHECK(trainer.model().parameter("3-dense.weights").shape() == std::vector<std::size_t>{5, 4});
    // Far more than a few more or less.
    struct Shifted : Network<Input(dim<"n"> + 500) + Dense(dim<"n">) + SquaredDiff()> {};
    const Numbers x{{4, 512}, std::vector<float>(4 * 512)}, y{{4, 12}, std::vector<float>(4 * 12)};
    Trainer shifted("shifted", Shifted{}, Adam{}, minibatches(Dataset(x, y, "shifted"), 2));
    CHECK(shifted.model().parameter("1-dense.weights").shape() == std::vector<std::size_t>{512, 12});
}

TEST_CASE("A model of named sizes takes no network of another kind", "[network]") {
    CHECK_THROWS_WITH(Model<Table>(network(Input(4) + Dense(3) + SoftmaxCE())), Contains("network of a model"));
    CHECK_NOTHROW(Model<Table>(network(Input(4) + 2 * Dense(5, relu) + Dense(3) + SoftmaxCE())));
    Model<DynamicNetwork> two(network((Input(4) & Input(3)) + Concatenate() + Dense(3) + SoftmaxCE()));
    const float x[8] = {}, y[2] = {};
    float out[6];
    CHECK_THROWS_WITH(two.predict(x, out, 2),
                      Contains("expected 2 inputs and 1 results, found 1 inputs and 1 results"));
    CHECK_THROWS_AS(two.evaluate(x, y, 2), ShapeError);
}
