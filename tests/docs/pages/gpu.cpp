// SPDX-License-Identifier: BSL-1.0
// Blocks of the page about GPUs, compiled only.
#include <sigma/gpus.hpp>
#include <sigma/sigma.hpp>
#include <sigma/xtensor.hpp>

namespace {

using namespace sigma;

struct Digits : Network<Input(28, 28) + Dense(10) + SoftmaxCE()> {};
using DigitsTrainer = decltype(Trainer("digits", Digits{}, Adam{}, std::declval<Minibatches>()));

[[maybe_unused]] void one(DigitsTrainer& trainer, const Dataset& digits) {
    // [gpu-one]
    trainer.run(gpu(), 10);           // the first GPU, ten epochs; throws NoDeviceError without one
    trainer.run(gpu(1), 10);          // the second GPU
    trainer.run(gpu() | cpu(2), 10);  // the GPU if one can be used, otherwise two CPU threads
    trainer.start(gpu(), 10);         // in the background, as with cpu()
    fit(Digits{}, digits, {.device = gpu()});
    // [gpu-one]
    // [gpu-precision]
    trainer.run(gpu(GpuOptions{.device = 0, .precision = Precision::tf32}));
    // [gpu-precision]
}
[[maybe_unused]] void predictions(Model<Digits>& model, const Dataset& digits, const xt::xtensor<float, 3>& images) {
    // [gpu-predictions]
    model.predict(gpu(), images);   // copies the parameters for this call only
    model.evaluate(gpu(), digits);  // evaluates all records of a data set
    model.to(gpu());                // keeps the parameters there until to(cpu()) or a run
    const DeviceArray<float> x(gpu(), images);
    const DeviceArray<float> p = model.predict(x);  // nothing is copied
    const Array<float> probabilities = p.to_host();
    // [gpu-predictions]
}
[[maybe_unused]] void functions(const xt::xtensor<float, 2>& x, const xt::xtensor<float, 2>& w) {
    // [gpu-functions]
    const auto loss = [](auto a, auto b) { return mean(square(dot(a, b) - 1.0)); };
    const auto slope = value_and_gradient(loss, wrt<1>).on(gpu());  // or on(cpu(2)): two threads
    const auto [value, dw] = slope(shaped<batch, 784>(x), shaped<784, 10>(w));

    const DeviceArray<float> x_there(gpu(), x), w_there(gpu(), w);
    auto d_there = DeviceArray<float>::from_shape(gpu(), {784, 10});
    float now = 0;
    slope.into(now, d_there)(shaped<batch, 784>(x_there), shaped<784, 10>(w_there));
    // [gpu-functions]
}
[[maybe_unused]] void several(DigitsTrainer& trainer) {
    // [gpu-several]
    trainer.run(gpus(2));                  // the first two GPUs; throws NoDeviceError without them
    trainer.run(gpus(), 10);               // all GPUs
    trainer.run(gpus({0, 2}));             // the first and the third
    trainer.run(gpus(2) | gpu() | cpu());  // the first alternative that can be used
    trainer.run(gpus(2, {.precision = Precision::tf32}));
    // [gpu-several]
}

}  // namespace
