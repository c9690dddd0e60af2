// SPDX-License-Identifier: BSL-1.0
// All functions that take a shape and numbers reject them if they disagree, whatever the shape is.
#include <sigma/core/array.hpp>
#include <sigma/core/array_count.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/data/image/image.hpp>
#include <sigma/data/reader/arrays.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/with_weights.hpp>
#include <sigma/decoding/ctc.hpp>
#include <sigma/device/device_array.hpp>
#include <sigma/metric/metrics.hpp>
#include <sigma/storage/safetensors.hpp>

#include <catch2/catch.hpp>
#include <support/sanitized.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace sigma;
using Extents = std::vector<std::size_t>;
using Floats = std::vector<float>;

namespace {

/// An array of another library, which may have a wrong number of elements for its shape.
template <bool in_a_row>
struct Claimed {
    Extents extents;
    Floats numbers;

    const Extents& shape() const { return extents; }
    std::size_t size() const { return numbers.size(); }
    auto begin() const {
        if constexpr (in_a_row) return numbers.data();
        else return numbers.rbegin();
    }
    auto end() const {
        if constexpr (in_a_row) return numbers.data() + numbers.size();
        else return numbers.rend();
    }
};
using Claim = Claimed<true>;

/// Blocks that a program defines.
struct OwnBlocks final : data::Blocks {
    std::vector<data::SectionInfo> all;
    std::size_t count = 1, in_block = 1, given = 1;

    const std::vector<data::SectionInfo>& sections() const override { return all; }
    std::size_t records() const override { return count; }
    std::size_t block_records() const override { return in_block; }
    void load(std::size_t, data::Block& to) const override {
        to.records = count;
        to.values.assign(2, Floats(given));
        to.values[1] = Floats(count);
    }
    std::string key() const override { return "own"; }
};

Extents behind_first(const Extents& shape) { return shape.empty() ? shape : Extents(shape.begin() + 1, shape.end()); }
Numbers plain(std::size_t records) { return {{records}, Floats(records)}; }
std::size_t first_of(const Extents& shape) { return shape.empty() || shape[0] > 64 ? 1 : shape[0]; }

/// Blocks have separate numbers of records and extents of a record, so that other shapes cannot be given to them.
void require_block(const Extents& shape) {
    if (first_of(shape) != (shape.empty() ? 0 : shape[0])) throw ShapeError("block", "some records", "others");
}

/// Takes numbers with a shape, or throws.
struct Taker {
    const char* name;
    std::function<void(const Extents&, const Floats&)> take;
    /// True if the shape must have a first axis, and no extent may be 0.
    enum Needs { nothing, axis, records } needs = nothing;
};

data::Preprocessing no_steps() { return {}; }

const std::vector<Taker>& takers() {
    static const std::vector<Taker> all{
        {"Array", [](const Extents& s, const Floats& x) { Array<float>(s, x); }},
        {"Array::reshape",
         [](const Extents& s, const Floats& x) {
             Array<float> a({x.size()}, x);
             a.reshape(s);
         }},
        {"Array of another", [](const Extents& s, const Floats& x) { Array<double>(Claim{s, x}); }},
        {"Array of another, reversed", [](const Extents& s, const Floats& x) { Array<float>(Claimed<false>{s, x}); }},
        {"ArrayView", [](const Extents& s, const Floats& x) { ArrayView(x, s); }},
        {"assigned to ArrayView",
         [](const Extents& s, const Floats& x) {
             Floats kept(x.size() + 1);
             ArrayView<float>(kept.data(), s) = Claim{s, x};
         }},
        {"DenseElements", [](const Extents& s, const Floats& x) { detail::DenseElements<float>(Claim{s, x}); }},
        {"DenseElements, copied",
         [](const Extents& s, const Floats& x) { detail::DenseElements<double>(Claim{s, x}); }},
        {"DenseElements, reversed",
         [](const Extents& s, const Floats& x) { detail::DenseElements<float>(Claimed<false>{s, x}); }},
        {"DeviceArray", [](const Extents& s, const Floats& x) { DeviceArray<float>(cpu(1), Claim{s, x}); }},
        {"metric", [](const Extents& s, const Floats& x) { MeanAbsoluteError().add(Claim{s, x}, Claim{s, x}); }},
        {"SafetensorsWriter",
         [](const Extents& s, const Floats& x) {
             SafetensorsWriter().add("x", {s.begin(), s.end()}, std::span<const float>(x));
         }},
        {"SafetensorsWriter, kept",
         [](const Extents& s, const Floats& x) { SafetensorsWriter().add("x", {s.begin(), s.end()}, Floats(x)); }},
        {"Preprocessing", [](const Extents& s, const Floats& x) { no_steps()(Claim{s, x}); }, Taker::axis},
        {"inputs of a dataset",
         [](const Extents& s, const Floats& x) { Dataset(Numbers{s, x}, plain(first_of(s)), "x"); }, Taker::records},
        {"doubles of a dataset",
         [](const Extents& s, const Floats& x) {
             Dataset(Numbers{s, {}, {x.begin(), x.end()}}, plain(first_of(s)), "x");
         },
         Taker::records},
        {"targets of a dataset",
         [](const Extents& s, const Floats& x) { Dataset(plain(first_of(s)), Numbers{s, x}, "x"); }, Taker::records},
        {"second input of a dataset",
         [](const Extents& s, const Floats& x) {
             Dataset({{"a", plain(first_of(s))}, {"b", Numbers{s, x}}}, {{"y", plain(first_of(s))}}, "x");
         },
         Taker::records},
        {"other targets of a dataset",
         [](const Extents& s, const Floats& x) {
             Dataset(plain(first_of(s)), plain(first_of(s)), "x").with_targets({{"y", Numbers{s, x}}});
         },
         Taker::records},
        {"make_dataset", [](const Extents& s, const Floats& x) { make_dataset(Claim{s, x}, Floats(first_of(s))); },
         Taker::records},
        {"a block of records",
         [](const Extents& s, const Floats& x) {
             require_block(s);
             data::Block block{first_of(s), {x, Floats(first_of(s))}};
             Dataset(std::move(block), {{"x", behind_first(s)}, {"y", {}, true}}, "x");
         },
         Taker::records},
        {"blocks of a program's own",
         [](const Extents& s, const Floats& x) {
             require_block(s);
             auto blocks = std::make_shared<OwnBlocks>();
             blocks->all = {{"x", behind_first(s)}, {"y", {}, true}};
             blocks->count = blocks->in_block = first_of(s);
             blocks->given = x.size();
             Dataset(std::make_shared<data::ActiveBlocks>(blocks, "x")).inputs();
         },
         Taker::records},
        {"array of a pipeline", [](const Extents& s, const Floats& x) { data::array(Claim{s, x}); }, Taker::records},
    };
    return all;
}

/// Shapes of up to four axes with odd extents among them.
#ifdef SIGMA_TEST_IS_SANITIZED  // AddressSanitizer ends a program that requests 32 GB, as records without numbers do
constexpr std::size_t huge = std::size_t{1} << 62;
#else
constexpr std::size_t huge = std::size_t{1} << 32;
#endif
Extents random_shape(PhiloxSequence& random) {
    static constexpr std::array<std::size_t, 10> extents{
        1, 2, 3, 5, 2, 0, huge, std::size_t{1} << 63, SIZE_MAX, 0xAAAAAAAAAAAAAAAB};
    Extents shape(static_cast<std::size_t>(random.uniform<double>() * 5));
    const double odd = random.uniform<double>() < 0.5 ? 5 : 10;
    for (std::size_t& extent : shape) extent = extents[static_cast<std::size_t>(random.uniform<double>() * odd)];
    return shape;
}

}  // namespace

TEST_CASE("Elements are counted, beyond what a number can say too") {
    CHECK(detail::array_count(Extents{}) == 1);
    CHECK(detail::array_count(Extents{2, 3, 4}) == 24);
    CHECK(detail::array_count(Extents{SIZE_MAX, 2, 0}) == 0);
    CHECK(detail::array_count(Extents{3, 0xAAAAAAAAAAAAAAAB}) == SIZE_MAX);  // 1 after an overflow
    CHECK(detail::array_count(std::array{-1, 2}) == SIZE_MAX);
    static_assert(detail::array_count(std::array{2, 3}) == 6);
}

TEST_CASE("Whatever takes a shape and numbers takes them if they agree, and only then") {
    PhiloxSequence random{Philox(1, RandomUse::generate, 0)};
    for (const Taker& taker : takers()) {
        std::size_t taken = 0, refused = 0;
        for (int i = 0; i < 400; ++i) {
            const Extents shape = random_shape(random);
            const std::size_t elements = detail::array_count(shape);
            Extents others = shape;
            std::erase(others, std::size_t{0});
            if (elements == 0 && detail::array_count(others) > SIZE_MAX / 8) continue;  // either answer is right
            std::size_t wrapped = 1;
            for (const std::size_t extent : shape) wrapped *= extent;
            const std::array<std::size_t, 6> counts{elements, elements + 1, elements - 1, 0, wrapped, 1};
            std::size_t count = counts[static_cast<std::size_t>(random.uniform<double>() * 6)];
            if (count > 1000) count = wrapped % 1000;
            const bool empty = shape.empty() || elements == 0;
            const bool agree = count == elements && !(taker.needs == Taker::axis && shape.empty()) &&
                               !(taker.needs == Taker::records && empty);
            CAPTURE(taker.name, detail::shape_text(shape), count);
            try {
                taker.take(shape, Floats(count));
                ++taken;
                CHECK(agree);
            } catch (const Error& e) {
                ++refused;
                INFO(e.what());
                CHECK_FALSE(agree);
            }
        }
        CAPTURE(taker.name, taken, refused);
        CHECK(taken > 50);
        CHECK(refused > 50);
    }
}

TEST_CASE("The error says whose numbers they are, how many are wanted and how many there are") {
    CHECK_THROWS_WITH(Dataset(Numbers{{100, 8}, Floats(16)}, plain(100), "x"),
                      "inputs of dataset 'x': expected 800 elements for shape (100, 8), found 16");
    CHECK_THROWS_WITH(Dataset({{"a", plain(3)}}, {{"speed", Numbers{{3, 2}, Floats(3)}}}, "x"),
                      "target 'speed' of dataset 'x': expected 6 elements for shape (3, 2), found 3");
    CHECK_THROWS_WITH(
        Dataset(Numbers{{2}, {1, 2}, {1, 2}}, plain(2), "x"),
        "inputs of dataset 'x': expected numbers of float or of double, found 2 of float and 2 of double");
    CHECK_THROWS_WITH(
        Dataset(Numbers{{2, SIZE_MAX}, {1, 2}}, plain(2), "x"),
        "inputs of dataset 'x': expected a shape with fewer than 2^64 elements, found shape (2, 18446744073709551615)");
    CHECK_THROWS_WITH(Array<float>(Claim{{2, 3}, Floats(4)}), "array: expected 6 elements for shape (2, 3), found 4");
    const std::size_t positions[] = {0};
    const Dataset two(plain(2), plain(2), "x");
    CHECK_THROWS_AS(with_weights(two, Claim{{2}, Floats(1)}), ShapeError);
    CHECK_THROWS_AS(ctc_greedy(Claim{{1, 4, 3}, Floats(3)}), ShapeError);
    CHECK(two.select(positions).size() == 1);
}

TEST_CASE("Windows on numbers that nobody counts have rows that do not overlap, and elements that can be counted") {
    Floats x(6);
    CHECK(ArrayView<float>(x.data(), {2, 2}, 3).row() == 3);
    CHECK_THROWS_WITH(ArrayView<float>(x.data(), {2, 3}, 2),
                      "array: expected rows at least 3 elements apart for shape (2, 3), found 2");
    CHECK_THROWS_AS((ArrayView<float>(x.data(), {SIZE_MAX, 2})), ShapeError);
    CHECK_THROWS_AS(DeviceArray<float>::from_shape(cpu(1), {std::size_t{1} << 62}), Error);
    CHECK_THROWS_AS(DeviceArray<float>::from_shape(cpu(1), {SIZE_MAX, 2}), Error);
    CHECK_THROWS_AS(DeviceArray<float>::from_shape(cpu(1), {2}).shape(1), ArgumentError);
}

TEST_CASE("Blocks of a program's own have records, and numbers for all sections") {
    auto blocks = std::make_shared<OwnBlocks>();
    blocks->all = {{"x", {2}}, {"y", {}, true}};
    blocks->in_block = 0;
    CHECK_THROWS_WITH(data::ActiveBlocks(blocks, "x"),
                      "blocks of dataset 'x': expected one record or more in a block, found 0");
    data::Block block{1, {Floats(2)}};
    CHECK_THROWS_AS(Dataset(std::move(block), {{"x", {2}}, {"y", {}, true}}, "x"), ArgumentError);
    data::Block of_double{1, {std::vector<double>{1, 2}, Floats(1)}};
    CHECK(Dataset(std::move(of_double), {{"x", {2}}, {"y", {}, true}}, "x").input(0)[1] == 2);
}

TEST_CASE("An image that is resized has as many numbers as its extents say") {
    Floats to(12);
    const data::Image good{2, 2, 1, {1, 2, 3, 4}};
    CHECK_NOTHROW(data::resize_image(good, 3, 4, to));
    CHECK_THROWS_AS(data::resize_image(good, 3, 3, to), ShapeError);
    CHECK_THROWS_AS(data::resize_image({2, 3, 1, {1, 2, 3, 4}}, 3, 4, to), ShapeError);
    CHECK_THROWS_AS(data::resize_image({std::size_t{1} << 62, 4, 1, {}}, 3, 4, to), ShapeError);
    CHECK_THROWS_AS(data::resize_image({std::size_t{1} << 40, 1, 0, {}}, 3, 4, {}), ShapeError);
    CHECK_THROWS_AS(data::resize_image({1, 1, 1, {1}, {1, 2}}, 3, 4, to), ShapeError);
}
