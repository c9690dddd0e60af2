// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/exchange/cpp_source.hpp>
#include <sigma/exchange/foreign_parameters.hpp>
#include <sigma/exchange/formula.hpp>
#include <sigma/exchange/model_file.hpp>
#include <sigma/exchange/portable_model.hpp>
#include <sigma/exchange/quantize.hpp>

/// Models that leave a program and come into one, the component sigma::exchange: find_package(sigma COMPONENTS
/// exchange). ONNX, which needs protobuf, is a component of its own: <sigma/onnx.hpp>.
