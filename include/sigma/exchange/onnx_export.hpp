// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/exchange/portable_model.hpp>

#include <string>
#include <vector>

namespace sigma {

/// How a model is written as an ONNX file.
struct OnnxOptions {
    /// The weights in a file of their own beside it, "m.onnx.data", which ONNX calls external data. A file with weights
    /// inside has at most 2 GB.
    bool weights_beside = false;
};
/// What stands in an ONNX file.
struct OnnxContents {
    std::vector<std::string> inputs{}, outputs{};  ///< "0-input (batch, 28, 28)"
    /// In the order in which they are computed: "Gemm(0-input, 1-dense.weights, 1-dense.biases) -> 1-dense/Gemm".
    std::vector<std::string> nodes{};
};

namespace detail {

[[gnu::cold]] OnnxContents export_onnx(const PortableModel& model, const std::string& file, const OnnxOptions& options);

}  // namespace detail

/// Writes what the model predicts as an ONNX file (operators of set 17), whole or not at all. Numbers have the model's
/// type. Throws ArgumentError where ONNX has no words for an operation, and StorageError where a file cannot be
/// written.
template <AnyNetwork N, class T>
OnnxContents export_onnx(const Model<N, T>& model, const std::string& file, const OnnxOptions& options = {}) {
    OnnxContents written;
    detail::with_portable(model,
                          [&](const detail::PortableModel& m) { written = detail::export_onnx(m, file, options); });
    return written;
}

}  // namespace sigma
