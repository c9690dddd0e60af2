// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/xtensor.hpp>
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/split.hpp>

#include "blocks/generated.hpp"
#include "support.hpp"

#include <xtensor/xbuilder.hpp>

#include <map>
#include <numeric>
#include <set>
#include <thread>

using namespace sigma;
using data::BlockLimits;

namespace {

struct Source {
    std::shared_ptr<GeneratedBlocks> blocks;
    std::shared_ptr<data::ActiveBlocks> active;
    Dataset dataset;

    explicit Source(std::size_t records, std::size_t block, std::size_t most = 2)
        : blocks(std::make_shared<GeneratedBlocks>(records, block)),
          active(std::make_shared<data::ActiveBlocks>(blocks, "generated", BlockLimits{.blocks = most})),
          dataset(active) {}
};

/// The same records in memory.
Dataset in_memory(std::size_t records) {
    xt::xarray<float> x = xt::zeros<float>({records, std::size_t{2}}), y = xt::zeros<float>({records});
    for (std::size_t r = 0; r < records; ++r) {
        for (std::size_t f = 0; f < 2; ++f) x(r, f) = generated(r, f);
        y(r) = generated_label(r);
    }
    return make_dataset(x, y, "generated");
}

std::vector<std::size_t> numbers(const Dataset& dataset) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < dataset.size(); ++i) all.push_back(dataset.record_number(i));
    return all;
}

/// Do the parts hold each of `size` records once?
template <std::size_t n>
bool disjoint_and_complete(const std::array<Dataset, n>& parts, const std::vector<std::size_t>& of) {
    std::multiset<std::size_t> all;
    for (const Dataset& part : parts)
        for (const std::size_t number : numbers(part)) all.insert(number);
    return all == std::multiset<std::size_t>(of.begin(), of.end());
}

}  // namespace

TEST_CASE("A dataset in blocks gives what one in memory gives") {
    const Source source(1003, 100);
    const Dataset& all = source.dataset;
    const Dataset memory = in_memory(1003);
    CHECK(all.size() == 1003);
    CHECK_FALSE(all.in_memory());
    CHECK(all.name() == "generated");
    CHECK(detail::shape_text(all.input_shape()) == "(2)");
    CHECK(all.has_labels());
    CHECK(all.sections() == memory.sections());
    CHECK((all.inputs() == memory.inputs()));
    CHECK((all.targets<double>() == memory.targets<double>()));

    const Dataset a = shuffled(all, 5), b = shuffled(memory, 5);
    CHECK((a.inputs() == b.inputs()));
    CHECK(source.blocks->loads < 40);  // a random order, but each block once
    std::vector<std::size_t> positions(300);
    std::iota(positions.begin(), positions.end(), std::size_t{17});
    std::vector<double> x(900), y(900);
    a.copy_inputs(std::span<const std::size_t>(positions), x.data(), 3);
    b.copy_inputs(std::span<const std::size_t>(positions), y.data(), 3);
    CHECK(x == y);
    CHECK(a.label(77) == b.label(77));
    CHECK(source.active->active() <= 2);
    const std::string beyond = "dataset 'generated': expected a record from 0 to 1002, found 1003";
    CHECK(error_text([&] { all.input(1003); }) == beyond);
    CHECK(error_text([&] { a.label(1003); }) == beyond);
    CHECK(error_text([&] { all.block_of(1003); }) == beyond);
    positions[299] = 1003;
    CHECK(error_text([&] { a.copy_inputs(std::span<const std::size_t>(positions), x.data(), 3); }) == beyond);
}

TEST_CASE("A record holds its block, even when the dataset is gone") {
    auto source = std::make_unique<Source>(1000, 10, 2);
    std::vector<detail::Record> held;
    for (std::size_t r = 0; r < 1000; r += 100) held.push_back(source->dataset.input(r + 3));
    CHECK(source->active->active() == 10);
    source.reset();
    for (std::size_t i = 0; i < held.size(); ++i) CHECK(held[i][1] == generated(i * 100 + 3, 1));
}

TEST_CASE("Labels are checked in one pass over the blocks") {
    const Source source(1000, 100, 1);
    detail::check_labels(shuffled(source.dataset, 3), 3);
    CHECK(source.blocks->loads == 10);
    CHECK(error_text([&] { detail::check_labels(source.dataset, 2); }).find("dataset 'generated', record ") == 0);
}

TEST_CASE("Blocks that are no dataset are refused") {
    CHECK_THROWS_AS(Source(0, 10), DataError);
    struct Unlabelled final : data::Blocks {
        const std::vector<data::SectionInfo>& sections() const override { return sections_; }
        std::size_t records() const override { return 3; }
        std::size_t block_records() const override { return 2; }
        void load(std::size_t, data::Block&) const override {}
        std::string key() const override { return ""; }
        std::vector<data::SectionInfo> sections_{{"inputs", {2}, false}};
    };
    const auto open = [](std::shared_ptr<Unlabelled> blocks) {
        return Dataset(std::make_shared<data::ActiveBlocks>(blocks, "bare"));
    };
    const auto blocks = std::make_shared<Unlabelled>();
    CHECK(error_text([&] { open(blocks); }) ==
          "dataset 'bare': expected at least one input and one target, found 1 inputs and 0 targets");
    blocks->sections_ = {{"inputs", {}, false}, {"targets", {}, true}};
    CHECK(open(blocks).input_size() == 1);
    blocks->sections_ = {{"inputs", {2, 0}, false}, {"targets", {}, true}};
    CHECK_THROWS_AS(open(blocks), DataError);
}

TEST_CASE("Several threads read a dataset in blocks") {
    const Source source(4000, 100, 3);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            const Dataset mine = shuffled(source.dataset, t);
            std::vector<float> to(100);
            for (std::size_t i = 0; i + 50 <= 1000; i += 50) {
                std::vector<std::size_t> positions(50);
                std::iota(positions.begin(), positions.end(), i);
                mine.copy_inputs(std::span<const std::size_t>(positions), to.data(), 2);
                for (std::size_t k = 0; k < 50; ++k) wrong += to[2 * k + 1] != generated(mine.record_number(i + k), 1);
                wrong += mine.target(i)[0] != generated_label(mine.record_number(i));
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(wrong == 0);
}

TEST_CASE("Parts are disjoint and complete, in memory and in blocks, nested too") {
    for (const std::size_t size : {10u, 97u, 1000u}) {
        for (const Dataset& all : {in_memory(size), Source(size, 7).dataset, shuffled(Source(size, 7).dataset, 9)}) {
            const auto whole = numbers(all);
            const auto halves = split(all, 0.6, 0.4);
            CHECK(disjoint_and_complete(halves, whole));
            CHECK(disjoint_and_complete(split(halves[0], 0.5, 0.5), numbers(halves[0])));
            CHECK(disjoint_and_complete(stratified_split(all, 0.7, 0.3), whole));
            CHECK(disjoint_and_complete(
                split_groups(all, [&](std::size_t r) { return all.record_number(r) % 5; }, 0.5, 0.5), whole));
            std::array<Dataset, 4> rounds{all, all, all, all}, classes = rounds;
            for (std::size_t fold = 0; fold < 4; ++fold) {
                const auto parts = k_fold(all, 4, fold), even = stratified_k_fold(all, 4, fold);
                CHECK(disjoint_and_complete(parts, whole));
                CHECK(disjoint_and_complete(even, whole));
                rounds[fold] = parts[1];
                classes[fold] = even[1];
                CHECK(parts[1].size() <= size / 4 + 1);
                CHECK(even[1].size() <= size / 4 + 1);
            }
            CHECK(disjoint_and_complete(rounds, whole));
            CHECK(disjoint_and_complete(classes, whole));
        }
        const Dataset all = Source(size * 10, 7).dataset;
        const auto parts = split_blocks(all, 4, 1);
        CHECK(disjoint_and_complete(parts, numbers(all)));
        const auto nested = split_blocks(parts[0], 1, 1);
        CHECK(disjoint_and_complete(nested, numbers(parts[0])));
        std::set<std::size_t> blocks;
        for (std::size_t i = 0; i < nested[0].size(); ++i) blocks.insert(nested[0].block_of(i));
        for (std::size_t i = 0; i < nested[1].size(); ++i) CHECK(blocks.count(nested[1].block_of(i)) == 0);
    }
}

TEST_CASE("Blocks are dealt out in rounds") {
    const Dataset all = Source(100, 10).dataset;
    const auto [training, validation] = split_blocks(all, 4, 1);
    CHECK(training.size() == 80);
    CHECK(numbers(validation) ==
          std::vector<std::size_t>{40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99});
    CHECK_THROWS_AS(split_blocks(in_memory(10), 1, 1), ArgumentError);
    CHECK_THROWS_AS(split_blocks(all, 1, 0), ArgumentError);
    CHECK_THROWS_AS(split_blocks(all, 1, -1), ArgumentError);
}

TEST_CASE("Folds have as many of each class") {
    const Dataset all = in_memory(300);
    for (int fold = 0; fold < 5; ++fold) {
        const auto validation = stratified_k_fold(all, 5, fold)[1];
        std::array<std::size_t, 3> counts{}, whole{};
        for (std::size_t r = 0; r < validation.size(); ++r) ++counts[validation.label(r)];
        for (std::size_t r = 0; r < all.size(); ++r) ++whole[all.label(r)];
        for (std::size_t c = 0; c < 3; ++c)
            CHECK(std::abs(static_cast<double>(counts[c]) - static_cast<double>(whole[c]) / 5) < 1);
    }
    CHECK(error_text([&] { k_fold(all, 1, 0); }) ==
          "folds of dataset 'generated': expected from 2 to 300 folds, found 1");
    CHECK(error_text([&] { k_fold(all, 5, 5); }) ==
          "folds of dataset 'generated': expected a fold from 0 to 4, found 5");
    CHECK_THROWS_AS(k_fold(all, 301, 0), ArgumentError);
    CHECK_THROWS_AS(stratified_k_fold(all, 5, -1), ArgumentError);
}

TEST_CASE("No group is in two parts") {
    const Dataset all = in_memory(100);
    std::vector<std::string> persons;
    for (std::size_t r = 0; r < 100; ++r) persons.push_back("person " + std::to_string(r * r % 17));
    const auto parts = split_groups(all, persons, 0.5, 0.25, 0.25);
    CHECK(disjoint_and_complete(parts, numbers(all)));
    std::map<std::string, std::size_t> part_of;
    for (std::size_t p = 0; p < 3; ++p)
        for (const std::size_t r : numbers(parts[p])) CHECK(part_of.try_emplace(persons[r], p).first->second == p);
    CHECK(std::abs(static_cast<int>(parts[0].size()) - 50) < 12);
    persons.pop_back();
    CHECK_THROWS_AS(split_groups(all, persons, 0.5, 0.5), ArgumentError);
    CHECK_THROWS_AS(split_groups(all, [](std::size_t) { return 1; }, 0.5, 0.5), ArgumentError);
}

TEST_CASE("Subsets by position and by a condition") {
    const Source source(1000, 100, 1);
    const Dataset of_class_1 = subset(source.dataset, [&](std::size_t r) { return source.dataset.label(r) == 1; });
    CHECK(source.blocks->loads == 10);
    CHECK(of_class_1.size() == 286);
    for (std::size_t r = 0; r < of_class_1.size(); r += 50) CHECK(of_class_1.label(r) == 1);
    CHECK(numbers(subset(of_class_1, {5, 0, 5})) == std::vector<std::size_t>{18, 1, 18});
    CHECK_THROWS_AS(subset(of_class_1, {286}), ArgumentError);
    CHECK_THROWS_AS(subset(of_class_1, [](std::size_t) { return false; }), ArgumentError);
}

TEST_CASE("Datasets are put one after the other") {
    const Dataset memory = in_memory(100), blocks = Source(55, 10).dataset;
    const auto [a, b, c] = split(shuffled(memory, 1), 0.3, 0.3, 0.4);
    const Dataset joined = concatenate(a, b, c);
    CHECK(joined.shares_storage(memory));
    CHECK(numbers(joined) == numbers(shuffled(memory, 1)));

    const auto examine = [](const Dataset& all, const std::vector<Dataset>& parts) {
        std::size_t at = 0;
        for (const Dataset& part : parts)
            for (std::size_t r = 0; r < part.size(); ++r, ++at) {
                CHECK(std::ranges::equal(all.input(at), part.input(r)));
                CHECK(all.label(at) == part.label(r));
            }
        CHECK(at == all.size());
    };
    const Dataset copied = concatenate(a, in_memory(20));
    CHECK(copied.in_memory());
    examine(copied, {a, in_memory(20)});
    const Dataset mixed = concatenate(take(memory, 0, 33), blocks, shuffled(blocks, 2));
    CHECK_FALSE(mixed.in_memory());
    examine(mixed, {take(memory, 0, 33), blocks, shuffled(blocks, 2)});
    CHECK(mixed.key() != concatenate(take(memory, 0, 33), blocks, shuffled(blocks, 3)).key());

    const Dataset wide = make_dataset(xt::ones<float>({4, 3}), xt::zeros<float>({4}), "wide");
    CHECK(error_text([&] { concatenate(memory, wide); }) ==
          "concatenate of datasets 'generated' and 'wide': expected the same sections, inputs (2), targets (), found "
          "inputs (3), targets ()");
    const Dataset named = make_dataset(xt::ones<float>({4, 2}), xt::zeros<float>({4}), "named", {"a", "b"});
    CHECK_THROWS_AS(concatenate(memory, named), ArgumentError);
    const Dataset scaled(std::vector<NamedNumbers>{{"", {{1, 2}, {1, 2}}}}, {{"", {{1}, {0}}}}, "scaled", {},
                         data::Preprocessing({{"inputs", std::make_shared<ScaleBy::Fitted>(2.0)}}));
    CHECK_THROWS_AS(concatenate(memory, scaled), ArgumentError);
}

TEST_CASE("Keys tell datasets apart") {
    const Dataset all = in_memory(50), blocks = Source(50, 7).dataset;
    for (const Dataset& d : {all, blocks}) {
        const std::set<std::string> keys{d.key(), shuffled(d, 1).key(), shuffled(d, 2).key(), take(d, 0, 10).key(),
                                         take(d, 10, 10).key()};
        CHECK(keys.size() == 5);
        CHECK(take(d, 0, 50).key() == d.key());
    }
    CHECK(in_memory(50).key() == all.key());
    Array<float> x = all.inputs();
    x(49, 1) += 1;
    CHECK(make_dataset(x, all.targets(), "generated").key() != all.key());
}

TEST_CASE("Parts of a dataset whose sections are known are of its type") {
    using S = data::Schema<data::SectionField<"inputs", data::Role::input, data::Extents<2>>>;
    const data::DatasetOf<S> all{in_memory(100)};
    const auto known = []<class D>(const D&) { return std::is_same_v<D, data::DatasetOf<S>>; };
    CHECK(known(split(all, 0.5, 0.5)[0]));
    CHECK(known(stratified_split(all, 0.5, 0.5)[1]));
    CHECK(known(shuffled(all, 1)));
    CHECK(known(take(all, 0, 1)));
    CHECK(known(k_fold(all, 3, 0)[0]));
    CHECK(known(subset(all, {1, 2})));
    CHECK(known(concatenate(all, all)));
    CHECK_FALSE(known(concatenate(all, in_memory(3))));
}
