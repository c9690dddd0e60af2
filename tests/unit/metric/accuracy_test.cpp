// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/xtensor.hpp>
#include <sigma/metric/metrics.hpp>

#include <catch2/catch.hpp>
#include <support/thrown.hpp>

#include <cmath>
#include <span>

using namespace sigma;

namespace {

const xt::xtensor<float, 2> predictions = {{0.1f, 0.7f, 0.2f}, {0.5f, 0.2f, 0.3f}, {0.4f, 0.4f, 0.2f}, {0, 0, 1}};

TEST_CASE("Accuracy over several batches, top 1 and top 2") {
    Accuracy one(3), two(3, {.top = 2}), all(3, {.top = 3});
    CHECK(std::isnan(one.value()));
    const xt::xtensor<int, 1> labels = {1, 2, 1, 0};
    for (auto* a : {&one, &two, &all}) a->add(predictions, labels);
    CHECK(one.value() == 0.25);  // the tie of record 2 goes to class 0
    CHECK(two.value() == 1.0);   // ranks 0, 1, 1, and 1: class 0 of record 3 comes before class 1
    CHECK(all.value() == 1.0);
    one.add(std::vector<double>{9, 1, 2}, std::vector<int>{0});
    CHECK(one.value() == 0.4);
    CHECK(one.count() == 5);
    two.add(std::vector<double>{1, 1, 1}, std::vector<int>{2});
    CHECK(two.value() == 0.8);
    one.reset();
    CHECK(std::isnan(one.value()));
}
TEST_CASE("Accuracy of positions in time, some of which do not count") {
    Accuracy accuracy(2, {.ignore = -1});
    const xt::xtensor<double, 3> p = {{{1, 2}, {2, 1}}, {{0, 1}, {1, 0}}};
    const xt::xtensor<float, 2> y = {{1, -1}, {0, -1}};
    accuracy.add(p, y);
    CHECK(accuracy.value() == 0.5);
    CHECK(accuracy.count() == 2);
    accuracy.add(std::span<const double>(p.data(), 4), std::span<const float>(y.data(), 2));
    CHECK(accuracy.count() == 3);
}
TEST_CASE("What accuracy refuses") {
    Accuracy accuracy(3);
    CHECK(error_text<ShapeError>([&] { accuracy.add(predictions, xt::xtensor<int, 1>{1, 2, 1}); }) ==
          "predictions of accuracy: expected shape (3, 3), found shape (4, 3)");
    CHECK(error_text<ShapeError>([&] { Accuracy(2).add(predictions, xt::xtensor<int, 1>{1, 0, 1, 0, 1, 1}); }) ==
          "predictions of accuracy: expected shape (6, 2), found shape (4, 3)");
    CHECK(error_text<ShapeError>([&] { accuracy.add(predictions, xt::xtensor<int, 2>{{1, 0}, {1, 0}}); }) ==
          "predictions of accuracy: expected shape (2, 2, 3), found shape (4, 3)");
    CHECK(error_text<ArgumentError>([&] { accuracy.add(predictions, xt::xtensor<int, 1>{1, 2, 3, 0}); }) ==
          "labels of accuracy, position 2: expected a label from 0 to 2, found 3");
    CHECK(error_text<ArgumentError>([&] { accuracy.add(predictions, xt::xtensor<double, 1>{1, 0.5, 0, 0}); }) ==
          "labels of accuracy, position 1: expected a label from 0 to 2, found 0.5");
    CHECK(error_text<ArgumentError>([&] {
              accuracy.add(predictions, xt::xtensor<double, 1>{1, 0, 0, NAN});
          }).find("nan") != std::string::npos);
    CHECK(error_text<ArgumentError>([&] { accuracy.add(std::vector<float>{1, NAN, 0}, std::vector<int>{0}); }) ==
          "predictions of accuracy, position 1: expected a number, found nan");
    CHECK(accuracy.count() == 0);  // nothing of a refused batch counts
    CHECK(error_text<ArgumentError>([] { Accuracy(3, {.top = 4}); }) == "top of accuracy: expected 1 to 3, found 4");
    CHECK(error_text<ArgumentError>([] { Accuracy(1); }) == "accuracy: expected 2 classes or more, found 1");
}

}  // namespace
