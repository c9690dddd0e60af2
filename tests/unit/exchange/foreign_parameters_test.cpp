// SPDX-License-Identifier: BSL-1.0
#include <sigma/exchange/foreign_parameters.hpp>
#include <sigma/sigma.hpp>
#include <sigma/storage/safetensors.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace sigma;

namespace {

struct Small : Network<Input(3) + Dense(4, tanh) + Dense(2) + SquaredDiff()> {};
struct Equal : Network<Input(3) + Dense(3, tanh) + Dense(3) + SquaredDiff()> {};

struct Scaled : Layer {
    static constexpr Text kind = "scaled";
    constexpr Tensor forward(Context& context, Tensor x) const {
        return x * parameter(context, Shape{x.shape().last()}, "factors", ones);
    }
};

using Tensors = std::vector<std::pair<std::string, std::vector<std::uint64_t>>>;

/// Tensors of 0, 1, 2, … in this order.
std::string counted(const ScratchFile& file, const Tensors& tensors) {
    std::string header = "{", data;
    float next = 0;
    for (const auto& [name, shape] : tensors) {
        std::uint64_t count = 1;
        for (const auto extent : shape) count *= extent;
        const std::size_t begin = data.size();
        for (std::uint64_t i = 0; i < count; ++i, ++next)
            data.append(reinterpret_cast<const char*>(&next), sizeof next);
        std::string extents = detail::shape_text(shape);
        extents.front() = '[', extents.back() = ']';
        header += sentence(header.size() > 1 ? "," : "", '"', name, "\":{\"dtype\":\"F32\",\"shape\":", extents,
                           ",\"data_offsets\":[", begin, ",", data.size(), "]}");
    }
    header += "}";
    const std::uint64_t length = header.size();
    std::string all(reinterpret_cast<const char*>(&length), 8);
    return file.folder.write("file.safetensors", all + header + data);
}
const Tensors small{{"0.weight", {4, 3}}, {"0.bias", {4}}, {"2.weight", {2, 4}}, {"2.bias", {2}}};
std::string message(const Tensors& tensors, const ForeignNames& names = torch_names()) {
    const ScratchFile file;
    const std::string path = counted(file, tensors);
    Model<Small> model(1);
    const Model<Small> before = model;
    std::string text = error_text([&] { load_parameters(model, path, names); });
    CHECK(model == before);
    for (std::size_t at = 0; (at = text.find(path)) != text.npos;) text.replace(at, path.size(), "FILE");
    return text;
}

}  // namespace

TEST_CASE("PyTorch's matrices are turned, and what was read can be written again") {
    const ScratchFile file;
    Model<Small> model(1);
    CHECK(load_parameters(model, counted(file, small), torch_names()) == 4);
    CHECK(model.parameter<"1-dense.weights">()(0, 0) == 0);
    CHECK(model.parameter<"1-dense.weights">()(1, 0) == 1);  // weight[0][1]
    CHECK(model.parameter<"1-dense.weights">()(0, 3) == 9);  // weight[3][0]
    CHECK(model.parameter<"2-dense.biases">()(1) == 25);
    const std::string back = file.folder / "back.npz";
    save_parameters(model, back, torch_names({.like = file.folder / "file.safetensors"}));
    Model<Small> other(2);
    CHECK(load_parameters(other, back, torch_names()) == 4);
    CHECK(other == model);
    save_parameters(model, file.folder / "twice.npz", torch_names({.like = file.folder / "file.safetensors"}));
    CHECK(file_text(back) == file_text(file.folder / "twice.npz"));
    Model<Small, double> wide(3);
    CHECK(load_parameters(wide, back, torch_names()) == 4);
    CHECK(wide.parameter<"1-dense.weights">()(0, 3) == 9);
}

TEST_CASE("names are written as the options say, else as the layers are called") {
    const ScratchFile file;
    const std::string path = file.folder / "a.safetensors";
    const auto names = [&](const ForeignNames& how) {
        save_parameters(Model<Small>(1), path, how);
        std::string all;
        for (const TensorInfo& t : SafetensorsFile::open(path).tensors())
            all += sentence(all.empty() ? "" : " ", t.name, detail::shape_text(t.shape));
        return all;
    };
    CHECK(names(torch_names()) == "1-dense.bias(4) 1-dense.weight(4, 3) 2-dense.bias(2) 2-dense.weight(2, 4)");
    CHECK(names(torch_names({.prefix = "net.", .modules = {{"1-dense", "fc1"}, {"2-dense", "out.0"}}})) ==
          "net.fc1.bias(4) net.fc1.weight(4, 3) net.out.0.bias(2) net.out.0.weight(2, 4)");
    CHECK(names(keras_names({.layers = "2-*"})) == "2-dense/bias(2) 2-dense/kernel(4, 2)");
    CHECK(error_text([&] { save_parameters(Model<Small>(1), "a.pt", torch_names()); }) ==
          "parameters of PyTorch in 'a.pt': expected a name that ends in .safetensors or .npz, found 'a.pt'");
}

TEST_CASE("layers of equal shapes take modules in the order of numbers, of the file, or as they are told") {
    const ScratchFile file;
    Model<Equal> model(1);
    const auto first = [&](const Tensors& tensors, const ForeignNames& names = torch_names()) {
        load_parameters(model, counted(file, tensors), names);
        return model.parameter<"1-dense.weights">()(0, 0);
    };
    const std::vector<std::uint64_t> m{3, 3}, v{3};
    CHECK(first({{"10.bias", v}, {"10.weight", m}, {"2.bias", v}, {"2.weight", m}}) == 15);  // sorted: 2 is before 10
    CHECK(first({{"b.weight", m}, {"b.bias", v}, {"a.weight", m}, {"a.bias", v}}) == 0);     // not sorted: b is first
    CHECK(first({{"fc.bias", v}, {"fc.weight", m}, {"fc_1.bias", v}, {"fc_1.weight", m}}) == 3);  // as Keras counts
    const Tensors letters{{"a.bias", v}, {"a.weight", m}, {"b.bias", v}, {"b.weight", m}};
    CHECK(first(letters, torch_names({.modules = {{"1-dense", "b"}}})) == 15);
    CHECK(first({{"2-dense.bias", v}, {"2-dense.weight", m}, {"1-dense.weight", m}, {"1-dense.bias", v}}) == 12);
    const std::string text = error_text([&] { first(letters); });
    CHECK(text.ends_with(
        "expected modules of equal shapes with an order that follows from numbers in their names, or from "
        ".modules or .order of the options, found 'a' and 'b' in a file with sorted names"));
    // Words that are said: "b" is before "a", "part2" before "part10", and what is within after the word before it.
    CHECK(first(letters, torch_names({.order = {"b", "a"}})) == 15);
    CHECK(first(letters, torch_names({.order = {"a", "b"}})) == 3);
    CHECK_THROWS_AS(first(letters, torch_names({.order = {"a", "c"}})), MismatchError);
    CHECK_THROWS_AS(first(letters, torch_names({.order = {""}})), MismatchError);
    const auto two = [&](const std::string& a, const std::string& b) {
        return Tensors{{a + ".bias", v}, {a + ".weight", m}, {b + ".bias", v}, {b + ".weight", m}};
    };
    CHECK(first(two("bn1", "layer1.0.bn1"), torch_names({.order = {"layer", "bn"}})) == 15);
    CHECK(first(two("layer10.0.down.1", "layer10.0.up2"), torch_names({.order = {"up", "down"}})) == 15);
    CHECK(first(two("layer10.0.down", "layer9.0.up"), torch_names({.order = {"down", "up"}})) == 15);  // 9 before 10
}

TEST_CASE("a file that does not fit lists both sides in one error, and the model stays as it was") {
    CHECK(message({{"0.weight", {4, 3}}, {"0.bias", {4}}, {"head.weight", {3, 4}}, {"head.bias", {3}}}) ==
          "parameters of PyTorch in 'FILE': expected modules for '2-dense' with bias (2), weight (2, 4), found 'head' "
          "with "
          "bias (3), weight (3, 4)");
    CHECK(message({{"0.weight", {4, 3}}, {"0.bias", {4}}}) ==
          "parameters of PyTorch in 'FILE': expected modules for '2-dense' with bias (2), weight (2, 4), found no "
          "unused module");
    Tensors more = small;
    more.push_back({"4.weight", {5}});
    CHECK(message(more) ==
          "parameters of PyTorch in 'FILE': expected no modules besides those of the model, found '4' with weight (5)");
    CHECK(message(small, torch_names({.modules = {{"1-dense", "fc"}}})) ==
          "parameters of PyTorch in 'FILE': expected module 'fc' for '1-dense' with bias (4), weight (4, 3), found '0' "
          "with "
          "bias (4), weight (4, 3); '2' with bias (2), weight (2, 4)");
    CHECK(message(small, torch_names({.modules = {{"3-dense", "0"}}})) ==
          "modules of layers: expected a layer with parameters, '1-dense', '2-dense', found '3-dense'");
    CHECK(message(small, torch_names({.layers = "conv*"})) ==
          "parameters of PyTorch in 'FILE': expected a pattern of layers that have parameters, found 'conv*'");
    CHECK(
        message(small, keras_names())
            .starts_with("parameters of Keras in 'FILE': expected modules for '1-dense' with bias (4), kernel (3, 4)"));
    CHECK(message(small, torch_names({.prefix = "net."})).ends_with("found no unused module"));
}

TEST_CASE("files of pickle and HDF5 are not read, and say so") {
    Model<Small> model(1);
    CHECK(error_text([&] { load_parameters(model, "a.pt", torch_names()); }) ==
          "file 'a.pt': expected a .safetensors or .npz file, found a file of Python's pickle");
    CHECK(error_text([&] { load_parameters(model, "a.weights.h5", keras_names()); }) ==
          "file 'a.weights.h5': expected a .safetensors or .npz file, found a file of HDF5");
}

TEST_CASE("with Transfer::common what fits is read, and the rest stays") {
    const ScratchFile file;
    const std::string path =
        counted(file, {{"0.weight", {4, 3}}, {"0.bias", {4}}, {"head.weight", {3, 4}}, {"head.bias", {3}}});
    Model<Small> model(1);
    const float kept = model.parameter<"2-dense.weights">()(0, 0);
    CHECK(load_parameters(model, path, torch_names(), Transfer::common) == 2);
    CHECK(model.parameter<"1-dense.weights">()(0, 3) == 9);
    CHECK(model.parameter<"2-dense.weights">()(0, 0) == kept);
}

TEST_CASE("the two biases of PyTorch's recurrent layers are added, but those of a GRU's new state") {
    const auto net = network(Input(2, 1) + GRU(1) + LSTM(1) + SquaredDiff());
    Model model(net, 1);
    const ScratchFile file;
    load_parameters(model,
                    counted(file, {{"g.weight_ih_l0", {3, 1}},
                                   {"g.weight_hh_l0", {3, 1}},
                                   {"g.bias_ih_l0", {3}},
                                   {"g.bias_hh_l0", {3}},
                                   {"a.weight_ih_l0", {4, 1}},
                                   {"a.weight_hh_l0", {4, 1}},
                                   {"a.bias_ih_l0", {4}},
                                   {"a.bias_hh_l0", {4}}}),
                    torch_names());
    const auto b = model.parameter<"1-gru.biases">();
    CHECK(b(0) == 6 + 9);
    CHECK(b(1) == 7 + 10);
    CHECK(b(2) == 8);
    CHECK(model.parameter<"1-gru.recurrent_biases">()(0) == 11);
    CHECK(model.parameter<"2-lstm.biases">()(3) == 23 + 27);
    // Keras' GRU has the update gate first, and with reset_after=False another formula, which is refused.
    Model other(network(Input(2, 1) + GRU(1) + SquaredDiff()), 1);
    load_parameters(other,
                    counted(file, {{"gru/gru_cell/kernel:0", {1, 3}},
                                   {"gru/gru_cell/recurrent_kernel:0", {1, 3}},
                                   {"gru/gru_cell/bias:0", {2, 3}}}),
                    keras_names());
    CHECK(other.parameter<"1-gru.weights">()(0, 0) == 1);
    CHECK(other.parameter<"1-gru.weights">()(0, 1) == 0);
    CHECK(other.parameter<"1-gru.biases">()(0) == 7 + 10);
    CHECK(other.parameter<"1-gru.recurrent_biases">()(0) == 11);
    const std::string before_reset =
        counted(file, {{"gru/kernel", {1, 3}}, {"gru/recurrent_kernel", {1, 3}}, {"gru/bias", {3}}});
    CHECK(error_text([&] { load_parameters(other, before_reset, keras_names()); }).find("bias (2, 3)") !=
          std::string::npos);
}

TEST_CASE("numbers that are not finite, and tensors of integers, are no parameters") {
    const ScratchFile file;
    const std::vector<float> m(12, 0.5f);
    std::vector<float> v(4, std::numeric_limits<float>::infinity());
    SafetensorsWriter writer;
    writer.add("0.weight", {4, 3}, std::span(m)).add("0.bias", {4}, std::span<const float>(v));
    writer.save(file.folder / "a.safetensors");
    Model model(network(Input(3) + Dense(4) + SquaredDiff()), 1);
    CHECK(error_text<DataError>([&] {
              load_parameters(model, file.folder / "a.safetensors", torch_names());
          }).ends_with("tensor '0.bias': expected finite numbers, found inf at element 0"));
    SafetensorsWriter whole;
    whole.add("0.weight", {4, 3}, std::span(m)).add("0.bias", {4}, std::vector<std::int32_t>(4));
    whole.save(file.folder / "b.safetensors");
    CHECK(error_text<MismatchError>([&] {
              load_parameters(model, file.folder / "b.safetensors", torch_names());
          }).find("found '0' with weight (4, 3)") != std::string::npos);
}

TEST_CASE("a layer of a user's has its parameters under their own names") {
    const ScratchFile file;
    Model model(network(Input(3) + Scaled() + SquaredDiff()), 1);
    CHECK(load_parameters(model, counted(file, {{"mine.factors", {3}}}), torch_names()) == 1);
    CHECK(model.parameter<"1-scaled.factors">()(2) == 2);
}

TEST_CASE("damaged .npz files are refused in one sentence, and nothing is read") {
    const ScratchFile file;
    const std::string path = file.folder / "a.npz";
    const Model<Small> model(1);
    save_parameters(model, path, torch_names());
    const std::string whole = file_text(path);
    const auto load = [&](const std::string& bytes) {
        Model<Small> other(2);
        const Model<Small> before = other;
        const std::string text =
            error_text([&] { load_parameters(other, file.folder.write("b.npz", bytes), torch_names()); });
        if (text != "no error") CHECK(other == before);
        CHECK(text.find('\n') == text.npos);
        return text;
    };
    CHECK(load(whole) == "no error");
    for (std::size_t size = 0; size < whole.size(); ++size) REQUIRE(load(whole.substr(0, size)) != "no error");
    // A changed byte is found, or changes a date, a version, or another thing that says nothing of the arrays.
    int unnoticed = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 0x41);
        unnoticed += load(changed) == "no error";
    }
    CHECK(unnoticed < 256);
    const std::string truncated =
        "expected a .npz file (a zip archive), found no end of a zip archive (truncated file?)";
    CHECK(load("PK").ends_with(truncated));
    CHECK(load("").ends_with(truncated));
    // An array that claims more than there is.
    std::string vast = whole;
    const std::size_t shape = vast.find("(4, 3)");
    REQUIRE(shape != vast.npos);
    vast.replace(shape, 6, "(9, 9)");
    CHECK(load(vast).find("expected as many bytes as shape (9, 9) of <f4 has, found 48") != std::string::npos);
    const std::size_t type = vast.find("<f4");
    vast.replace(type, 3, "|O8");
    CHECK(load(vast).find("expected elements b1, i1 … i8, u1 … u8, f2, f4 or f8, as '<f4', found Python objects") !=
          std::string::npos);
}
