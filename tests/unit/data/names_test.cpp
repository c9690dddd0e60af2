// SPDX-License-Identifier: BSL-1.0
// All of it from one header and one namespace, as docs/data.md says; then with both namespaces open.
#include <sigma/data/data.hpp>

#include <sigma/layer/dense.hpp>
#include <sigma/layer/input.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/trainer/parameters_file.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <string>

namespace {
constexpr const char* table = "1,2,a\n3,4,b\n5,6,a\n7,8,b\n1,1,a\n2,2,b\n3,3,a\n4,4,b\n";
}  // namespace

namespace only_data {
namespace {

using namespace sigma::data;

TEST_CASE("The words of data sets and minibatches are in sigma::data") {
    const Dataset all =
        csv(memory(table, "eight")) >> sections(inputs = columns(0, 1), targets = labels(2)) >> dataset("eight");
    const auto [most, few] = split(shuffled(all, 1), 0.5, 0.5);
    CHECK(concatenate(most, take(few, 0, 2)).size() == 6);
    CHECK(subset(all, {1, 2}).size() == 2);
    CHECK(stratified_split(all, 0.5, 0.5)[0].size() == 4);
    CHECK(split_groups(all, std::array{0, 0, 0, 0, 1, 1, 1, 1}, 0.5, 0.5)[1].size() == 4);
    CHECK(split_blocks(all, 1)[0].size() == 8);
    CHECK(k_fold(all, 4, 0)[1].size() == 2);
    CHECK(stratified_k_fold(all, 2, 0)[1].size() == 4);
    CHECK(make_dataset(all.inputs(), all.targets(), "again").size() == 8);

    const Minibatches batches = minibatches(all, 3) >> drop_last;
    std::size_t records = 0;
    for (const Batch& b : epoch_of(batches, 0)) records += b.size();
    CHECK(records == 6);
    BatchIterator iterator(batches, BatchPosition{1, 0});
    CHECK(iterator.next().epoch() == 1);
    CHECK(minibatches_in_order(all, 2).batches_per_epoch() == 4);
    CHECK(undivided(all).batches_per_epoch() == 1);
}

TEST_CASE("Minibatches of known extents know them under the name of either namespace") {
    const auto known = csv(memory(std::string(table), "eight")) >>
                       sections(inputs = columns<0, 1>(), targets = labels(2)) >> dataset("eight");
    STATIC_REQUIRE(std::same_as<decltype(sigma::data::minibatches(known, 2)), decltype(sigma::minibatches(known, 2))>);
    STATIC_REQUIRE_FALSE(std::same_as<decltype(sigma::data::minibatches(known, 2)), Minibatches>);
    STATIC_REQUIRE(std::same_as<decltype(sigma::data::undivided(known)), decltype(sigma::undivided(known))>);
}

TEST_CASE("data.hpp has tables to look at, series and sequences") {
    CHECK(read_table(memory(std::string("a\n1\n2\n"), "two"), {.header = true})["a"].numbers.size() == 2);
    CHECK(windows(part(Series{"five", {1, 2, 3, 4, 5}}, 0, 4), 2).size() == 2);
    CHECK((characters(memory("abcabc"), Vocabulary("abcabc"), 2) >> dataset("text")).size() == 2);
}

}  // namespace
}  // namespace only_data

namespace both {
namespace {

using namespace sigma;
using namespace sigma::data;

struct Small : Network<Input(2) + Dense(1) + SquaredDiff()> {};

TEST_CASE("With sigma and sigma::data open nothing is ambiguous, and a model is stored with its preprocessing") {
    const Dataset all =
        csv(memory(table, "eight")) >> sections(inputs = columns(0, 1), targets = labels(2)) >> dataset("eight");
    const auto [most, few] = split(all, 0.5, 0.5);
    const Minibatches batches = minibatches(concatenate(most, few), 2);
    BatchIterator iterator(batches);
    CHECK(iterator.next().size() == 2);

    const ScratchFile file;
    Model<Small> model;
    save_parameters(model, file.name, fitted(standardize(inputs), all));
    CHECK(Preprocessing::load(file.name).steps().size() == 1);
}

}  // namespace
}  // namespace both
