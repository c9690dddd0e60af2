// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/minibatches.hpp>
#include <sigma/data/split.hpp>
#include <sigma/data/transform/augmentations.hpp>

#include "../support.hpp"
#include "counted_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace sigma;

namespace {

using Records = std::vector<std::size_t>;

std::vector<Records> batches_of(const Minibatches& m, std::uint64_t number) {
    m.examine();
    Records order;
    m.order(number, order);
    std::vector<Records> all;
    for (std::size_t i = 0; i < m.batches_per_epoch(); ++i) {
        const auto records = m.batch(order, i);
        all.emplace_back(records.begin(), records.end());
    }
    return all;
}
Records joined(const std::vector<Records>& all) {
    Records one;
    for (const Records& r : all) one.insert(one.end(), r.begin(), r.end());
    return one;
}
Records sorted(Records r) {
    std::ranges::sort(r);
    return r;
}
Records numbers_to(std::size_t n) {
    Records r(n);
    std::iota(r.begin(), r.end(), std::size_t{0});
    return r;
}
/// All that minibatches of so many records may lie in.
std::vector<Dataset> datasets(std::size_t records) {
    std::vector<Dataset> all{test::counted_dataset(records)};
    for (const std::size_t block : {1u, 4u, 7u, 100u})
        for (const std::size_t active : {1u, 2u, 5u})
            all.push_back(test::block_dataset(std::make_shared<test::CountedBlocks>(records, block), active));
    return all;
}

}  // namespace

TEST_CASE("Each record comes once an epoch, whatever the size, the shards, and where the records lie") {
    for (const std::size_t records : {6u, 23u, 60u})
        for (const Dataset& dataset : datasets(records))
            for (const bool shuffling : {true, false})
                for (const std::size_t size : {2u, 3u, 6u})
                    for (const std::size_t shards : {1u, 2u, 3u, 5u}) {
                        Minibatches m = shuffling ? minibatches(dataset, size, 3) : minibatches_in_order(dataset, size);
                        const auto whole = batches_of(m >> data::shard(0, 1), 2);
                        CHECK(sorted(joined(whole)) == numbers_to(records));
                        if (!shuffling) CHECK(joined(whole) == numbers_to(records));
                        Records together;
                        std::set<std::size_t> counts;
                        for (std::size_t i = 0; i < shards; ++i) {
                            const auto part = batches_of(m >> data::shard(i, shards), 2);
                            counts.insert(part.size());
                            for (std::size_t b = 0; b < part.size(); ++b) {
                                CHECK(!part[b].empty());
                                CHECK(part[b].size() <= size);
                                if (b + 2 < part.size()) CHECK(part[b].size() == size);
                            }
                            const Records of_part = joined(part);
                            together.insert(together.end(), of_part.begin(), of_part.end());
                        }
                        CHECK(counts.size() == 1);
                        CHECK(sorted(together) == numbers_to(records));
                    }
}

TEST_CASE("The batches of all shards are together the batch of one that is as many times as large") {
    const Minibatches m = minibatches(test::counted_dataset(52), 4, 5);
    const auto large = batches_of(minibatches(test::counted_dataset(52), 12, 5), 1);
    for (std::size_t b = 0; b < 5; ++b) {
        Records together;
        for (int i = 0; i < 3; ++i) {
            const auto part = batches_of(m >> data::shard(i, 3), 1)[b];
            together.insert(together.end(), part.begin(), part.end());
        }
        CHECK(together == large[b]);
    }
}

TEST_CASE("With drop_last all batches are whole, and other records are left out in each epoch") {
    for (const Dataset& dataset : datasets(23))
        for (const int shards : {1, 2, 5}) {
            std::set<std::size_t> dropped;
            for (std::uint64_t number = 0; number < 6; ++number) {
                Records together;
                for (int i = 0; i < shards; ++i) {
                    const auto part =
                        batches_of(minibatches(dataset, 4) >> data::drop_last >> data::shard(i, shards), number);
                    CHECK(part.size() == 23u / (4u * static_cast<unsigned>(shards)));
                    for (const Records& r : part) {
                        CHECK(r.size() == 4);
                        together.insert(together.end(), r.begin(), r.end());
                    }
                }
                const std::set<std::size_t> seen(together.begin(), together.end());
                CHECK(seen.size() == together.size());
                for (std::size_t r = 0; r < 23; ++r)
                    if (!seen.contains(r)) dropped.insert(r);
            }
            CHECK(dropped.size() > 3);
        }
}

TEST_CASE("The order is a function of seed and epoch, and no two are the same") {
    for (const Dataset& dataset : datasets(60)) {
        std::set<Records> orders;
        for (const std::uint64_t seed : {1u, 2u})
            for (std::uint64_t number = 0; number < 3; ++number) {
                const auto order = joined(batches_of(minibatches(dataset, 7, seed), number));
                CHECK(order == joined(batches_of(minibatches(dataset, 5) >> data::seeded(seed), number)));
                orders.insert(order);
            }
        CHECK(orders.size() == 6);
    }
}

TEST_CASE("Blocks are taken in random order, some at a time, and their records are mixed") {
    const auto blocks = std::make_shared<test::CountedBlocks>(200, 10);
    const Dataset dataset = test::block_dataset(blocks, 8);
    const Minibatches m = minibatches(dataset, 40, 3);
    CHECK(m.window == 4);
    std::set<std::size_t> first_blocks;
    for (std::uint64_t number = 0; number < 5; ++number) {
        const auto all = batches_of(m, number);
        for (const Records& r : all) {  // a batch is a window
            std::set<std::size_t> of;
            std::size_t changes = 0;
            for (std::size_t i = 0; i < r.size(); ++i) {
                of.insert(dataset.block_of(r[i]));
                changes += i > 0 && dataset.block_of(r[i]) != dataset.block_of(r[i - 1]) ? 1 : 0;
            }
            CHECK(of.size() == 4);
            CHECK(changes > 15);
            first_blocks.insert(*of.begin());
        }
    }
    CHECK(first_blocks.size() > 5);
}

TEST_CASE("Undivided data is one batch, or each block whole") {
    CHECK(batches_of(undivided(test::counted_dataset(11)), 4) == std::vector<Records>{numbers_to(11)});
    const Dataset blocks = test::block_dataset(std::make_shared<test::CountedBlocks>(11, 4), 1);
    CHECK(batches_of(undivided(blocks), 4) == std::vector<Records>{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10}});
    CHECK(undivided(blocks).size == 4);
    const Dataset some = blocks.select(Records{9, 1, 10, 2});
    CHECK(batches_of(undivided(some), 0) == std::vector<Records>{{1, 3}, {0, 2}});
    CHECK(batches_of(undivided(blocks) >> data::shard(1, 2), 0) == std::vector<Records>{{2, 3}, {6, 7}, {9, 10}});
}

TEST_CASE("Records are drawn by their weights") {
    const std::size_t n = 40, epochs = 500;
    std::vector<double> weights;
    for (std::size_t i = 0; i < n; ++i) weights.push_back(i % 5 == 0 ? 0.0 : static_cast<double>(i % 7) * 1e307);
    double sum = 0;
    for (const double w : weights) sum += w / 1e307;
    for (const Dataset& dataset :
         {test::counted_dataset(n), test::block_dataset(std::make_shared<test::CountedBlocks>(n, 6), 4)}) {
        const Minibatches m = minibatches(dataset, 8, 11) >> data::weighted(weights, 100);
        CHECK(m.batches_per_epoch() == 13);
        std::vector<double> counts(n);
        for (std::uint64_t number = 0; number < epochs; ++number)
            for (const std::size_t r : joined(batches_of(m, number))) ++counts[r];
        for (std::size_t i = 0; i < n; ++i) {
            const double p = weights[i] / 1e307 / sum, draws = 100.0 * epochs, sigma = std::sqrt(draws * p * (1 - p));
            CHECK(std::abs(counts[i] - draws * p) <= 5 * sigma);
        }
    }
    // Checkpoints hold the digest of the weights.
    const Minibatches three =
        minibatches(test::counted_dataset(3), 1) >> data::weighted(std::vector<double>{1, 2, 0.5});
    CHECK(three.options()[2].second == "16505848189408219253, 3 draws");
    // Several shards share the draws; the same epoch has the same draws.
    const Minibatches m = minibatches(test::counted_dataset(n), 8) >> data::weighted(std::vector<int>(n, 1));
    auto both = joined(batches_of(m >> data::shard(0, 2), 3));
    const auto second = joined(batches_of(m >> data::shard(1, 2), 3));
    both.insert(both.end(), second.begin(), second.end());
    CHECK(sorted(both) == sorted(joined(batches_of(m, 3))));
    CHECK(sorted(both) != numbers_to(n));
}

TEST_CASE("Drawn records of blocks need each block during one window") {
    const Dataset dataset = test::block_dataset(std::make_shared<test::CountedBlocks>(200, 10), 8);
    const auto drawn = joined(batches_of(minibatches(dataset, 7) >> data::weighted(std::vector<float>(200, 2.0f)), 1));
    std::map<std::size_t, std::pair<std::size_t, std::size_t>> first_and_last;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        const auto [at, is_new] = first_and_last.try_emplace(dataset.block_of(drawn[i]), i, i);
        if (!is_new) at->second.second = i;
    }
    for (const auto& [block, range] : first_and_last) CHECK(range.second - range.first < 70);
}

TEST_CASE("Balanced draws have each class equally often") {
    Numbers x{{100, 1}, std::vector<float>(100)}, y{{100}, {}};
    for (int i = 0; i < 100; ++i) y.values.push_back(i < 90 ? 0.0f : i < 99 ? 1.0f : 2.0f);
    const Dataset dataset(x, y, "rare");
    const Minibatches m = minibatches(dataset, 10) >> data::balanced;
    double counts[3] = {};
    for (std::uint64_t number = 0; number < 300; ++number)
        for (const std::size_t r : joined(batches_of(m, number))) ++counts[dataset.label(r)];
    for (const double c : counts) CHECK(std::abs(c - 10000) < 5 * std::sqrt(30000.0 * 2 / 9));
}

TEST_CASE("Options that make no sense are refused in one sentence") {
    const Minibatches m = minibatches(test::counted_dataset(10), 4);
    CHECK(error_text([] { data::prefetch(-1); }) == "prefetch: expected 0 to 1000 batches, found -1");
    CHECK(error_text([] { data::shard(3, 3); }) == "shard: expected a part from 0 to 2, found 3");
    CHECK(error_text([] { data::shard(-1, 3); }) == "shard: expected a part from 0 to 2, found -1");
    CHECK(error_text([] { data::shard(0, 0); }) == "shard: expected 1 to 1000000 parts, found 0");
    CHECK(error_text([&] { m >> data::shard(0, 2) >> data::shard(1, 3); }) ==
          "shard of minibatches of dataset 'counted': expected minibatches without a shard, found part 0 of 2");
    CHECK(error_text([&] { m >> data::weighted(std::vector<double>(9, 1.0)); }) ==
          "weights of minibatches of dataset 'counted': expected 10 weights, one for each record, found 9");
    std::vector<double> weights(10, 1.0);
    weights[4] = -1;
    CHECK(error_text([&] { m >> data::weighted(weights); }) ==
          "weights of minibatches of dataset 'counted': expected finite weights of at least 0, found -1 for record 4");
    weights[4] = NAN;
    CHECK_THROWS_AS(m >> data::weighted(weights), ArgumentError);
    CHECK(error_text([&] { m >> data::weighted(std::vector<double>(10)); }) ==
          "weights of minibatches of dataset 'counted': expected a weight above 0, found 0 for every record");
    CHECK_THROWS_AS(undivided(test::counted_dataset(10)) >> data::weighted(std::vector<double>(10, 1.0)),
                    ArgumentError);
    CHECK_THROWS_AS(m >> data::balanced, DataError);
    CHECK(error_text([&] { m >> data::augment(data::input<"image">, data::shift(1)); }) ==
          "augment of minibatches of dataset 'counted': expected the name of an input, found 'image'");
    CHECK_THROWS_AS(m >> data::augment(data::shift(1)), ShapeError);
    CHECK(error_text([&] { (m >> data::drop_last >> data::shard(0, 3)).examine(); }) ==
          "minibatches of dataset 'counted': expected at least 12 records for a whole batch, one for each of 3 shards, "
          "found 10");
    CHECK(error_text([&] { (m >> data::shard(0, 11)).examine(); }) ==
          "minibatches of dataset 'counted': expected at least 11 records, one for each of 11 shards, found 10");
    CHECK(
        error_text([&] { (minibatches(test::counted_dataset(10), 1) >> data::shard(0, 3)).examine(); }) ==
        "minibatches of dataset 'counted': expected a number of records that 3 shards divide, batches of 2 or more, or "
        "drop_last, found 10 records in batches of 1");
    CHECK((minibatches(test::counted_dataset(10), 1) >> data::shard(0, 5)).batches_per_epoch() == 2);
}
