// SPDX-License-Identifier: BSL-1.0
// Words that were called otherwise mean what they meant.
#include <sigma/hook/score_metrics.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/use_mistakes.hpp>
#include <sigma/optimizer/gradient_descent.hpp>

#include <type_traits>
#include <utility>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
using namespace sigma;

constexpr auto cost = Dense(1) + SquaredDiff();
static_assert(std::is_same_v<decltype(importance(0.5, cost)), decltype(loss_weight(0.5, cost))>);
static_assert(std::is_same_v<Verdict<>, Mistake<>>);
static_assert(std::is_same_v<FullyConnected, Dense> && std::is_same_v<SoftMaxCE, SoftmaxCE>);
static_assert(std::is_same_v<SGD, GradientDescent>);
using D = const Dataset&;
static_assert(
    std::is_same_v<decltype(score_top<1, 3>(std::declval<D>())), decltype(score(std::declval<D>(), top<1, 3>))>);
static_assert(std::is_same_v<decltype(score_top<"test", 1>(std::declval<D>())),
                             decltype(score<"test">(std::declval<D>(), top<1>))>);
static_assert(
    std::is_same_v<decltype(score_regression(std::declval<D>())), decltype(score(std::declval<D>(), regression))>);
static_assert(std::is_same_v<decltype(score_binary(std::declval<D>())), decltype(score(std::declval<D>(), binary))>);
static_assert(std::is_same_v<decltype(score_confusion(std::declval<D>())),
                             error_word_is_written_otherwise<use_score_of_data_and_a_Confusion>>);
