// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/pipeline/typed.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/split.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/execution/evaluator.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/trainer/network_takes.hpp>

#include "../support.hpp"

#include <cmath>

using namespace sigma;
using namespace sigma::data;

namespace {

struct TwoNumbers : Network<Input(2) + Dense(2) + SoftmaxCE()> {};

/// Ten records, of which 4 and 7 miss a number.
auto crowd(const CsvFormat& format = {.header = true, .missing = {"?"}}) {
    std::string text = "age,height,colour,kind\n";
    for (int r = 0; r < 10; ++r)
        text += sentence(r == 4 ? "?" : std::to_string(20 + r), ",", r == 7 ? "?" : std::to_string(150 + r), ",",
                         r % 3 == 0   ? "red"
                         : r % 3 == 1 ? "green"
                                      : "blue",
                         ",", r % 2 == 0 ? "a" : "b", "\n");
    return csv(memory(text, "people.csv"), format);
}
auto measured() { return crowd() >> sections(inputs = columns("age", "height"), targets = labels("kind")); }
const std::string hint = "impute it before dataset, or let the dataset hold it with .missing = true";

}  // namespace

TEST_CASE("Missing numbers are refused with section and column, and what to do") {
    CHECK(error_text([&] { measured() >> dataset("people"); }) ==
          "dataset 'people', section 'inputs', record 4, column 'age': expected a finite number, found nan (missing: " +
              hint + ")");
    CHECK(error_text([&] { measured() >> standardize(inputs) >> dataset("people"); }).find("record 4, column 'age'") <
          80);
    const auto late = measured() >> dataset("people", {.blocks = fixed(2), .cache = cache::none});
    CHECK(error_text([&] { late.input(7); }) ==
          "dataset 'people', section 'inputs', record 7, column 'height': expected a finite number, found nan "
          "(missing: " +
              hint + ")");
    // Where a transform has moved the columns, their names tell nothing.
    CHECK(data_error([&] { measured() >> reshape<2, 1>(inputs) >> dataset("people"); }).place ==
          "section 'inputs', record 4, feature 0");
    const auto asked =
        crowd() >> sections(inputs = column("height"), targets = column("age")) >> one_hot(inputs, 150, 160);
    CHECK_THROWS_AS(asked >> dataset("people", {.missing = true}), DataError);  // no class either
    const auto answers = crowd() >> sections(inputs = column("height"), targets = column("age"));
    CHECK(error_text([&] { answers >> dataset("people", {.missing = true}); }) ==
          "dataset 'people', section 'targets', record 4, column 'age': expected a finite number, found nan (missing: "
          "leave its record out)");
}

TEST_CASE("What is missing is learned from the training part alone") {
    for (const BlockSize blocks : {whole, fixed(3)}) {
        const auto all = measured() >> dataset("people", {.blocks = blocks, .cache = cache::none, .missing = true});
        CHECK(all.in_memory() == (blocks == whole));
        CHECK(std::isnan(all.input(4)[0]));
        CHECK(std::isnan(all.inputs()(7, 1)));
        const auto [training, validation] = split(all, 0.6, 0.4);
        const Preprocessing p = fitted(impute(inputs, median) >> standardize(inputs), training);
        CHECK(p.steps()[0].transform->state()[0].values == std::vector<double>{22, 152.5});
        const Dataset learned = training >> p, held = validation >> p;
        CHECK_NOTHROW(minibatches(learned, 2));
        CHECK_NOTHROW(sigma::detail::Evaluator<TwoNumbers>(held));
        CHECK(concatenate(learned, held).missing() == Missing::held);
        CHECK(std::isfinite(learned.input(4)[0]));
    }
}

TEST_CASE("The page on transforms fills what is missing after a split") {
    std::string text = "age,height,kind\n";
    for (int r = 0; r < 10; ++r) text += sentence(r == 1 ? "?" : "40", ",", 150 + r, ",", r % 2 == 0 ? "a" : "b", "\n");
    const Source table = memory(text, "people.csv");
    // [missing]
    const auto people = csv(table, {.header = true, .missing = {"?"}}) >>
                        sections(inputs = columns("age", "height"), targets = labels("kind")) >>
                        dataset("people", {.missing = true});
    const auto [known, unknown] = split(people, 0.8, 0.2);
    const Preprocessing p = fitted(impute(inputs, median) >> standardize(inputs), known);
    const Dataset learned = known >> p, held = unknown >> p;
    // [missing]
    CHECK(minibatches(learned, 4).dataset.size() == 8);
    CHECK(learned.input(1)[0] == 0);
    CHECK(held.input(0)[1] > learned.input(7)[1]);
}

TEST_CASE("Nothing is trained on what misses a number") {
    const std::string found = ": expected a finite number, found nan (missing: impute it before training)";
    const auto all = measured() >> dataset("people", {.missing = true});
    const std::size_t chosen[] = {0, 7, 1};
    CHECK(error_text([&] { minibatches(all, 2); }) ==
          "dataset 'people', section 'inputs', record 4, column 'age'" + found);
    CHECK(error_text([&] { minibatches_in_order(subset(all, chosen), 2); }) ==
          "dataset 'people', section 'inputs', record 1, column 'height'" + found);
    CHECK_THROWS_AS(sigma::detail::Evaluator<TwoNumbers>(all), DataError);
    const auto complete = [](const Dataset& d) {
        return subset(d, [&](std::size_t r) { return !std::isnan(d.input(r)[0] + d.input(r)[1]); });
    };
    CHECK(minibatches(complete(all), 2).dataset.size() == 8);

    const auto blocks =
        measured() >> dataset("people", {.blocks = fixed(3), .active = 1, .cache = cache::none, .missing = true});
    CHECK(error_text([&] { sigma::detail::Evaluator<TwoNumbers>{blocks}; }) ==
          "dataset 'people', section 'inputs', record 4, column 'age'" + found);
    CHECK(blocks.blocks()->complete(0));
    CHECK_FALSE(blocks.blocks()->complete(1));
    CHECK_NOTHROW(sigma::detail::Evaluator<TwoNumbers>(complete(blocks)));
    CHECK_NOTHROW(sigma::detail::Evaluator<TwoNumbers>(take(blocks, 0, 4)));
}

TEST_CASE("Infinite numbers are never held") {
    std::string text;
    for (int r = 0; r < 5000; ++r) text += r == 4500 ? "-inf,1\n" : r % 2 == 0 ? "?,1\n" : "3,1\n";
    const auto table = csv(memory(text, "far.csv"), {.missing = {"?"}, .non_finite = true});
    CHECK(error_text([&] {
              table >> sections(inputs = column(0), targets = column(1)) >> dataset("far", {.missing = true});
          }) == "dataset 'far', section 'inputs', record 4500, feature 0: expected a finite number, found -inf");
}

TEST_CASE("A category is one-hot after a split") {
    const auto all =
        crowd() >> sections(input<"colour"> = labels("colour"), targets = labels("kind")) >> dataset("people");
    CHECK(all.input_shape().empty());
    const auto [training, validation] = split(all, 0.6, 0.4);
    const Preprocessing p = fitted(one_hot<3>(input<"colour">), training);
    const Dataset held = validation >> p;
    CHECK(sigma::detail::shape_text(held.input_shape()) == "(3)");
    CHECK(held.input(2)[0] == 1);  // record 8 is blue
    const auto typed = training >> one_hot<3>(input<"colour">);
    CHECK(sigma::detail::shape_text(typed.inputs().shape()) == "(6, 3)");
    CHECK((p(Array<float>{2, 0}, "colour") == Array<float>{{0, 0, 1}, {1, 0, 0}}));

    struct Three : Network<Input(3) + Dense(2) + SoftmaxCE()> {};
    struct One : Network<Input(1) + Dense(2) + SoftmaxCE()> {};
    using Known = decltype(all)::Schema;
    static_assert(sigma::detail::takes<One, Known>);
    static_assert(!sigma::detail::takes<Three, Known>);
    static_assert(sigma::detail::takes<Three, decltype(typed)::Schema>);
    CHECK_NOTHROW(sigma::detail::Evaluator<Three>(typed));
    CHECK_NOTHROW(sigma::detail::Evaluator<One>(all));
    CHECK(error_text([&] { sigma::detail::Evaluator<Three>{all}; }) ==
          "input 'colour' of dataset 'people': expected shape (records, 3), found shape (10), one number each (one_hot "
          "makes "
          "several of a class)");
}

TEST_CASE("A class that one_hot does not know is found with its dataset and record") {
    const auto classes =
        crowd() >> sections(inputs = column("height"), targets = labels("colour", {"red", "green", "blue"}));
    const std::string found =
        "dataset 'people', section 'targets', record 2: expected a whole number from 0 to 1, found 2";
    CHECK(error_text([&] { classes >> one_hot<2>(targets) >> dataset("people", {.missing = true}); }) == found);
    CHECK(error_text([&] { classes >> one_hot<2>(targets) >> standardize(targets) >> dataset("people"); }) == found);
    const DatasetOptions blocks{.blocks = fixed(2), .cache = cache::none, .missing = true};
    const auto late = classes >> one_hot<2>(targets) >> dataset("people", blocks);
    CHECK(error_text([&] { late.target(3); }) == found);
    CHECK(error_text([&] { classes >> one_hot<2>(targets) >> standardize(targets) >> dataset("people", blocks); }) ==
          found);
    const Dataset mixed = shuffled(classes >> dataset("people", blocks), 1);
    const auto first_blue = [&] {
        for (std::size_t number = 0;; ++number)
            for (std::size_t r = 0; r < mixed.size(); ++r)
                if (mixed.record_number(r) == number && mixed.label(r) == 2) return r;
    };
    CHECK(data_error([&] { fitted(one_hot<2>(targets) >> standardize(targets), mixed); }).place ==
          sentence("section 'targets', record ", first_blue()));
}
