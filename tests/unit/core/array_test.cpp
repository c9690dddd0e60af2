// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/array.hpp>
#include <sigma/core/error.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <span>

using namespace sigma;
using Floats = Array<float>;
using Sizes_ = std::vector<std::size_t>;

namespace {

/// True if an array can be passed for another.
template <class E>
constexpr bool any_array = AnyArray<E>;

/// An array of another library: shape() returns a value, and elements are of another type and reversed in memory.
struct Backwards {
    std::array<int, 2> shape() const { return {2, 2}; }
    std::size_t size() const { return 4; }
    auto begin() const { return numbers.rbegin(); }
    auto end() const { return numbers.rend(); }
    std::vector<int> numbers{4, 3, 2, 1};
};

}  // namespace

TEST_CASE("Arrays are made of elements in braces, of a shape, and of each other") {
    const Floats row{1, 2, 3}, table{{1, 2, 3}, {4, 5, 6}}, column{{1}, {2}}, one{{1}}, none;
    CHECK(row.shape() == Sizes_{3});
    CHECK(table.shape() == Sizes_{2, 3});
    CHECK(column.shape() == Sizes_{2, 1});
    CHECK(one.shape() == Sizes_{1, 1});
    CHECK(none.shape() == Sizes_{0});
    CHECK(none.begin() == none.end());
    CHECK(table.dimension() == 2);
    CHECK(table.size() == 6);
    CHECK(table.shape(1) == 3);
    CHECK(table(1, 0) == 4);
    CHECK(Floats::from_shape({2, 3, 4}).size() == 24);
    CHECK(Floats::from_shape({}).size() == 1);
    CHECK(Floats::from_shape({2}) == Floats{0, 0});
    CHECK(Floats({3, 2}, {1, 2, 3, 4, 5, 6})(2, 0) == 5);
    CHECK(Array<double>(table)(1, 2) == 6);
    CHECK(Array<double>(Backwards()) == Array<double>{{1, 2}, {3, 4}});
    CHECK_THROWS_WITH((Floats{{1, 2}, {3}}), "array: expected rows of 2 elements, found a row of 1");
    CHECK_THROWS_WITH(Floats({3, 2}, {1, 2}), "array: expected 6 elements for shape (3, 2), found 2");
    CHECK_THROWS_WITH(Floats({1}, {1, 2}), "array: expected 1 element for shape (1), found 2");
}

TEST_CASE("Elements are read and written by their indices, which are checked") {
    auto a = Floats::from_shape({2, 3, 4});
    std::iota(a.begin(), a.end(), 0.0f);
    CHECK(a(1, 2, 3) == 23);
    CHECK(a(1, 0, 2) == 14);
    a(0, 1, 0) = 7;
    CHECK(a.data()[4] == 7);
    auto scalar = Floats::from_shape({});
    scalar() = 3;
    CHECK(scalar.data()[0] == 3);
    CHECK_THROWS_WITH(a.shape(7), "extent of an array of shape (2, 3, 4): expected an axis below 3, found 7");
    CHECK_THROWS_WITH(a(0, 1), "element of an array of shape (2, 3, 4): expected 3 indices, found 2");
    CHECK_THROWS_WITH(a(0, 3, 0), "element of an array of shape (2, 3, 4), axis 1: expected an index below 3, found 3");
    CHECK_THROWS_WITH(a(0, 0, -1),
                      "element of an array of shape (2, 3, 4), axis 2: expected an index below 4, found -1");
    CHECK_THROWS_WITH((Floats{1, 2}(0, 1)), "element of an array of shape (2): expected 1 index, found 2");
    CHECK_THROWS_AS(Floats()(0), ArgumentError);
}

TEST_CASE("An array gets other extents, and gives its elements away") {
    Floats a{{1, 2, 3}, {4, 5, 6}};
    const float* const before = a.data();
    CHECK(a.reshape({3, 2})(2, 1) == 6);
    CHECK_THROWS_WITH(a.reshape({4}), "array: expected 4 elements for shape (4), found 6");
    CHECK(a.shape() == Sizes_{3, 2});
    const std::vector<float> elements = std::move(a).take();
    CHECK(elements.data() == before);
    CHECK(elements.size() == 6);
    CHECK(a.size() == 0);
    a = Floats{1};
    a.fill(2);
    CHECK(a == Floats{2});
}

TEST_CASE("A view's iterators are those of the standard algorithms") {
    STATIC_REQUIRE(std::forward_iterator<ArrayView<float>::iterator>);
    STATIC_REQUIRE(
        std::is_same_v<std::iterator_traits<ArrayView<float>::iterator>::iterator_category, std::forward_iterator_tag>);
    std::vector<float> padded{3, 1, -9, 4, 2, -9};
    const ArrayView<float> view(padded.data(), {2, 2}, 3);
    CHECK(*std::ranges::min_element(view) == 1);
    CHECK(std::ranges::max(view) == 4);
    CHECK(std::accumulate(view.begin(), view.end(), 0.0f) == 10);
}

TEST_CASE("Arrays are equal where shapes and elements are") {
    const Floats a{{1, 2}, {3, 4}};
    CHECK(a == Floats{{1, 2}, {3, 4}});
    CHECK(a != Floats{{1, 2}, {3, 5}});
    CHECK(a != Floats{1, 2, 3, 4});
    std::vector<float> padded{1, 2, -1, 3, 4, -1};
    const ArrayView<float> view(padded.data(), {2, 2}, 3);
    CHECK(view == a);
    CHECK(a == view);
    CHECK(view == view);
    padded[2] = -2;  // padding, not an element
    CHECK(view == a);
    padded[4] = 0;
    CHECK(view != a);
}

TEST_CASE("A view is a window on rows that may be apart") {
    std::vector<double> memory{1, 2, -1, -1, 3, 4, -1, -1, 5, 6, -1, -1};
    ArrayView<double> view(memory.data(), {3, 2}, 4);
    CHECK(view.size() == 6);
    CHECK(view.dimension() == 2);
    CHECK(view.row() == 4);
    CHECK(view(2, 1) == 6);
    CHECK(view.dense() == nullptr);
    CHECK(std::vector<double>(view.begin(), view.end()) == std::vector<double>{1, 2, 3, 4, 5, 6});
    for (double& x : view) x *= 10;
    CHECK(memory == std::vector<double>{10, 20, -1, -1, 30, 40, -1, -1, 50, 60, -1, -1});
    view(0, 1) = 7;
    CHECK(memory[1] == 7);
    view.fill(0);
    CHECK(memory == std::vector<double>{0, 0, -1, -1, 0, 0, -1, -1, 0, 0, -1, -1});
    CHECK_THROWS_AS(view(0, 2), ArgumentError);

    // Rows of rows, a single row, no rows, a single number.
    const ArrayView<double> three(memory.data(), {3, 2, 1}, 2);
    memory = {0, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5, -1};
    CHECK(three(2, 1, 0) == 5);
    CHECK(Array<double>(three) == Array<double>({3, 2, 1}, {0, 1, 2, 3, 4, 5}));
    const ArrayView<double> row(memory.data(), {5}, 8), alone(memory.data(), {1, 5}, 8);
    CHECK(row.dense() == memory.data());
    CHECK(alone.dense() == memory.data());
    CHECK(std::vector<double>(alone.begin(), alone.end()) == std::vector<double>{0, -1, 1, -1, 2});
    for (const Sizes_& empty : {Sizes_{0}, Sizes_{0, 3}, Sizes_{3, 0}}) {
        const ArrayView<double> nothing(memory.data(), empty, 4);
        CHECK(nothing.begin() == nothing.end());
    }
    const ArrayView<double> number(memory.data() + 2, {});
    CHECK(number() == 1);
    CHECK(std::vector<double>(number.begin(), number.end()) == std::vector<double>{1});
}

TEST_CASE("What is assigned to a view is written to its elements, and must have its shape") {
    std::vector<float> memory{0, 0, -1, 0, 0, -1};
    ArrayView<float> view(memory.data(), {2, 2}, 3);
    view = Array<double>{{1, 2}, {3, 4}};
    CHECK(memory == std::vector<float>{1, 2, -1, 3, 4, -1});
    view = Backwards();
    CHECK(view(1, 0) == 3);
    std::vector<float> others{5, 6, 7, 8};
    const ArrayView<float> other(others.data(), {2, 2});
    view = other;
    CHECK(memory == std::vector<float>{5, 6, -1, 7, 8, -1});
    view(0, 0) = 9;
    CHECK(others[0] == 5);  // copies elements, not addresses
    ArrayView<float> all(memory.data(), {6});
    all = ArrayView<float>(memory.data(), {6});
    view = ArrayView<float>(memory.data() + 1, {2, 2}, 2);  // the same memory in another order
    CHECK(memory == std::vector<float>{6, -1, -1, 7, 8, -1});
    CHECK_THROWS_WITH((view = Floats{1, 2, 3, 4}), "assignment to an array: expected shape (2, 2), found shape (4)");
    CHECK(memory == std::vector<float>{6, -1, -1, 7, 8, -1});
    STATIC_REQUIRE_FALSE(std::is_assignable_v<ArrayView<const float>&, const Floats&>);
    STATIC_REQUIRE_FALSE(std::is_copy_assignable_v<ArrayView<const float>>);
}

TEST_CASE("Numbers in a row are an array when they get a shape") {
    const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
    const std::size_t records = 3;
    const ArrayView view(numbers, {records, 2});
    STATIC_REQUIRE(std::is_same_v<decltype(view), const ArrayView<const float>>);
    CHECK(view(2, 1) == 6);
    CHECK(ArrayView(numbers, Sizes_{2, 3})(1, 0) == 4);
    CHECK(ArrayView(std::span(numbers).first(4), {2, 2})(1, 1) == 4);
    CHECK_THROWS_WITH(ArrayView(numbers, {2, 2}), "array: expected 4 elements for shape (2, 2), found 6");
    Floats own{1, 2};
    const ArrayView<float> writable = own;
    writable(1) = 5;
    CHECK(own(1) == 5);
    const ArrayView<const float> read_only = writable;
    CHECK(read_only(1) == 5);
}

TEST_CASE("What has a shape and elements can be given for an array; elements are read where they lie if they can be") {
    STATIC_REQUIRE(any_array<Floats>);
    STATIC_REQUIRE(any_array<ArrayView<const double>>);
    STATIC_REQUIRE(any_array<Backwards>);
    STATIC_REQUIRE_FALSE(any_array<std::vector<float>>);
    STATIC_REQUIRE_FALSE(any_array<float>);
    const Floats a{{1, 2}, {3, 4}};
    CHECK(detail::DenseElements<float>(a).data() == a.data());
    const detail::DenseElements<double> converted(a);
    CHECK(std::equal(a.begin(), a.end(), converted.data()));
    std::vector<float> memory{1, 2, -1, 3, 4, -1};
    CHECK(detail::DenseElements<float>(ArrayView<float>(memory.data(), {3, 2})).data() == memory.data());
    const detail::DenseElements<float> gathered(ArrayView<float>(memory.data(), {2, 2}, 3));
    CHECK(std::equal(a.begin(), a.end(), gathered.data()));
    const detail::DenseElements<int> turned{Backwards()};
    CHECK(std::equal(a.begin(), a.end(), turned.data()));
}

TEST_CASE("Extents of a tensor are those of an array") {
    CHECK(detail::array_extents(Shape{batch, 28, 28}, 7) == Sizes_{7, 28, 28});
    CHECK(detail::array_extents(Shape{-3, 5}, 2) == Sizes_{6, 5});
    CHECK(detail::array_extents(Shape{batch, 28, 28}, 7, 1) == Sizes_{28, 28});
    CHECK(detail::array_extents(Shape{}) == Sizes_{});
}

TEST_CASE("What there is no memory for is said with its shape") {
    const auto text = [](std::vector<std::size_t> shape) -> std::string {
        try {
            (void)Array<float>::from_shape(std::move(shape));
        } catch (const MemoryError& e) { return e.what(); }
        return "";
    };
    CHECK(text({std::size_t{1} << 31, std::size_t{1} << 31}) ==
          "array of shape (2147483648, 2147483648): cannot allocate its elements: not enough memory");
    // A number of elements that a size_t cannot hold.
    CHECK(text({std::size_t{1} << 40, std::size_t{1} << 40}) ==
          "array of shape (1099511627776, 1099511627776): cannot allocate its elements: not enough memory");
    CHECK(Array<float>::from_shape({std::size_t{1} << 40, 0, std::size_t{1} << 40}).size() == 0);
    CHECK_THROWS_AS(ArrayView(std::vector<float>(4), {std::size_t{1} << 32, std::size_t{1} << 32}), ShapeError);
}

TEST_CASE("What asks for memory says for what") {
    const auto ask = [](auto f) { return detail::in_memory([] { detail::refuse_memory("a table", 1000, 4); }, f); };
    CHECK(ask([] { return 3; }) == 3);
    const char* const text = "a table: cannot allocate 4000 bytes for 1000 elements: not enough memory";
    CHECK_THROWS_WITH(ask([]() -> int { throw std::bad_alloc(); }), text);
    CHECK_THROWS_WITH(ask([]() -> int { throw std::length_error("vector"); }), text);
    CHECK_THROWS_AS(ask([]() -> int { throw ArgumentError("a", "b", "c"); }), ArgumentError);
}
