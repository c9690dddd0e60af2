// SPDX-License-Identifier: BSL-1.0
// Blocks of the page about GPUs, compiled only.
#include <sigma/gpus.hpp>
#include <sigma/sigma.hpp>

namespace {

using namespace sigma;

struct Digits : Network<Input(28, 28) + Dense(10) + SoftmaxCE()> {};
using DigitsTrainer = decltype(Trainer("digits", Digits{}, Adam{}, std::declval<Minibatches>()));

[[maybe_unused]] void one(DigitsTrainer& trainer, const Dataset& digits) {
    // [gpu-one]
    trainer.run(gpu());           // the first GPU, or a NoDeviceError
    trainer.run(gpu(1), 10);      // the second, ten epochs
    trainer.run(gpu() | cpu(2));  // the GPU if there is one that can be used, else two threads
    trainer.start(gpu());         // on a thread of its own, as with cpu()
    fit(Digits{}, digits, {.device = gpu()});
    // [gpu-one]
    // [gpu-precision]
    trainer.run(gpu(GpuOptions{.device = 0, .precision = Precision::tf32}));
    // [gpu-precision]
}
[[maybe_unused]] void several(DigitsTrainer& trainer) {
    // [gpu-several]
    trainer.run(gpus(2));                  // the first two GPUs, or a NoDeviceError
    trainer.run(gpus(), 10);               // all there are
    trainer.run(gpus({0, 2}));             // these
    trainer.run(gpus(2) | gpu() | cpu());  // the first of these that can be used
    trainer.run(gpus(2, {.precision = Precision::tf32}));
    // [gpu-several]
}

}  // namespace
