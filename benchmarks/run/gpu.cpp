// SPDX-License-Identifier: BSL-1.0
// Sigma's side of gpu_peers.py: reads lines "case seconds" and answers each with "case median least launches", microseconds
// of one step on the first GPU and the launches it has (0: not known), the latter for kernels by themselves. Training is
// what a user writes: a trainer that runs epochs, over records that stay on the device. Ends with 77 where there is no device.
#include <sigma/gpu.hpp>
#include <sigma/sigma.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace sigma;

namespace {

struct Digits : Network<Input(784) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};
struct Wide : Network<Input(784) + 2 * Dense(4096, relu) + Dense(10) + SoftmaxCE()> {};

constexpr GradientDescent descent{.learning_rate = 1e-3};
constexpr Adam adam{.learning_rate = 1e-5};

/// Does something `times` times and returns when it is done.
struct Work {
    std::function<void(long times)> run;
    long steps = 1;  ///< each time
    std::function<int()> launches = [] { return 0; };
};
using Cases = std::map<std::string, std::function<Work()>>;

Dataset records(std::size_t count) {
    constexpr std::size_t width = 784, classes = 10;
    Numbers x{{count, width}, std::vector<float>(count * width)}, y{{count}, std::vector<float>(count)};
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<float>(i * 7919 % 997) / 997;
    for (std::size_t i = 0; i < count; ++i) y.values[i] = static_cast<float>(i * 7 % classes);
    return {std::move(x), std::move(y), "numbers"};
}

template <AnyNetwork N, AnyOptimizer O>
std::function<Work()> training(const Device& device, O optimizer, std::size_t in_a_step, std::size_t steps) {
    return [=]() -> Work {
        const auto trainer = std::make_shared<Trainer<N, O>>("numbers", N{}, optimizer, sigma::minibatches(records(in_a_step * steps), in_a_step));
        return {[=](long times) {
                    trainer->run(device, times);
                    device.accelerator()->synchronize();
                },
                static_cast<long>(steps)};
    };
}

constexpr auto chain = [](auto a, auto b, auto c) { return a * b + c * exp(-a); };
constexpr auto softmax_of_rows = [](auto x) { return softmax(x); };

/// The kernels of a function into memory that is there already, captured once and replayed.
template <class F, Shape... S>
struct Kernels {
    using P = Planned<detail::FunctionProgram<F, S...>, simd::lanes<float>>;
    std::shared_ptr<Accelerator> device;
    std::unique_ptr<AcceleratorProgram> program;
    std::vector<DeviceMemory> memory;
    std::unique_ptr<Replay> replay;

    Kernels(std::shared_ptr<Accelerator> where, std::ptrdiff_t count, std::size_t elements)
        : device(std::move(where)), program(device->make_program(view_of<float>(P::plan))) {
        std::vector<float> values(elements);
        for (std::size_t i = 0; i < elements; ++i) values[i] = static_cast<float>(i * 7919 % 997) / 997 - 0.5f;
        for (std::size_t i = 0; i <= sizeof...(S); ++i) {
            memory.emplace_back(device, elements * sizeof(float), "an array");
            device->upload(memory.back().data(), values.data(), elements * sizeof(float));
            if (i < sizeof...(S)) program->bind(Buffer::Where::input, static_cast<int>(i), memory.back().data());
            else program->bind(Buffer::Where::output, 0, memory.back().data());
        }
        program->prepare(count);
        program->run();
        replay = device->capture([this] { program->run(); });
    }
};
template <Shape... S, class F>
std::function<Work()> kernels(const Device& device, F, std::ptrdiff_t count, std::size_t elements) {
    return [=]() -> Work {
        const auto k = std::make_shared<Kernels<F, S...>>(device.accelerator(), count, elements);
        return {[=](long times) {
                    for (long i = 0; i < times; ++i) k->replay->run();
                    k->device->synchronize();
                },
                1, [=] { return k->program->launches(); }};
    };
}
std::function<Work()> copies(const Device& device, std::size_t bytes) {
    return [=]() -> Work {
        const auto there = device.accelerator();
        const auto from = std::make_shared<DeviceMemory>(there, bytes, "an array"), to = std::make_shared<DeviceMemory>(there, bytes, "an array");
        return {[=](long times) {
            for (long i = 0; i < times; ++i) there->copy(to->data(), from->data(), bytes);
            there->synchronize();
        }};
    };
}

void measure(const std::string& name, const Work& work, double seconds) {
    const auto time = [&](long times) {
        const auto began = std::chrono::steady_clock::now();
        work.run(times);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    };
    time(1);  // kernels are made, and the step is captured
    time(1);
    long times = 1;
    while (time(times) < 0.02 && times < 1'000'000) times *= 2;
    std::vector<double> microseconds;
    for (double spent = 0; spent < seconds || microseconds.size() < 5;) {
        const double sample = time(times);
        spent += sample;
        microseconds.push_back(sample * 1e6 / static_cast<double>(times * work.steps));
    }
    std::ranges::sort(microseconds);
    std::printf("%s %.4f %.4f %d\n", name.c_str(), microseconds[microseconds.size() / 2], microseconds.front(), work.launches());
    std::fflush(stdout);
}

int serve() {
    const Device device = gpu(), rounded = gpu(GpuOptions{.precision = Precision::tf32});
    // Epochs are long enough that what a run does once an epoch, keeping a copy of the parameters, hardly counts.
    const Cases cases{
        {"mlp100-sgd", training<Digits>(device, descent, 100, 600)},
        {"mlp100-adam", training<Digits>(device, adam, 100, 600)},
        {"mlp1024-sgd", training<Digits>(device, descent, 1024, 60)},
        {"mlp1024-adam", training<Digits>(device, adam, 1024, 60)},
        {"wide1024-sgd", training<Wide>(device, descent, 1024, 200)},
        {"wide1024-sgd-tf32", training<Wide>(rounded, descent, 1024, 200)},
        {"chain-1e7", kernels<Shape{batch}, Shape{batch}, Shape{batch}>(device, chain, 10'000'000, 10'000'000)},
        {"softmax-1000", kernels<Shape{batch, 1000}>(device, softmax_of_rows, 16'384, 16'384'000)},
        {"copy-1e8", copies(device, 100'000'000)},
    };
    std::printf("Sigma on %s\n", device.name().c_str());
    for (const auto& named : cases) std::printf("%s ", named.first.c_str());
    std::printf("\n");
    std::fflush(stdout);
    std::string name;
    double seconds = 0;
    while (std::cin >> name >> seconds) measure(name, cases.at(name)(), seconds);
    return 0;
}

}  // namespace

int main() {
    try {
        return serve();
    } catch (const NoDeviceError& e) {
        std::fprintf(stderr, "benchmark_gpu: nothing was measured: %s\n", e.what());
        return 77;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "benchmark_gpu: %s\n", e.what());
        return 1;
    }
}
