// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/exchange/onnx_export.hpp>
#include <sigma/exchange/onnx_import.hpp>

/// Models as ONNX files, the component sigma::onnx: find_package(sigma COMPONENTS onnx).
