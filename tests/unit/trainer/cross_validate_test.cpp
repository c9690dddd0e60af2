// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/costs.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/cross_validate.hpp>

#include "support/thrown.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <set>
#include <vector>

using namespace sigma;

namespace {

struct Line : Network<Input(2) + Dense(1) + SquaredDiff()> {};
struct Sides : Network<Input(2) + Dense(2) + SoftmaxCE()> {};
struct Both
    : Network<Input(2) + Costs(named("amount", Dense(1) + SquaredDiff()), named("side", Dense(2) + SoftmaxCE()))> {};

/// Returns 60 points, numbered by their second feature. The class is the sign of the first one; one point of four has
/// class 1.
Dataset points(bool classes) {
    Numbers x{{60, 2}, {}}, y{{60}, {}};
    for (std::size_t i = 0; i < 60; ++i) {
        const bool one = i % 4 == 0;
        x.values.push_back((one ? 1.0f : -1.0f) * (1 + static_cast<float>(i % 7)));
        x.values.push_back(static_cast<float>(i));
        y.values.push_back(classes ? (one ? 1.0f : 0.0f) : 0.5f * static_cast<float>(i));
    }
    return {x, y, "points"};
}

}  // namespace

TEST_CASE("Each record is tested once, by a network that was not trained on it") {
    std::multiset<float> tested;
    const CrossValidationOptions options{.folds = 4, .fit = {.epochs = 3, .quiet = true, .seed = 7}};
    std::vector<double> errors;
    const CrossValidation found = cross_validate(
        Sides{}, points(true), Adam{.learning_rate = 0.05}, options, [&](auto& fitted, const Dataset& held) {
            int of_one = 0;
            for (std::size_t i = 0; i < held.size(); ++i) {
                tested.insert(held.input(i)[1]);
                of_one += held.label(i) == 1;
            }
            CHECK(held.size() == 15);
            CHECK((of_one == 3 || of_one == 4));  // 15 of 60 in four folds
            errors.push_back(fitted.evaluate(held).error);
            // The validation data of fit are not part of the fold.
            for (std::size_t i = 0; i < fitted.validation()->size(); ++i)
                for (std::size_t k = 0; k < held.size(); ++k)
                    CHECK(fitted.validation()->input(i)[1] != held.input(k)[1]);
        });
    CHECK(tested.size() == 60);
    CHECK(std::set(tested.begin(), tested.end()).size() == 60);
    REQUIRE(found.folds.size() == 4);
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(found.folds[i].error == errors[i]);
        CHECK(found.folds[i].epochs == 3);
        mean += errors[i] / 4;
    }
    for (const double e : errors) squares += (e - mean) * (e - mean);
    CHECK(found.error().mean == Approx(mean));
    CHECK(found.error().deviation == Approx(std::sqrt(squares / 3)));
    CHECK(found.text().starts_with("4 folds: loss "));
    CHECK(found.text().find(" %") != std::string::npos);

    // The same seed, the same folds and parameters.
    CHECK(cross_validate(Sides{}, points(true), Adam{.learning_rate = 0.05}, options).error().mean ==
          found.error().mean);
}

TEST_CASE("Folds are by the classes, behind other targets too") {
    Numbers side{{60}, std::vector<float>(60)};
    std::fill_n(side.values.begin(), 15, 1.0f);
    const Dataset both = points(false).with_targets({{"amount", {{60}, std::vector<float>(60, 2)}}, {"side", side}});
    cross_validate(Both{}, both, Adam{}, {.folds = 5, .fit = {.epochs = 1, .quiet = true}},
                   [](auto&, const Dataset& held) {
                       int of_one = 0;
                       for (std::size_t i = 0; i < held.size(); ++i) of_one += held.label(i, 1) == 1;
                       CHECK(held.size() == 12);
                       CHECK(of_one == 3);
                   });
}

TEST_CASE("Transforms are learned from the training part of each round alone") {
    std::vector<float> means;
    const auto found = cross_validate(
        Line{}, points(false), GradientDescent{.learning_rate = 0.01}, data::standardize(data::inputs),
        {.folds = 3, .fit = {.epochs = 1, .batch_size = 10, .quiet = true}}, [&](auto& fitted, const Dataset& held) {
            // The training part has mean 0 and deviation 1 of each feature; the fold has not.
            double mean = 0, squares = 0;
            const auto of_fit = fitted.trainer().minibatches().dataset;
            std::size_t count = 0;
            for (const Dataset& part : {of_fit, *fitted.validation()})
                for (std::size_t i = 0; i < part.size(); ++i, ++count) {
                    mean += part.input(i)[1];
                    squares += part.input(i)[1] * part.input(i)[1];
                }
            CHECK(count == 40);
            CHECK(std::abs(mean) / 40 < 1e-5);
            CHECK(squares / 40 == Approx(1).epsilon(1e-5));
            double of_fold = 0;
            for (std::size_t i = 0; i < held.size(); ++i) of_fold += held.input(i)[1] / 20;
            means.push_back(static_cast<float>(of_fold));
            CHECK(held.preprocessing().steps().size() == 1);
        });
    CHECK(std::set(means.begin(), means.end()).size() == 3);
    CHECK(std::isnan(found.accuracy().mean));
    CHECK(found.text().find("accuracy") == std::string::npos);
}

TEST_CASE("Options that make no sense for folds are refused") {
    const Dataset data = points(true);
    const auto refused = [&](const CrossValidationOptions& o) {
        return error_text<ArgumentError>([&] { cross_validate(Sides{}, data, Adam{}, o); });
    };
    CHECK(refused({.folds = 1}) == "cross_validate with folds: expected 2 or more, found 1");
    CHECK(refused({.fit = {.validation = data}}) ==
          "cross_validate with validation: expected no data set, since each fold is tested, found dataset 'points'");
    CHECK(refused({.fit = {.checkpoint = "a.sigma"}}) ==
          "cross_validate with checkpoint: expected no file, since all folds would write it, found 'a.sigma'");
    CHECK(refused({.fit = {.epochs = 0}}) == "fit with epochs: expected 1 or more, found 0");
}
