// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/tape.hpp>

#include <vector>

/// Formulas of the library that are one operator of ONNX. Each is traced by the library's own function, and nodes of a
/// program are it where they are the same; what is not recognized is written operation by operation.
namespace sigma::detail::onnx {

enum class PatternKind {
    elementwise,          ///< of x
    clip,                 ///< of x, between its numbers
    along_axis,           ///< of x; the option is the axis
    with_slopes,          ///< of x and slopes
    layer_normalization,  ///< of x, scales and shifts; the option is how many of the first axes are left alone
    batch_normalization,  ///< of x, means, variances and, where there are, scales and shifts
    recurrent             ///< of x, its weights, and the states before; see RecurrentOption
};
/// The bits of a recurrent layer's option.
enum RecurrentOption { without_biases = 1, backwards = 2, recurrent_options = 4 };

struct NamedNumber {
    const char* name;
    double value;
};
struct Match {
    const char* op = nullptr;  ///< none: the operation of the node itself
    PatternKind kind{};
    int option = 0;
    std::vector<int> operands{};         ///< x, then what stands for parameters
    std::vector<int> states{};           ///< before the first step; -1: 0
    std::vector<int> next{};             ///< what a step makes of them
    std::vector<NamedNumber> numbers{};  ///< attributes, or what the kind says
};

/// What node `n` is the result of.
Match recognized(const Tape& tape, int n);

/// A convolution over images or volumes, channels last, whose kernel never leaves them.
struct WindowMatch {
    int image = -1;    ///< none: no convolution
    int weights = -1;  ///< (kernel…, channels / groups, outputs)
    int groups = 1;
    std::vector<int> strides{}, dilations{};
};
WindowMatch recognized_convolution(const Tape& tape, int n);

}  // namespace sigma::detail::onnx
