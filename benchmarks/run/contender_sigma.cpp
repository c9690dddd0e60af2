// SPDX-License-Identifier: BSL-1.0
// Sigma's side of compare.py.
#include "support/contender.hpp"

#include <sigma/device/cpu/executor.hpp>
#include <sigma/sigma.hpp>
#include <sigma/xtensor.hpp>
#include <support/direct_step.hpp>

#include <memory>

using namespace sigma;
using contender::array;
using contender::Cases;
using contender::Work;

namespace {

struct IrisNetwork : Network<Input(4) + 2 * Dense(12, tanh) + Dense(3) + SoftmaxCE()> {};
struct Digits : Network<Input(784) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};
struct WideDigits : Network<Input(784) + 2 * Dense(1024, relu) + Dense(10) + SoftmaxCE()> {};
struct LeNet : Network<Input(28, 28) + Conv2D(6, 5, relu) + MaxPool(2) + Conv2D(16, 5, relu) + MaxPool(2) +
                       Dense(120, relu) + Dense(84, relu) + Dense(10) + SoftmaxCE()> {};
struct Sequences : Network<Input(32, 64) + LSTM(128) + Linear(64) + SoftmaxCE()> {};

constexpr GradientDescent descent{.learning_rate = 1e-3};
constexpr Adam adam{.learning_rate = 1e-5};

template <class N, class O>
struct Training {
    Model<N> model{1};
    sigma::test::DirectStep<N, O> step{model};
    O optimizer;
    std::ptrdiff_t records;
    std::shared_ptr<float> inputs, targets;
    std::uint64_t number = 0;
    double loss = 0;

    Training(O o, std::ptrdiff_t count, int threads)
        : optimizer(o), records(count), inputs(array(static_cast<std::size_t>(count * N::input.count()), 0, 1)),
          targets(array(static_cast<std::size_t>(count * N::targets[0].count()))) {
        model.set_threads(threads);
        for (std::ptrdiff_t i = 0; i < count * N::targets[0].count(); ++i)
            targets.get()[i] = static_cast<float>(7 * i % N::output.last());
    }
    void operator()() { loss = step(optimizer, ++number, inputs.get(), targets.get(), records); }
};
template <class N, class O>
std::function<Work()> training(O optimizer, std::ptrdiff_t records, int threads = 1) {
    return [=]() -> Work {
        auto work = std::make_shared<Training<N, O>>(optimizer, records, threads);
        return [work] { (*work)(); };
    };
}
template <class N>
Work prediction() {
    const auto model = std::make_shared<Model<N>>(1);
    const auto x = array(static_cast<std::size_t>(N::input.count()), 0, 1), y = array(16);
    return [=] { model->predict(x.get(), y.get(), 1); };
}

constexpr auto wave = [](auto a, auto b, auto x) { return sum(tanh(a * x + b) * exp(-x * x)); };
constexpr auto chain = [](auto a, auto b, auto c) { return a * b + c * exp(-a); };

using Vector = xt::xtensor<float, 1>;
std::shared_ptr<Vector> vector(std::size_t n) {
    auto v = std::make_shared<Vector>(std::array<std::size_t, 1>{n});
    contender::Numbers{}.fill(v->data(), n, -1, 1);
    return v;
}
template <class F>
std::function<Work()> call(F f, std::size_t n) {
    return [=]() -> Work {
        const auto a = vector(n), b = vector(n), c = vector(n);
        return [=] {
            auto result = f(*a, *b, *c);
            contender::keep(&result);
        };
    };
}
/// The same kernels into memory that is there already.
template <class F>
std::function<Work()> kernels(F, std::size_t n) {
    using P =
        detail::Planned<detail::FunctionProgram<F, Shape{batch}, Shape{batch}, Shape{batch}>, on_cpu::lanes<float>>;
    return [=]() -> Work {
        const auto a = vector(n), b = vector(n), c = vector(n), d = vector(n);
        const auto executor = std::make_shared<on_cpu::Executor<float>>(on_cpu::compiled_program<P, float>);
        executor->bind_input(0, a->data());
        executor->bind_input(1, b->data());
        executor->bind_input(2, c->data());
        executor->bind_output(0, d->data());
        return [=] {
            (void)a, (void)b, (void)c, (void)d;
            executor->prepare(static_cast<std::ptrdiff_t>(n));
            executor->run();
        };
    };
}

}  // namespace

int main() {
    Cases cases{
        {"iris-sgd", training<IrisNetwork>(descent, 10)},
        {"iris-adam", training<IrisNetwork>(adam, 10)},
        {"mlp32-sgd", training<Digits>(descent, 32)},
        {"mlp100-sgd", training<Digits>(descent, 100)},
        {"mlp100-adam", training<Digits>(adam, 100)},
        {"mlp100-sgd-2threads", training<Digits>(descent, 100, 2)},
        {"mlp100-adam-2threads", training<Digits>(adam, 100, 2)},
        {"wide-sgd", training<WideDigits>(descent, 100)},
        {"wide-adam", training<WideDigits>(adam, 100)},
        {"lenet-sgd", training<LeNet>(descent, 64)},
        {"lenet-adam", training<LeNet>(adam, 64)},
        {"lenet-sgd-2threads", training<LeNet>(descent, 64, 2)},
        {"lstm-sgd", training<Sequences>(descent, 32)},
        {"lstm-adam", training<Sequences>(adam, 32)},
        {"lstm-sgd-2threads", training<Sequences>(descent, 32, 2)},
        {"predict-iris", prediction<IrisNetwork>},
        {"predict-mlp", prediction<Digits>},
    };
    for (const auto& [text, n] : {std::pair("1e3", 1000u), std::pair("1e5", 100000u), std::pair("1e7", 10000000u)}) {
        const std::string size = text;
        if (n < 1000000) {
            cases["value-" + size] = call(evaluate(wave), n);
            cases["gradient-" + size] = call(value_and_gradient(wave, wrt<2>), n);
        }
        cases["chain-" + size] = call(evaluate(chain), n);
        cases["chain-into-" + size] = kernels(chain, n);
    }
    return contender::serve(cases, sentence("Sigma, own products on vectors of ", on_cpu::lanes<float>, " floats"));
}
