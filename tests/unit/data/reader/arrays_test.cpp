// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/xtensor.hpp>
#include <sigma/data/reader/arrays.hpp>

#include <catch2/catch.hpp>
#include <support/thrown.hpp>

#include <list>

using namespace sigma;
using namespace sigma::data;

namespace {

template <class Array>
std::vector<float> numbers(const Array& array) {
    std::vector<float> all;
    Block block;
    while (array.reader->read(2, block) > 0)
        block.values[0].visit([&](const auto& read) { all.insert(all.end(), read.begin(), read.end()); });
    return all;
}
template <class Array>
std::string extents_of(const Array& array) {
    return sigma::detail::shape_text(array.reader->sections()[0].shape);
}

}  // namespace

TEST_CASE("XOR stands in the program") {
    // [array]
    const auto both = zip(inputs = array({{0, 0}, {0, 1}, {1, 0}, {1, 1}}), targets = array({0, 1, 1, 0}));
    // [array]
    Block block;
    CHECK(both.reader->read(9, block) == 4);
    CHECK(block.values[0].floats() == std::vector<float>{0, 0, 0, 1, 1, 0, 1, 1});
    CHECK(block.values[1].floats() == std::vector<float>{0, 1, 1, 0});
    CHECK(both.reader->read(9, block) == 0);
    STATIC_REQUIRE(std::is_same_v<decltype(array({{0, 0}, {0, 1}})), ArrayOf<Extents<2>>>);
    STATIC_REQUIRE(std::is_same_v<decltype(array({{0, 0.5}, {1.5f, 1}})), ArrayOf<Extents<2>>>);
    STATIC_REQUIRE(std::is_same_v<decltype(array({0.0, 1.0})), ArrayOf<Extents<>>>);
    CHECK(numbers(array({{0, 0.5}, {1.5f, 1}})) == std::vector<float>{0, 0.5f, 1.5f, 1});
}

TEST_CASE("Arrays of xtensor are records along their first axis, whatever their layout") {
    const xt::xtensor<float, 3> x = xt::reshape_view(xt::arange<float>(12), {2, 3, 2});
    const std::vector<float> expected{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    CHECK(extents_of(array(x)) == "(3, 2)");
    CHECK(numbers(array(x)) == expected);
    CHECK(numbers(array<3, 2>(x)) == expected);
    const xt::xtensor<float, 3, xt::layout_type::column_major> columns = x;
    CHECK(numbers(array(columns)) == expected);
    CHECK(numbers(array(x * 2.0f))[11] == 22);
    const xt::xarray<double> dynamic = x;
    CHECK(numbers(array<3, 2>(dynamic)) == expected);
    STATIC_REQUIRE(std::is_same_v<decltype(array(x)), ArrayOf<UnknownExtents>>);
    STATIC_REQUIRE(std::is_same_v<decltype(array(xt::xtensor<int, 1>())), ArrayOf<Extents<>>>);
    STATIC_REQUIRE(std::is_same_v<decltype(array<3, 2>(x)), ArrayOf<Extents<3, 2>>>);
    CHECK(error_text<ShapeError>([&] { array<2, 3>(x); }) ==
          "array: expected records of (2, 3), found an array of (2, 3, 2)");
    CHECK(error_text<ShapeError>([&] { array(xt::xtensor<float, 2>({0, 3})); }) ==
          "array: expected records of (3), one at least, found 0 numbers");
}

TEST_CASE("Spans and ranges are records") {
    const std::vector<double> row{1, 2, 3, 4, 5, 6};
    CHECK(extents_of(array(row)) == "()");
    CHECK(numbers(array(row)).size() == 6);
    CHECK(extents_of(array<1, 2>(std::span(row))) == "(1, 2)");
    CHECK(extents_of(array(row, {3})) == "(3)");
    CHECK(array(row, {3}).reader->size() == 2u);
    CHECK(error_text<ShapeError>([&] { array<4>(row); }) ==
          "array: expected records of (4), one at least, found 6 numbers");
    const xt::xarray<float> scalar = 5.0f;
    CHECK(error_text<ShapeError>([&] { array<3>(scalar); }) == "array: expected records of (3), found an array of ()");
    CHECK(error_text<ShapeError>([&] { array(std::vector<int>{}); }) ==
          "array: expected records of (), one at least, found 0 numbers");

    CHECK(numbers(array(std::list<std::vector<int>>{{1, 2}, {3, 4}})) == std::vector<float>{1, 2, 3, 4});
    CHECK(extents_of(array(std::vector<std::vector<std::vector<int>>>{{{1, 2}, {3, 4}, {5, 6}}})) == "(3, 2)");
    CHECK(error_text<ShapeError>([] { array(std::vector<std::vector<int>>{{1, 2}, {3}}); }) ==
          "array: expected 2 elements in each part of axis 2, as in the first, found 1");
    STATIC_REQUIRE(std::is_same_v<decltype(array(std::vector<std::array<float, 4>>())), ArrayOf<Extents<4>>>);
    STATIC_REQUIRE(std::is_same_v<decltype(array(row)), ArrayOf<Extents<>>>);
    CHECK(numbers(array(std::vector<std::array<float, 2>>{{1, 2}, {3, 4}})) == std::vector<float>{1, 2, 3, 4});
    CHECK(array(row).reader->key() == array(row).reader->key());
    CHECK(array(row).reader->key() != array<2>(row).reader->key());
    CHECK(array({1, 2}).reader->key() != array({1, 3}).reader->key());
}
