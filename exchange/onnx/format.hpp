// SPDX-License-Identifier: BSL-1.0
#pragma once
// Protobuf's classes, which the compiler makes of ONNX's .proto: sigma::onnx_format::ModelProto and what is in it.
#include <onnx_format.pb.h>

namespace sigma::detail {

namespace format = sigma::onnx_format;

}  // namespace sigma::detail
