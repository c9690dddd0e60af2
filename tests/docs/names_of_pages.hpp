// SPDX-License-Identifier: BSL-1.0
// What pages speak of without declaring it; see spans.py.
#pragma once
#include <sigma/data/data.hpp>
#include <sigma/data/mnist.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/with_weights.hpp>
#include <sigma/decoding/ctc.hpp>
#include <sigma/decoding/sample.hpp>
#include <sigma/exchange.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/execution/define_by_run.hpp>
#include <sigma/execution/lbfgs.hpp>
#include <sigma/hook/notify.hpp>
#include <sigma/hook/tensorboard.hpp>
#include <sigma/hook/webhook.hpp>
#include <sigma/machines.hpp>
#include <sigma/onnx.hpp>
#include <sigma/optimizer/accumulate.hpp>
#include <sigma/optimizer/average.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/averages.hpp>
#include <sigma/trainer/cross_validate.hpp>
#include <sigma/trainer/registry.hpp>
#include <sigma/trainer/terminal.hpp>
#include <sigma/xtensor.hpp>

#include <chrono>

using namespace sigma;
using namespace std::chrono_literals;

/// No name of a mistake.
template <class T>
inline constexpr bool is_whole = requires { sizeof(T); };
template <>
inline constexpr bool is_whole<void> = true;

struct Iris : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};

struct Faces : Network<(Input(28, 28) & named("side", Input(10))) + Parallel(Flatten(), skip) + Concatenate() +
                       Dense(2) + SoftmaxCE()> {};

extern Model<Iris> model;
extern const Model<Faces> faces;
extern Trainer<Iris, Adam> trainer;
extern const Dataset training, validation, testing;
extern const Minibatches batches;
extern const Array<float> images, sides, kinds;
