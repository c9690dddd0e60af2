// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/exchange/onnx_export.hpp>

/// Models as ONNX files, the component sigma::onnx: find_package(sigma COMPONENTS onnx).
