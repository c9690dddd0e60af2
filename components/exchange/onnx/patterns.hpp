// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/tape.hpp>

#include <vector>

// Formulas of the library that are one operator of ONNX. Each pattern is a trace of the library's own function, and is
// compared with the nodes of a program. Nodes without a pattern are written operation by operation.
namespace sigma::detail::onnx {

enum class PatternKind {
    elementwise,          ///< Operands: x.
    clip,                 ///< Operands: x; the numbers are the bounds.
    along_axis,           ///< Operands: x; the option is the axis.
    with_slopes,          ///< Operands: x and slopes.
    layer_normalization,  ///< Operands: x, scales, shifts; the option is the number of leading axes.
    batch_normalization,  ///< Operands: x, means, variances; optional scales and shifts.
    recurrent             ///< Operands: x, weights, states; see RecurrentOption.
};
/// The bits of a recurrent layer's option.
enum RecurrentOption { without_biases = 1, backwards = 2, recurrent_options = 4 };

struct NamedNumber {
    const char* name;
    double value;
};
struct Match {
    const char* op = nullptr;  ///< Null: the operation of the node itself.
    PatternKind kind{};
    int option = 0;
    std::vector<int> operands{};         ///< x, then parameters.
    std::vector<int> states{};           ///< States before the first step; -1: zeros.
    std::vector<int> next{};             ///< States after a step.
    std::vector<NamedNumber> numbers{};  ///< Attributes, or numbers of the kind.
};

/// Returns the pattern that has node `n` as its result.
Match recognized(const Tape& tape, int n);

/// A convolution over images or volumes, channels last. The kernel stays inside.
struct WindowMatch {
    int image = -1;    ///< -1: not a convolution.
    int weights = -1;  ///< (kernel…, channels / groups, outputs)
    int groups = 1;
    std::vector<int> strides{}, dilations{};
};
WindowMatch recognized_convolution(const Tape& tape, int n);

}  // namespace sigma::detail::onnx
