// SPDX-License-Identifier: BSL-1.0
// Products of 8 bits: exact beside whole numbers in double, near the network in float, through files.
#include "quantized/kernel.hpp"

#include <catch2/catch.hpp>
#include <sigma/exchange.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/execution/step.hpp>
#include <sigma/sigma.hpp>
#include <support/direct_step.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

using namespace sigma;

namespace sigma::int8 {
namespace simulated_avx512 {
extern const Functions functions;
}
namespace simulated_vnni {
extern const Functions functions;
}
}  // namespace sigma::int8

namespace {

std::vector<const int8::Functions*> all_functions() {
    std::vector<const int8::Functions*> all;
#if !defined(__x86_64__) || !defined(SIGMA_WITHOUT_SSE2)
    all.push_back(&int8::plain::functions);
#endif
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        for (const auto* each : {&int8::simulated_avx512::functions, &int8::simulated_vnni::functions})
            all.push_back(each);
#if !defined(SIGMA_WITHOUT_AVX2)
    if (__builtin_cpu_supports("avx2")) all.push_back(&int8::avx2::functions);
#endif
#if !defined(SIGMA_WITHOUT_AVX512)
    if (__builtin_cpu_supports("avx512bw")) all.push_back(&int8::avx512::functions);
    if (__builtin_cpu_supports("avx512vnni")) all.push_back(&int8::vnni::functions);
#endif
#endif
    return all;
}

std::vector<float> drawn(std::size_t count, unsigned seed, float scale = 1) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, scale);
    std::vector<float> all(count);
    for (float& x : all) x = normal(random);
    return all;
}
Dataset images(std::size_t count, const Shape& record, unsigned seed = 1) {
    std::vector<std::size_t> shape{count};
    for (int i = 1; i < record.rank; ++i) shape.push_back(static_cast<std::size_t>(record[i]));
    return Dataset({shape, drawn(count * static_cast<std::size_t>(record.count()), seed)},
                   {{count}, std::vector<float>(count, 0)}, "drawn");
}
/// What both say differs by so much of the greatest number, at most.
template <class A>
double difference(const A& a, const A& b) {
    double most = 0, greatest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(double(a.data()[i]) - double(b.data()[i])));
        greatest = std::max(greatest, std::abs(double(a.data()[i])));
    }
    return most / greatest;
}
template <class N>
void check_near(const Model<N>& model, double most, std::size_t count = 50) {
    const Dataset data = images(count, model.records.inputs[0]);
    const auto small = quantize(model, data);
    std::vector<std::size_t> shape{count};
    for (int i = 1; i < model.records.inputs[0].rank; ++i)
        shape.push_back(static_cast<std::size_t>(model.records.inputs[0][i]));
    const Array<float> x(shape, drawn(count * static_cast<std::size_t>(model.records.inputs[0].count()), 1));
    const auto expected = model.predict(x), found = small.predict(x);
    const double apart = difference(expected, found);
    CHECK(apart < most);
    CHECK(apart > 0);  // or nothing was rounded
}

/// How much of the memory for a parameter the system backs; 0 where nobody knows.
template <class M>
double resident([[maybe_unused]] const M& model, [[maybe_unused]] int parameter = 0) {
#ifdef __linux__
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(model.dual_buffer().place(parameter));
    const std::uintptr_t first = (begin + page - 1) / page,
                         end = (begin + model.dual_buffer().size(parameter) * sizeof(float)) / page;
    std::vector<unsigned char> known(end - first);
    REQUIRE(mincore(reinterpret_cast<void*>(first * page), known.size() * page, known.data()) == 0);
    std::size_t there = 0;
    for (const unsigned char each : known) there += each & 1u;
    return static_cast<double>(there) / static_cast<double>(known.size());
#else
    return 0;
#endif
}

struct Dense2 : Network<Input(37) + Dense(45, relu) + Dense(19, tanh) + Dense(5)> {};
struct Images : Network<Input(9, 8, 3) + Conv2D(7, 3, relu, {.padding = same}) + MaxPool(2) +
                        Conv2D(23, 3, relu, {.padding = same}) + Conv2D(35, 3, relu, {.padding = same}) +
                        Conv2D(5, 2, relu, {.stride = 2}) + Flatten() + Dense(4)> {};
struct Dropping : Network<Input(40) + Dense(45, relu) + Dropout(0.5) + Dense(3) + SoftmaxCE()> {};
struct FewChannels : Network<Input(12, 11) + Conv2D(6, 5, relu, {.padding = same}) + MaxPool(2) +
                             Conv2D(16, {3, 2}, relu, {.dilation = {1, 2}}) + Dense(4)> {};
struct OddChannels : Network<Input(12, 11, 3) + Conv2D(13, 4, relu, {.stride = {2, 1}}) +
                             Conv2D(25, {2, 3}, relu, {.dilation = {2, 1}}) + Dense(4)> {};
/// Whose weights are multiplied by and read beside that.
struct TwiceRead : Layer {
    int units;
    constexpr explicit TwiceRead(int units_) : units(units_) {}
    static constexpr Text kind = "twice_read";

    constexpr Tensor forward(Context& context, Tensor x) const {
        const Tensor w = parameter(context, {x.shape().last(), units}, "weights", gaussian(0.2));
        return dot(x, w) + sum(w, axis(0));
    }
};
/// A row of weights by which one number of a record is multiplied.
struct Row : Layer {
    int units;
    constexpr explicit Row(int units_) : units(units_) {}
    static constexpr Text kind = "row";

    constexpr Tensor forward(Context& context, Tensor x) const {
        const Tensor w = parameter(context, Shape{units}, "weights", gaussian(0.5));
        return dot(reshape(sum(x, axis(1)), {batch, 1}), reshape(w, {1, units}));
    }
};
struct Remembers : Network<Input(6, 5) + LSTM(9, {.last = true}) + Dense(3)> {};

}  // namespace

TEST_CASE("Products of 8 bits are exact on every set of instructions") {
    std::mt19937 random(7);
    for (const int8::Functions* f : all_functions()) {
        INFO(f->instructions);
        for (int run = 0; run < 60; ++run) {
            const std::ptrdiff_t m = 1 + static_cast<int>(random() % 20), n = 1 + static_cast<int>(random() % 40),
                                 runs = 1 + static_cast<int>(random() % 4), pairs = 1 + static_cast<int>(random() % 20);
            const std::ptrdiff_t blocks = (n + int8::block_columns - 1) / int8::block_columns;
            std::vector<std::int16_t> a(1000);
            std::vector<std::int8_t> b(static_cast<std::size_t>(blocks * int8::block_columns * 2 * runs * pairs));
            std::vector<float> scales(static_cast<std::size_t>(blocks * int8::block_columns));
            const auto number = [&] { return static_cast<int>(random() % 255) - 127; };
            for (auto& x : a) x = static_cast<std::int16_t>(run == 0 ? 127 : number());
            for (auto& x : b) x = static_cast<std::int8_t>(run == 0 ? -127 : number());
            for (auto& x : scales) x = 0.5f + static_cast<float>(random() % 3);
            std::vector<const std::int16_t*> rows;
            std::vector<std::ptrdiff_t> run_at;
            for (std::ptrdiff_t i = 0; i < m; ++i) rows.push_back(a.data() + random() % 400);
            for (std::ptrdiff_t i = 0; i < runs; ++i) run_at.push_back(static_cast<std::ptrdiff_t>(random() % 500));
            const std::ptrdiff_t c_row = n + 3;
            std::vector<float> c(static_cast<std::size_t>(m * c_row), 4);
            f->product({m, n, runs, pairs, rows.data(), run_at.data(), b.data(), scales.data(), c.data(), c_row,
                        run % 2 == 1});
            bool right = true;
            for (std::ptrdiff_t i = 0; i < m; ++i)
                for (std::ptrdiff_t j = 0; j < c_row; ++j) {
                    double expected = 4;
                    if (j < n) {
                        double sum = 0;
                        for (std::ptrdiff_t l = 0; l < 2 * runs * pairs; ++l)
                            sum += double(rows[static_cast<std::size_t>(i)]
                                              [run_at[static_cast<std::size_t>(l / (2 * pairs))] + l % (2 * pairs)]) *
                                   double(b[static_cast<std::size_t>(
                                       ((j / 16 * runs * pairs + l / 2) * 16 + j % 16) * 2 + l % 2)]);
                        expected = (run % 2 == 1 ? 4 : 0) + sum * double(scales[static_cast<std::size_t>(j)]);
                    }
                    right =
                        right && double(c[static_cast<std::size_t>(i * c_row + j)]) == Approx(expected).epsilon(1e-6);
                }
            CHECK(right);
        }
        std::int16_t rounded[7];
        const float x[]{0.5f, 1.5f, -2.5f, 300, -300, 0.49f, -0.0f};
        CHECK(f->round(x, 7, 1, rounded));
        CHECK(std::vector<std::int16_t>(rounded, rounded + 7) == std::vector<std::int16_t>{0, 2, -2, 127, -127, 0, 0});
        const float bad[]{1, std::numeric_limits<float>::quiet_NaN()};
        CHECK_FALSE(f->round(bad, 2, 1, rounded));
    }
}

TEST_CASE("A network in 8 bits says nearly what it says in float") {
    check_near(Model<Dense2>(3), 0.03);
    check_near(Model<Images>(3), 0.03);
    check_near(Model<FewChannels>(3), 0.03);
    check_near(Model<OddChannels>(3), 0.03);
    check_near(Model<Remembers>(3), 0.05);
    check_near(Model(network(Input(37) + Dense(45, relu) + Dense(5) + SoftmaxCE()), 2), 0.03);
}

TEST_CASE("Threads, batches and NaN make no difference to a network in 8 bits") {
    Model<Dense2> model(3);
    const Dataset data = images(300, model.records.inputs[0]);
    const auto one = quantize(model, data), two = quantize(model, data, {}, cpu({.threads = 2}));
    Array<float> x({300, 37}, drawn(300 * 37, 1));
    const auto expected = one.predict(x);
    CHECK(difference(expected, two.predict(x)) == 0);
    for (std::size_t i = 0; i < 300; i += 7) {
        float y[5];
        one.predict(x.data() + i * 37, y, 1);
        for (std::size_t k = 0; k < 5; ++k) CHECK(y[k] == expected.data()[5 * i + k]);
    }
    x.data()[5] = std::numeric_limits<float>::quiet_NaN();
    CHECK(std::isnan(one.predict(x).data()[0]));
}

TEST_CASE("A NaN in 8 bits is its record's alone") {
    const auto examine = [](const auto& model, std::size_t width, std::size_t outputs) {
        const auto small = quantize(model, images(100, model.records.inputs[0]));
        std::vector<float> x = drawn(100 * width, 1), clean(100 * outputs), broken(100 * outputs);
        small.predict(x.data(), clean.data(), 100);
        for (const std::size_t record : {0u, 17u, 48u, 99u})
            x[record * width + record % width] = std::numeric_limits<float>::quiet_NaN();
        small.predict(x.data(), broken.data(), 100);
        for (std::size_t r = 0; r < 100; ++r)
            for (std::size_t k = 0; k < outputs; ++k) {
                const bool bad = r == 0 || r == 17 || r == 48 || r == 99;
                if (bad) CHECK(std::isnan(broken[r * outputs + k]));
                else if (broken[r * outputs + k] != clean[r * outputs + k])
                    CHECK(broken[r * outputs + k] == clean[r * outputs + k]);
            }
    };
    examine(Model<Dense2>(3), 37, 5);
    examine(Model(network(Input(12, 12, 4) + Conv2D(16, 3, relu) + Conv2D(16, 3, relu) + Flatten() + Dense(3) +
                          SoftmaxCE()),
                  2),
            12 * 12 * 4, 3);
}

TEST_CASE("Weights that are not finite are not quantized") {
    Model<Dense2> model(3);
    const Dataset data = images(20, model.records.inputs[0]);
    model.parameter("3-dense.weights")(1, 2) = std::numeric_limits<float>::quiet_NaN();
    CHECK(error_text<ArgumentError>([&] { quantize(model, data); }) ==
          "parameter '3-dense.weights' to quantize: expected finite numbers, found nan in row 1, column 2");
    CHECK_NOTHROW(quantize(model, data, {.layers = "1-*"}));
    model.parameter("3-dense.weights")(1, 2) = -std::numeric_limits<float>::infinity();
    CHECK_THROWS_WITH(quantize(model, data), Catch::Contains("found -inf in row 1, column 2"));
}

TEST_CASE("One outlier of a thousand records decides on nothing in 8 bits") {
    Model<Dense2> model(3);
    std::vector<float> x = drawn(1000 * 37, 1);
    const Dataset clean(Numbers{{1000, 37}, x}, Numbers{{1000}, std::vector<float>(1000)}, "clean");
    const auto wanted = quantize(model, clean).predict(Array<float>({1000, 37}, x)),
               of_clean = model.predict(Array<float>({1000, 37}, x));
    for (std::size_t k = 0; k < 37; ++k) x[500 * 37 + k] *= 1e5f;
    const Dataset data(Numbers{{1000, 37}, x}, Numbers{{1000}, std::vector<float>(1000)}, "data");
    std::vector<ClippedRange> clipped;
    const auto small = quantize(model, data, {.clipped = &clipped});
    const auto found = small.predict(Array<float>({1000, 37}, x)), floats = model.predict(Array<float>({1000, 37}, x));
    // Records beside the outlier are as near to float as those of data without it.
    double worst = 0, worst_of_clean = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (i / 5 == 500) continue;
        worst = std::max(worst, double(std::abs(found.data()[i] - floats.data()[i])));
        worst_of_clean = std::max(worst_of_clean, double(std::abs(wanted.data()[i] - of_clean.data()[i])));
    }
    CHECK(worst < 1.5 * worst_of_clean);
    REQUIRE(!clipped.empty());
    CHECK(clipped[0].name == "0-input");
    CHECK(clipped[0].range < 10);
    CHECK(clipped[0].greatest > 1e4f);
    CHECK(clipped[0].clipped > 20);
    CHECK(clipped[0].clipped <= 37);
    CHECK(clipped[0].numbers == 37000);
    // All of it, and of fewer records nothing is clipped.
    const auto whole = quantize(model, data, {.percentile = 100, .clipped = &clipped});
    CHECK(clipped.empty());
    CHECK(difference(whole.predict(Array<float>({1000, 37}, x)), floats) > 0.1);
    quantize(model, clean, {.records = 999, .percentile = 99.99, .clipped = &clipped});
    for (const ClippedRange& each : clipped) CHECK(each.clipped * 10000 <= each.numbers);
    CHECK_THROWS_AS(quantize(model, data, {.percentile = 0.9999}), ArgumentError);
}

TEST_CASE("What is hardly ever other than 0 has the range of what is not 0") {
    constexpr std::size_t columns = 20000, records = 12;  // one in 20,000: beyond the 99.99th percentile of all
    Model<DynamicNetwork> model(network(Input(columns) + Linear(4) + SquaredDiff()), 3);
    std::vector<float> x(records * columns);
    for (std::size_t r = 0; r < records; ++r) x[r * columns + 37 * r] = 1 + 0.1f * static_cast<float>(r);
    const Dataset data(Numbers{{records, columns}, x}, Numbers{{records, 4}, std::vector<float>(4 * records)}, "ones");
    const auto small = quantize(model, data);
    const Array<float> inputs({records, columns}, x);
    CHECK(difference(small.predict(inputs), model.predict(inputs)) < 0.03);
}

TEST_CASE("Zeros by which nothing can be found out are said to be zeros") {
    Model<Dense2> model(3);
    const Dataset nothing(Numbers{{10, 37}, std::vector<float>(370)}, Numbers{{10}, std::vector<float>(10)}, "zeros");
    CHECK(error_text<ArgumentError>([&] { quantize(model, nothing, {.layers = "1-*"}); }) ==
          "data for quantization: expected inputs of the layers that are not all 0, found only zeros in the inputs of "
          "layers that match '1-*'");
}

TEST_CASE("A network that takes one step a record is calibrated by sequences, and streams") {
    constexpr std::size_t sequences = 60, steps = 24;
    const auto made = [](int length) {
        return Model<DynamicNetwork>(
            network(Input(length, 1) + LSTM(8, {.stateful = true}) + Linear(1) + SquaredDiff()), 3);
    };
    Model<DynamicNetwork> whole = made(steps), one = made(1);
    for (const char* name : {"1-lstm.weights", "1-lstm.recurrent_weights"})
        if (whole.records.find_parameter(name) >= 0)
            for (float& w : whole.parameter(name)) w *= 2;
    transfer(whole, one);
    std::vector<float> x = drawn(sequences * steps, 4);
    for (float& each : x) each += 1;  // so that states grow from step to step
    const Dataset by_step(Numbers{{sequences * steps, 1, 1}, x},
                          Numbers{{sequences * steps, 1, 1}, std::vector<float>(sequences * steps)}, "steps");
    CHECK(error_text<ArgumentError>([&] { quantize(one, by_step); }) ==
          "quantize of a network with states and one step per record: expected the number of consecutive "
          "records in one sequence, such as {.sequence = 24} (1 if each record is a sequence of its own), found no "
          ".sequence");
    const Dataset by_sequence(Numbers{{sequences, steps, 1}, x},
                              Numbers{{sequences, steps, 1}, std::vector<float>(sequences * steps)}, "sequences");
    const QuantizeOptions all{.records = sequences * steps, .percentile = 100};
    QuantizeOptions in_sequence = all;
    in_sequence.sequence = steps;
    const auto of_whole = quantize(whole, by_sequence, all);
    const auto of_one = quantize(one, by_step, in_sequence);
    const auto wanted = of_whole.predict(Array<float>({sequences, steps, 1}, x));
    auto stream = of_one.stream();
    for (std::size_t t = 0; t < steps; ++t) {
        float y[1];
        stream.step(std::vector<float>{x[t]}, y);
        CHECK(y[0] == wanted.data()[t]);
    }
    in_sequence.sequence = sequences * steps + 1;
    CHECK_THROWS_AS(quantize(one, by_step, in_sequence), ArgumentError);
    CHECK_THROWS_AS(quantize(Model<Dense2>(3), images(20, Model<Dense2>(3).records.inputs[0]), {.sequence = 2}),
                    ArgumentError);
}

TEST_CASE("Only layers that match are in 8 bits, and one must") {
    Model<Dense2> model(3);
    const Dataset data = images(20, model.records.inputs[0]);
    const auto last = quantize(model, data, {.layers = "3-*"});
    const Array<float> x({20, 37}, drawn(20 * 37, 1));
    CHECK(difference(model.predict<"2-dense">(x), last.predict<"2-dense">(x)) == 0);
    CHECK(difference(model.predict(x), last.predict(x)) > 0);
    CHECK_THROWS_WITH(quantize(model, data, {.layers = "9-*"}), Catch::Contains("found '9-*'"));
    CHECK_THROWS_AS(quantize(model, images(20, Shape{-1, 36})), ShapeError);
}

TEST_CASE("A network in 8 bits goes through a file of a quarter of the size") {
    const Scratch directory;
    const std::string file = directory / "small.sigma", large = directory / "large.sigma";
    Model<DynamicNetwork> model(network(Input(400) + Dense(300, relu) + Dense(10) + SoftmaxCE()), 3);
    const Dataset data = images(50, model.records.inputs[0]);
    const auto small = quantize(model, data);
    save_model(small.model(), file);
    save_model(model, large);
    CHECK(static_cast<double>(std::filesystem::file_size(file)) <
          0.28 * static_cast<double>(std::filesystem::file_size(large)));
    const auto loaded = load_model(file);
    const Array<float> x({50, 400}, drawn(50 * 400, 1));
    CHECK(difference(small.predict(x), loaded.predict(x)) == 0);
    CHECK(difference(small.predict(x), Predictor(loaded).predict(x)) == 0);
    CHECK_THROWS_WITH(load_model<double>(file), Catch::Contains("found weights of 8 bits"));
}

TEST_CASE("A network in 8 bits whose parameters change predicts by those that it has") {
    const Scratch directory;
    const std::string file = directory / "small.sigma", parameters = directory / "other.safetensors";
    const Model<DynamicNetwork> model(network(Input(40) + Dense(30, relu) + Dense(10) + SoftmaxCE()), 3),
        other(model.definition(), 4);
    const Dataset data = images(50, model.records.inputs[0]);
    save_model(quantize(model, data).model(), file);
    save_parameters(other, parameters);
    const Array<float> x({50, 40}, drawn(50 * 40, 1));
    const Array<float> classes({50}, std::vector<float>(50, 7));
    using Loaded = LoadedModel<float>;
    const auto becomes = [&](const auto& change) {
        auto loaded = load_model(file);
        CHECK(difference(loaded.predict(x), model.predict(x)) > 0);
        const auto copied = loaded;  // is none of what happens to the other
        const Array<float> first = copied.predict(x);
        change(loaded);
        const Model<DynamicNetwork> fresh = [&] {
            Model<DynamicNetwork> of_its_parameters(model.definition());
            transfer(loaded, of_its_parameters);
            return of_its_parameters;
        }();
        CHECK(difference(loaded.predict(x), fresh.predict(x)) == 0);
        CHECK(difference(Predictor(loaded).predict(x), fresh.predict(x)) == 0);
        CHECK(difference(loaded.predict(x), first) > 0.001);
        CHECK(difference(copied.predict(x), first) == 0);
        const std::string again = directory / "again.sigma";
        save_model(loaded, again);
        CHECK(load_model(again) == loaded);
    };
    becomes([&](Loaded& m) { load_parameters(m, parameters); });
    becomes([&](Loaded& m) { load_parameters(m, parameters, "1-*"); });
    becomes([&](Loaded& m) { transfer(other, m); });
    becomes([&](Loaded& m) { static_cast<Model<DynamicNetwork>&>(m) = other; });
    becomes([&](Loaded& m) { m.reset(5); });
    becomes([&](Loaded& m) { m.initialize("2-*", zeros); });
    becomes([&](Loaded& m) { m.parameter<"1-dense.weights">().fill(0.5f); });
    becomes([&](Loaded& m) { m.write([&] { m.parameter("2-dense.weights").data()[3] += 5; }); });
    becomes([&](Loaded& m) {
        for (float& each : m.parameter_memory()) each *= 0.5f;
    });
    becomes([&](Loaded& m) {
        BatchTrainer trains{static_cast<Model<DynamicNetwork>&>(m), GradientDescent{.learning_rate = 0.5}};
        trains.train_on_batch(x, classes);
    });
    becomes([&](Loaded& m) {
        sigma::test::DirectStep<DynamicNetwork, GradientDescent> one(m);
        one(GradientDescent{.learning_rate = 0.5}, 1, x.data(), classes.data(), 50);
    });
}

TEST_CASE("A network in 8 bits stays so where only other things than its parameters change, and as another type") {
    const Scratch directory;
    const std::string file = directory / "small.sigma";
    const Model<Dropping> model(3);
    save_model(quantize(model, images(50, model.records.inputs[0])).model(), file);
    auto loaded = load_model(file);
    const Array<float> x({50, 40}, drawn(50 * 40, 1));
    const Array<float> first = loaded.predict(x);
    CHECK(difference(first, model.predict(x)) > 0);
    loaded.set_hyperparameter("*", 0.25);
    loaded.set_classes({"a", "b", "c"});
    loaded.forget();
    loaded.set_threads(2);
    (void)std::as_const(loaded).parameter("1-dense.weights");
    CHECK(difference(loaded.predict(x), first) == 0);
    const Model<Dropping> known = loaded;
    CHECK(difference(known.predict(x), first) == 0);
}

TEST_CASE("Weights in 8 bits have no floats beside them before somebody reads those") {
    const Scratch directory;
    const std::string file = directory / "small.sigma", again = directory / "again.sigma";
    const Model<DynamicNetwork> model(network(Input(256) + Dense(600, relu) + Dense(10) + SoftmaxCE()), 3);
    const auto small = quantize(model, images(50, model.records.inputs[0]));
    const Array<float> x({50, 256}, drawn(50 * 256, 1));
    const Array<float> first = small.predict(x);
    save_model(small.model(), file);
    CHECK(resident(small.model()) == 0);
    const auto loaded = load_model(file);
    const auto copied = loaded;
    const Predictor predictor(loaded);
    for (const auto* each : {&loaded, &copied}) CHECK(difference(each->predict(x), first) == 0);
    CHECK(difference(predictor.predict(x), first) == 0);
    CHECK(predictor.predict<"1-dense">(x).size() == 50 * 600);
    CHECK(loaded.evaluate(images(50, Shape{-1, 256})).error > 0);
    save_model(loaded, again);
    for (const auto* each : {&loaded, &copied}) CHECK(resident(*each) == 0);
    CHECK(resident(predictor.model()) == 0);
    CHECK(difference(load_model(again).predict(x), first) == 0);

    const auto check_values = [&](const auto& of) {
        const auto found = of.parameter("1-dense.weights");
        const auto expected = model.parameter("1-dense.weights");
        double greatest = 0, apart = 0;
        for (std::size_t k = 0; k < 256; ++k)
            for (std::size_t j = 0; j < 600; ++j) {
                greatest = std::max(greatest, std::abs(double{expected(k, j)}));
                apart = std::max(apart, std::abs(double{expected(k, j)} - double{found(k, j)}));
            }
        return apart > 0 && apart <= 0.5001 * greatest / 127;
    };
    bool right[4]{};
    std::vector<std::thread> readers;
    for (bool& each : right) readers.emplace_back([&] { each = check_values(loaded); });
    for (std::thread& each : readers) each.join();
    for (const bool each : right) CHECK(each);
    CHECK(difference(loaded.predict(x), first) == 0);
    const Model<DynamicNetwork> assigned = [&] {
        Model<DynamicNetwork> to(model.definition());
        to = copied;
        return to;
    }();
    CHECK(check_values(assigned));
    CHECK(assigned == loaded);
    CHECK(resident(copied) == 0);
}

TEST_CASE("What a network reads beside its products in 8 bits, or meets no number, it has in floats") {
    const auto examine = [](const auto& made, const Shape& input) {
        const Model<DynamicNetwork> model(network(made), 3);
        const auto small = quantize(model, images(50, input));
        std::vector<std::size_t> extents{50};
        for (int i = 1; i < input.rank; ++i) extents.push_back(static_cast<std::size_t>(input[i]));
        Array<float> x(extents, drawn(50 * static_cast<std::size_t>(input.count()), 1));
        CHECK(difference(model.predict(x), small.predict(x)) < 0.05);
        Model<DynamicNetwork> floats(model.definition());  // of what the weights in 8 bits stand for
        floats = small.model();
        x.data()[5] = std::numeric_limits<float>::quiet_NaN();
        const Array<float> expected = floats.predict(x), found = small.predict(x);
        std::size_t of_nan = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            CHECK(std::isnan(expected.data()[i]) == std::isnan(found.data()[i]));
            of_nan += std::isnan(found.data()[i]);
        }
        CHECK(of_nan > 0);
    };
    examine(Input(40) + Dense(30, relu) + Dense(10), Shape{-1, 40});
    examine(Input(40) + TwiceRead(30) + Dense(10), Shape{-1, 40});
    examine(Input(40) + Dense(8, relu) + Dense(10), Shape{-1, 40});
    examine(Input(8, 8, 4) + Conv2D(16, 3, relu) + Conv2D(12, 3) + Flatten() + Dense(4), Shape{-1, 8, 8, 4});
    examine(Input(9, 12) + LSTM(16) + Flatten() + Dense(3), Shape{-1, 9, 12});
    examine(Input(40) + Row(33) + Dense(10), Shape{-1, 40});
    examine(Input(9, 40) + GRU(40) + Flatten() + Dense(3), Shape{-1, 9, 40});
}

TEST_CASE("Two recurrent layers in 8 bits go on in float after their parameters have changed") {
    const Scratch directory;
    const std::string file = directory / "small.sigma";
    const Model<DynamicNetwork> model(network(Input(5, 40) + LSTM(40) + LSTM(40) + Flatten() + Dense(3)), 3);
    save_model(quantize(model, images(50, model.records.inputs[0])).model(), file);
    auto loaded = load_model(file);
    const Array<float> x({8, 5, 40}, drawn(8 * 200, 1));
    const Array<float> first = loaded.predict(x);
    loaded.parameter<"4-dense.biases">().fill(0.5f);
    const Model<DynamicNetwork> fresh = [&] {
        Model<DynamicNetwork> of_its_parameters(model.definition());
        transfer(loaded, of_its_parameters);
        return of_its_parameters;
    }();
    CHECK(difference(loaded.predict(x), fresh.predict(x)) == 0);
    CHECK(difference(loaded.predict(x), first) > 0.001);
}
