// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Saving, loading and converting models: model files, C++ headers, PyTorch and Keras parameters, formulas, 8-bit
/// models. Include it yourself, and link the component `exchange`: find_package(sigma COMPONENTS exchange).
///
/// ONNX needs protobuf and is a component of its own, see `<sigma/onnx.hpp>`.
#include <sigma/exchange/cpp_source.hpp>
#include <sigma/exchange/foreign_parameters.hpp>
#include <sigma/exchange/formula.hpp>
#include <sigma/exchange/model_file.hpp>
#include <sigma/exchange/portable_model.hpp>
#include <sigma/exchange/quantize.hpp>
