// SPDX-License-Identifier: BSL-1.0
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/linear.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/worker/evaluator.hpp>

#include <catch2/catch.hpp>

using namespace sigma;

namespace {

struct Words : Network<Input(3) + Embedding(20, 4) + Linear(2) + SoftmaxCE()> {};
struct Plain : Network<Input(3) + Linear(3) + SquaredDiff()> {};
struct Later : Network<Input(3) + Dense(3) + Embedding(20, 4) + Linear(2) + SoftmaxCE()> {};

Dataset words(float last) {
    return {Numbers{{2, 3}, {0, 19, 1, 7, last, 0}}, Numbers{{2, 3}, {0, 1, 0, 1, 0, 1}}, "words"};
}

}  // namespace

TEST_CASE("Numbers that are no word of an Embedding are found before a run") {
    static_assert(detail::NetworkRecords<Words>::records.ids[0].rows == 20);
    static_assert(detail::NetworkRecords<Plain>::records.ids[0].rows == 0);
    static_assert(detail::NetworkRecords<Later>::records.ids[0].rows == 0);
    CHECK_NOTHROW(Evaluator<Words>(words(19)));
    CHECK_NOTHROW(Evaluator<Plain>(words(20)));
    const std::string where = "dataset 'words', record 1, position 1: expected a whole number from 0 to 19 for layer '1-embedding', found ";
    CHECK_THROWS_WITH(Evaluator<Words>(words(20)), where + "20");
    CHECK_THROWS_WITH(Evaluator<Words>(words(-1)), where + "-1");
    CHECK_THROWS_WITH(Evaluator<Words>(words(0.5f)), where + "0.5");
}
