// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/iterate.hpp>
#include <sigma/data/transform/augmentations.hpp>
#include <sigma/execution/batch_buffers.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/gradient_descent.hpp>

#include "../data/batches/counted_blocks.hpp"
#include "../data/support.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

using namespace sigma;

namespace {

using Values = std::vector<float>;

constexpr std::size_t height = 6, width = 5;

/// Record r is a picture of r + 1, r + 1.01, …, and has class r of all.
Dataset pictures(std::size_t records, std::size_t channels) {
    const std::size_t size = height * width * channels;
    Numbers x{{records, height, width}, {}}, y{{records, records}, Values(records * records)};
    if (channels > 1) x.shape.push_back(channels);
    for (std::size_t i = 0; i < records * size; ++i)
        x.values.push_back(static_cast<float>(i / size + 1) + static_cast<float>(i % size) / 1000);
    for (std::size_t r = 0; r < records; ++r) y.values[r * records + r] = 1;
    return {x, y, "pictures"};
}

/// The rows of all batches of an epoch: inputs, then targets.
std::pair<Values, Values> rows_of(const Minibatches& batches, std::uint64_t epoch = 1) {
    std::pair<Values, Values> all;
    for (const Batch& b : epoch_of(batches, epoch)) {
        all.first.insert(all.first.end(), b.inputs().begin(), b.inputs().end());
        all.second.insert(all.second.end(), b.targets().begin(), b.targets().end());
    }
    return all;
}
Minibatches part(Minibatches batches, std::size_t first, std::size_t end, std::size_t parts) {
    batches.first_part = first, batches.end_part = end, batches.parts = parts;
    return batches;
}

template <class N>
std::string refusal(const Minibatches& batches) {
    return error_text([&] { sigma::detail::BatchLoader<float>(sigma::detail::network_table<N>, batches); });
}

struct Classes : Network<Input(2) + Dense(3) + SoftmaxCE()> {};
struct Rows : Network<Input(2) + Dense(3) + SoftmaxDistributionCE()> {};
struct IgnoringRows : Network<Input(2) + Dense(3) + SquaredDiff({.ignore = -1})> {};
struct Answers : Network<Input(2) + Dense(3) + BinaryCE()> {};
struct Signs : Network<Input(2) + Dense(3) + Hinge()> {};
struct Pictures : Network<Input(6, 5, 2) + Dense(22) + SoftmaxDistributionCE()> {};
struct Words : Network<Input(2) + Embedding(5, 2) + Dense(3) + SquaredDiff()> {};

}  // namespace

TEST_CASE("Each record is mixed with the record some places later in its batch, in the share of its targets") {
    const std::size_t records = 11, size = 4;
    const auto flip = data::flip_horizontal();
    for (const std::size_t channels : {1u, 3u})
        for (const bool flips : {false, true})
            for (const data::Mixing mixing : {data::mixup(0.7), data::cutmix(2), data::Mixing{0.7, 2}}) {
                Minibatches m = minibatches(pictures(records, channels), size, 9) >> mixing;
                if (flips) m = m >> data::augment(flip);
                std::set<std::size_t> distances;
                int means = 0, cuts = 0;
                for (std::uint64_t epoch = 0; epoch < 40; ++epoch) {
                    std::vector<std::size_t> order;
                    m.order(epoch, order);
                    const Philox random(9, RandomUse::mix, epoch);
                    const auto [inputs, targets] = rows_of(m, epoch);
                    const std::size_t numbers = height * width * channels;
                    REQUIRE(inputs.size() == records * numbers);
                    for (std::size_t i = 0; i < records; ++i) {
                        const std::size_t begin = i / size * size, count = std::min(size, records - begin);
                        const std::size_t places = 1 + PhiloxSequence{Philox(random.bits(2 * begin))}.below(count - 1);
                        const std::size_t at = begin + (i - begin + places) % count;
                        if (count == size) distances.insert(places);
                        const auto picture = [&](std::size_t place) {
                            Values all(m.dataset.input(order[place]).begin(), m.dataset.input(order[place]).end());
                            if (flips)
                                flip.apply(all, m.dataset.input_shape(), data::Augmentation::random(9, epoch, place));
                            return all;
                        };
                        const Values own = picture(i), other = picture(at);
                        const float* const x = inputs.data() + i * numbers;
                        const float* const y = targets.data() + i * records;
                        const float share = y[order[at]];
                        REQUIRE((share >= 0 && share <= 1));
                        for (std::size_t k = 0; k < records; ++k)
                            REQUIRE(y[k] == Approx(k == order[i]    ? 1 - share
                                                   : k == order[at] ? share
                                                                    : 0)
                                                .margin(1e-6));
                        const bool is_cut = std::ranges::all_of(std::span(x, numbers), [&](const float& v) {
                            const auto k = static_cast<std::size_t>(&v - x);
                            return v == own[k] || v == other[k];
                        });
                        if (is_cut) {
                            std::size_t top = height, bottom = 0, left = width, right = 0, pixels = 0;
                            for (std::size_t k = 0; k < numbers; ++k) {
                                if (x[k] != other[k]) continue;
                                const std::size_t v = k / channels / width, u = k / channels % width;
                                top = std::min(top, v), bottom = std::max(bottom, v + 1);
                                left = std::min(left, u), right = std::max(right, u + 1);
                                ++pixels;
                            }
                            REQUIRE(pixels == (pixels == 0 ? 0 : (bottom - top) * (right - left) * channels));
                            REQUIRE(share == Approx(static_cast<double>(pixels) / static_cast<double>(numbers)));
                            ++cuts;
                        } else {
                            for (std::size_t k = 0; k < numbers; ++k)
                                REQUIRE(x[k] == Approx((1 - share) * own[k] + share * other[k]).epsilon(1e-5));
                            ++means;
                        }
                    }
                }
                CHECK(distances == std::set<std::size_t>{1, 2, 3});
                // A mean with a share of almost 0 or 1 is taken for a cut.
                const double share_of_cuts = cuts / static_cast<double>(cuts + means);
                if (mixing.cutmix == 0) CHECK(share_of_cuts < 0.05);
                else if (mixing.mixup == 0) CHECK(means == 0);
                else CHECK(std::abs(share_of_cuts - 0.5) < 5 * std::sqrt(0.25 / (40 * 11)) + 0.05);
            }
}

TEST_CASE("Mixed batches depend on seed and epoch only, not on parts, shards, threads, blocks, or earlier batches") {
    for (const data::Mixing mixing : {data::mixup(), data::cutmix()}) {
        const Minibatches m = minibatches(pictures(22, 2), 8, 3) >> data::augment(data::shift(1)) >> mixing;
        const auto whole = rows_of(m);
        CHECK(rows_of(m >> data::prefetch(3)) == whole);
        CHECK(rows_of(m, 2) != whole);
        CHECK(rows_of(m >> data::seeded(4)) != whole);
        BatchIterator later(m, {1, 2});
        const Batch& last = later.next();
        CHECK(std::equal(last.inputs().begin(), last.inputs().end(), whole.first.end() - 6 * 60));

        // Parts of a batch, or shards of half the size, are together the batch.
        for (const bool shards : {false, true}) {
            const Minibatches half = minibatches(m.dataset, 4, 3) >> data::augment(data::shift(1)) >> mixing;
            BatchIterator first(shards ? half >> data::shard(0, 2) : part(m, 0, 1, 2), {1, 0}),
                second(shards ? half >> data::shard(1, 2) : part(m, 1, 2, 2), {1, 0});
            std::pair<Values, Values> together;
            for (int i = 0; i < 3; ++i)
                for (BatchIterator* of : {&first, &second}) {
                    const Batch& b = of->next();
                    together.first.insert(together.first.end(), b.inputs().begin(), b.inputs().end());
                    together.second.insert(together.second.end(), b.targets().begin(), b.targets().end());
                }
            CHECK(together == whole);
        }
    }
    // Records in blocks, in the same order.
    const auto in_order = [](const Dataset& data) { return rows_of(minibatches_in_order(data, 7) >> data::mixup(1)); };
    for (const std::size_t active : {1u, 2u, 5u})
        CHECK(in_order(test::block_dataset(std::make_shared<test::CountedBlocks>(23, 4), active)) ==
              in_order(test::counted_dataset(23)));
    // A batch of one record stays as it is.
    CHECK(rows_of(minibatches(test::counted_dataset(8), 7) >> data::mixup()).first.back() ==
          rows_of(minibatches(test::counted_dataset(8), 7)).first.back());
}

TEST_CASE("A trainer gets the batches of a loop, in float and in double") {
    const Minibatches m = minibatches(pictures(22, 2), 8, 3) >> data::augment(data::flip_horizontal()) >> data::mixup();
    const auto wanted = rows_of(m, 0);
    const auto same = [&]<class T>(T) {
        sigma::detail::BatchLoader<T> loader(sigma::detail::network_table<Pictures>, m);
        REQUIRE(loader.gather(0, 0) == 8);
        for (std::size_t i = 0; i < 8 * 60; ++i) REQUIRE(loader.inputs()[0][i] == Approx(wanted.first[i]));
        for (std::size_t i = 0; i < 8 * 22; ++i)
            REQUIRE(loader.targets()[0][i] == Approx(wanted.second[i]).margin(1e-7));
    };
    same(1.0f);
    same(1.0);
}

TEST_CASE("Shares have the moments of the beta distribution") {
    const int draws = 40000;
    for (const double alpha : {0.001, 0.05, 0.2, 0.7, 1.0, 1.5, 4.0, 1000.0}) {
        const data::Mixing mixing = data::mixup(alpha);
        double sums[4] = {};
        for (int i = 0; i < draws; ++i) {
            const double share = mixing.draw({}, Philox(static_cast<std::uint64_t>(i), RandomUse::mix, 7)).share;
            REQUIRE((share >= 0 && share <= 1));
            const double d = share - 0.5;
            sums[0] += d / draws, sums[1] += d * d / draws, sums[2] += d * d * d * d / draws;
            sums[3] += std::pow(d, 8) / draws;
        }
        const double variance = 1 / (4 * (2 * alpha + 1)), fourth = variance * variance * (3 - 6 / (2 * alpha + 3));
        CHECK(std::abs(sums[0]) < 5 * std::sqrt(variance / draws));
        CHECK(std::abs(sums[1] - variance) < 5 * std::sqrt((fourth - variance * variance) / draws) + 1e-12);
        CHECK(std::abs(sums[2] - fourth) < 5 * std::sqrt((sums[3] - fourth * fourth) / draws) + 1e-12);
    }
}

TEST_CASE("The areas of rectangles are those of the paper's recipe") {
    const std::vector<std::size_t> shape{32, 20, 3};
    const data::Mixing mixing = data::cutmix();
    std::mt19937_64 random(3);
    const int draws = 40000;
    double sum = 0, square = 0, wanted = 0;
    for (int i = 0; i < draws; ++i) {
        const auto blend = mixing.draw(shape, Philox(static_cast<std::uint64_t>(i), RandomUse::mix, 8));
        REQUIRE((blend.bottom <= 32 && blend.right <= 20));
        REQUIRE(blend.share * 640 == Approx((blend.bottom - blend.top) * (blend.right - blend.left)));
        sum += blend.share / draws, square += blend.share * blend.share / draws;
        const double side = std::sqrt(std::uniform_real_distribution<double>()(random));
        const auto extent = [&](int whole) {
            const int cut = static_cast<int>(whole * side),
                      center = std::uniform_int_distribution(0, whole - 1)(random);
            return std::clamp(center + cut / 2, 0, whole) - std::clamp(center - cut / 2, 0, whole);
        };
        const int rows = extent(32);
        wanted += rows * extent(20) / 640.0 / draws;
    }
    CHECK(std::abs(sum - wanted) < 5 * std::sqrt(2 * (square - sum * sum) / draws));
}

TEST_CASE("Numbers that have no mean are not mixed") {
    const auto data_of = [](std::vector<std::size_t> shape, Values targets) {
        return minibatches(Dataset(Numbers{{4, 2}, Values(8)}, Numbers{std::move(shape), std::move(targets)}, "d"), 2);
    };
    const Minibatches classes = data_of({4}, {0, 1, 2, 0}) >> data::mixup(),
                      rows = data_of({4, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0}) >> data::mixup(0.5);
    CHECK(refusal<Classes>(classes) ==
          "mixup(0.2) of minibatches of dataset 'd': expected targets that can be mixed, found class numbers for cost "
          "'2-softmax_ce'; use one_hot(targets, 3) and SoftmaxDistributionCE");
    CHECK(error_text([&] {
              Model<Classes> model(1);
              BatchTrainer by_hand(model, GradientDescent{});
              for (const Batch& each : epoch_of(classes, 0)) by_hand.train_on_batch(each);
          }) == refusal<Classes>(classes));
    CHECK(refusal<Rows>(rows) == "no error");
    CHECK(refusal<Answers>(rows) == "no error");
    CHECK(refusal<Signs>(rows) ==
          "mixup(0.5) of minibatches of dataset 'd': expected targets that can be mixed, found "
          "signs for cost '2-hinge'");
    CHECK(refusal<IgnoringRows>(rows) ==
          "mixup(0.5) of minibatches of dataset 'd': expected targets that can be "
          "mixed, found targets that are ignored for cost '2-squared_diff'");
    CHECK(refusal<Words>(rows) ==
          "mixup(0.5) of minibatches of dataset 'd': expected inputs that can be mixed, found "
          "ids for layer '1-embedding'");
    CHECK(error_text([&] { rows >> data::cutmix(); }) ==
          "cutmix of minibatches of dataset 'd': expected images (height, width) or (height, width, channels) of one "
          "height and width, found (2)");
    CHECK(error_text([] { data::mixup(0); }) == "mixup: expected a number from 0.001 to 1000, found 0");
    CHECK(error_text([] { data::cutmix(NAN); }) == "cutmix: expected a number from 0.001 to 1000, found nan");
    CHECK((rows >> data::mixup(1)).options()[3].second == "mixup(1)");
    CHECK(data::Mixing{0.2, 1}.text() == "mixup(0.2) >> cutmix(1)");
}
