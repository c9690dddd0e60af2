// SPDX-License-Identifier: BSL-1.0
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/model.hpp>
#include <sigma/xtensor.hpp>

#include <catch2/catch.hpp>
#include <xtensor/xview.hpp>

#include <numeric>

using namespace sigma;

namespace {

struct Line : Network<Input(3) + Dense(2) + SquaredDiff()> {};

}  // namespace

TEST_CASE("An array is one of xtensor over the same elements") {
    Array<float> a{{1, 2, 3}, {4, 5, 6}};
    const auto& constant = a;
    CHECK(to_xtensor(constant).data() == a.data());
    CHECK((to_xtensor(constant) == xt::xarray<float>{{1, 2, 3}, {4, 5, 6}}));
    CHECK(xt::sum(to_xtensor(constant))() == 21);
    to_xtensor(a) *= 2.0f;
    CHECK(a == Array<float>{{2, 4, 6}, {8, 10, 12}});
    const xt::xarray<double> copy = to_xtensor(a) + 1.0;
    CHECK(copy(1, 2) == 13);
    CHECK(Array<float>(xt::view(copy, xt::all(), 1)) == Array<float>{5, 11});
    CHECK(Array<double>(xt::transpose(copy)) == Array<double>{{3, 9}, {5, 11}, {7, 13}});
}

TEST_CASE("A temporary gives its elements to xtensor") {
    Array<float> a{{1, 2}, {3, 4}};
    const float* const elements = a.data();
    auto x = to_xtensor(std::move(a));
    CHECK(x.data() == elements);
    CHECK(x(1, 0) == 3);
    CHECK(a.size() == 0);
    x += 1.0f;
    CHECK((x == xt::xarray<float>{{2, 3}, {4, 5}}));
    CHECK(x.shape(0) == 2);
}

TEST_CASE("A parameter is an array of xtensor that writes to the model") {
    Model<Line> model;
    to_xtensor(model.parameter<"1-dense.weights">()) = xt::xarray<float>{{1, 2}, {3, 4}, {5, 6}};
    CHECK(model.parameter(0)(2, 1) == 6);
    to_xtensor(model.parameter(0)) += 1.0f;
    CHECK((to_xtensor(model.parameter(0)) == xt::xarray<float>{{2, 3}, {4, 5}, {6, 7}}));
    auto row = xt::view(to_xtensor(model.parameter(0)), 1, xt::all());
    row = 0.0f;
    CHECK(model.parameter(0) == Array<float>{{2, 3}, {0, 0}, {6, 7}});
    to_xtensor(model.parameter(1)) = 8.0f;  // the rows are padded: neighbours stay as they are
    CHECK(model.parameter(1) == Array<float>{8, 8});
    CHECK(model.parameter(0)(0, 0) == 2);
    model.parameter(0) = xt::transpose(xt::xarray<double>{{1, 3, 5}, {2, 4, 6}});
    CHECK(model.parameter(0) == Array<float>{{1, 2}, {3, 4}, {5, 6}});
    std::vector<double> extents_of_one(1, 1);
    const ArrayView<double> one(extents_of_one.data(), {1, 1}, 8);
    to_xtensor(one) += 1.0;
    CHECK(extents_of_one[0] == 2);
}

TEST_CASE("Arrays of xtensor go in whatever their layout, and elements are read where they lie if they can be") {
    xt::xtensor<float, 2> rows{{1, 2, 3}, {4, 5, 6}};
    const xt::xtensor<float, 2, xt::layout_type::column_major> columns = rows;
    const auto elements = [](const auto& x, std::size_t n) {
        const detail::DenseElements<float> dense(x);
        return std::vector<float>(dense.data(), dense.data() + n);
    };
    const std::vector<float> expected{1, 2, 3, 4, 5, 6};
    CHECK(detail::DenseElements<float>(rows).data() == rows.data());
    CHECK(elements(rows, 6) == expected);
    CHECK(elements(columns, 6) == expected);
    CHECK(elements(xt::transpose(columns), 6) == std::vector<float>{1, 4, 2, 5, 3, 6});
    CHECK(elements(rows + 0.0f, 6) == expected);
    CHECK(elements(xt::xarray<double>(rows), 6) == expected);
    CHECK(detail::DenseElements<float>(xt::view(rows, 1, xt::all())).data() == rows.data() + 3);
    CHECK(elements(xt::view(rows, xt::all(), 1), 2) == std::vector<float>{2, 5});
    CHECK(elements(xt::view(rows, xt::range(xt::placeholders::_, xt::placeholders::_, -1), xt::all()), 6) ==
          std::vector<float>{4, 5, 6, 1, 2, 3});
    CHECK(Array<float>(columns) == Array<float>{{1, 2, 3}, {4, 5, 6}});
}

TEST_CASE("Functions take arrays of this library as they take those of xtensor") {
    const auto f = [](auto x, auto w) { return sum(square(dot(x, w))); };
    const xt::xtensor<double, 2> x{{1, 2}, {3, 4}, {5, 6}};
    const auto both = value_and_gradient(f, wrt<0>);
    const auto [theirs, dx] = both(shaped<batch, 2>(x), shaped<2, 1>(xt::xtensor<double, 2>{{0.5}, {-1}}));
    const auto [ours, our_dx] = both(shaped<batch, 2>(Array<double>(x)), shaped<2, 1>(Array<double>{{0.5}, {-1}}));
    CHECK(ours == theirs);
    CHECK((our_dx == dx));
    CHECK(ours == Approx(1.5 * 1.5 + 2.5 * 2.5 + 3.5 * 3.5));
}

TEST_CASE("The documentation's lines on xtensor run") {
    Model<Line> model(1);
    const xt::xarray<float> x{{1, 2, 3}, {4, 5, 6}};
    const Array<float> before(model.parameter(0));
    // [to_xtensor]
    const auto p = to_xtensor(model.predict(x));  // #include <sigma/xtensor.hpp>
    const double surest = xt::amax(p)();
    to_xtensor(model.parameter<"1-dense.weights">()) *= 0.5f;
    model.parameter<"1-dense.biases">() = xt::ones<float>({2});
    // [to_xtensor]
    CHECK(surest == static_cast<double>(std::max({p(0, 0), p(0, 1), p(1, 0), p(1, 1)})));
    CHECK(model.parameter(0)(2, 1) == 0.5f * before(2, 1));
    CHECK(model.parameter(1) == Array<float>{1, 1});
}

TEST_CASE("An array becomes one of xtensor where one is asked for") {
    const Array<float> a{{1, 2, 3}, {4, 5, 6}};
    const xt::xarray<float> any = a;
    const xt::xtensor<float, 2> two = a;
    const xt::xtensor<double, 2, xt::layout_type::column_major> columns = a;
    CHECK(any.shape() == xt::dynamic_shape<std::size_t>{2, 3});
    CHECK(Array<float>(any) == a);
    CHECK(Array<float>(two) == a);
    CHECK(columns(1, 0) == 4);
    CHECK(Array<float>(columns) == a);
    std::vector<float> padded{1, 2, 3, 9, 4, 5, 6, 9};
    const ArrayView<float> view(padded.data(), {2, 3}, 4);
    const xt::xarray<float> of_view = view;
    CHECK(Array<float>(of_view) == a);
    using Three = xt::xtensor<float, 3>;
    CHECK_THROWS_WITH(Three(a), "conversion to a container of xtensor: expected 3 axes, found shape (2, 3)");
}
