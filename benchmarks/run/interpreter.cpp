// SPDX-License-Identifier: BSL-1.0
// What a step takes that is interpreted, beside the same step with fused kernels: medians of interleaved slices, one
// thread.
//     benchmark_interpreter [slices]
#include <sigma/device/cpu/compiled_program.hpp>
#include <sigma/device/cpu/executor.hpp>
#include <sigma/sigma.hpp>

#include "support/clocks.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace sigma;

namespace {

struct IrisNetwork : Network<Input(4) + 2 * Dense(12, tanh) + Dense(3) + SoftmaxCE()> {};
struct Digits : Network<Input(784) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};
struct LeNet : Network<Input(28, 28) + Conv2D(6, 5, relu) + MaxPool(2) + Conv2D(16, 5, relu) + MaxPool(2) +
                       Dense(120, relu) + Dense(84, relu) + Dense(10) + SoftmaxCE()> {};
struct Sequences : Network<Input(32, 64) + LSTM(128) + Linear(64) + SoftmaxCE()> {};
struct Sentences : Network<Input(64, 128) + TransformerBlock(4, 512) + SquaredDiff()> {};

/// One way to run a step, with memory of its own.
class Way {
public:
    Way(const detail::CompiledProgram<float>& program, std::ptrdiff_t records)
        : executor_(program), memory_(program.plan().buffers.size()) {
        unsigned random = 1;
        for (std::size_t b = 0; b < memory_.size(); ++b) {
            const detail::Buffer& buffer = program.plan().buffers[b];
            const Shape& s = buffer.shape;
            const std::ptrdiff_t count =
                (s.rank > 0 ? detail::stored_count(s, buffer.pitch) : 1) * (s.batched() ? records : 1);
            memory_[b].resize(static_cast<std::size_t>(count) + 64);
            for (float& x : memory_[b]) {
                random = random * 1664525u + 1013904223u;
                x = static_cast<float>(random >> 8) / 16777216.0f * 0.2f;
            }
            if (buffer.where == detail::Buffer::Where::state) std::fill(memory_[b].begin(), memory_[b].end(), 0.001f);
            if (buffer.where == detail::Buffer::Where::input) executor_.bind_input(buffer.offset, memory_[b].data());
            if (buffer.where == detail::Buffer::Where::output) executor_.bind_output(buffer.offset, memory_[b].data());
            if (buffer.where == detail::Buffer::Where::parameter)
                executor_.bind_parameter(buffer.offset, memory_[b].data());
            if (buffer.where == detail::Buffer::Where::state) executor_.bind_state(buffer.offset, memory_[b].data());
        }
        executor_.prepare(records);
    }
    /// Microseconds a step.
    double slice(int steps) {
        const clocks::Time t = clocks::time([&] {
            for (int i = 0; i < steps; ++i) executor_.run();
        });
        return 1e6 * t.processor / steps;
    }

private:
    on_cpu::Executor<float> executor_;
    std::vector<std::vector<float>> memory_;
};

template <class N, class O>
void row(const char* name, std::ptrdiff_t records, int pairs) {
    using P = detail::Planned<detail::TrainingProgram<N, O>, on_cpu::lanes<float>>;
    Way fused(on_cpu::compiled_program<P, float, false>, records),
        interpreted(on_cpu::compiled_program<P, float, true>, records);
    const int steps = static_cast<int>(10000 / fused.slice(5)) + 1;
    interpreted.slice(steps);
    std::vector<double> x, y, ratio;
    for (int i = 0; i < pairs; ++i) {
        x.push_back(fused.slice(steps));
        y.push_back(interpreted.slice(steps));
        ratio.push_back(y.back() / x.back());
    }
    std::printf("%-12s %10.2f %12.2f %8.2f\n", name, clocks::median(x), clocks::median(y), clocks::median(ratio));
}

}  // namespace

int main(int count, char** words) {
    const int pairs = count > 1 ? std::atoi(words[1]) : 30;
    std::printf("step           fused us  interpreted us  ratio\n");
    row<IrisNetwork, GradientDescent>("iris-sgd", 10, pairs);
    row<IrisNetwork, Adam>("iris-adam", 10, pairs);
    row<Digits, GradientDescent>("mlp100-sgd", 100, pairs);
    row<Digits, Adam>("mlp100-adam", 100, pairs);
    row<LeNet, GradientDescent>("lenet-sgd", 64, pairs);
    row<LeNet, Adam>("lenet-adam", 64, pairs);
    row<Sequences, GradientDescent>("lstm-sgd", 32, pairs);
    row<Sentences, Adam>("block-adam", 16, pairs);
}
