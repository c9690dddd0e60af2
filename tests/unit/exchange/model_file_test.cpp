// SPDX-License-Identifier: BSL-1.0
// Models in files that say what they are: what comes back computes the same bits, in prediction and in training.
#include <catch2/catch.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/exchange/foreign_parameters.hpp>
#include <sigma/exchange/model_file.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/layer/weighted_records.hpp>
#include <sigma/sigma.hpp>
#include <sigma/storage/safetensors.hpp>
#include <support/direct_step.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace sigma;

namespace {

std::vector<float> numbers(std::size_t count, float scale = 1, int classes = 0) {
    std::vector<float> all(count);
    for (std::size_t i = 0; i < count; ++i)
        all[i] = classes > 0 ? static_cast<float>(i * 7 % static_cast<std::size_t>(classes))
                             : scale * std::sin(0.61f * static_cast<float>(i) + 0.3f);
    return all;
}
std::size_t elements(const Shape& s) { return static_cast<std::size_t>(s.count()); }

/// Records for any network: ids where an input names rows, classes where a loss wants them.
struct Records {
    std::vector<std::vector<float>> inputs{}, targets{};
    std::vector<const float*> x{}, y{};

    Records(const detail::NetworkTable& network, std::size_t count) {
        for (int i = 0; i < network.inputs.size(); ++i)
            inputs.push_back(numbers(count * elements(network.inputs[i]), 1, network.ids[i].rows));
        for (const detail::CostRecord& c : network.costs) {
            targets.push_back(numbers(count * elements(c.target), 1, c.classifies ? c.labels.end : 0));
            if (!c.classifies && (c.yes_or_no || c.has_rule))
                for (float& t : targets.back()) t = std::abs(t) > 0.5f ? 1.f : 0.f;
        }
        for (const auto& each : inputs) x.push_back(each.data());
        for (const auto& each : targets) y.push_back(each.data());
    }
};

template <class N>
std::vector<std::vector<float>> predicted(const Model<N>& model, const Records& records, std::ptrdiff_t count) {
    std::vector<std::vector<float>> all;
    typename Model<N>::InputPointers x{};
    typename Model<N>::ResultPointers to = Model<N>::Results::make(model.records.costs.size());
    if constexpr (Model<N>::counts_when_run) x.resize(records.x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = records.x[i];
    for (int i = 0; i < model.records.costs.size(); ++i)
        all.emplace_back(static_cast<std::size_t>(count) * elements(model.records.costs[i].prediction));
    for (std::size_t i = 0; i < all.size(); ++i) to[i] = all[i].data();
    model.predict_anew(x, to, count);
    return all;
}
/// Losses of some steps and what the model is then: of a network that is made while the program runs.
template <class N>
std::vector<double> trained(Model<N>& model, const Records& records, std::ptrdiff_t count) {
    sigma::test::DirectStep<N, Adam> step(model);
    std::vector<double> losses;
    typename Model<N>::InputPointers x{};
    typename Model<N>::TargetPointers y{};
    if constexpr (Model<N>::counts_when_run) x.resize(records.x.size()), y.resize(records.y.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = records.x[i];
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = records.y[i];
    for (std::uint64_t n = 1; n <= 4; ++n) losses.push_back(step(Adam{.learning_rate = 0.01}, n, x, y, count));
    return losses;
}

std::string bytes_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// What comes back predicts, is described, and is trained as what was written.
void check_round_trip(const Layers& layers) {
    const Scratch directory;
    const std::string file = directory / "model.sigma", again = directory / "again.sigma";
    Model written(network(layers), 5);
    save_model(written, file);
    LoadedModel<> read = load_model(file);
    save_model(read, again);
    CHECK(bytes_of(file) == bytes_of(again));

    constexpr std::ptrdiff_t count = 6;
    const Records records(written.network(), count);
    CHECK(summary(read.network()) == summary(written.definition()));
    CHECK(graphviz(read.network()) == graphviz(written.definition()));
    CHECK(predicted<DynamicNetwork>(read, records, count) == predicted(written, records, count));
    if (!written.network().judges()) return;
    read.set_seed(written.seed());  // of dropout
    CHECK(trained<DynamicNetwork>(read, records, count) == trained(written, records, count));
    CHECK(static_cast<const Model<DynamicNetwork>&>(read) == written);
    CHECK(predicted<DynamicNetwork>(read, records, count) == predicted(written, records, count));
}

struct Steep {
    static constexpr Text name = "steep one";
    template <class V>
    static void forward(BlockView<V> y, BlockView<V> x) {
        for (long long i = 0; i < y.columns; ++i) y[i] = 3 * x[i];
    }
    template <class V>
    static void gradient(BlockView<V> g, BlockView<V>, BlockView<V>, BlockView<V> d) {
        for (long long i = 0; i < g.columns; ++i) g[i] = 3 * d[i];
    }
};

struct Mirrored {
    static constexpr Text name = "mirrored";
    static constexpr int axes = 2;
    static constexpr Shape shape(const Shape& x) { return Shape(x[1], x[0]); }
    template <class V>
    static void forward(BlockView<V> y, BlockView<V> x) {
        for (long long i = 0; i < x.rows; ++i)
            for (long long j = 0; j < x.columns; ++j) y(j, i) = x(i, j);
    }
    template <class V>
    static void gradient(BlockView<V> g, BlockView<V>, BlockView<V>, BlockView<V> d) {
        forward(g, d);
    }
};
struct Together {
    static constexpr Text name = "together";
    template <class V>
    static void forward(BlockView<V> y, BlockView<V> a, BlockView<V> b) {
        for (long long i = 0; i < y.columns; ++i) y[i] = a[i] * b[i];
    }
    template <int of, class V>
    static void gradient(BlockView<V> g, BlockView<V> a, BlockView<V> b, BlockView<V>, BlockView<V> d) {
        for (long long i = 0; i < g.columns; ++i) g[i] = d[i] * (of == 0 ? b[i] : a[i]);
    }
};

struct Digits : Network<Input(6, 6) + Dropout(0.2f) + 2 * Dense(12, relu) + Dense(10) + SoftmaxCE()> {};
struct Wider : Network<Input(6, 6) + Dropout(0.2f) + 2 * Dense(13, relu) + Dense(10) + SoftmaxCE()> {};
struct Other : Network<Input(6, 6) + Dropout(0.2f) + 2 * Dense(12, tanh) + Dense(10) + SoftmaxCE()> {};

}  // namespace

TEST_CASE("A model in a file computes the same bits in prediction and in training") {
    SECTION("dense") { check_round_trip(Input(6, 6) + Dropout(0.2f) + 2 * Dense(12, relu) + Dense(10) + SoftmaxCE()); }
    SECTION("without a loss") { check_round_trip(Input(4) + Dense(7, gelu) + Dense(3)); }
    SECTION("named, tagged, frozen, shared") {
        check_round_trip(Input(4) + named("tower", Dense(5, tanh) + tagged("head", Dense(5))) + frozen(Dense(5)) +
                         2 * shared("twice", Dense(5, sigmoid)) + Dense(3) + SoftmaxCE({.smoothing = 0.1}));
    }
    SECTION("functions as layers") {
        check_round_trip(Input(4) + Dense(5) + [](auto x) { return x * sigmoid(x); } + Dense(3) +
                         named("shift", [](auto x) { return x + 1.0; }) + MeanSquaredError());
        check_round_trip(Input(4) + [](auto x) {
            auto a = layer(Dense(6, relu), x);
            auto b = layer(Dense(6), x);
            auto c = a * b;
            return layer(Dense(2), c);
        } + Huber(0.7));
    }
    SECTION("custom operations") {
        check_round_trip(Input(4) + Dense(5) + custom_operation<Steep> + Dense(3) + MeanSquaredError());
        check_round_trip(Input(4, 3) + custom_operation<Mirrored> + Flatten() + [](Tensor x) {
            return custom_operation<Together>(x, 0.5 * x);
        } + Dense(3) + MeanSquaredError());
    }
    SECTION("statistics and noise") {
        check_round_trip(Input(9) + BatchNorm() + GaussianNoise(0.1f) + Dense(8, elu) + BatchNorm() + LayerNorm() +
                         AlphaDropout(0.1f) + Dense(1) + BinaryCE());
    }
    SECTION("images") {
        check_round_trip(Input(8, 8, 2) + Conv2D(4, 3, relu, {.padding = same}) + MaxPool(2) + GroupNorm(2) +
                         DepthwiseConv2D(3) + ConvTranspose2D(3, 2, {.stride = 2}) + SpatialDropout(0.2f) +
                         AveragePool(2) + InstanceNorm() + PReLU() + Upsample(2) + GlobalAveragePool() + Dense(3) +
                         SoftmaxCE());
    }
    SECTION("sequences") {
        check_round_trip(Input(5, 3) + Bidirectional(LSTM(4)) + GRU(5, {.last = true}) + Dense(2) + SquaredDiff());
        check_round_trip(Input(5, 3) + LSTM(4, {.stateful = true}) + Dense(2) + SquaredDiff());
        check_round_trip(Input(6) + Embedding(11, 8) + SinusoidalPositions() +
                         TransformerBlock(2, 16, {.causal = true, .dropout = 0.1f}) + RMSNorm() + Dense(11) +
                         SoftmaxCE());
    }
    SECTION("memory of positions") {
        check_round_trip(Input(1) + Embedding(7, 4) + SinusoidalPositions({.remember = 6}) +
                         TransformerBlock(2, 8, {.causal = true, .rotary = true, .remember = 6}) + Dense(7) +
                         SoftmaxCE());
    }
    SECTION("several inputs and costs") {
        check_round_trip((Input(4) & Input(3)) + Parallel(Dense(5, relu), Dense(5)) + Concatenate() +
                         Costs(named("class", Dense(3) + SoftmaxCE()),
                               named("price", loss_weight(0.3, Dense(1) + SquaredDiff())), NoLoss()));
    }
}

TEST_CASE("A model of a type goes through a file and back into it, and into no other type") {
    const Scratch directory;
    const std::string file = directory / "digits.sigma";
    Model<Digits> digits(4);
    digits.set_classes({"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"});
    digits.set_hyperparameter("*.rate", 0.35);
    save_model(digits, file);
    const auto loaded = load_model(file);
    CHECK(loaded.classes() == digits.classes());
    CHECK(loaded.hyperparameter("1-dropout.rate") == Approx(0.35));
    CHECK(loaded.library() == version());
    const Model<Digits> back = loaded;
    CHECK(back == digits);
    CHECK(back.hyperparameter("1-dropout.rate") == Approx(0.35));
    CHECK_THROWS_WITH(Model<Wider>(loaded), Catch::Contains("with layer '2-dense' (batch, 13), found") &&
                                                Catch::Contains("with layer '2-dense' (batch, 12)"));
    // Two texts that differ, where names and shapes do not.
    const MismatchError other = thrown<MismatchError>([&] { Model<Other> m = loaded; });
    INFO(other.expected << "\n" << other.found);
    CHECK(other.expected != other.found);
    CHECK_THAT(other.expected, Catch::Contains("with layer '"));
    CHECK_THAT(other.found, Catch::Contains("with layer '"));
    // The file is one of parameters, too.
    Model<Digits> third(9);
    load_parameters(third, file);
    CHECK(third == digits);
    CHECK(load_model<double>(file).parameter("2-dense.weights").shape()[1] == 12);
}

struct Table : Network<Input(dim<"features">) + Dense(dim<"width">, tanh) + Dense(dim<"classes">) + SoftmaxCE()> {};
struct Deeper : Network<Input(dim<"features">) + 2 * Dense(dim<"width">, tanh) + Dense(3) + SoftmaxCE()> {};

TEST_CASE("Sizes that have names are those of a file") {
    const Scratch directory;
    const std::string file = directory / "table.sigma";
    const Model model(Table{dim<"features"> = 4, dim<"width"> = 7, dim<"classes"> = 3}, 5);
    save_model(model, file);
    const Model<Table> back = load_model(file);
    CHECK(equal_parameters(back, model));
    CHECK(back.parameter("1-dense.weights").shape()[1] == 7);
    CHECK(error_text<MismatchError>([&] { Model<Deeper> m = load_model(file); }) ==
          "network of a model: expected 0-input + 1-dense + 2-dense + 3-dense, found 0-input + 1-dense + 2-dense");
}

TEST_CASE("Parameters in 16 bits are half the file, rounded to nearest") {
    const Scratch directory;
    const std::string whole = directory / "whole.sigma", small = directory / "small.sigma";
    struct Wide : Network<Input(100) + Dense(200, relu) + Dense(3) + SoftmaxCE()> {};
    Model<Wide> model(4);
    save_model(model, whole);
    const auto bytes = std::filesystem::file_size(whole);
    for (const Dtype as : {Dtype::bf16, Dtype::f16}) {
        save_model(model, small, as);
        CHECK(100 * std::filesystem::file_size(small) < 52 * bytes);
        const auto loaded = load_model(small);
        const std::span<const float> mine = model.parameter_memory(), theirs = loaded.parameter_memory();
        const float step = as == Dtype::bf16 ? 0x1p-8f : 0x1p-11f;  // 8 and 11 bits, the first included
        for (std::size_t i = 0; i < mine.size(); ++i)
            if (std::abs(theirs[i] - mine[i]) > std::abs(mine[i]) * step + 0x1p-25f)
                FAIL(i << ": " << mine[i] << " became " << theirs[i]);
        CHECK(!(Model<Wide>(loaded) == model));
        // Once rounded they stay as they are, and parameters alone are the same numbers.
        save_model(loaded, whole, as);
        CHECK(equal_parameters(load_model(whole), loaded));
        save_parameters(model, whole, as);
        Model<Wide> alone(9);
        load_parameters(alone, whole);
        CHECK(alone == Model<Wide>(loaded));
    }
    model.parameter<"1-dense.biases">()(3) = 65520;
    CHECK(error_text<ArgumentError>([&] { save_model(model, whole, Dtype::f16); }) ==
          "parameter '1-dense.biases': expected numbers that F16 holds, found 65520 at element 3");
    CHECK_NOTHROW(save_model(model, whole, Dtype::bf16));
    CHECK(error_text<ArgumentError>([&] { save_parameters(model, whole, Dtype::i8); }) ==
          "type of parameters in a file: expected F32, BF16 or F16, found I8");
    CHECK_NOTHROW(save_parameters(Model<Wide, double>(2), whole, Dtype::bf16));
}

TEST_CASE("A loss from a file ignores what it ignored") {
    const Scratch directory;
    const std::string file = directory / "some.sigma";
    const Model<DynamicNetwork> model(network(Input(2) + Dense(3) + weighted_records(SoftmaxCE({.ignore = -1}))), 3);
    save_model(model, file);
    Numbers y{{600, 2}, numbers(1200, 1, 3)};
    for (std::size_t r = 0; r < 600; ++r) {
        y.values[2 * r] = r < 280 || r % 7 > 0 ? -1.0f : static_cast<float>(r % 3);
        y.values[2 * r + 1] = 2;
    }
    const Dataset data(Numbers{{600, 2}, numbers(1200, 9)}, y, "some");
    const auto wanted = model.evaluate(data), found = load_model(file).evaluate(data);
    CHECK(wanted.costs[0].answers == 46);
    CHECK(found.costs[0].answers == 46);
    CHECK(found.accuracy == wanted.accuracy);
    CHECK(found.error == wanted.error);
    // It is the loss of all records as one batch.
    Model<DynamicNetwork> copy(load_model(file));
    BatchTrainer whole(copy, GradientDescent{});
    for (const Batch& all : epoch_of(minibatches(data, 600), 0))
        CHECK(found.error == Approx(whole.gradients_on_batch(all)).epsilon(1e-6));
}

TEST_CASE("The layers of a file go on in another network") {
    const Scratch directory;
    const std::string file = directory / "digits.sigma";
    Model<Digits> digits(4);
    save_model(digits, file);
    Model more(network(load_layers(file) + named("top", Dense(3)) + SoftmaxCE()), 1);
    CHECK(load_parameters(more, file, "*", Transfer::common) == 6);
    const Records records(more.network(), 5);
    const Array<float> x({5, 6, 6}, std::vector<float>(records.inputs[0]));
    const auto inner = more.predict<"4-dense">(x);
    CHECK(std::equal(inner.begin(), inner.end(), digits.predict<"4-dense">(x).begin()));
}

TEST_CASE("What inputs went through is in the file") {
    const Scratch directory;
    const std::string file = directory / "flowers.sigma";
    const Dataset raw({{8, 2}, numbers(16, 30)}, {{8}, numbers(8, 1, 2)}, "flowers", {"a", "b"});
    const Dataset prepared = raw >> data::standardize(data::inputs);
    Model<DynamicNetwork> model(network(Input(2) + Dense(2) + SoftmaxCE()), 3);
    save_model(model, file, prepared);
    const auto loaded = load_model(file);
    const Array<float> x({8, 2}, numbers(16, 30));
    const auto y = loaded.preprocessing()(x), expected = prepared.preprocessing()(x);
    CHECK(std::equal(y.begin(), y.end(), expected.begin()));
    CHECK(loaded.evaluate(raw >> loaded.preprocessing()).error == model.evaluate(prepared).error);
    CHECK(loaded.evaluate(cpu(1), prepared).error == model.evaluate(prepared).error);
    CHECK_THROWS_WITH(loaded.evaluate(raw), Catch::Contains("dataset 'flowers': expected preprocessing") &&
                                                Catch::Contains("as in the model's training data (write data >> p"));
    save_model(model, file);  // which says nothing of it
    CHECK(load_model(file).evaluate(raw).error == model.evaluate(raw).error);
}

TEST_CASE("Functions that inputs went through are given again") {
    const Scratch directory;
    const std::string file = directory / "flowers.sigma";
    const auto root = [](float x) { return std::sqrt(std::abs(x)); };
    const Dataset raw({{8, 2}, numbers(16, 30)}, {{8}, numbers(8, 1, 2)}, "flowers", {"a", "b"});
    const Dataset prepared = raw >> data::apply(data::inputs, "root", root) >> data::standardize(data::inputs);
    Model<DynamicNetwork> model(network(Input(2) + Dense(2) + SoftmaxCE()), 3);
    save_model(model, file, prepared);
    CHECK(error_text<DataError>([&] { load_model(file); }) ==
          sentence("file '", file,
                   "', metadata 'preprocessing.0.transform': expected a transform of this library, or a "
                   "function with this name after the file: {{\"root\", f}}, found 'root'"));
    const auto loaded = load_model(file, {{"root", root}});
    const Array<float> x({8, 2}, numbers(16, 30));
    CHECK(loaded.preprocessing()(x) == prepared.preprocessing()(x));
    CHECK(loaded.evaluate(prepared).error == model.evaluate(prepared).error);
    CHECK(loaded.evaluate(raw >> loaded.preprocessing()).error == model.evaluate(prepared).error);
    // A program that applies no function reads the model without.
    const LoadedModel<float> without(detail::read_model_file(file, nullptr));
    CHECK(equal_parameters(without, loaded));
    CHECK(error_text<ArgumentError>([&] { without.preprocessing()(x); }) ==
          "function 'root' of the preprocessing: expected the function, passed as load_model(file, "
          "{{\"root\", f}}), found only its name in the file");
    save_model(without, file, without.preprocessing());
    CHECK(load_model(file, {{"root", root}}).preprocessing()(x) == prepared.preprocessing()(x));
}

TEST_CASE("What could not be loaded is not saved") {
    const Scratch directory;
    const std::string file = directory / "m.sigma";
    Model<DynamicNetwork> model(network(Input(15) + Dense(4) + Dropout(0.5) + Dense(2) + SquaredDiff()), 3);
    Trainer trainer("t", model.definition(), Adam{},
                    minibatches(Dataset({{2, 15}, numbers(30)}, {{2, 2}, numbers(4)}, "d"), 2));
    save_model(model, file);
    const Model<DynamicNetwork> before(model);
    for (const auto& [bad, text] :
         {std::pair(NAN, "nan"), std::pair(HUGE_VALF, "inf"), std::pair(-HUGE_VALF, "-inf")}) {
        model.parameter("3-dense.weights")(2, 1) = bad;
        trainer.model() = model;
        const std::string wanted =
            sentence("parameter '3-dense.weights' in a file: expected finite numbers, found ", text, " at element 5");
        CHECK(error_text<ArgumentError>([&] { save_model(model, file); }) == wanted);
        CHECK(error_text<ArgumentError>([&] { save_model(model, file, Dtype::bf16); }) == wanted);
        CHECK(error_text<ArgumentError>([&] { save_parameters(model, file); }) == wanted);
        CHECK(error_text<ArgumentError>([&] { trainer.save_parameters(file); }) == wanted);
        CHECK_THROWS_AS(trainer.save(file), NumericError);
        CHECK_THROWS_WITH(save_parameters(model, directory / "m.npz", torch_names()),
                          Catch::Contains("expected finite numbers, found " + std::string(text)));
        CHECK(equal_parameters(load_model(file), before));  // the file of before is there
    }
}

TEST_CASE("Files that are no model are refused, and so are newer ones") {
    const Scratch directory;
    const std::string file = directory / "m.sigma", bad = directory / "bad.sigma";
    Model<DynamicNetwork> model(network(Input(5, 3) + LSTM(4) + Dense(2) + SquaredDiff()), 3);
    save_parameters(model, file);
    CHECK_THROWS_WITH(load_model(file), Catch::Contains("expected a network, as save_model writes it"));
    save_model(model, file);
    const std::string text = *SafetensorsFile::open(file).metadata("model");
    const auto with = [&](const std::string& changed) {
        SafetensorsWriter writer;
        writer.metadata("model", changed);
        for (int i = 0; i < model.records.parameters.size(); ++i) {
            const auto p = model.parameter(i);
            std::vector<std::uint64_t> shape(p.shape().begin(), p.shape().end());
            writer.add(std::string(model.records.parameters[i].name.view()), shape,
                       std::vector<float>(p.begin(), p.end()));
        }
        writer.save(bad);
        return load_model(bad);
    };
    CHECK_NOTHROW(with(text));
    std::string newer = text;
    newer.replace(newer.find(' ') + 1, 1, "7");
    CHECK_THROWS_WITH(with(newer), Catch::Contains("found a model of format 7"));
    CHECK_THROWS_WITH(with(text + "more\n"), Catch::Contains("expected the end"));
    CHECK_THROWS_AS(with(text.substr(0, text.size() / 2)), DataError);
    // Whatever is changed, the file is refused or the model computes something.
    unsigned random = 1;
    int refused = 0;
    for (int i = 0; i < 1500; ++i) {
        std::string damaged = text;
        for (int k = 0; k < 1 + i % 3; ++k) {
            random = random * 1664525u + 1013904223u;
            const std::size_t at = (random >> 8) % damaged.size();
            damaged[at] = "0123456789- ,\n%x"[random >> 4 & 15];
        }
        try {
            const auto survived = with(damaged);
            const Records records(survived.records, 2);
            predicted<DynamicNetwork>(survived, records, 2);
        } catch (const Error&) { ++refused; }
    }
    CHECK(refused > 1000);
}

TEST_CASE("A file names its custom operations, which the program must use") {
    const Scratch directory;
    const std::string file = directory / "steep.sigma", changed = directory / "changed.sigma";
    save_model(Model(network(Input(4) + Dense(5) + custom_operation<Steep> + Dense(3) + MeanSquaredError()), 5), file);
    const auto rewritten = [&](const std::string& from, const std::string& to) {
        std::string text = *SafetensorsFile::open(file).metadata("model");
        REQUIRE(text.find(from) != text.npos);
        text.replace(text.find(from), from.size(), to);
        SafetensorsWriter writer;
        writer.metadata("model", text);
        writer.save(changed);
        return error_text<DataError>([&] { (void)load_model(changed); });
    };
    CHECK_THAT(rewritten("steep%20one", "steepest"),
               Catch::Contains("expected custom operations that this program uses, found 'steepest'"));
    CHECK_THAT(rewritten("custom_rows", "custom_matrices"), Catch::Contains("expected a node that can be computed"));
}
