// SPDX-License-Identifier: BSL-1.0
// What docs/minibatches.md shows.
#include <sigma/data/iterate.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/data/transform/augmentations.hpp>

#include <catch2/catch.hpp>

using namespace sigma;
using namespace sigma::data;

TEST_CASE("The page of minibatches says the truth") {
    Numbers x{{50, 4, 4}, std::vector<float>(800)}, y{{50}, std::vector<float>(50)};
    for (std::size_t i = 0; i < 50; ++i) x.values[16 * i + 5] = static_cast<float>(i + 1);
    const Dataset training(x, y, "squares");
    const std::vector<double> importance(50, 1.0);

    // [options]
    const Minibatches batches = minibatches(training, 8)  // shuffled anew in each epoch
                                >> seeded(7)              // another seed than 0
                                >> drop_last              // only whole batches
                                >> weighted(importance)   // records are drawn, the important ones more often
                                >> augment(inputs, shift(1), flip_horizontal()) >>
                                shard(0, 2)      // the first of two workers
                                >> prefetch(3);  // three batches ahead, on another thread
    // [options]
    CHECK(batches.batches_per_epoch() == 3);

    double sum = 0;
    // [loop]
    for (const Batch& b : epoch_of(batches, 3))
        for (std::size_t i = 0; i < b.size(); ++i)
            sum += static_cast<double>(b.inputs()[i * training.input_size()] + b.targets()[i]);
    // [loop]
    CHECK(sum >= 0);

    // [endless]
    BatchIterator iterator(batches);
    for (int i = 0; i < 100; ++i) sum += static_cast<double>(iterator.next().inputs()[0]);
    const std::string stored = iterator.position().text();  // "33/1": batch 1 of epoch 33 is next

    BatchIterator later(batches, BatchPosition::from_text(stored));
    // [endless]
    CHECK(stored == "33/1");
    const Batch& a = iterator.next();
    const Batch& b = later.next();
    CHECK(std::equal(a.inputs().begin(), a.inputs().end(), b.inputs().begin(), b.inputs().end()));
    CHECK(std::equal(a.records().begin(), a.records().end(), b.records().begin(), b.records().end()));
}
