// SPDX-License-Identifier: BSL-1.0
#pragma once

// Everything but the loaders of particular files, which need further libraries: <sigma/data/mnist.hpp> and its like.
#include <sigma/data/minibatches.hpp>
#include <sigma/data/split.hpp>
#include <sigma/function/function.hpp>
#include <sigma/initializer/constant.hpp>
#include <sigma/initializer/gaussian.hpp>
#include <sigma/initializer/glorot.hpp>
#include <sigma/initializer/he.hpp>
#include <sigma/initializer/uniform.hpp>
#include <sigma/layer/average_pool.hpp>
#include <sigma/layer/conv1d.hpp>
#include <sigma/layer/conv2d.hpp>
#include <sigma/layer/conv_transpose2d.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/depthwise_conv2d.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/global_average_pool.hpp>
#include <sigma/layer/global_max_pool.hpp>
#include <sigma/layer/max_pool.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
#include <sigma/network/summary.hpp>
#include <sigma/optimizer/adadelta.hpp>
#include <sigma/optimizer/adagrad.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/adamw.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/optimizer/momentum.hpp>
#include <sigma/optimizer/nesterov.hpp>
#include <sigma/trainer/trainer.hpp>
#include <sigma/worker/inspect.hpp>
