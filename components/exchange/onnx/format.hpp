// SPDX-License-Identifier: BSL-1.0
#pragma once
// The classes that protobuf generates from ONNX's .proto: sigma::onnx_format::ModelProto and its members.
#include <onnx_format.pb.h>

namespace sigma::detail {

namespace format = sigma::onnx_format;

}  // namespace sigma::detail
