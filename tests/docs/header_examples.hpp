// SPDX-License-Identifier: BSL-1.0
// What stands before each example in a comment of a public header: header_examples.py compiles the example behind it.
// An example may use `images`, `training`, `testing`, `model`, `trainer` and `Digits` without declaring them.
#pragma once
#include <sigma/data/data.hpp>
#include <sigma/data/mnist.hpp>
#include <sigma/data/reader/image.hpp>
#include <sigma/data/reader/sound.hpp>
#include <sigma/data/reader/tokens.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/text/tokenizer.hpp>
#include <sigma/data/tic_tac_toe.hpp>
#include <sigma/data/with_weights.hpp>
#include <sigma/sigma.hpp>

#include <sigma/acting/cart_pole.hpp>
#include <sigma/acting/dqn.hpp>
#include <sigma/acting/pendulum.hpp>
#include <sigma/acting/ppo.hpp>
#include <sigma/benchmark.hpp>
#include <sigma/check_gradients.hpp>
#include <sigma/core/show_tasks.hpp>
#include <sigma/decoding/boxes.hpp>
#include <sigma/decoding/ctc.hpp>
#include <sigma/decoding/generate.hpp>
#include <sigma/decoding/sample.hpp>
#include <sigma/environment/environment.hpp>
#include <sigma/exchange.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/execution/define_by_run.hpp>
#include <sigma/execution/evolution.hpp>
#include <sigma/execution/explain.hpp>
#include <sigma/execution/lbfgs.hpp>
#include <sigma/function/derivatives.hpp>
#include <sigma/hook/in_each_worker.hpp>
#include <sigma/hook/notify.hpp>
#include <sigma/hook/tensorboard.hpp>
#include <sigma/hook/webhook.hpp>
#include <sigma/layer/spectrogram.hpp>
#include <sigma/machines.hpp>
#include <sigma/monitor/panel.hpp>
#include <sigma/monitor/run_folder.hpp>
#include <sigma/monitor/terminal.hpp>
#include <sigma/monitor/web.hpp>
#include <sigma/onnx.hpp>
#include <sigma/optimizer/accumulate.hpp>
#include <sigma/optimizer/average.hpp>
#include <sigma/storage/json.hpp>
#include <sigma/storage/npy.hpp>
#include <sigma/storage/safetensors.hpp>
#include <sigma/storage/utf8.hpp>
#include <sigma/storage/workspace.hpp>
#include <sigma/trainer/averages.hpp>
#include <sigma/trainer/cross_validate.hpp>
#include <sigma/trainer/machines/machines.hpp>
#include <sigma/trainer/registry.hpp>
#include <sigma/trainer/search.hpp>
#include <sigma/trainer/terminal/classification_report.hpp>
#include <sigma/trainer/terminal/confusion.hpp>
#include <sigma/trainer/terminal/draw.hpp>
#include <sigma/trainer/terminal/draw_maximised.hpp>
#include <sigma/trainer/terminal/show_progress.hpp>
#include <sigma/trainer/workers/workers.hpp>
#if __has_include(<xtensor/xarray.hpp>)
#include <sigma/xtensor.hpp>
#endif
#if __has_include(<boost/hana.hpp>)
#include <sigma/hana.hpp>
#endif
#if __has_include(<cuda_runtime.h>)
#include <sigma/gpu.hpp>
#include <sigma/gpus.hpp>
#include <sigma/profile.hpp>
#endif

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

using namespace sigma;

struct Digits : Network<Input(28, 28) + Dense(128, relu) + Dense(10) + SoftmaxCE()> {};
extern Model<Digits> model;
auto [training, testing, whole] = data::mnist();
extern Trainer<Digits, Adam> trainer;
extern Array<float> images;
