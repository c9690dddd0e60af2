// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/split.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>

#include "../blocks/generated.hpp"
#include "support.hpp"

#include <cmath>

using namespace sigma;
using namespace sigma::data;

TEST_CASE("Validation data takes what was learned from the training data only") {
    const Dataset training = make_dataset(Array<float>{{0, 7}, {4, 7}}, Array<float>{0, 1}, "training");
    const Dataset validation = make_dataset(Array<float>{{6, 9}}, Array<float>{0}, "validation");
    const Preprocessing p = fitted(standardize(inputs), training);
    REQUIRE(p.steps().size() == 1);
    CHECK(p.steps()[0].transform->state()[0].values == std::vector<double>{2, 7});
    CHECK(p.steps()[0].transform->state()[1].values == std::vector<double>{2, 0});
    CHECK((training >> p).input(0)[0] == -1);
    CHECK((validation >> p).input(0)[0] == 2);
    CHECK((validation >> p).input(0)[1] == 0);
    CHECK((validation >> p).name() == "validation");
    const Dataset narrow = make_dataset(Array<float>{{1}}, Array<float>{0}, "narrow");
    CHECK(error_text([&] { narrow >> p; }) == "standardize: expected records of 2 numbers, found (1)");
    // Records outside of the training part, however far away, change nothing.
    const Dataset all = make_dataset(Array<float>{{0, 7}, {1e9f, -1e9f}, {4, 7}}, Array<float>{0, 1, 1}, "all");
    const std::vector<std::size_t> chosen{0, 2};
    CHECK(fitted(standardize(inputs), all.select(chosen)).steps()[0].transform->state()[0].values ==
          std::vector<double>{2, 7});
}

TEST_CASE("Standardized Iris has features of mean 0 and deviation 1, and its labels") {
    const Dataset iris = data::iris() >> standardize(inputs);
    const auto state = fitted(standardize(inputs), iris).steps()[0].transform->state();
    for (std::size_t f = 0; f < 4; ++f) {
        CHECK(std::abs(state[0].values[f]) < 1e-6);
        CHECK(std::abs(state[1].values[f] - 1) < 1e-6);
    }
    CHECK(iris.label(149) == 2);
    CHECK(iris.classes().size() == 3);
}

TEST_CASE("Sections of a dataset are transformed by their names, and labels become one-hot") {
    const Dataset iris = data::iris() >> min_max(inputs) >> one_hot<3>(targets);
    CHECK(iris.target_size() == 3);
    CHECK(iris.target(149)[2] == 1);
    CHECK_FALSE(iris.has_labels());
    const Dataset two({{"image", {{1, 4}, {1, 2, 3, 4}}}, {"age", {{1, 1}, {50}}}}, {{"label", {{1}, {2}}}}, "two");
    const Dataset after =
        two >> (reshape<2, 2>(input<"image">) >> permute<1, 0>(input<"image">) >> normalize(input<"age">, 0, 100));
    CHECK(std::vector<float>(after.input(0).begin(), after.input(0).end()) == std::vector<float>{1, 3, 2, 4});
    CHECK(after.input_shape(0).size() == 2);
    CHECK(after.input(0, 1)[0] == 0.5f);
    CHECK(after.input_name(1) == "age");
    CHECK(error_text([&] { two >> standardize(inputs); }) ==
          "dataset 'two': expected one of the sections 'image', 'age', 'label' for standardize, found 'inputs'");
    CHECK(error_text([&] { data::iris() >> one_hot(targets, 2); }) ==
          "dataset 'iris', section 'targets', record 100: expected a whole number from 0 to 1, found 2");
    CHECK(error_text([&] { fitted(one_hot(targets, 2) >> standardize(targets), data::iris()); }) ==
          "dataset 'iris', section 'targets', record 100: expected a whole number from 0 to 1, found 2");
}

TEST_CASE("Predictions see the bits that training saw") {
    const Dataset raw = data::iris();
    const Preprocessing p = fitted(min_max(inputs) >> standardize(inputs), raw);
    CHECK(bool(p(raw.inputs()) == (raw >> p).inputs()));
}

TEST_CASE("Records in blocks are transformed when their block is loaded, exactly as records in memory") {
    const auto blocks = std::make_shared<GeneratedBlocks>(1000, 64);
    const Dataset all(std::make_shared<ActiveBlocks>(blocks, "generated", BlockLimits{.blocks = 2}));
    const auto [training, validation] = split(shuffled(all, 1), 0.8, 0.2);
    const std::size_t before = blocks->loads;
    const Preprocessing p = fitted(standardize(inputs), training);
    CHECK(blocks->loads - before <= 2 * 16);  // each block once in each pass
    const std::size_t learned = blocks->loads;
    const Dataset lazy = validation >> p;
    CHECK(blocks->loads == learned);
    CHECK_FALSE(lazy.in_memory());
    CHECK(lazy.size() == 200);
    CHECK(lazy.active_blocks() == 2);
    const Dataset copied = make_dataset(validation.inputs(), validation.targets(), "generated") >> p;
    CHECK((lazy.inputs() == copied.inputs()));
    CHECK((lazy.targets() == copied.targets()));
    CHECK(lazy.preprocessing().steps().size() == 1);
    CHECK((lazy >> clamp(inputs, -1, 1)).preprocessing().steps().size() == 2);
    CHECK(copied.preprocessing().steps().size() == 1);
    CHECK(lazy.key() != validation.key());
    CHECK((lazy >> one_hot<3>(targets)).target_size() == 3);
}

TEST_CASE("Transforms of a dataset whose sections are known give one whose sections are known") {
    using S = Schema<data::SectionField<"inputs", Role::input, data::Extents<4>>,
                     data::SectionField<"targets", Role::target, data::Extents<>>>;
    using After = Schema<data::SectionField<"inputs", Role::input, data::Extents<2, 2>>,
                         data::SectionField<"targets", Role::target, data::Extents<>>>;
    const DatasetOf<S> all{data::iris()};
    const auto shaped = all >> standardize(inputs) >> reshape<2, 2>(inputs);
    CHECK(std::is_same_v<std::remove_const_t<decltype(shaped)>, DatasetOf<After>>);
    CHECK(sigma::detail::shape_text(shaped.input_shape()) == "(2, 2)");
}

TEST_CASE("A preprocessing is applied to sections that it has, and to arrays of records") {
    const Dataset two({{"numbers", {{2, 2}, {1, 2, 3, 4}}}, {"colour", {{2, 1}, {0, 1}}}}, {{"", {{2}, {0, 1}}}},
                      "two");
    const Preprocessing p = fitted(standardize(input<"numbers">) >> one_hot<2>(input<"colour">), two);
    const Array<float> raw{{1, 2}, {3, 4}};
    CHECK(p(raw, "numbers")(0, 1) == -1);
    CHECK(error_text([&] { p(raw, "number"); }) ==
          "preprocessing: expected one of 'numbers', 'colour', found 'number'");
    CHECK_THROWS_AS(p(raw), ArgumentError);
    CHECK(bool(Preprocessing()(raw) == raw));  // nothing is what there is to be done
    // Of targets alone: inputs stay.
    CHECK(bool(fitted(one_hot<2>(targets), two)(raw) == raw));
    CHECK_THROWS_AS(fitted(one_hot<2>(targets), two)(raw, "numbers"), ArgumentError);

    const Array<float> one{1, 2};
    CHECK(error_text([&] { p(one, "numbers"); }) ==
          "preprocessing of 'numbers': expected shape (records, 2), found (2)");
    const Array<float> wide{{1, 2, 3}};
    CHECK(error_text([&] { p(wide, "numbers"); }) == "standardize: expected records of 2 numbers, found (3)");
}

TEST_CASE("A dataset does not go through the same preprocessing twice") {
    const Dataset raw = data::iris();
    const Preprocessing p = fitted(standardize(inputs) >> one_hot<3>(targets), raw);
    const Dataset once = raw >> p;
    CHECK_THROWS_AS(once >> p, ArgumentError);
    CHECK(error_text([&] { once >> p; }) ==
          "dataset 'iris': expected records without this preprocessing, found records with this preprocessing");
    CHECK_THROWS_AS(once >> fitted(one_hot<3>(targets), raw), ArgumentError);  // its last step
    CHECK((once >> standardize(inputs)).preprocessing().steps().size() == 3);  // learned from what is standardized
    CHECK((raw >> clamp(inputs, 0, 5) >> clamp(inputs, 0, 5)).preprocessing().steps().size() == 2);
    CHECK((once >> Preprocessing()).preprocessing().steps().size() == 2);
}
