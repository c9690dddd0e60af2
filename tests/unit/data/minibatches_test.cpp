// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/xtensor.hpp>
#include <sigma/data/minibatches.hpp>

#include "support.hpp"

#include <xtensor/xbuilder.hpp>

#include <algorithm>

using namespace sigma;

namespace {

Dataset numbered(std::size_t records) {
    xt::xarray<float> inputs = xt::zeros<float>({records, std::size_t{2}});
    for (std::size_t i = 0; i < records; ++i) inputs(i, 0) = inputs(i, 1) = static_cast<float>(i);
    xt::xarray<float> labels = xt::zeros<float>({records});
    return make_dataset(inputs, labels, "numbered");
}

}  // namespace

TEST_CASE("In an epoch every record comes once") {
    for (const std::size_t size : {1u, 3u, 10u, 11u}) {
        const Minibatches batches = minibatches(numbered(11), size);
        std::vector<std::size_t> order, seen;
        for (std::uint64_t cycle = 0; cycle < 3; ++cycle) {
            batches.order(cycle, order);
            seen.clear();
            for (std::size_t i = 0; i < batches.batches_per_epoch(); ++i) {
                const auto taken = batches.batch(order, i);
                CHECK(taken.size() == (i + 1 < batches.batches_per_epoch() || 11 % size == 0 ? size : 11 % size));
                seen.insert(seen.end(), taken.begin(), taken.end());
            }
            std::sort(seen.begin(), seen.end());
            CHECK(seen == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        }
    }
}

TEST_CASE("The order depends on seed and epoch alone") {
    const auto order = [](std::uint64_t seed, std::uint64_t cycle) {
        std::vector<std::size_t> records;
        minibatches(numbered(50), 10, seed).order(cycle, records);
        return records;
    };
    CHECK(order(1, 4) == order(1, 4));
    CHECK(order(1, 4) != order(1, 5));
    CHECK(order(1, 4) != order(2, 4));

    std::vector<std::size_t> records;
    minibatches_in_order(numbered(4), 2).order(7, records);
    CHECK(records == std::vector<std::size_t>{0, 1, 2, 3});
}

TEST_CASE("The order of the next epoch needs no new memory") {
    const Minibatches batches = minibatches(numbered(50), 7);
    std::vector<std::size_t> records;
    batches.order(0, records);
    const std::size_t* before = records.data();
    batches.order(1, records);
    CHECK(records.data() == before);
}

TEST_CASE("Gathering copies records into rows") {
    const Minibatches batches = minibatches(numbered(5), 2);
    const std::size_t records[] = {4, 1};
    std::vector<float> inputs(6, -1.0f), targets(2, -1.0f);
    batches.gather(records, inputs.data(), 3, targets.data(), 1);
    CHECK(inputs == std::vector<float>{4, 4, -1, 1, 1, -1});
    CHECK(targets == std::vector<float>{0, 0});
}

TEST_CASE("A batch size of 0, below 0 or above the record count is refused") {
    const Dataset dataset = numbered(150);
    CHECK(error_text([&] { minibatches(dataset, 0); }) ==
          "minibatches of dataset 'numbered': expected a batch size from 1 to 150, found 0");
    CHECK(error_text([&] { minibatches(dataset, -3); }) ==
          "minibatches of dataset 'numbered': expected a batch size from 1 to 150, found -3");
    CHECK(error_text([&] { minibatches(dataset, 151u); }) ==
          "minibatches of dataset 'numbered': expected a batch size from 1 to 150, found 151");
    CHECK(minibatches(dataset, 150).batches_per_epoch() == 1);
    CHECK_THROWS_AS(minibatches_in_order(dataset, 0), ArgumentError);
}
