// SPDX-License-Identifier: BSL-1.0
#include "cpp/functions.hpp"
#include "cpp/text.hpp"

#include <sigma/core/number_text.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/exchange/cpp_source.hpp>
#include <sigma/exchange/quantize.hpp>
#include <sigma/sigma.hpp>
#include <sigma/storage/error.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace sigma;

namespace {

template <class T = float>
std::string source(const Layers& layers, const CppOptions& options = {.name = "net"}) {
    const Model<DynamicNetwork, T> model(network(layers), 3);
    std::string text;
    detail::with_portable(model, [&](const detail::PortableModel& m) { text = detail::cpp_source(m, options); });
    return text;
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
int count(const std::string& text, const std::string& part) {
    int n = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
    return n;
}

struct Noisy : Layer {
    static constexpr Text kind = "noisy";
    constexpr Tensor forward(Context& context, Tensor x) const { return x + random_uniform(context, x.shape()); }
};

template <class F>
std::string sentence_of(F f) {
    try {
        f();
    } catch (const ArgumentError& e) { return e.what(); }
    return "";
}

}  // namespace

TEST_CASE("A header declares what a network takes and gives") {
    const std::string text = source(Input(2, 3) + Dense(4, relu) + Dense(3) + SoftmaxCE());
    CHECK(has(text, "namespace net {\n"));
    CHECK(has(text, "inline constexpr int inputs = 6;  // (2, 3)\n"));
    CHECK(has(text, "inline constexpr int outputs = 3;  // (3)\n"));
    CHECK(has(text, "constexpr void predict(const float in[6], float out[3]) {\n"));
    CHECK(has(text, "constexpr void predict(const float in[6], float out[3], Workspace& workspace) {\n"));
    CHECK(has(text, "constexpr int classify(const float in[6]) {\n"));
    CHECK(has(text, "inline constexpr float layer_1_dense_weights[24] = {\n"));
    CHECK(count(text, "#include") == 1);
    CHECK(has(text, "#include <stdint.h>\n"));
    CHECK_FALSE(has(text, "std::"));
    CHECK_FALSE(has(text, "State"));
    CHECK_FALSE(has(text, "tanh"));  // only what is called
}

TEST_CASE("Arithmetic alone needs no header") {
    CHECK_FALSE(has(source(Input(3) + Dense(4, relu) + Dense(1) + SquaredDiff()), "#include"));
}

TEST_CASE("Double precision is double in the header") {
    const std::string text = source<double>(Input(3) + Dense(1) + SquaredDiff());
    CHECK(has(text, "constexpr void predict(const double in[3], double out[1]) {\n"));
    CHECK_FALSE(has(text, "float"));
}

TEST_CASE("Several inputs and outputs are several parameters") {
    const std::string text = source((Input(2) & Input(3)) + Concatenate() +
                                    Costs(Dense(2) + SoftmaxCE(), named("price", Dense(1) + SquaredDiff())));
    CHECK(has(text, "predict(const float in_0[2], const float in_1[3], float out_0[2], float out_1[1]) {\n"));
    CHECK(has(text, "inline constexpr int inputs[2] = {2, 3};\n"));
    CHECK(has(text, "/// out_1: price (1)\n"));
    CHECK_FALSE(has(text, "classify"));
}

TEST_CASE("What stateful layers remember is a struct") {
    const std::string text = source(Input(3, 4) + LSTM(5, {.last = true, .stateful = true}) + Dense(2) + SquaredDiff());
    CHECK(has(text, "struct State {\n"));
    CHECK(count(text, "[5]{};\n") == 2);
    CHECK(has(text, "constexpr void predict(const float in[12], float out[2], State& state) {\n"));
    CHECK(has(text, "for (int t = 0; t < 3; ++t) {\n"));
}

TEST_CASE("Parts of the workspace that do not live at the same time lie in one place") {
    const std::string deep = source(Input(8) + 20 * Dense(50, relu) + Dense(1) + SquaredDiff());
    CHECK(has(deep, "inline constexpr int workspace_bytes = 400;\n"));  // a layer's input and output
    const std::string kept =
        source(Input(50) + Residual(Dense(50, relu) + Dense(50, relu) + Dense(50, relu)) + Dense(1) + SquaredDiff());
    CHECK(has(kept, "inline constexpr int workspace_bytes = 400;\n"));  // the input itself is the caller's
    const std::string across =
        source(Input(8) + Dense(50) + Residual(Dense(50, relu) + Dense(50, relu)) + Dense(1) + SquaredDiff());
    CHECK(has(across, "inline constexpr int workspace_bytes = 600;\n"));
}

TEST_CASE("Elementwise operations behind each other are one loop") {
    const std::string text = source(Input(8) + Elementwise(silu) + Elementwise(silu) + SquaredDiff());
    CHECK(count(text, "for (int i = 0; i < 8; ++i) {") == 1);
    CHECK(has(text, "inline constexpr int workspace_bytes = 0;\n"));
}

TEST_CASE("What does not depend on the input is a constant") {
    const std::string text = source(Input(4, 6) + SinusoidalPositions() + BatchNorm() + SquaredDiff());
    CHECK(has(text, "inline constexpr float layer_1_sinusoidal_positions_constant[24] = {\n"));
    CHECK_FALSE(has(text, "sqrt("));
}

TEST_CASE("Bytes stand for weights of products and convolutions") {
    const Layers layers = Input(6, 6, 2) + Conv2D(3, 3, relu) + Dense(4) + SoftmaxCE();
    const std::string text = source(layers, {.name = "net", .int8 = true});
    CHECK(has(text, "inline constexpr int8_t layer_1_conv2d_weights[54] = {\n"));
    CHECK(has(text, "inline constexpr float layer_1_conv2d_weights_scales[3] = {\n"));
    CHECK(has(text, "inline constexpr int8_t layer_2_dense_weights[192] = {\n"));
    CHECK(has(text, "inline constexpr float layer_2_dense_biases[4] = {\n"));
    const std::size_t begin = text.find("layer_1_conv2d_weights[54] = {") + 30, end = text.find("}", begin);
    const std::string bytes = text.substr(begin, end - begin);
    int greatest = 0, found = 0;
    detail::each_word(bytes, [&](std::string_view word, bool) {
        double x = 0;
        if (!detail::read_number(word, x)) return;
        ++found;
        greatest = std::max(greatest, static_cast<int>(x));
    });
    CHECK(found == 54);
    CHECK(greatest == 127);
}

TEST_CASE("A model in 8 bits is written with its whole numbers and ranges") {
    const Model<DynamicNetwork> model(network(Input(6) + Dense(5, relu) + Dense(3) + SquaredDiff()), 3);
    std::vector<float> x(60);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 3;
    const auto small =
        quantize(model, Dataset({{10, 6}, x}, {{10}, std::vector<float>(10, 0)}, "rows"), {.layers = "1-*"});
    std::string text;
    detail::with_portable(small.model(),
                          [&](const detail::PortableModel& m) { text = detail::cpp_source(m, {.name = "net"}); });
    CHECK(has(text, "inline constexpr int8_t layer_1_dense_weights[30] = {\n"));
    CHECK(has(text, "inline constexpr float layer_1_dense_weights_scales[5] = {\n"));
    CHECK(has(text, "inline constexpr float layer_2_dense_weights[15] = {\n"));
    CHECK(has(text, "round_to_whole(in, 1, 6, 42.33333"));  // 127 / 3
    CHECK(has(text, "int16_t whole[6]{};\n"));
    CHECK(has(text, "inline constexpr int workspace_bytes = 44;\n"));
    CHECK_FALSE(has(text, "take_window"));
}

TEST_CASE("Bytes stand for weights that are seen under other shapes, and for no others") {
    const std::string text = source(Input(8, 3) + Conv1D(4, 3) + ConvTranspose1D(3, 2) + LSTM(4) + SquaredDiff(),
                                    {.name = "net", .int8 = true});
    CHECK(count(text, "inline constexpr int8_t ") == 4);
    const std::string tied =
        source(Input(5) + Embedding(6, 4) + Linear(3) + SquaredDiff(), {.name = "net", .int8 = true});
    CHECK(has(tied, "inline constexpr float layer_1_embedding_table[24]"));
}

TEST_CASE("Weights that no scale covers become no bytes") {
    Model model(network(Input(2) + Dense(2) + SquaredDiff()), 1);
    model.parameter("1-dense.weights")(1, 1) = std::numeric_limits<float>::infinity();
    CHECK(sentence_of([&] {
              detail::with_portable(
                  model, [](const detail::PortableModel& m) { detail::cpp_source(m, {.name = "net", .int8 = true}); });
          }) == "export_cpp: expected finite weights where they become bytes, found others in layer_1_dense_weights");
}

TEST_CASE("Numbers read back to the same bits") {
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i) {
        const float x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (!std::isfinite(x)) continue;
        std::string text = detail::cpp_number(x, true);
        REQUIRE(text.back() == 'f');
        REQUIRE(text.find_first_of(".e") != text.npos);
        text.pop_back();
        float y = 0;
        REQUIRE(detail::read_front(text, y).length == text.size());
        REQUIRE(std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y));
    }
    CHECK(detail::cpp_number(1, true) == "1.0f");
    CHECK(detail::cpp_number(-0.0, true) == "-0.0f");
    CHECK(detail::cpp_number(0.1, false) == "0.1");
    CHECK(detail::cpp_number(std::numeric_limits<double>::infinity(), true) == "infinity<float>");
    CHECK(detail::cpp_number(std::nan(""), false) == "not_a_number<double>");
}

TEST_CASE("Any name becomes one of C++") {
    CHECK(detail::cpp_identifier("1-dense.weights") == "layer_1_dense_weights");
    CHECK(detail::cpp_identifier("body/2-dense.biases") == "body_2_dense_biases");
    CHECK(detail::cpp_identifier("a--b") == "a_b");
    CHECK(detail::cpp_identifier("ä") == "layer__");
    CHECK(detail::cpp_identifier("") == "layer_");
    CHECK(detail::cpp_comment("a\\\nb") == "a??b");
}

TEST_CASE("Parameters whose names become one have several") {
    const std::string text = source(Input(3) + named("a-1-dense", Dense(2)) + named("a", 2 * Dense(2)) + SquaredDiff());
    CHECK(has(text, "a_1_dense_weights[6] = {"));
    CHECK(has(text, "a_1_dense_weights_2[4] = {"));
}

TEST_CASE("A header has the names of the classes") {
    const Dataset iris = data::iris();
    Trainer trainer("iris", network(Input(4) + Dense(3) + SoftmaxCE()), Adam{}, minibatches(iris, 50));
    trainer.run({.quiet = true});
    std::string text;
    detail::with_portable(trainer.model(),
                          [&](const detail::PortableModel& m) { text = detail::cpp_source(m, {.name = "iris"}); });
    CHECK(has(text, "inline constexpr const char* classes[3] = {\n    \"Iris-setosa\",\n"));
}

TEST_CASE("Names of namespaces that are none are refused") {
    for (const char* name : {"", "7up", "a b", "a__b", "_a", "class", "while", "std", "ä", "a::b"})
        CHECK(sentence_of([&] { source(Input(1) + Dense(1) + SquaredDiff(), {.name = name}); }) ==
              "export_cpp: expected a C++ name of letters, digits and single '_', found '" + std::string(name) + "'");
}

TEST_CASE("What cannot be written is one sentence with layer and operation") {
    CHECK(sentence_of([] { source(Input(2) + Dense(3) + Noisy() + SquaredDiff()); }) ==
          "export_cpp: expected operations that C++ without a library can do, found uniform in layer '2-noisy'");
}

TEST_CASE("A file is written as a whole and named after itself") {
    const std::string folder = std::filesystem::temp_directory_path() / "sigma_cpp_source_test";
    std::filesystem::create_directories(folder);
    const std::string file = folder + "/digits-2.model.hpp";
    export_cpp(Model(network(Input(2) + Dense(1) + SquaredDiff())), file);
    std::ifstream in(file);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    CHECK(has(text, "namespace digits_2 {\n"));
    CHECK(text.ends_with("}  // namespace digits_2\n"));
    CHECK_THROWS_AS(export_cpp(Model(network(Input(2) + Noisy() + SquaredDiff())), file), ArgumentError);
    std::ifstream again(file);
    CHECK(std::string((std::istreambuf_iterator<char>(again)), {}) == text);
    CHECK_THROWS_AS(export_cpp(Model(network(Input(2) + Dense(1) + SquaredDiff())), folder + "/none/a.hpp"),
                    StorageError);
    std::filesystem::remove_all(folder);
}

TEST_CASE("Functions come with those that they call, once, in order") {
    const std::string text = detail::called_functions("y = erf; z = error_function(x) + error_function(y);");
    CHECK(count(text, " error_function(V a) {") == 1);
    CHECK(count(text, "constexpr V exp(V x) {") == 1);
    CHECK(text.find("constexpr V exp(V x)") < text.find(" error_function(V a)"));
    CHECK_FALSE(has(text, " log("));
    CHECK(detail::called_functions("a + b").empty());
    CHECK(has(detail::called_functions("lu(y, a);"), "constexpr void lu("));
}
