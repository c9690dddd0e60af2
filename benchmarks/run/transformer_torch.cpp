// SPDX-License-Identifier: BSL-1.0
// libtorch's side of a training step of a transformer block; transformer_sigma.cpp is the other.
#include "support/contender.hpp"

#include <torch/torch.h>

namespace {

contender::Work training(double dropout) {
    torch::nn::TransformerEncoderLayer block(
        torch::nn::TransformerEncoderLayerOptions(128, 4).dim_feedforward(512).dropout(dropout));
    const auto optimizer = std::make_shared<torch::optim::SGD>(block->parameters(), torch::optim::SGDOptions(1e-6));
    const auto x = 2 * torch::rand({64, 16, 128}) - 1;  // (time, batch, width)
    return [=]() mutable {
        optimizer->zero_grad();
        (block->forward(x).square().sum() / 16).backward();
        optimizer->step();
    };
}

}  // namespace

int main() {
    torch::set_num_threads(1);
    torch::manual_seed(1);
    contender::Cases cases{{"transformer-sgd", [] { return training(0); }},
                           {"transformer-dropout-sgd", [] { return training(0.1); }}};
    return contender::serve(cases, "libtorch " TORCH_VERSION);
}
