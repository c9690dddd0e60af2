// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/data/dataset_storage.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/data/ready/image_parts.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

using namespace sigma;

namespace {

constexpr std::size_t records = 40, width = 20;

/// Bytes, mapped to numbers.
template <class F>
Dataset pictures(F number) {
    Numbers x{{records, 4, 5}, {}}, y{{records}, {}};
    const Philox random(5, RandomUse::user, 0);
    std::vector<float> uniform(records * width);
    random.fill_uniform(std::span(uniform));
    for (const float u : uniform) x.values.push_back(number(static_cast<float>(static_cast<int>(u * 256))));
    for (std::size_t i = 0; i < records; ++i) y.values.push_back(static_cast<float>(i % 3));
    return Dataset(x, y, "pictures");
}
bool same_bits(std::span<const float> a, std::span<const float> b) {
    return std::ranges::equal(
        a, b, [](float x, float y) { return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y); });
}
/// Does everything that reads numbers of one give those of the other?
void check_same(const Dataset& a, const Dataset& b) {
    REQUIRE(a.size() == b.size());
    CHECK(a.key() == b.key());
    for (std::size_t i = 0; i < a.size(); ++i) {
        const detail::Record copy = a.input(i);  // outlives what it was copied from
        CHECK(same_bits(copy, b.input(i)));
        CHECK(a.label(i) == b.label(i));
    }
    CHECK(a.inputs() == b.inputs());
    CHECK(a.inputs<double>() == b.inputs<double>());
    std::vector<std::size_t> positions{a.size() - 1, 0, 3, 3};
    std::vector<float> ours(4 * 23, -1), theirs(4 * 23, -1);
    a.copy_inputs(positions, ours.data(), 23);
    b.copy_inputs(positions, theirs.data(), 23);
    CHECK(same_bits(ours, theirs));
    std::vector<double> wide(4 * 23, -1), also(4 * 23, -1);
    a.copy_inputs(positions, wide.data(), 23);
    b.copy_inputs(positions, also.data(), 23);
    CHECK(wide == also);
}

}  // namespace

TEST_CASE("A compact dataset has the same numbers, to the bit, whatever bytes were mapped to") {
    check_same(pictures([](float b) { return b; }).compact(), pictures([](float b) { return b; }));
    check_same(pictures([](float b) { return b / 255; }).compact(), pictures([](float b) { return b / 255; }));
    const auto scaled = [](float b) { return (b / 255 - 0.4914f) / 0.2470f; };
    check_same(pictures(scaled).compact(), pictures(scaled));
    const auto two = [](float b) { return b < 99 ? -0.0f : 1.0f; };  // -0 stays -0
    check_same(pictures(two).compact(), pictures(two));
    const auto nearly = [](float b) { return b == 7 ? 7.0000005f : b; };
    check_same(pictures(nearly).compact(), pictures(nearly));
}

TEST_CASE("Bytes take the place of numbers where at most 256 are different") {
    std::vector<float> numbers(1000);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 256) * 0.37f - 9;
    const detail::ByteNumbers bytes(numbers);
    REQUIRE(bytes.size() == numbers.size());
    std::vector<float> again(numbers.size());
    bytes.copy(0, again.size(), again.data());
    CHECK(same_bits(again, numbers));
    numbers[999] = 1e9f;  // the 257th
    CHECK(detail::ByteNumbers(numbers).empty());
    CHECK(detail::ByteNumbers(std::span<const float>()).empty());
    std::vector<float> large{0, 255, 1e30f, -1, std::numeric_limits<float>::infinity()};
    std::vector<float> read(5);
    detail::ByteNumbers(large).copy(0, 5, read.data());
    CHECK(same_bits(read, large));
}

TEST_CASE("Chosen records, transforms and batches are those of the dataset") {
    const auto pixels = [](float b) { return b / 255; };
    const Dataset all = pictures(pixels), less = all.compact();
    const std::vector<std::size_t> chosen{7, 3, 39, 3};
    check_same(less.select(chosen), all.select(chosen));
    check_same(all.select(chosen).compact(), all.select(chosen));
    check_same(less.range(5, 9).compact(), all.range(5, 9));
    check_same(less.everything(), all.everything());
    check_same(less >> data::standardize(data::inputs), all >> data::standardize(data::inputs));
    CHECK(less.shares_storage(less.range(0, 3)));
    using Typed = data::Supervised<data::Extents<4, 5>, data::Extents<>>;
    const Typed typed = Typed(all).compact();  // stays one
    check_same(typed, all);

    const Minibatches a = minibatches(less, 7, 3), b = minibatches(all, 7, 3);
    std::vector<std::size_t> order;
    a.order(1, order);
    std::vector<float> x(7 * width), y(7), u(7 * width), v(7);
    a.gather(a.batch(order, 2), x.data(), width, y.data(), 1);
    b.gather(b.batch(order, 2), u.data(), width, v.data(), 1);
    CHECK(same_bits(x, u));
    CHECK(y == v);
}

TEST_CASE("Few numbers a record, and numbers that are missing, stay as they are") {
    const Dataset few(Numbers{{3, 2}, {0, 1, 1, 0, 0, 0}}, Numbers{{3}, {0, 1, 2}}, "few");
    const Dataset small = few.compact();
    CHECK(small.input(1).data() == small.input(0).data() + 2);  // in one array
    Numbers x{{2, 16}, std::vector<float>(32, 1)};
    x.values[20] = std::numeric_limits<float>::quiet_NaN();
    const Dataset holes({{"", x}}, {{"", {{2}, {0, 1}}}}, "holes", {}, {}, {}, data::Missing::held);
    CHECK(std::isnan(holes.compact().input(1)[4]));
    CHECK_THROWS_AS(holes.compact().check_complete(), DataError);
}
