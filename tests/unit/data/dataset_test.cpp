// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/xtensor.hpp>
#include <sigma/data/dataset.hpp>

#include "support.hpp"

#include <xtensor/xbuilder.hpp>

#include <limits>

using namespace sigma;

namespace {

Dataset counting(std::size_t records) {
    xt::xarray<float> inputs =
        xt::reshape_view(xt::arange<float>(static_cast<float>(records * 6)), {records, std::size_t{2}, std::size_t{3}});
    xt::xarray<float> targets = xt::arange<float>(static_cast<float>(records));
    return make_dataset(inputs, targets, "counting");
}

}  // namespace

TEST_CASE("Targets may be numbers in a vector") {
    const xt::xarray<double> inputs = xt::arange<double>(6).reshape({3, 2});
    const Dataset labels = make_dataset(inputs, std::vector<int>{2, 0, 1}, "labels", {"a", "b", "c"});
    CHECK(labels.has_labels());
    CHECK(labels.label(0) == 2);
    CHECK(labels.classes().size() == 3);
    const Dataset amounts = make_dataset(inputs, std::vector<double>{0.5, 1.5, -2});
    CHECK(amounts.target(2)[0] == -2);
    CHECK_THROWS_AS(make_dataset(inputs, std::vector<float>{1, 2}), Error);
}

TEST_CASE("A dataset gives its records back") {
    const Dataset dataset = counting(5);
    CHECK(dataset.size() == 5);
    CHECK(dataset.name() == "counting");
    CHECK(dataset.input_size() == 6);
    CHECK(dataset.target_size() == 1);
    CHECK(detail::shape_text(dataset.input_shape()) == "(2, 3)");
    CHECK(dataset.has_labels());
    CHECK(dataset.input(3)[0] == 18.0f);
    CHECK(dataset.input(4)[5] == 29.0f);
    CHECK(dataset.target(2)[0] == 2.0f);
    CHECK(dataset.label(2) == 2);
}

TEST_CASE("A dataset is made of containers and expressions of any number type") {
    const xt::xtensor<double, 2> a = {{1, 2}, {3, 4}, {5, 6}};
    const xt::xtensor<int, 1> labels = {0, 1, 1};
    const Dataset dataset = make_dataset(2 * a + 1, labels);
    CHECK(dataset.input(2)[1] == 13.0f);
    CHECK(dataset.label(2) == 1);

    const xt::xarray<float, xt::layout_type::column_major> columns = a;
    CHECK(make_dataset(columns, labels).input(1)[0] == 3.0f);

    const Dataset of_numbers = make_dataset(a, xt::xtensor<double, 2>{{0.5, 1}, {2, 3}, {4, 5}});
    CHECK_FALSE(of_numbers.has_labels());
    CHECK(of_numbers.target_size() == 2);
    CHECK(of_numbers.target(1)[1] == 3.0f);
}

TEST_CASE("Choosing records shares the arrays") {
    const Dataset dataset = counting(5);
    const std::size_t positions[] = {4, 0, 4};
    const Dataset chosen = dataset.select(positions);
    CHECK(chosen.size() == 3);
    CHECK(chosen.input(0).data() == dataset.input(4).data());
    CHECK(chosen.label(1) == 0);
    CHECK(detail::shape_text(chosen.inputs().shape()) == "(3, 2, 3)");
    CHECK(chosen.inputs()(2, 1, 2) == 29.0f);
    CHECK(chosen.targets()(0) == 4.0f);

    const std::size_t outside[] = {5};
    CHECK(error_text([&] { dataset.select(outside); }) ==
          "records of dataset 'counting': expected positions below 5, found 5");
}

TEST_CASE("Records, inputs and targets that are not there are refused") {
    const Dataset dataset = counting(5);
    const std::size_t chosen[] = {4, 0, 2};
    for (const Dataset& d : {dataset.select(chosen), dataset.range(1, 3)}) {
        const std::string beyond = "dataset 'counting': expected a record from 0 to 2, found ";
        CHECK(error_text([&] { d.input(3); }) == beyond + "3");
        CHECK(error_text([&] { d.target(500); }) == beyond + "500");
        CHECK(error_text([&] { d.label(static_cast<std::size_t>(-1)); }) == beyond + "18446744073709551615");
        CHECK(error_text([&] { d.record_number(3); }) == beyond + "3");
        const std::size_t positions[] = {0, 3, 1};
        float to[18];
        CHECK(error_text([&] { d.copy_inputs(std::span(positions), to, 6); }) == beyond + "3");
        CHECK(error_text([&] { d.copy_targets(std::span(positions), to, 1); }) == beyond + "3");
        CHECK(d.input(2).size() == 6);
    }
    CHECK(error_text([&] { dataset.range(2, 0).input(0); }) ==
          "dataset 'counting': expected at least one record, found none");

    const std::string no_input = "dataset 'counting': expected an input from 0 to 0, found 1";
    const std::string no_target = "dataset 'counting': expected a target from 0 to 0, found 2";
    CHECK(error_text([&] { dataset.input(0, 1); }) == no_input);
    CHECK(error_text([&] { dataset.input_name(1); }) == no_input);
    CHECK(error_text([&] { dataset.input_shape(1); }) == no_input);
    CHECK(error_text([&] { dataset.input_size(1); }) == no_input);
    CHECK(error_text([&] { dataset.inputs(1); }) == no_input);
    CHECK(error_text([&] { dataset.copy_inputs({}, static_cast<float*>(nullptr), 6, 1); }) == no_input);
    CHECK(error_text([&] { dataset.target(0, 2); }) == no_target);
    CHECK(error_text([&] { dataset.label(0, 2); }) == no_target);
    CHECK(error_text([&] { dataset.has_labels(2); }) == no_target);
    CHECK(error_text([&] { dataset.target_name(2); }) == no_target);
    CHECK(error_text([&] { dataset.target_size(2); }) == no_target);
    CHECK(error_text([&] { dataset.targets(2); }) == no_target);
    CHECK_THROWS_AS(dataset.input(5), ArgumentError);
}

TEST_CASE("A dataset outlives what it was made of") {
    Dataset copy = counting(2);
    {
        const Dataset original = counting(3);
        copy = original;
    }
    CHECK(copy.size() == 3);
    CHECK(copy.input(2)[5] == 17.0f);
}

TEST_CASE("Arrays that are no dataset are refused") {
    const xt::xarray<float> two = xt::ones<float>({2, 3});
    const xt::xarray<float> labels = xt::zeros<float>({2});
    CHECK(error_text([&] { make_dataset(xt::xarray<float>(1.0f), labels, "flat"); }) ==
          "inputs of dataset 'flat': expected shape (records, features...) or (records), found ()");
    CHECK(error_text([&] { make_dataset(two, xt::xarray<float>(1.0f), "point"); }) ==
          "targets of dataset 'point': expected shape (records) or (records, outputs...), found ()");
    CHECK(error_text([&] { make_dataset(two, xt::zeros<float>({3}), "uneven"); }) ==
          "dataset 'uneven': expected as many targets as the inputs have records, 2, found 3");
    CHECK(error_text([&] { make_dataset(xt::zeros<float>({0, 3}), xt::zeros<float>({0}), "empty"); }) ==
          "dataset 'empty': expected at least one record with one feature and one target, "
          "found no records: inputs (0, 3) and targets (0)");
    CHECK(error_text([&] { make_dataset(xt::zeros<float>({2, 0}), labels, "featureless"); }) ==
          "dataset 'featureless': expected at least one record with one feature and one target, "
          "found inputs (2, 0) and targets (2)");
}

TEST_CASE("Numbers that are not finite are refused, with their place") {
    // Wider than one block of the search, with the bad number at its start, inside and at its end.
    for (const std::size_t at : {0u, 4095u, 4096u, 5000u, 9999u}) {
        xt::xarray<float> inputs = xt::zeros<float>({100, 100});
        inputs.data()[at] = std::numeric_limits<float>::quiet_NaN();
        const DataError thrown = data_error([&] { make_dataset(inputs, xt::zeros<float>({100}), "holes"); });
        CHECK(thrown.place == sentence("section 'inputs', record ", at / 100, ", feature ", at % 100));
        CHECK(thrown.expected == "a finite number");
        CHECK(thrown.found == "nan (missing: impute it first)");
    }
    xt::xarray<float> targets = xt::zeros<float>({3});
    targets(2) = -std::numeric_limits<float>::infinity();
    CHECK(error_text([&] { make_dataset(xt::zeros<float>({3, 1}), targets, "far"); }) ==
          "dataset 'far', section 'targets', record 2, target 0: expected a finite number, found -inf");
    CHECK(data_error([&] { make_dataset(xt::xtensor<double, 2>{{1e300 * 1e300}}, xt::zeros<float>({1})); }).found ==
          "inf");
}

TEST_CASE("An input may be one number a record") {
    const Dataset dataset = make_dataset(xt::xarray<float>{3, 1, 2}, xt::zeros<float>({3}), "single");
    CHECK(dataset.input_shape().empty());
    CHECK(dataset.input_size() == 1);
    CHECK(dataset.input(2)[0] == 2);
    CHECK(detail::shape_text(dataset.inputs().shape()) == "(3)");
}

TEST_CASE("Labels out of range are refused, with their record") {
    const xt::xarray<float> inputs = xt::ones<float>({3, 1});
    const auto examine = [&](float bad) {
        const Dataset dataset = make_dataset(inputs, xt::xarray<float>{0, bad, 2}, "labelled");
        return error_text([&] { detail::check_labels(dataset, 3); });
    };
    CHECK(examine(1) == "no error");
    CHECK(examine(3) == "dataset 'labelled', record 1: expected a label from 0 to 2, found 3");
    CHECK(examine(-1) == "dataset 'labelled', record 1: expected a label from 0 to 2, found -1");
    CHECK(examine(0.5f) == "dataset 'labelled', record 1: expected a label from 0 to 2, found 0.5");
    CHECK(examine(1e30f) == "dataset 'labelled', record 1: expected a label from 0 to 2, found 1e+30");
    CHECK(error_text([&] { detail::check_labels(make_dataset(inputs, xt::ones<float>({3, 2}), "numbers"), 3); }) ==
          "dataset 'numbers': expected one class index for each record, found targets of shape (2) each");
    CHECK(error_text([&] { detail::check_labels(make_dataset(inputs, xt::ones<float>({3, 1}), "numbers"), 3); }) ==
          "dataset 'numbers': expected one class index for each record, found targets of shape (1) each (of a table: "
          "targets = classes(column) of numbers, labels(column) of names)");
}

TEST_CASE("Labels over time, and a label that does not count") {
    const xt::xarray<float> inputs = xt::ones<float>({2, 3});
    const auto examine = [&](float bad) {
        const Dataset dataset = make_dataset(inputs, xt::xarray<float>{{0, 1, 2}, {-1, bad, -1}}, "spoken");
        return error_text([&] { detail::check_labels(dataset, detail::LabelRange{0, 3, -1}); });
    };
    CHECK(examine(-1) == "no error");
    CHECK(examine(2) == "no error");
    CHECK(examine(3) == "dataset 'spoken', record 1, position 1: expected a label from 0 to 2, or -1, found 3");
    CHECK(examine(-2) == "dataset 'spoken', record 1, position 1: expected a label from 0 to 2, or -1, found -2");
    CHECK(examine(1.5f) == "dataset 'spoken', record 1, position 1: expected a label from 0 to 2, or -1, found 1.5");
}
