// SPDX-License-Identifier: BSL-1.0
// What predictors and streams allocate: nothing, once memory has been reserved.
#include <sigma/layer/dense.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/dynamic_network.hpp>
#include <sigma/network/predictor.hpp>

#include "support/allocations.hpp"
#include "support/thrown.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

using namespace sigma;

namespace {

struct Plain : Network<Input(8) + Dense(16, relu) + Dense(3) + SoftmaxCE()> {};
struct Sequences : Network<Input(6, 4) + LSTM(8) + Dense(3) + SoftmaxCE()> {};
struct Remembers : Network<Input(1, 4) + LSTM(8, {.stateful = true}) + Dense(3) + SoftmaxCE()> {};
/// Too large for a session of each stream.
struct Wide : Network<Input(1, 4) + LSTM(300, {.stateful = true}) + Dense(3) + SoftmaxCE()> {};

#ifdef SIGMA_COUNTS_ALLOCATIONS
/// By a thread of its own that has begun before they are counted, and does not end before they have been.
template <class F>
long allocations_of_thread(F f) {
    std::atomic<int> stage{0};
    long counted = -1;
    std::thread other([&] {
        stage = 1;
        while (stage < 2) std::this_thread::yield();
        const long before = test::allocations;
        f();
        counted = test::allocations - before;
        stage = 3;
    });
    while (stage < 1) std::this_thread::yield();
    stage = 2;
    while (stage < 3) std::this_thread::yield();
    other.join();
    return counted;
}
template <class N>
void check_predictor(std::ptrdiff_t records) {
    const Predictor<N> predictor(Model<N>(1));
    const auto in = static_cast<std::size_t>(N::inputs[0].count()), out = std::size_t{3};
    std::vector<float> x(in * static_cast<std::size_t>(records), 0.25f), y(out * static_cast<std::size_t>(records));
    predictor.reserve(3, records);
    const auto predict = [&] { predictor.predict(x.data(), y.data(), records); };
    long before = test::allocations;
    predict();
    predictor.predict(x.data(), y.data(), 1);
    CHECK(test::allocations == before);
    // Three at a time, each a thread that was not there before.
    std::atomic<int> begun{0}, through{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([&] {
            std::vector<float> own(y.size());
            ++begun;
            while (begun < 4) std::this_thread::yield();
            for (int k = 0; k < 20; ++k) predictor.predict(x.data(), own.data(), records);
            ++through;
            while (begun < 5) std::this_thread::yield();
        });
    while (begun < 3) std::this_thread::yield();
    before = test::allocations;
    begun = 4;
    while (through < 3) std::this_thread::yield();
    CHECK(test::allocations == before);
    begun = 5;
    for (std::thread& t : threads) t.join();
}
template <class N>
void check_stream() {
    const Predictor<N> predictor(Model<N>(1));
    predictor.reserve(2);
    auto stream = predictor.stream();
    const std::array<float, 4> x{0.1f, 0.2f, 0.3f, 0.4f};
    std::array<float, 3> y{};
    const auto steps = [&] {
        for (int i = 0; i < 5; ++i) stream.step(x, y);
        stream.forget();
        stream.step(std::span<const float>(x), std::span<float>(y));
    };
    static_assert(noexcept(stream.step(x, y)));
    const long before = test::allocations;
    steps();
    CHECK(test::allocations == before);
    CHECK(allocations_of_thread(steps) == 0);
    CHECK(y == [&] {
        std::array<float, 3> fresh{};
        predictor.stream().step(x, fresh);
        return fresh;
    }());
}
#endif

}  // namespace

#ifdef SIGMA_COUNTS_ALLOCATIONS
TEST_CASE("A predictor allocates nothing once memory is reserved, however many threads there are") {
    for (const std::ptrdiff_t records : {1, 7, 300}) {
        CAPTURE(records);
        check_predictor<Plain>(records);
        check_predictor<Sequences>(records);
        check_predictor<Remembers>(records);
    }
}

TEST_CASE("A stream allocates nothing, small or large") {
    check_stream<Remembers>();
    check_stream<Wide>();
}

TEST_CASE("A model that has predicted so many records once predicts them without allocating") {
    const Model<Remembers> model(1);
    std::vector<float> x(4 * 5, 0.5f), y(3 * 5);
    model.predict_anew({x.data()}, {y.data()}, 5);
    const long before = test::allocations;
    model.predict_anew({x.data()}, {y.data()}, 5);
    CHECK(test::allocations == before);
}
#endif

TEST_CASE("What is reserved is one thread and one record at least") {
    const Predictor<Plain> predictor(Model<Plain>(1));
    CHECK(error_text<ArgumentError>([&] { predictor.reserve(0); }) ==
          "reserve: expected at least 1 thread and 1 record, found 0 threads and 1 records");
    CHECK_THROWS_AS(predictor.reserve(1, 0), ArgumentError);
    const Predictor made(Model(network(Input(4) + Dense(2) + SoftmaxCE())));
    CHECK_NOTHROW(made.reserve(2, 5));
}
