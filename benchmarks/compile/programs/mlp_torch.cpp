// SPDX-License-Identifier: BSL-1.0
// mlp.cpp on libtorch: what seconds of compilation are divided by.
#include <torch/torch.h>

#include <cstdint>
#include <cstdio>

struct Digits : torch::nn::Module {
    torch::nn::Linear first{register_module("first", torch::nn::Linear(784, 128))};
    torch::nn::Linear second{register_module("second", torch::nn::Linear(128, 64))};
    torch::nn::Linear third{register_module("third", torch::nn::Linear(64, 10))};

    torch::Tensor forward(const torch::Tensor& images) {
        return third(torch::relu(second(torch::relu(first(images.view({-1, 784}))))));
    }
};

int main() {
    torch::set_num_threads(1);
    torch::Tensor images = torch::empty({1000, 28, 28}), labels = torch::empty({1000}, torch::kLong);
    for (std::int64_t i = 0; i < 1000; ++i) {
        for (std::int64_t k = 0; k < 784; ++k)
            images.data_ptr<float>()[i * 784 + k] = static_cast<float>((i * 31 + k * 17) % 255) / 255;
        labels.data_ptr<std::int64_t>()[i] = i % 10;
    }
    Digits network;
    torch::optim::SGD optimizer(network.parameters(), 0.01);
    double error = 0;
    for (int epoch = 0; epoch < 5; ++epoch) {
        error = 0;
        for (const torch::Tensor& batch : torch::randperm(1000).split(100)) {
            optimizer.zero_grad();
            const torch::Tensor loss = torch::nn::functional::cross_entropy(
                network.forward(images.index_select(0, batch)), labels.index_select(0, batch));
            loss.backward();
            optimizer.step();
            error += loss.item<double>() / 10;
        }
    }
    std::printf("%.4f\n", error);
}
