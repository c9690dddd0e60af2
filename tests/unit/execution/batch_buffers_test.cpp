// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/blocks/active.hpp>
#include <sigma/execution/evaluator.hpp>
#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/ctc.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/branches.hpp>

#include "../data/blocks/generated.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <string>
#include <vector>

using namespace sigma;

namespace {

struct Words : Network<Input(3) + Embedding(20, 4) + Linear(2) + SoftmaxCE()> {};
struct Plain : Network<Input(3) + Linear(3) + SquaredDiff()> {};
struct Later : Network<Input(3) + Dense(3) + Embedding(20, 4) + Linear(2) + SoftmaxCE()> {};

Dataset words(float last) {
    return {Numbers{{2, 3}, {0, 19, 1, 7, last, 0}}, Numbers{{2, 3}, {0, 1, 0, 1, 0, 1}}, "words"};
}

/// Rows of three numbers against targets of the same shape, or against one class each.
template <auto loss>
struct Rows : Network<Input(3) + loss> {};

/// What is said of one record with these targets after a sound one; nothing where they are sound too.
template <class N>
std::string refusal(const std::vector<float>& sound, const std::vector<float>& targets) {
    std::vector<float> all = sound;
    all.insert(all.end(), targets.begin(), targets.end());
    Numbers y{{2, targets.size()}, all};
    const auto extents_of = [](const Shape& shape) {
        std::vector<std::size_t> extents{2};
        for (int i = 1; i < shape.rank; ++i) extents.push_back(static_cast<std::size_t>(shape[i]));
        return extents;
    };
    y.shape = extents_of(N::target);
    const Dataset data(
        Numbers{extents_of(N::input), std::vector<float>(static_cast<std::size_t>(2 * N::input.count()), 0.25f)}, y,
        "d");
    try {
        sigma::detail::BatchBuffers<float>().bind(detail::network_table<N>, data, 2);
    } catch (const DataError& e) { return std::string(e.what()).substr(std::string("dataset 'd', ").size()); }
    return "";
}
template <auto loss>
std::string of(const std::vector<float>& targets) {
    return refusal<Rows<loss>>(loss.classifies ? std::vector<float>{0} : std::vector<float>{0, 1, 0}, targets);
}

/// The least loss of one record over many targets that are not refused, most of which are.
template <auto loss>
double least_loss() {
    std::mt19937 random(7);
    const std::vector<float> some{-1, 0, 0, 0, 0.25f, 0.5f, 0.5f, 1, 1, 2, 28};
    Model<Rows<loss>> model(1);
    double least = 1e300;
    int taken = 0;
    for (int i = 0; i < 2000; ++i) {
        Numbers x{{1, 3}, {}}, y{{1}, {}};
        const auto draw = [&] { return some[random() % some.size()]; };
        for (int k = 0; k < 3; ++k) x.values.push_back(draw() - 0.5f);
        if (!loss.classifies) y.shape.push_back(3);
        for (int k = 0; k < (loss.classifies ? 1 : 3); ++k) y.values.push_back(draw());
        try {
            detail::Evaluator<Rows<loss>> evaluator(Dataset(x, y, "drawn"));
            least = std::min(least, evaluator(model).error);
            ++taken;
        } catch (const DataError&) {}
    }
    CHECK(taken > 5);
    return least;
}

struct Spoken : Network<Input(4, 3) + CTC(3)> {};
struct SpokenOrNot : Network<Input(4, 3) + CTC(3, {.skip_impossible = true})> {};

}  // namespace

TEST_CASE("Losses that compare numbers take all of them") {
    const std::vector<float> any{-3, 0.5f, 28};
    CHECK(of<SquaredDiff{}>(any).empty());
    CHECK(of<HalfSquared{}>(any).empty());
    CHECK(of<MeanSquaredError{}>(any).empty());
    CHECK(of<AbsoluteError{}>(any).empty());
    CHECK(of<Huber{}>(any).empty());
    CHECK(of<CosineLoss{}>(any).empty());
}
TEST_CASE("BinaryCE takes targets from 0 to 1") {
    for (const std::vector<float>& y : {std::vector<float>{0, 1, 0.5f}, {-1e-6f, 1.000001f, 1}})
        CHECK(of<BinaryCE{}>(y).empty());
    CHECK(of<BinaryCE{}>({0, 1, 28}) == "record 1, position 2: expected a target from 0 to 1, found 28");
    CHECK(of<BinaryCE{}>({-0.01f, 1, 0}) == "record 1, position 0: expected a target from 0 to 1, found -0.01");
    CHECK(of<BinaryCE{}>({0, 1.01f, 0}) == "record 1, position 1: expected a target from 0 to 1, found 1.01");
    CHECK(of<BinaryCE({.ignore = -1})>({-1, 0, 1}).empty());
    CHECK(of<BinaryCE({.ignore = 0.1 - 7})>({0.1f - 7, 0, 1}).empty());  // compared as floats
    CHECK(of<BinaryCE({.ignore = -1})>({-1, -2, 1}) ==
          "record 1, position 1: expected a target from 0 to 1, or -1, found -2");
}
TEST_CASE("Hinge takes yes and no") {
    for (const std::vector<float>& y : {std::vector<float>{0, 1, 0}, {-1, 1, -1}}) CHECK(of<Hinge{}>(y).empty());
    CHECK(of<Hinge{}>({0, 2, 0}) == "record 1, position 1: expected a target of -1, 0 or 1, found 2");
    CHECK_FALSE(of<Hinge{}>({0, 0.5f, 0}).empty());
    CHECK(of<Hinge({.ignore = 7})>({7, -1, 1}).empty());
}
TEST_CASE("Losses of distributions take rows of numbers of 0 or more with the sum 1") {
    const auto examine = [](auto found, auto found_with_ignored) {
        for (const std::vector<float>& y :
             {std::vector<float>{0, 1, 0}, {0.2f, 0.3f, 0.5f}, {0.33f, 0.33f, 0.33f}, {-1e-7f, 1, 0}})
            CHECK(found(y).empty());
        CHECK(found({-0.5f, 1, 0.5f}) == "record 1, position 0: expected a target of 0 or more, found -0.5");
        CHECK(found({0, 1, 1}) == "record 1: expected targets of a row whose sum is 1, found the sum 2");
        CHECK(found({0, 0, 0}) == "record 1: expected targets of a row whose sum is 1, found the sum 0");
        CHECK_FALSE(found({20, 30, 50}).empty());
        for (const std::vector<float>& y : {std::vector<float>{-1, -1, -1}, {0.5f, -1, 0.5f}})
            CHECK(found_with_ignored(y).empty());
        CHECK(found_with_ignored({-1, -1, 0.5f}) ==
              "record 1: expected targets of a row whose sum is 1, found the sum 0.5");
        CHECK(found_with_ignored({-2, 1, 1}) ==
              "record 1, position 0: expected a target of 0 or more, or -1, found -2");
    };
    examine(of<KLDivergence{}>, of<KLDivergence({.ignore = -1})>);
    examine(of<NLL{}>, of<NLL(1e-7, {.ignore = -1})>);
    examine(of<SoftmaxDistributionCE{}>, of<SoftmaxDistributionCE({.ignore = -1})>);
    struct Times : Network<Input(2, 3) + KLDivergence()> {};
    CHECK(refusal<Times>({0, 1, 0, 0, 1, 0}, {0, 1, 0, 0, 0.5f, 0}) ==
          "record 1, positions 3 to 5: expected targets of a row whose sum is 1, found the sum 0.5");
}
TEST_CASE("Losses of classes take their numbers") {
    const auto examine = [](auto found, auto found_with_ignored) {
        CHECK(found({2}).empty());
        CHECK(found({3}) == "record 1: expected a label from 0 to 2, found 3");
        CHECK_FALSE(found({-1}).empty());
        CHECK_FALSE(found({0.5f}).empty());
        CHECK(found_with_ignored({-1}).empty());
        CHECK_FALSE(found_with_ignored({-2}).empty());
    };
    examine(of<SoftmaxCE{}>, of<SoftmaxCE({.ignore = -1})>);
    examine(of<SoftmaxCE{}.weighted(1, 2, 3)>, of<SoftmaxCE({.ignore = -1}).weighted(1, 2, 3)>);
    examine(of<MulticlassHinge{}>, of<MulticlassHinge({.ignore = -1})>);
}
TEST_CASE("CTC takes labels, nothing between them, that fit the time") {
    const auto found = [](std::vector<float> y) { return refusal<Spoken>({1, 0, 0}, y); };
    for (const std::vector<float>& y :
         {std::vector<float>{1, 2, 1}, {1, 1, 2}, {1, 0, 0}, {2, -1, -1}, {0, 0, 0}, {1, 0, -1}})
        CHECK(found(y).empty());
    CHECK(found({1, 3, 0}) == "record 1, position 1: expected a label from -1 to 2, found 3");
    CHECK(found({1, 0, 2}) == "record 1, position 2: expected 0 or -1 behind the end of the labels, found 2");
    CHECK_FALSE(found({-1, 1, 1}).empty());
    CHECK(found({1, 1, 1}) == "record 1: expected labels that 4 times can spell, found 3 labels with 2 repetitions");
    CHECK(refusal<SpokenOrNot>({1, 0, 0}, {1, 1, 1}).empty());
}
// Of a loss that takes what its formula was not made for, this is what shows first.
TEST_CASE("No loss is below 0 for any targets that it takes") {
    CHECK(least_loss<SquaredDiff{}>() >= 0);
    CHECK(least_loss<AbsoluteError{}>() >= 0);
    CHECK(least_loss<Huber{}>() >= 0);
    CHECK(least_loss<CosineLoss{}>() >= -1e-6);
    CHECK(least_loss<BinaryCE{}>() >= 0);
    CHECK(least_loss<Hinge{}>() >= 0);
    CHECK(least_loss<KLDivergence{}>() >= -1e-6);
    CHECK(least_loss<NLL{}>() >= 0);
    CHECK(least_loss<SoftmaxDistributionCE{}>() >= 0);
    CHECK(least_loss<SoftmaxCE{}>() >= 0);
    CHECK(least_loss<MulticlassHinge{}>() >= 0);
}
TEST_CASE("Targets in blocks are checked as those in memory, each block once") {
    struct Share : Network<Input(2) + Dense(1) + BinaryCE()> {};
    struct Any : Network<Input(2) + Dense(1) + SquaredDiff()> {};
    const auto active = std::make_shared<data::ActiveBlocks>(std::make_shared<GeneratedBlocks>(20, 2), "generated",
                                                             data::BlockLimits{.blocks = 3});
    const Dataset all(active);  // whose third record has the target 2
    CHECK_THROWS_WITH((sigma::detail::BatchBuffers<float>().bind(detail::network_table<Share>, all, 4)),
                      "dataset 'generated', record 2: expected a target from 0 to 1, found 2");
    CHECK_NOTHROW(sigma::detail::BatchBuffers<float>().bind(detail::network_table<Share>, all.range(0, 2), 2));
    active->clear();
    const std::size_t before = active->loads();
    CHECK_NOTHROW(sigma::detail::BatchBuffers<float>().bind(detail::network_table<Any>, all, 4));
    CHECK(active->loads() == before);
}

TEST_CASE("Numbers that are no word of an Embedding are found before a run") {
    static_assert(Words::records.ids[0].rows == 20);
    static_assert(Plain::records.ids[0].rows == 0);
    static_assert(Later::records.ids[0].rows == 0);
    CHECK_NOTHROW(detail::Evaluator<Words>(words(19)));
    CHECK_NOTHROW(detail::Evaluator<Plain>(words(20)));
    const std::string where =
        "dataset 'words', record 1, position 1: expected a whole number from 0 to 19 for layer '1-embedding', found ";
    CHECK_THROWS_WITH(detail::Evaluator<Words>(words(20)), where + "20");
    CHECK_THROWS_WITH(detail::Evaluator<Words>(words(-1)), where + "-1");
    CHECK_THROWS_WITH(detail::Evaluator<Words>(words(0.5f)), where + "0.5");
}

TEST_CASE("Copies of buffers have records of their own", "[batch_buffers]") {
    const Dataset data(Numbers{{2, 3}, {1, 2, 3, 4, 5, 6}}, Numbers{{2, 3}, {7, 8, 9, 10, 11, 12}}, "six");
    const std::size_t both[] = {1, 0}, second[] = {1};
    sigma::detail::BatchBuffers<double> one;
    one.bind(detail::network_table<Plain>, data, 2);
    const double* const place = one.inputs()[0];
    one.gather(data, both);
    sigma::detail::BatchBuffers<double> other(one), assigned;
    assigned = one;
    one.gather(data, second);
    CHECK(one.inputs()[0] == place);
    CHECK(one.targets()[0][0] == 10);
    CHECK(one.widths() == std::vector<std::size_t>{3, 3});
    for (const auto* copy : {&other, &assigned}) {
        CHECK(copy->inputs()[0] != place);
        CHECK(copy->inputs()[0][0] == 4);
        CHECK(copy->targets()[0][5] == 9);
        CHECK(std::vector(copy->inputs()[0], copy->inputs()[0] + 6) == std::vector<double>{4, 5, 6, 1, 2, 3});
    }
    const std::array<const double*, 1> as_array = other.targets();
    CHECK(as_array[0] == other.targets()[0]);
}
