// SPDX-License-Identifier: BSL-1.0
// Sigma's side of gpu_peers.py: reads lines "case seconds" and answers each with "case median least launches",
// microseconds of one step on the first GPU and the launches it has (0: not known), the latter for kernels by
// themselves. Training is what a user writes: a trainer that runs epochs, over records that stay on the device. Ends
// with 77 where there is no device.
#include <sigma/data/transform/augmentations.hpp>
#include <sigma/function/function.hpp>
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
struct LeNet : Network<Input(28, 28) + Conv2D(6, 5, relu, {.padding = sigma::same}) + MaxPool(2) + Conv2D(16, 5, relu) +
                       MaxPool(2) + Dense(120, relu) + Dense(84, relu) + Dense(10) + SoftmaxCE()> {};
struct Reader : Network<Input(64) + Embedding(65, 24) + LSTM(128) + Linear(65) + SoftmaxCE()> {};
struct Block : Network<Input(64, 128) + TransformerBlock(4, 512) + GlobalAveragePool() + Dense(10) + SoftmaxCE()> {};
struct Words : Network<Input(32) + Embedding(50'000, 64) + GlobalAveragePool() + Dense(2) + SoftmaxCE()> {};

constexpr GradientDescent descent{.learning_rate = 1e-3};
constexpr Adam adam{.learning_rate = 1e-5};

/// Does something `times` times and returns when it is done.
struct Work {
    std::function<void(long times)> run;
    long steps = 1;  ///< each time
    std::function<int()> launches = [] { return 0; };
};
using Cases = std::map<std::string, std::function<Work()>>;

/// Records of a network's shapes: numbers from 0 to 1, or below `ids`, and a class for each target.
template <AnyNetwork N>
Dataset records(std::size_t count, std::size_t ids = 0) {
    const auto array = [&](const Shape& of) {
        Numbers numbers{{count}, {}};
        for (int i = 1; i < of.rank; ++i) numbers.shape.push_back(static_cast<std::size_t>(of[i]));
        numbers.values.resize(count * static_cast<std::size_t>(of.count()));
        return numbers;
    };
    Numbers x = array(N::inputs[0]), y = array(N::targets[0]);
    for (std::size_t i = 0; i < x.values.size(); ++i)
        x.values[i] = ids ? static_cast<float>(i * 7919 % ids) : static_cast<float>(i * 7919 % 997) / 997;
    const auto classes = static_cast<std::size_t>(N::output.last());
    for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = static_cast<float>(i * 7 % classes);
    return {std::move(x), std::move(y), "numbers"};
}

template <AnyNetwork N, AnyOptimizer O>
std::function<Work()> training(const Device& device, O optimizer, std::size_t in_a_step, std::size_t steps,
                               std::size_t ids = 0, bool streamed = false) {
    return [=]() -> Work {
        auto batches = sigma::minibatches(records<N>(in_a_step * steps, ids), in_a_step);
        // What is augmented, even by nothing, is gathered by the host and copied.
        if (streamed)
            batches = batches >> data::augment(data::augment_by("nothing", [](auto&&...) {})) >> data::prefetch(2);
        const auto trainer = std::make_shared<Trainer<N, O>>("numbers", N{}, optimizer, std::move(batches));
        return {[=](long times) {
                    trainer->run(device, times);
                    device.compute_device()->synchronize();
                },
                static_cast<long>(steps)};
    };
}

/// Scoring of data that stay there, within a run.
template <AnyNetwork N>
std::function<Work()> scoring(const Device& device, std::size_t count) {
    return [=]() -> Work {
        const auto model = std::make_shared<Model<N>>();
        model->dual_buffer().attach(device.compute_device(), "parameters");
        const auto evaluator = std::make_shared<detail::Evaluator<N>>(records<N>(count));
        return {[=](long times) {
            for (long i = 0; i < times; ++i) (*evaluator)(*model);
        }};
    };
}

constexpr auto chain = [](auto a, auto b, auto c) { return a * b + c * exp(-a); };
constexpr auto softmax_of_rows = [](auto x) { return softmax(x); };

/// The kernels of a function into memory that is there already, captured once and replayed.
template <class F, Shape... S>
struct Kernels {
    using P = detail::Planned<detail::FunctionProgram<F, S...>, on_cpu::lanes<float>>;
    detail::SharedOwner<detail::ComputeDevice> device;
    detail::Owned<detail::DeviceProgram> program;
    std::vector<detail::DeviceMemory> memory;
    detail::Owned<detail::CapturedGraph> replay;

    Kernels(detail::SharedOwner<detail::ComputeDevice> where, std::ptrdiff_t count, std::size_t elements)
        : device(std::move(where)), program(device->make_program(view_of<float>(P::plan))) {
        std::vector<float> values(elements);
        for (std::size_t i = 0; i < elements; ++i) values[i] = static_cast<float>(i * 7919 % 997) / 997 - 0.5f;
        for (std::size_t i = 0; i <= sizeof...(S); ++i) {
            memory.emplace_back(device, elements * sizeof(float), "an array");
            device->upload(memory.back().data(), values.data(), elements * sizeof(float));
            if (i < sizeof...(S))
                program->bind(detail::Buffer::Where::input, static_cast<int>(i), memory.back().data());
            else program->bind(detail::Buffer::Where::output, 0, memory.back().data());
        }
        program->prepare(count);
        program->run();
        replay = device->capture([this] { program->run(); });
    }
};
template <Shape... S, class F>
std::function<Work()> kernels(const Device& device, F, std::ptrdiff_t count, std::size_t elements) {
    return [=]() -> Work {
        const auto k = std::make_shared<Kernels<F, S...>>(device.compute_device(), count, elements);
        return {[=](long times) {
                    for (long i = 0; i < times; ++i) k->replay->run();
                    k->device->synchronize();
                },
                1, [=] { return k->program->launches(); }};
    };
}
std::function<Work()> copies(const Device& device, std::size_t bytes) {
    return [=]() -> Work {
        const auto there = device.compute_device();
        const auto from = std::make_shared<detail::DeviceMemory>(there, bytes, "an array"),
                   to = std::make_shared<detail::DeviceMemory>(there, bytes, "an array");
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
    std::printf("%s %.4f %.4f %d\n", name.c_str(), microseconds[microseconds.size() / 2], microseconds.front(),
                work.launches());
    std::fflush(stdout);
}

int serve() {
    const Device device = gpu(), rounded = gpu(GpuOptions{.precision = Precision::tf32}),
                 coarse = gpu(GpuOptions{.precision = Precision::bf16});
    // Epochs are long enough that what a run does once an epoch, keeping a copy of the parameters, hardly counts, but
    // with those of "wide", a third of a step with TF32.
    const Cases cases{
        {"mlp100-sgd", training<Digits>(device, descent, 100, 600)},
        {"mlp100-adam", training<Digits>(device, adam, 100, 600)},
        {"mlp1024-sgd", training<Digits>(device, descent, 1024, 60)},
        {"mlp1024-adam", training<Digits>(device, adam, 1024, 60)},
        {"wide1024-sgd", training<Wide>(device, descent, 1024, 200)},
        {"wide1024-sgd-tf32", training<Wide>(rounded, descent, 1024, 200)},
        {"wide1024-sgd-bf16", training<Wide>(coarse, descent, 1024, 200)},
        {"mlp16384-sgd", training<Digits>(device, descent, 16'384, 12)},
        {"lenet64-adam", training<LeNet>(device, adam, 64, 200)},
        {"lenet64-adam-tf32", training<LeNet>(rounded, adam, 64, 200)},
        {"lstm16-adam", training<Reader>(device, adam, 16, 50, 65)},
        {"attention32-adam", training<Block>(device, adam, 32, 100)},
        {"embedding256-sgd", training<Words>(device, descent, 256, 50, 50'000)},
        {"stream1024-sgd", training<Digits>(device, descent, 1024, 60, 0, true)},
        {"score10000", scoring<Digits>(device, 10'000)},
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
