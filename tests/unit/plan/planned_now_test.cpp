// SPDX-License-Identifier: BSL-1.0
#include <sigma/execution/step.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/plan/print.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <thread>

using namespace sigma;

namespace {

struct Words : Network<Input(5, 4) + LSTM(6) + Dense(3) + SoftmaxCE()> {};

template <class Make>
void check_same() {
    using P = detail::Planned<Make, 8>;
    CHECK(to_text(detail::PlannedNow<P>::plan()) == to_text(P::plan));
}

TEST_CASE("a plan made while the program runs is the one that the compiler makes") {
    check_same<detail::TrainingProgram<Words, Adam>>();
    check_same<detail::NetworkProgram<Words, detail::to_predict>>();
    check_same<detail::NetworkProgram<Words, detail::to_evaluate>>();
}

TEST_CASE("a plan is made once, whoever asks first") {
    using Now = detail::PlannedNow<detail::Planned<detail::TrainingProgram<Words, Adam>, 4>>;
    std::array<const detail::Plan*, 4> found{};
    std::array<std::thread, 4> threads;
    for (std::size_t i = 0; i < threads.size(); ++i) threads[i] = std::thread([&found, i] { found[i] = &Now::plan(); });
    for (std::thread& thread : threads) thread.join();
    CHECK(std::ranges::count(found, &Now::plan()) == 4);
}

}  // namespace
