// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/iterate.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/data/transform/augmentations.hpp>

#include "../support.hpp"
#include "counted_blocks.hpp"

#include <chrono>
#include <thread>

using namespace sigma;

namespace {

/// All that is in a batch.
struct Copy {
    std::uint64_t epoch = 0, number = 0;
    std::vector<std::size_t> records{};
    std::vector<float> x{}, y{};

    Copy() = default;
    explicit Copy(const Batch& b)
        : epoch(b.epoch()), number(b.number()), records(b.records().begin(), b.records().end()),
          x(b.inputs().begin(), b.inputs().end()), y(b.targets().begin(), b.targets().end()) {}
    friend bool operator==(const Copy&, const Copy&) = default;
};
std::vector<Copy> take(BatchIterator& iterator, int count) {
    std::vector<Copy> all;
    for (int i = 0; i < count; ++i) all.emplace_back(iterator.next());
    return all;
}
std::vector<Copy> taken(const Minibatches& batches, int count) {
    BatchIterator iterator(batches);
    return take(iterator, count);
}
void take_all(const Minibatches& batches) {
    for (const Batch& b : epoch_of(batches, 0)) REQUIRE(b.size() > 0);
}
data::AugmentStep noisy() { return data::augment(data::inputs, data::noise(0.5)); }
Dataset blocks_of(std::size_t records, std::size_t size, std::size_t active) {
    return test::block_dataset(std::make_shared<test::CountedBlocks>(records, size), active);
}

}  // namespace

TEST_CASE("A loop over an epoch has its batches with their numbers") {
    for (const std::size_t depth : {0u, 1u, 3u})
        for (const Dataset& dataset : {test::counted_dataset(11), blocks_of(11, 2, 2)}) {
            const Minibatches batches = minibatches(dataset, 4, 5) >> data::prefetch(depth);
            std::vector<std::size_t> order, seen;
            batches.order(3, order);
            std::uint64_t number = 0;
            for (const Batch& b : epoch_of(batches, 3)) {
                CHECK(b.epoch() == 3);
                CHECK(b.number() == number++);
                CHECK(b.size() == (number < 3 ? 4 : 3));
                REQUIRE(b.inputs().size() == 2 * b.size());
                REQUIRE(b.targets().size() == b.size());
                CHECK_THROWS_AS(b.inputs(1), ArgumentError);
                CHECK_THROWS_AS(b.targets(1), ArgumentError);
                for (std::size_t i = 0; i < b.size(); ++i) {
                    const std::size_t r = b.records()[i];
                    CHECK(b.inputs()[2 * i] == test::first_input(r));
                    CHECK(b.inputs()[2 * i + 1] == -static_cast<float>(r) / 100);
                    CHECK(b.targets()[i] == static_cast<float>(r));
                    seen.push_back(r);
                }
            }
            CHECK(number == 3);
            CHECK(seen == order);
        }
}

TEST_CASE("An iterator goes through epoch after epoch, the same with and without prefetching") {
    for (const Dataset& dataset :
         {test::counted_dataset(11), blocks_of(11, 2, 1), blocks_of(11, 2, 4), blocks_of(11, 20, 4)}) {
        const Minibatches batches = minibatches(dataset, 3, 5) >> noisy() >> data::prefetch(0);
        const auto plain = taken(batches, 20);
        CHECK(plain[4].epoch == 1);
        CHECK(plain[19].number == 3);
        for (const int depth : {1, 2, 9}) CHECK(taken(batches >> data::prefetch(depth), 20) == plain);
    }
}

TEST_CASE("A position goes on bit by bit, in the middle of an epoch and with prefetching and augmentation") {
    const Minibatches batches = minibatches(test::counted_dataset(23), 4, 5) >> noisy();
    const auto all = taken(batches, 40);
    for (const int depth : {0, 1, 3}) {
        BatchIterator iterator(batches >> data::prefetch(depth));
        for (const std::size_t at : {9u, 3u, 6u, 30u, 31u, 0u, 17u}) {
            iterator.restore({at / 6, at % 6});
            CHECK(iterator.position() == BatchPosition{at / 6, at % 6});
            CHECK(take(iterator, 5) == std::vector<Copy>(&all[at], &all[at] + 5));
            const BatchPosition stored = BatchPosition::from_text(iterator.position().text());
            BatchIterator other(batches >> data::prefetch(1), stored);
            CHECK(Copy(other.next()) == all[at + 5]);
        }
        CHECK(error_text([&] { iterator.restore({2, 6}); }) ==
              "position in minibatches of dataset 'counted': expected a batch from 0 to 5, found 6");
    }
    CHECK(BatchPosition{3, 17}.text() == "3/17");
    CHECK(BatchPosition::from_text("3/17") == BatchPosition{3, 17});
    for (const char* wrong : {"", "3", "3/", "/3", "3/17 ", "3/-1", "a/b", "3/99999999999999999999"})
        CHECK_THROWS_AS(BatchPosition::from_text(wrong), ArgumentError);
}

TEST_CASE("Augmentation is another one in each epoch and for each record, and the data stay what they are") {
    const Dataset dataset = test::counted_dataset(6);
    const auto all = taken(minibatches_in_order(dataset, 6) >> noisy(), 2);
    CHECK(all[0].x != all[1].x);
    CHECK(all[0].y == all[1].y);
    const auto noise = [&](const Copy& c, std::size_t i) { return c.x[2 * i] - test::first_input(i); };
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(std::abs(noise(all[0], i)) > 0);
        CHECK(std::abs(noise(all[0], i) - noise(all[0], (i + 1) % 6)) > 1e-5f);
    }
    CHECK(dataset.input(3)[0] == test::first_input(3));
    // The noise belongs to the place in the epoch, so shards have what the whole has.
    const auto part = taken(minibatches_in_order(dataset, 3) >> data::shard(1, 2) >> noisy(), 1);
    CHECK(part[0].x == std::vector<float>(all[0].x.begin() + 6, all[0].x.end()));
}

TEST_CASE("Each block is loaded once an epoch, whatever the batches are") {
    for (const std::size_t active : {1u, 2u, 3u, 8u})
        for (const std::size_t size : {1u, 7u, 64u})
            for (const int depth : {0, 2}) {
                const auto blocks = std::make_shared<test::CountedBlocks>(203, 10);
                const Minibatches batches =
                    minibatches(test::block_dataset(blocks, active), size, 3) >> data::prefetch(depth) >> noisy();
                for (const Batch& b : epoch_of(batches, 0)) REQUIRE(b.size() > 0);
                // What is loaded ahead belongs to the next epoch; a block that both epochs need may be there still.
                int most = 0, sum = 0;
                for (const auto& n : blocks->loads) {
                    most = std::max(most, n.load());
                    sum += n;
                    CHECK(n >= 1);
                }
                if (depth == 0) CHECK(most == 1);
                CHECK(sum <= 21 + (depth == 0 ? 0 : std::max(1, static_cast<int>(active) / 2)));
            }
}

TEST_CASE("Blocks that were loaded ahead stay until they are read, however slowly that is") {
    const auto blocks = std::make_shared<test::CountedBlocks>(200, 10);
    for (const Batch& b : epoch_of(minibatches(test::block_dataset(blocks, 8), 1, 3) >> data::prefetch(1), 0)) {
        REQUIRE(b.size() == 1);
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    int sum = 0;
    for (const auto& n : blocks->loads) sum += n;
    // Of the four that the next epoch begins with two are there still; the others are loaded if there was time.
    CHECK(sum >= 20);
    CHECK(sum <= 20 + 2);
}

TEST_CASE("What was being made when another position was wanted is not taken for it") {
    const auto blocks = std::make_shared<test::CountedBlocks>(100, 5);
    blocks->delay = std::chrono::milliseconds(1);
    const Minibatches batches = minibatches_in_order(test::block_dataset(blocks, 1), 5);
    for (const int depth : {1, 3}) {
        BatchIterator iterator(batches >> data::prefetch(depth));
        for (const std::uint64_t number : {3u, 17u, 2u, 9u, 0u, 19u, 5u}) {
            iterator.restore({1, number});
            CHECK(iterator.next().records()[0] == 5 * number);  // the next one is being made now
        }
    }
}

TEST_CASE("An error comes at its batch, again and again until it is mended") {
    for (const int depth : {0, 1, 4}) {
        const auto blocks = std::make_shared<test::CountedBlocks>(20, 5);
        BatchIterator iterator(minibatches_in_order(test::block_dataset(blocks, 1), 5) >> data::prefetch(depth));
        blocks->damaged = 2;
        CHECK(take(iterator, 2).size() == 2);
        for (int i = 0; i < 3; ++i)
            CHECK(error_text([&] { iterator.next(); }) ==
                  "file 'counted.bin', block 2: expected records, found damage");
        CHECK(iterator.position() == BatchPosition{0, 2});
        blocks->damaged = -1;
        CHECK(iterator.next().records()[0] == 10);
        CHECK(iterator.next().records()[0] == 15);
        iterator.restore({7, 1});
        CHECK(iterator.next().records()[0] == 5);
    }
}

TEST_CASE("Iterators that are not used up, or not used at all, end") {
    const auto blocks = std::make_shared<test::CountedBlocks>(100, 5);
    blocks->delay = std::chrono::microseconds(300);
    for (int i = 0; i < 20; ++i) {
        const Minibatches batches = minibatches(test::block_dataset(blocks, 4), 3) >> data::prefetch(1 + i % 3);
        BatchIterator unused(batches), begun(batches);
        take(begun, i % 4);
        begun.restore({5, 5});
        if (i % 2 == 0) take(begun, 1);
        for (const Batch& b : epoch_of(batches, 1))
            if (b.number() == 2) break;
    }
    CHECK_THROWS_AS(BatchIterator(minibatches(test::counted_dataset(5), 5) >> data::drop_last >> data::shard(0, 2)),
                    ArgumentError);
    blocks->damaged = 3;
    for (int i = 0; i < 20; ++i) CHECK_THROWS_AS(take_all(minibatches(test::block_dataset(blocks, 4), 3)), DataError);
}

TEST_CASE("Prefetching takes as long as the slower of source and use, not as long as both") {
    using Clock = std::chrono::steady_clock;
    const auto seconds = [](const Dataset& dataset, int depth) {
        BatchIterator iterator(minibatches_in_order(dataset, 10) >> data::prefetch(depth));
        const auto begin = Clock::now();
        for (int i = 0; i < 20; ++i) {
            iterator.next();
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    const auto slow = [] {
        const auto blocks = std::make_shared<test::CountedBlocks>(200, 10);
        blocks->delay = std::chrono::milliseconds(4);
        return test::block_dataset(blocks, 1);
    };
    double ahead = 1, plain = 0;
    for (int i = 0; i < 5 && !(ahead < 0.85 * plain); ++i) {  // other programs may take the processor
        plain = seconds(slow(), 0);
        ahead = seconds(slow(), 2);
    }
    CHECK(plain >= 0.119);
    CHECK(ahead >= 0.079);
    CHECK(ahead < 0.85 * plain);
}
