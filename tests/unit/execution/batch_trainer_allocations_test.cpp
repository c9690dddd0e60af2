// SPDX-License-Identifier: BSL-1.0
// A step of a BatchTrainer allocates nothing, as one of a Trainer does.
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/network/costs.hpp>
#include <sigma/network/dynamic_network.hpp>
#include <sigma/optimizer/adam.hpp>

#include "support/allocations.hpp"

#include <catch2/catch.hpp>

using namespace sigma;

namespace {

struct Plain : Network<Input(8) + Dense(16, relu) + BatchNorm() + Dense(3) + SoftmaxCE()> {};
struct Remembers : Network<Input(2, 4) + LSTM(8, {.stateful = true}) + Dense(3) + SoftmaxCE()> {};
/// Whose inputs and targets have names that are long texts in errors.
struct Two : Network<(named("the_first_of_two_inputs", Input(8)) & Input(2)) + Parallel(Dense(4), Dense(4)) + Add() +
                     Costs(Dense(3) + SoftmaxCE(), named("another_with_a_long_name", Dense(1) + SquaredDiff()))> {};

Array<float> filled(std::vector<std::size_t> shape) {
    auto x = Array<float>::from_shape(std::move(shape));
    x.fill(0.5f);
    return x;
}

#ifdef SIGMA_COUNTS_ALLOCATIONS
template <class M, class... E>
void check_steps(M& model, const E&... arrays) {
    BatchTrainer trainer(model, Adam{});
    trainer.train_on_batch(arrays...);
    const long before = test::allocations;
    for (int i = 0; i < 5; ++i) trainer.train_on_batch(arrays...);
    trainer.gradients_on_batch(arrays...);
    trainer.apply();
    CHECK(test::allocations == before);
}
#endif

}  // namespace

#ifdef SIGMA_COUNTS_ALLOCATIONS
TEST_CASE("Steps on batches of a size that was there before allocate nothing") {
    const Array<float> classes = Array<float>::from_shape({10});
    Model<Plain> plain(1);
    check_steps(plain, filled({10, 8}), classes);
    Model<Two> two(1);
    check_steps(two, filled({10, 8}), filled({10, 2}), classes, filled({10, 1}));
    Model made(network(Input(8) + Dense(3) + SoftmaxCE()));
    check_steps(made, filled({10, 8}), classes);
    Model<Remembers> remembers(1);
    check_steps(remembers, filled({10, 2, 4}), classes);

    BatchTrainer trainer(remembers, Adam{});
    const auto x = filled({10, 2, 4}), y = classes;
    trainer.train_on_batch(x, y);
    trainer.train_on_next_batch(x, y);
    const long before = test::allocations;
    trainer.train_on_next_batch(x, y);
    trainer.train_on_batch(x, y);
    CHECK(test::allocations == before);
}
#endif
