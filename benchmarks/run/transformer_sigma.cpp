// SPDX-License-Identifier: BSL-1.0
// Sigma's side of a training step of a transformer block; transformer_torch.cpp is the other. Both answer lines as the
// contenders do: echo transformer-sgd 2 | benchmark_transformer_sigma
#include <support/direct_step.hpp>
#include "support/contender.hpp"

#include <sigma/execution/step.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/transformer_block.hpp>
#include <sigma/optimizer/gradient_descent.hpp>

#include <memory>

using namespace sigma;
using contender::array;
using contender::Work;

namespace {

#ifdef TRANSFORMER_DROPOUT
constexpr const char* name_of_case = "transformer-dropout-sgd";
constexpr double dropout = TRANSFORMER_DROPOUT;
#else
constexpr const char* name_of_case = "transformer-sgd";
constexpr double dropout = 0;
#endif

struct Block : Network<Input(64, 128) + TransformerBlock(4, 512, relu, {.dropout = dropout, .pre_norm = false}) +
                       SquaredDiff()> {};

struct Training {
    static constexpr std::ptrdiff_t records = 16;
    static constexpr std::size_t count = 64 * 128 * records;
    Model<Block> model{1};
    sigma::test::DirectStep<Block, GradientDescent> step{model};
    std::shared_ptr<float> inputs = array(count, -1, 1), targets = array(count);
    std::uint64_t number = 0;
    double loss = 0;

    void operator()() {
        loss = step(GradientDescent{.learning_rate = 1e-6}, ++number, inputs.get(), targets.get(), records);
    }
};

Work training() {
    const auto work = std::make_shared<Training>();
    return [work] { (*work)(); };
}

}  // namespace

int main() {
    contender::Cases cases{{name_of_case, training}};
    return contender::serve(cases, "Sigma");
}
