// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/xtensor.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/preprocessing_file.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/storage/safetensors.hpp>

#include "support.hpp"

#include <cmath>

using namespace sigma;
using namespace sigma::data;

namespace {

float half(float x) { return x / 2; }

auto everything() {
    return apply(inputs, "half", half) >> impute(inputs, median) >> normalize(inputs, -3, 7, 0.1, 0.7) >>
           normalize_each(inputs, {{2, 0, 0.3}, {0, -1, 1.0 / 3}}) >> clamp(inputs, -2, 2) >> standardize(inputs) >>
           min_max(inputs) >> map_values(inputs, {{1.0 / 3, 2}, {std::nan(""), 1}}) >> permute<1, 0>(inputs) >>
           reshape<6>(inputs) >> normalize_adaptive(inputs, -1, 1);
}

std::vector<float> sample() {
    auto x = random_values(600, -10, 10);
    for (std::size_t i = 0; i < x.size(); i += 11) x[i] = missing;
    return x;
}

/// A file with these tensors of F64 and these texts.
std::string file_of(const Scratch& scratch, const std::vector<TransformValue>& tensors,
                    const std::vector<std::pair<std::string, std::string>>& texts) {
    SafetensorsWriter file;
    for (const auto& [key, value] : texts) file.metadata(key, value);
    for (const TransformValue& t : tensors) file.add(t.name, {t.values.size()}, std::span<const double>(t.values));
    const std::string path = scratch.path / "p.safetensors";
    file.save(path);
    return path;
}

}  // namespace

TEST_CASE("All transforms come back from a file and do the same to the last bit") {
    const Scratch scratch;
    const std::string path = scratch.path / "all.safetensors";
    const auto x = sample();
    const auto done = transformed(everything(), {2, 3}, x);
    save_preprocessing(done.preprocessing, path);
    const Preprocessing loaded = Preprocessing::load(path, {{"half", half}});
    REQUIRE(loaded.steps().size() == done.preprocessing.steps().size());
    const std::vector<SectionInfo> before{{"inputs", {2, 3}, false}};
    Block block{100, {x}};
    loaded.apply(block, before);
    CHECK(same_bits(block.values[0].floats(), done.values));
    CHECK(loaded.sections(before)[0].shape == done.shape);
    // Saved again it is the same file.
    save_preprocessing(loaded, scratch.path / "again.safetensors");
    CHECK(SafetensorsFile::open(path).tensors().size() ==
          SafetensorsFile::open(scratch.path / "again.safetensors").tensors().size());
    sigma::data::detail::require_preprocessing(SafetensorsFile::open(scratch.path / "again.safetensors"), "again",
                                               done.preprocessing);
}

TEST_CASE("One-hot knows its section again when it is read from a file") {
    const Scratch scratch;
    const auto p = learned(one_hot(targets, {1, 5}).steps(), "targets", {}, {1, 5});
    save_preprocessing(p, scratch.path / "o.safetensors");
    const auto loaded = Preprocessing::load(scratch.path / "o.safetensors");
    Block block{1, {{3}}};
    CHECK(error_text([&] { loaded.apply(block, {{"targets", {}, true}}); }) ==
          "section 'targets', record 0 of its block: expected one of {1, 5}, found 3");
}

TEST_CASE("Predictions see the bits that training saw, whatever array the inputs are in") {
    const auto x = random_values(60, 0, 255);
    const auto done = transformed(normalize(inputs, 0, 255) >> standardize(inputs) >> permute<1, 0>(inputs), {2, 3}, x);
    xt::xtensor<float, 3> raw({10, 2, 3});
    std::ranges::copy(x, raw.data());
    const auto y = done.preprocessing(raw);
    CHECK(std::vector<std::size_t>(y.shape().begin(), y.shape().end()) == std::vector<std::size_t>{10, 3, 2});
    CHECK(same_bits({y.data(), y.data() + y.size()}, done.values));
    xt::xarray<float> one = xt::zeros<float>({1, 2, 3});
    std::copy_n(x.begin() + 24, 6, one.data());
    const auto single = done.preprocessing(one);
    CHECK(same_bits({single.data(), single.data() + 6}, {done.values.begin() + 24, done.values.begin() + 30}));
    // Doubles stay double, without a rounding between steps.
    const Array<double> exact = done.preprocessing(xt::xarray<double>(one));
    for (std::size_t i = 0; i < 6; ++i) CHECK(exact.data()[i] == Approx(single.data()[i]).margin(1e-6));
    CHECK_THROWS_AS(done.preprocessing(raw, "other"), ArgumentError);
    CHECK(error_text([&] { done.preprocessing(xt::xarray<float>(xt::zeros<float>({4, 7}))); }) ==
          "standardize: expected records of 6 numbers, found (7)");
}

TEST_CASE("Predictions are taken back to the units of the targets") {
    const auto x = random_values(60, -40, 255);
    const float low = GENERATE(0.0f, 5.0f);
    auto all = transformed(clamp(inputs, low, 200) >> min_max(inputs, -1, 1) >> standardize(inputs), {3}, x);
    const Preprocessing& p = all.preprocessing;
    const Array<float> back = p.inverse(ArrayView<const float>(all.values.data(), {20, 3}), "inputs");
    CHECK(back.shape() == std::vector<std::size_t>{20, 3});
    for (std::size_t i = 0; i < x.size(); ++i)
        CHECK(back.data()[i] == Approx(std::clamp(x[i], low, 200.0f)).margin(2e-5));
    // The predictions of a network, in double, too.
    const auto y = learned(standardize(targets).steps(), "targets", {1}, {10, 20, 30});
    const xt::xtensor<double, 2> prepared{{0.0}, {1.0}};
    const Array<double> prices = y.inverse(prepared);
    CHECK(prices.data()[0] == Approx(20));
    CHECK(prices.data()[1] == Approx(20 + std::sqrt(200.0 / 3)));
    CHECK_THROWS_AS(p.inverse(xt::xarray<float>(xt::zeros<float>({4, 2})), "inputs"), ShapeError);
    CHECK_THROWS_AS(y.inverse(xt::xarray<float>(1.0f)), ShapeError);
}

TEST_CASE("What was not done to targets need not be taken back, and what loses numbers cannot be") {
    const auto only_inputs = learned(standardize(inputs).steps(), "inputs", {1}, {10, 20, 30});
    const Array<float> plain{{4, 5}};
    CHECK(only_inputs.inverse(plain) == plain);
    CHECK(Preprocessing().inverse(plain) == plain);
    CHECK_THROWS_AS(only_inputs.inverse(plain, "prices"), ArgumentError);
    const auto prices = learned(standardize(target<"price">).steps(), "price", {1}, {10, 20, 30});
    CHECK_THROWS_AS(prices.inverse(plain), ArgumentError);
    const auto p =
        learned((min_max(inputs) >> map_values(inputs, {{0, 7}, {1, 7}})).steps(), "inputs", {2}, {1, 2, 3, 4});
    CHECK(error_text([&] { p.inverse(plain, "inputs"); }) ==
          "inverse of the preprocessing of 'inputs': expected reversible steps, found map_values");
    const auto flat = learned(normalize(inputs, 0, 10, 3, 3).steps(), "inputs", {2}, {1, 2, 3, 4});
    CHECK_THROWS_AS(flat.inverse(plain, "inputs"), ArgumentError);
    const auto some = learned(normalize_each(inputs, {{1, 100, 300}}).steps(), "inputs", {2}, {1, 2, 3, 4});
    CHECK(some.inverse(Array<float>{{4, 0.5f}}, "inputs") == Array<float>{{4, 200}});
}

TEST_CASE("A feature that never changed comes back as what it was") {
    const auto p = learned(min_max(inputs).steps(), "inputs", {1}, {7, 7, 7});
    CHECK(p.inverse(Array<float>{{0.4f}}, "inputs") == Array<float>{{7}});
    const auto q = learned(standardize(inputs).steps(), "inputs", {1}, {7, 7, 7});
    CHECK(q.inverse(Array<float>{{0.4f}}, "inputs") == Array<float>{{7}});
}

TEST_CASE("A function of the user's must be given again") {
    const Scratch scratch;
    const std::string path = scratch.path / "f.safetensors";
    save_preprocessing(learned(apply(inputs, "half", half).steps(), "inputs", {1}, {1}), path);
    const DataError fault = data_error([&] { Preprocessing::load(path); });
    CHECK(fault.place == "metadata 'preprocessing.0.transform'");
    CHECK(fault.expected ==
          "a transform of this library, or a function with this name after the file: "
          "{{\"half\", f}}");
    CHECK(fault.found == "'half'");
    CHECK(data_error([&] { Preprocessing::load(path, {{"third", half}}); }).found == "'half'");
    CHECK(Preprocessing::load(path, {{"third", half}, {"half", half}}).steps()[0].transform->kind() == "half");
}

TEST_CASE("A file without preprocessing says so") {
    const Scratch scratch;
    CHECK(data_error([&] { Preprocessing::load(file_of(scratch, {}, {})); }).found ==
          "none: a file without preprocessing");
    CHECK(Preprocessing::load(file_of(scratch, {}, {{"preprocessing", "0"}})).empty());
    CHECK_THROWS_AS(Preprocessing::load(scratch.path / "not there"), DataError);
    CHECK_THROWS_AS(Preprocessing::load(scratch.write("damaged", std::string("\x09\0\0\0\0\0\0\0{\"a\":", 13))),
                    DataError);
}

TEST_CASE("Damaged preprocessing gives one error that says what is wrong") {
    const Scratch scratch;
    struct Case {
        std::string kind;
        std::vector<TransformValue> values;
        std::string place, expected, found;
    };
    const double nan = std::nan(""), infinity = INFINITY;
    const std::string step = "preprocessing 0, '";
    const std::vector<Case> cases{
        {"standardize",
         {{"mean", {1}}},
         "tensor 'preprocessing.0.standardize.deviation'",
         "a list of F64 numbers",
         "no such tensor"},
        {"standardize", {{"mean", {1, 2}}, {"deviation", {1}}}, step + "standardize'", "2 deviations", "1"},
        {"standardize", {{"mean", {}}, {"deviation", {}}}, step + "standardize'", "at least one mean", "none"},
        {"standardize", {{"mean", {nan}}, {"deviation", {1}}}, step + "standardize'", "finite numbers", "nan"},
        {"standardize", {{"mean", {1}}, {"deviation", {-1}}}, step + "standardize'", "deviations of at least 0", "-1"},
        {"standardize",
         {{"mean", {1}}, {"deviation", {1}}, {"more", {1}}},
         "tensor 'preprocessing.0.standardize.more'",
         "no such tensor",
         "one"},
        {"normalize",
         {{"min", {1}}, {"max", {1, 2}}, {"low", {0}}, {"high", {1}}},
         step + "normalize'",
         "1 numbers 'max'",
         "2"},
        {"normalize",
         {{"min", {}}, {"max", {}}, {"low", {0}}, {"high", {1}}},
         step + "normalize'",
         "at least one number 'min'",
         "none"},
        {"normalize",
         {{"min", {0}}, {"max", {infinity}}, {"low", {0}}, {"high", {1}}},
         step + "normalize'",
         "finite numbers",
         "inf"},
        {"normalize",
         {{"min", {0}}, {"max", {1}}, {"low", {0, 1}}, {"high", {1}}},
         "tensor 'preprocessing.0.normalize.low'",
         "one number",
         "2"},
        {"normalize_each",
         {{"index", {-1}}, {"min", {0}}, {"max", {1}}, {"low", {0}}, {"high", {1}}},
         "tensor 'preprocessing.0.normalize_each.index'",
         "whole numbers from 0 to 4294967295",
         "-1"},
        {"normalize_each",
         {{"index", {0, 0}}, {"min", {0, 0}}, {"max", {1, 1}}, {"low", {0}}, {"high", {1}}},
         step + "normalize_each'",
         "each index once",
         "index 0 again"},
        {"one_hot", {{"values", {}}}, step + "one_hot'", "at least one value", "none"},
        {"one_hot", {{"values", {1, nan}}}, step + "one_hot'", "finite numbers", "nan"},
        {"permute", {{"axes", {0, 0}}}, step + "permute'", "each axis from 0 to 1 once", "(0, 0)"},
        {"permute",
         {{"axes", {nan}}},
         "tensor 'preprocessing.0.permute.axes'",
         "whole numbers from 0 to 4294967295",
         "nan"},
        {"reshape",
         {{"extents", {4e9, 4e9, 4e9}}},
         step + "reshape'",
         "a record of at most 2^48 numbers",
         "(4000000000, 4000000000, 4000000000)"},
        {"reshape",
         {{"extents", {0.5}}},
         "tensor 'preprocessing.0.reshape.extents'",
         "whole numbers from 0 to 4294967295",
         "0.5"},
        {"clamp", {{"low", {2}}, {"high", {1}}}, step + "clamp'", "a high of at least 2", "1"},
        {"impute", {{"values", {nan}}}, step + "impute'", "finite numbers", "nan"},
        {"map_values", {{"from", {1, 2}}, {"to", {1}}}, step + "map_values'", "2 numbers 'to'", "1"},
        {"map_values", {{"from", {nan, nan}}, {"to", {1, 2}}}, step + "map_values'", "each value once", "NaN again"},
        {"whiten",
         {{"matrix", {1}}},
         "metadata 'preprocessing.0.transform'",
         "a transform of this library, or a function with this name after the file: {{\"whiten\", f}}",
         "'whiten'"}};
    for (const Case& c : cases) {
        auto tensors = c.values;
        for (TransformValue& v : tensors) v.name = sentence("preprocessing.0.", c.kind, ".", v.name);
        const std::string path = file_of(
            scratch, tensors,
            {{"preprocessing", "1"}, {"preprocessing.0.transform", c.kind}, {"preprocessing.0.section", "inputs"}});
        INFO(c.kind << " " << c.expected);
        const DataError fault = data_error([&] { Preprocessing::load(path); });
        CHECK(fault.file == path);
        CHECK(fault.place == c.place);
        CHECK(fault.expected == c.expected);
        CHECK(fault.found == c.found);
    }
}

TEST_CASE("Damaged metadata of preprocessing gives one error that says what is wrong") {
    const Scratch scratch;
    const auto fault = [&](const std::vector<std::pair<std::string, std::string>>& texts,
                           const std::vector<TransformValue>& tensors = {}) {
        return data_error([&] { Preprocessing::load(file_of(scratch, tensors, texts)); });
    };
    for (const char* count : {"", "-1", "1x", "1001", "99999999999999999999"}) {
        const auto e = fault({{"preprocessing", count}});
        CHECK(e.place == "metadata 'preprocessing'");
        CHECK(e.found == sentence("'", count, "'"));
    }
    CHECK(fault({{"preprocessing", "1"}}).expected == "'preprocessing.0.transform'");
    CHECK(fault({{"preprocessing", "1"}, {"preprocessing.0.transform", "clamp"}}).expected ==
          "'preprocessing.0.section'");
    CHECK(fault({{"preprocessing", "0"}}, {{"preprocessing.0.clamp.low", {1}}}).expected ==
          "0 tensors 'preprocessing.*' of 0 steps");
    SafetensorsWriter file;
    const std::vector<float> mean{1};
    file.metadata("preprocessing", "1")
        .metadata("preprocessing.0.transform", "standardize")
        .metadata("preprocessing.0.section", "x");
    file.add("preprocessing.0.standardize.mean", {1}, std::span<const float>(mean));
    file.save(scratch.path / "f32");
    CHECK(data_error([&] { Preprocessing::load(scratch.path / "f32"); }).found == "(1) of F32");
}

TEST_CASE("A trainer finds what differs between its preprocessing and that of a checkpoint") {
    const Scratch scratch;
    const std::vector<float> x{1, 2, 3, 5};
    const auto own = learned((normalize(inputs, 0, 255) >> standardize(inputs)).steps(), "inputs", {2}, x);
    const auto differs = [&](const Preprocessing& other, const Preprocessing& of_trainer) {
        save_preprocessing(other, scratch.path / "c");
        return error_text([&] {
            sigma::data::detail::require_preprocessing(SafetensorsFile::open(scratch.path / "c"), "here", of_trainer);
        });
    };
    CHECK(differs(own, own) == "no error");
    CHECK(differs({}, {}) == "no error");
    CHECK(differs({}, own) == "here: expected preprocessing 'normalize(inputs) >> standardize(inputs)', found 'none'");
    CHECK(differs(own, {}) == "here: expected preprocessing 'none', found 'normalize(inputs) >> standardize(inputs)'");
    CHECK(differs(learned((normalize(inputs, 0, 254) >> standardize(inputs)).steps(), "inputs", {2}, x), own) ==
          "here: expected 'preprocessing.0.normalize.max'[0] of 255, found 254");
    CHECK(differs(learned((normalize(inputs, 0, 255) >> standardize(inputs)).steps(), "inputs", {1}, x), own) ==
          "here: expected 'preprocessing.1.standardize.mean' (2) of F64, found (1) of F64");
    const std::string before = file_of(scratch, {}, {});  // a checkpoint that says nothing of preprocessing
    CHECK(error_text([&] { sigma::data::detail::require_preprocessing(SafetensorsFile::open(before), "here", {}); }) ==
          "no error");
}
