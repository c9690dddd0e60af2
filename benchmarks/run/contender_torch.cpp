// SPDX-License-Identifier: BSL-1.0
// libtorch's side of compare.py.
#include "support/contender.hpp"

#include <torch/torch.h>

using contender::Cases;
using contender::Work;

namespace {

struct NetworkImpl : torch::nn::Module {
    torch::nn::Linear a{nullptr}, b{nullptr}, c{nullptr};
    bool uses_tanh;
    NetworkImpl(int i, int h, int k, int o, bool tanh) : uses_tanh(tanh) {
        a = register_module("a", torch::nn::Linear(i, h));
        b = register_module("b", torch::nn::Linear(h, k));
        c = register_module("c", torch::nn::Linear(k, o));
    }
    torch::Tensor forward(torch::Tensor x) {
        if (uses_tanh) return c(torch::tanh(b(torch::tanh(a(x)))));
        return c(torch::relu(b(torch::relu(a(x)))));
    }
};
TORCH_MODULE(Network);

struct Sizes {
    int inputs, first, second, outputs;
    bool tanh;
    Network network() const { return Network(inputs, first, second, outputs, tanh); }
};
constexpr Sizes iris{4, 12, 12, 3, true}, digits{784, 128, 64, 10, false}, wide{784, 1024, 1024, 10, false};

template <class O, class Options>
std::function<Work()> training(Sizes sizes, int records, Options options) {
    return [=]() -> Work {
        Network network = sizes.network();
        const auto optimizer = std::make_shared<O>(network->parameters(), options);
        const auto x = torch::rand({records, sizes.inputs});
        const auto y = (7 * torch::arange(records)) % sizes.outputs;
        return [=]() mutable {
            optimizer->zero_grad();
            torch::nn::functional::cross_entropy(network->forward(x), y).backward();
            optimizer->step();
        };
    };
}
struct LeNetImpl : torch::nn::Module {
    torch::nn::Conv2d c{nullptr}, d{nullptr};
    torch::nn::Linear e{nullptr}, f{nullptr}, g{nullptr};
    LeNetImpl() {
        c = register_module("c", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 6, 5)));
        d = register_module("d", torch::nn::Conv2d(torch::nn::Conv2dOptions(6, 16, 5)));
        e = register_module("e", torch::nn::Linear(256, 120));
        f = register_module("f", torch::nn::Linear(120, 84));
        g = register_module("g", torch::nn::Linear(84, 10));
    }
    torch::Tensor forward(torch::Tensor x) {
        x = torch::max_pool2d(torch::relu(c(x)), 2);
        x = torch::max_pool2d(torch::relu(d(x)), 2).flatten(1);
        return g(torch::relu(f(torch::relu(e(x)))));
    }
};
TORCH_MODULE(LeNet);

template <class O, class Options>
std::function<Work()> lenet(Options options) {
    return [=]() -> Work {
        LeNet network;
        const auto optimizer = std::make_shared<O>(network->parameters(), options);
        const auto x = torch::rand({64, 1, 28, 28});
        const auto y = (7 * torch::arange(64)) % 10;
        return [=]() mutable {
            optimizer->zero_grad();
            torch::nn::functional::cross_entropy(network->forward(x), y).backward();
            optimizer->step();
        };
    };
}
struct SequencesImpl : torch::nn::Module {
    torch::nn::LSTM memory{nullptr};
    torch::nn::Linear out{nullptr};
    SequencesImpl() {
        memory = register_module("memory", torch::nn::LSTM(torch::nn::LSTMOptions(64, 128)));
        out = register_module("out", torch::nn::Linear(128, 64));
    }
    torch::Tensor forward(torch::Tensor x) { return out(std::get<0>(memory(x)).reshape({-1, 128})); }
};
TORCH_MODULE(Sequences);

template <class O, class Options>
std::function<Work()> sequences(Options options) {
    return [=]() -> Work {
        Sequences network;
        const auto optimizer = std::make_shared<O>(network->parameters(), options);
        const auto x = torch::rand({32, 32, 64});  // time first, as libtorch likes it
        const auto y = (7 * torch::arange(32 * 32)) % 64;
        return [=]() mutable {
            optimizer->zero_grad();
            torch::nn::functional::cross_entropy(network->forward(x), y).backward();
            optimizer->step();
        };
    };
}
std::function<Work()> descent(Sizes sizes, int records) {
    return training<torch::optim::SGD>(sizes, records, torch::optim::SGDOptions(1e-3));
}
std::function<Work()> adam(Sizes sizes, int records) {
    return training<torch::optim::Adam>(sizes, records, torch::optim::AdamOptions(1e-5));
}
std::function<Work()> prediction(Sizes sizes) {
    return [=]() -> Work {
        Network network = sizes.network();
        const auto x = torch::rand({1, sizes.inputs});
        return [=]() mutable {
            const c10::InferenceMode guard;
            const auto y = torch::softmax(network->forward(x), 1);
            contender::keep(&y);
        };
    };
}

torch::Tensor wave(const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& x) {
    return (torch::tanh(a * x + b) * torch::exp(-(x * x))).sum();
}
torch::Tensor uniform(long n) { return 2 * torch::rand({n}) - 1; }

std::function<Work()> value(long n) {
    return [=]() -> Work {
        const auto a = uniform(n), b = uniform(n), x = uniform(n);
        return [=] {
            const torch::NoGradGuard guard;
            const auto y = wave(a, b, x);
            contender::keep(&y);
        };
    };
}
std::function<Work()> gradient(long n) {
    return [=]() -> Work {
        const auto a = uniform(n), b = uniform(n);
        auto x = uniform(n).set_requires_grad(true);
        return [=]() mutable {
            x.mutable_grad() = torch::Tensor();
            wave(a, b, x).backward();
        };
    };
}
std::function<Work()> chain(long n) {
    return [=]() -> Work {
        const auto a = uniform(n), b = uniform(n), c = uniform(n);
        return [=] {
            const torch::NoGradGuard guard;
            const auto d = a * b + c * torch::exp(-a);
            contender::keep(&d);
        };
    };
}
std::function<Work()> chain_into(long n) {
    return [=]() -> Work {
        const auto a = uniform(n), b = uniform(n), c = uniform(n);
        auto d = torch::empty({n}), t = torch::empty({n});
        return [=]() mutable {
            const torch::NoGradGuard guard;
            torch::neg_out(t, a);
            t.exp_();
            torch::mul_out(d, a, b);
            d.addcmul_(c, t);
        };
    };
}

}  // namespace

int main() {
    torch::set_num_threads(1);
    torch::manual_seed(1);
    Cases cases{
        {"iris-sgd", descent(iris, 10)},
        {"iris-adam", adam(iris, 10)},
        {"mlp32-sgd", descent(digits, 32)},
        {"mlp100-sgd", descent(digits, 100)},
        {"mlp100-adam", adam(digits, 100)},
        {"wide-sgd", descent(wide, 100)},
        {"wide-adam", adam(wide, 100)},
        {"predict-iris", prediction(iris)},
        {"predict-mlp", prediction(digits)},
        {"value-1e3", value(1000)},
        {"value-1e5", value(100000)},
        {"gradient-1e3", gradient(1000)},
        {"gradient-1e5", gradient(100000)},
        {"chain-1e3", chain(1000)},
        {"chain-1e5", chain(100000)},
        {"chain-1e7", chain(10000000)},
        {"chain-into-1e3", chain_into(1000)},
        {"chain-into-1e5", chain_into(100000)},
        {"chain-into-1e7", chain_into(10000000)},
        {"lenet-sgd", lenet<torch::optim::SGD>(torch::optim::SGDOptions(1e-3))},
        {"lenet-adam", lenet<torch::optim::Adam>(torch::optim::AdamOptions(1e-5))},
        {"lstm-sgd", sequences<torch::optim::SGD>(torch::optim::SGDOptions(1e-3))},
        {"lstm-adam", sequences<torch::optim::Adam>(torch::optim::AdamOptions(1e-5))},
    };
    return contender::serve(cases, "libtorch " TORCH_VERSION);
}
