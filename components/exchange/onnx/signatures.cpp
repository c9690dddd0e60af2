// SPDX-License-Identifier: BSL-1.0
// ONNX's specification of operators: numbers of inputs, attributes and their kinds, for each operator
// set. tests/onnx/signatures.cpp compares this table with ONNX's own library.
#include <sigma/storage/utf8.hpp>

#include "import.hpp"

#include <algorithm>

namespace sigma::detail {

namespace {

constexpr int any = 1 << 20;

// Sorted by name, then by the first operator set. Only changes have rows. Attributes are "name:kind", with "!" if they
// are required.
// clang-format off: a table
constexpr OnnxSignature rows[] = {
    {"Abs", 1, 1, 1, "consumed_inputs:is"},
    {"Abs", 6, 1, 1, ""},
    {"Acos", 7, 1, 1, ""},
    {"Acosh", 9, 1, 1, ""},
    {"Add", 1, 2, 2, "axis:i broadcast:i consumed_inputs:is"},
    {"Add", 6, 2, 2, "axis:i broadcast:i"},
    {"Add", 7, 2, 2, ""},
    {"AffineGrid", 20, 2, 2, "align_corners:i"},
    {"And", 1, 2, 2, "axis:i broadcast:i"},
    {"And", 7, 2, 2, ""},
    {"ArgMax", 1, 1, 1, "axis:i keepdims:i"},
    {"ArgMax", 12, 1, 1, "axis:i keepdims:i select_last_index:i"},
    {"ArgMin", 1, 1, 1, "axis:i keepdims:i"},
    {"ArgMin", 12, 1, 1, "axis:i keepdims:i select_last_index:i"},
    {"Asin", 7, 1, 1, ""},
    {"Asinh", 9, 1, 1, ""},
    {"Atan", 7, 1, 1, ""},
    {"Atanh", 9, 1, 1, ""},
    {"Attention", 23, 3, 6, "is_causal:i kv_num_heads:i q_num_heads:i qk_matmul_output_mode:i scale:f softcap:f "
        "softmax_precision:i"},
    {"Attention", 24, 3, 7, "is_causal:i kv_num_heads:i q_num_heads:i qk_matmul_output_mode:i scale:f softcap:f "
        "softmax_precision:i"},
    {"Attention", 25, 3, 7, "is_causal:i kv_num_heads:i left_window_size:i q_num_heads:i qk_matmul_output_mode:i "
        "right_window_size:i scale:f softcap:f softmax_precision:i"},
    {"AveragePool", 1, 1, 1, "auto_pad:s kernel_shape:is! pads:is strides:is"},
    {"AveragePool", 7, 1, 1, "auto_pad:s count_include_pad:i kernel_shape:is! pads:is strides:is"},
    {"AveragePool", 10, 1, 1, "auto_pad:s ceil_mode:i count_include_pad:i kernel_shape:is! pads:is strides:is"},
    {"AveragePool", 19, 1, 1, "auto_pad:s ceil_mode:i count_include_pad:i dilations:is kernel_shape:is! pads:is "
        "strides:is"},
    {"BatchNormalization", 1, 5, 5, "consumed_inputs:is! epsilon:f is_test:i momentum:f spatial:i"},
    {"BatchNormalization", 6, 5, 5, "epsilon:f is_test:i momentum:f spatial:i"},
    {"BatchNormalization", 7, 5, 5, "epsilon:f momentum:f spatial:i"},
    {"BatchNormalization", 9, 5, 5, "epsilon:f momentum:f"},
    {"BatchNormalization", 14, 5, 5, "epsilon:f momentum:f training_mode:i"},
    {"BitShift", 11, 2, 2, "direction:s!"},
    {"BitwiseAnd", 18, 2, 2, ""},
    {"BitwiseNot", 18, 1, 1, ""},
    {"BitwiseOr", 18, 2, 2, ""},
    {"BitwiseXor", 18, 2, 2, ""},
    {"BlackmanWindow", 17, 1, 1, "output_datatype:i periodic:i"},
    {"Cast", 1, 1, 1, "to:s!"},
    {"Cast", 6, 1, 1, "to:i!"},
    {"Cast", 19, 1, 1, "saturate:i to:i!"},
    {"Cast", 24, 1, 1, "round_mode:s saturate:i to:i!"},
    {"CastLike", 15, 2, 2, ""},
    {"CastLike", 19, 2, 2, "saturate:i"},
    {"CastLike", 24, 2, 2, "round_mode:s saturate:i"},
    {"Ceil", 1, 1, 1, "consumed_inputs:is"},
    {"Ceil", 6, 1, 1, ""},
    {"Celu", 12, 1, 1, "alpha:f"},
    {"CenterCropPad", 18, 2, 2, "axes:is"},
    {"Clip", 1, 1, 1, "consumed_inputs:is max:f min:f"},
    {"Clip", 6, 1, 1, "max:f min:f"},
    {"Clip", 11, 1, 3, ""},
    {"Col2Im", 18, 3, 3, "dilations:is pads:is strides:is"},
    {"Compress", 9, 2, 2, "axis:i"},
    {"Concat", 1, 1, any, "axis:i"},
    {"Concat", 4, 1, any, "axis:i!"},
    {"Constant", 1, 0, 0, "value:t!"},
    {"Constant", 11, 0, 0, "sparse_value:sparse value:t"},
    {"Constant", 12, 0, 0, "sparse_value:sparse value:t value_float:f value_floats:fs value_int:i value_ints:is "
        "value_string:s value_strings:ss"},
    {"ConstantOfShape", 9, 1, 1, "value:t"},
    {"Conv", 1, 2, 3, "auto_pad:s dilations:is group:i kernel_shape:is pads:is strides:is"},
    {"ConvInteger", 10, 2, 4, "auto_pad:s dilations:is group:i kernel_shape:is pads:is strides:is"},
    {"ConvTranspose", 1, 2, 3, "auto_pad:s dilations:is group:i kernel_shape:is output_padding:is output_shape:is "
        "pads:is strides:is"},
    {"Cos", 7, 1, 1, ""},
    {"Cosh", 9, 1, 1, ""},
    {"CumSum", 11, 2, 2, "exclusive:i reverse:i"},
    {"DFT", 17, 1, 2, "axis:i inverse:i onesided:i"},
    {"DFT", 20, 1, 3, "inverse:i onesided:i"},
    {"DeformConv", 19, 3, 5, "dilations:is group:i kernel_shape:is offset_group:i pads:is strides:is"},
    {"DepthToSpace", 1, 1, 1, "blocksize:i!"},
    {"DepthToSpace", 11, 1, 1, "blocksize:i! mode:s"},
    {"DequantizeLinear", 10, 2, 3, ""},
    {"DequantizeLinear", 13, 2, 3, "axis:i"},
    {"DequantizeLinear", 21, 2, 3, "axis:i block_size:i"},
    {"DequantizeLinear", 23, 2, 3, "axis:i block_size:i output_dtype:i"},
    {"Det", 11, 1, 1, ""},
    {"Div", 1, 2, 2, "axis:i broadcast:i consumed_inputs:is"},
    {"Div", 6, 2, 2, "axis:i broadcast:i"},
    {"Div", 7, 2, 2, ""},
    {"Dropout", 1, 1, 1, "consumed_inputs:is is_test:i ratio:f"},
    {"Dropout", 6, 1, 1, "is_test:i ratio:f"},
    {"Dropout", 7, 1, 1, "ratio:f"},
    {"Dropout", 12, 1, 3, "seed:i"},
    {"DynamicQuantizeLinear", 11, 1, 1, ""},
    {"Einsum", 12, 1, any, "equation:s!"},
    {"Elu", 1, 1, 1, "alpha:f consumed_inputs:is"},
    {"Elu", 6, 1, 1, "alpha:f"},
    {"Equal", 1, 2, 2, "axis:i broadcast:i"},
    {"Equal", 7, 2, 2, ""},
    {"Erf", 9, 1, 1, ""},
    {"Exp", 1, 1, 1, "consumed_inputs:is"},
    {"Exp", 6, 1, 1, ""},
    {"Expand", 8, 2, 2, ""},
    {"EyeLike", 9, 1, 1, "dtype:i k:i"},
    {"Flatten", 1, 1, 1, "axis:i"},
    {"Floor", 1, 1, 1, "consumed_inputs:is"},
    {"Floor", 6, 1, 1, ""},
    {"GRU", 1, 3, 6, "activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i "
        "output_sequence:i"},
    {"GRU", 3, 3, 6, "activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i "
        "linear_before_reset:i output_sequence:i"},
    {"GRU", 7, 3, 6, "activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i "
        "linear_before_reset:i"},
    {"GRU", 14, 3, 6, "activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i "
        "layout:i linear_before_reset:i"},
    {"Gather", 1, 2, 2, "axis:i"},
    {"GatherElements", 11, 2, 2, "axis:i"},
    {"GatherND", 11, 2, 2, ""},
    {"GatherND", 12, 2, 2, "batch_dims:i"},
    {"Gelu", 20, 1, 1, "approximate:s"},
    {"Gemm", 1, 3, 3, "alpha:f beta:f broadcast:i transA:i transB:i"},
    {"Gemm", 7, 3, 3, "alpha:f beta:f transA:i transB:i"},
    {"Gemm", 11, 2, 3, "alpha:f beta:f transA:i transB:i"},
    {"GlobalAveragePool", 1, 1, 1, ""},
    {"GlobalLpPool", 1, 1, 1, "p:f"},
    {"GlobalLpPool", 2, 1, 1, "p:i"},
    {"GlobalMaxPool", 1, 1, 1, ""},
    {"Greater", 1, 2, 2, "axis:i broadcast:i"},
    {"Greater", 7, 2, 2, ""},
    {"GreaterOrEqual", 12, 2, 2, ""},
    {"GridSample", 16, 2, 2, "align_corners:i mode:s padding_mode:s"},
    {"GroupNormalization", 21, 3, 3, "epsilon:f num_groups:i! stash_type:i"},
    {"HammingWindow", 17, 1, 1, "output_datatype:i periodic:i"},
    {"HannWindow", 17, 1, 1, "output_datatype:i periodic:i"},
    {"HardSigmoid", 1, 1, 1, "alpha:f beta:f consumed_inputs:is"},
    {"HardSigmoid", 6, 1, 1, "alpha:f beta:f"},
    {"HardSwish", 14, 1, 1, ""},
    {"Hardmax", 1, 1, 1, "axis:i"},
    {"Identity", 1, 1, 1, ""},
    {"If", 1, 1, 1, "else_branch:g! then_branch:g!"},
    {"InstanceNormalization", 1, 3, 3, "consumed_inputs:is epsilon:f"},
    {"InstanceNormalization", 6, 3, 3, "epsilon:f"},
    {"IsInf", 10, 1, 1, "detect_negative:i detect_positive:i"},
    {"IsNaN", 9, 1, 1, ""},
    {"LRN", 1, 1, 1, "alpha:f beta:f bias:f size:i!"},
    {"LSTM", 1, 3, 8, "activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i "
        "input_forget:i output_sequence:i"},
    {"LSTM", 7, 3, 8, "activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i "
        "input_forget:i"},
    {"LSTM", 14, 3, 8, "activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i "
        "input_forget:i layout:i"},
    {"LayerNormalization", 17, 2, 3, "axis:i epsilon:f stash_type:i"},
    {"LeakyRelu", 1, 1, 1, "alpha:f consumed_inputs:is"},
    {"LeakyRelu", 6, 1, 1, "alpha:f"},
    {"Less", 1, 2, 2, "axis:i broadcast:i"},
    {"Less", 7, 2, 2, ""},
    {"LessOrEqual", 12, 2, 2, ""},
    {"Log", 1, 1, 1, "consumed_inputs:is"},
    {"Log", 6, 1, 1, ""},
    {"LogSoftmax", 1, 1, 1, "axis:i"},
    {"Loop", 1, 3, any, "body:g!"},
    {"Loop", 11, 2, any, "body:g!"},
    {"LpNormalization", 1, 1, 1, "axis:i p:i"},
    {"LpPool", 1, 1, 1, "auto_pad:s kernel_shape:is p:f pads:is strides:is"},
    {"LpPool", 2, 1, 1, "auto_pad:s kernel_shape:is! p:i pads:is strides:is"},
    {"LpPool", 18, 1, 1, "auto_pad:s ceil_mode:i dilations:is kernel_shape:is! p:i pads:is strides:is"},
    {"MatMul", 1, 2, 2, ""},
    {"MatMulInteger", 10, 2, 4, ""},
    {"Max", 1, 1, any, "consumed_inputs:is"},
    {"Max", 6, 1, any, ""},
    {"MaxPool", 1, 1, 1, "auto_pad:s kernel_shape:is! pads:is strides:is"},
    {"MaxPool", 8, 1, 1, "auto_pad:s kernel_shape:is! pads:is storage_order:i strides:is"},
    {"MaxPool", 10, 1, 1, "auto_pad:s ceil_mode:i dilations:is kernel_shape:is! pads:is storage_order:i strides:is"},
    {"MaxRoiPool", 1, 2, 2, "pooled_shape:is! spatial_scale:f"},
    {"MaxUnpool", 9, 2, 3, "kernel_shape:is! pads:is strides:is"},
    {"Mean", 1, 1, any, "consumed_inputs:is"},
    {"Mean", 6, 1, any, ""},
    {"MeanVarianceNormalization", 9, 1, 1, "axes:is"},
    {"MelWeightMatrix", 17, 5, 5, "output_datatype:i"},
    {"Min", 1, 1, any, "consumed_inputs:is"},
    {"Min", 6, 1, any, ""},
    {"Mish", 18, 1, 1, ""},
    {"Mod", 10, 2, 2, "fmod:i"},
    {"Mul", 1, 2, 2, "axis:i broadcast:i consumed_inputs:is"},
    {"Mul", 6, 2, 2, "axis:i broadcast:i"},
    {"Mul", 7, 2, 2, ""},
    {"Neg", 1, 1, 1, "consumed_inputs:is"},
    {"Neg", 6, 1, 1, ""},
    {"NegativeLogLikelihoodLoss", 12, 2, 3, "ignore_index:i reduction:s"},
    {"NonMaxSuppression", 10, 2, 5, "center_point_box:i"},
    {"NonZero", 9, 1, 1, ""},
    {"Not", 1, 1, 1, ""},
    {"OneHot", 9, 3, 3, "axis:i"},
    {"Or", 1, 2, 2, "axis:i broadcast:i"},
    {"Or", 7, 2, 2, ""},
    {"PRelu", 1, 2, 2, "consumed_inputs:is"},
    {"PRelu", 6, 2, 2, ""},
    {"Pad", 1, 1, 1, "mode:s paddings:is! value:f"},
    {"Pad", 2, 1, 1, "mode:s pads:is! value:f"},
    {"Pad", 11, 2, 3, "mode:s"},
    {"Pad", 18, 2, 4, "mode:s"},
    {"Pow", 1, 2, 2, "axis:i broadcast:i"},
    {"Pow", 7, 2, 2, ""},
    {"QLinearConv", 10, 8, 9, "auto_pad:s dilations:is group:i kernel_shape:is pads:is strides:is"},
    {"QLinearMatMul", 10, 8, 8, ""},
    {"QuantizeLinear", 10, 2, 3, ""},
    {"QuantizeLinear", 13, 2, 3, "axis:i"},
    {"QuantizeLinear", 19, 2, 3, "axis:i saturate:i"},
    {"QuantizeLinear", 21, 2, 3, "axis:i block_size:i output_dtype:i saturate:i"},
    {"QuantizeLinear", 23, 2, 3, "axis:i block_size:i output_dtype:i precision:i saturate:i"},
    {"RMSNormalization", 23, 2, 2, "axis:i epsilon:f stash_type:i"},
    {"RNN", 1, 3, 6, "activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i "
        "output_sequence:i"},
    {"RNN", 7, 3, 6, "activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i"},
    {"RNN", 14, 3, 6, "activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i "
        "layout:i"},
    {"Range", 11, 3, 3, ""},
    {"Reciprocal", 1, 1, 1, "consumed_inputs:is"},
    {"Reciprocal", 6, 1, 1, ""},
    {"ReduceL1", 1, 1, 1, "axes:is keepdims:i"},
    {"ReduceL1", 18, 1, 2, "keepdims:i noop_with_empty_axes:i"},
    {"ReduceL2", 1, 1, 1, "axes:is keepdims:i"},
    {"ReduceL2", 18, 1, 2, "keepdims:i noop_with_empty_axes:i"},
    {"ReduceLogSum", 1, 1, 1, "axes:is keepdims:i"},
    {"ReduceLogSum", 18, 1, 2, "keepdims:i noop_with_empty_axes:i"},
    {"ReduceLogSumExp", 1, 1, 1, "axes:is keepdims:i"},
    {"ReduceLogSumExp", 18, 1, 2, "keepdims:i noop_with_empty_axes:i"},
    {"ReduceMax", 1, 1, 1, "axes:is keepdims:i"},
    {"ReduceMax", 18, 1, 2, "keepdims:i noop_with_empty_axes:i"},
    {"ReduceMean", 1, 1, 1, "axes:is keepdims:i"},
    {"ReduceMean", 18, 1, 2, "keepdims:i noop_with_empty_axes:i"},
    {"ReduceMin", 1, 1, 1, "axes:is keepdims:i"},
    {"ReduceMin", 18, 1, 2, "keepdims:i noop_with_empty_axes:i"},
    {"ReduceProd", 1, 1, 1, "axes:is keepdims:i"},
    {"ReduceProd", 18, 1, 2, "keepdims:i noop_with_empty_axes:i"},
    {"ReduceSum", 1, 1, 1, "axes:is keepdims:i"},
    {"ReduceSum", 13, 1, 2, "keepdims:i noop_with_empty_axes:i"},
    {"ReduceSumSquare", 1, 1, 1, "axes:is keepdims:i"},
    {"ReduceSumSquare", 18, 1, 2, "keepdims:i noop_with_empty_axes:i"},
    {"Relu", 1, 1, 1, "consumed_inputs:is"},
    {"Relu", 6, 1, 1, ""},
    {"Reshape", 1, 1, 1, "consumed_inputs:is shape:is"},
    {"Reshape", 5, 2, 2, ""},
    {"Reshape", 14, 2, 2, "allowzero:i"},
    {"Resize", 10, 2, 2, "mode:s"},
    {"Resize", 11, 3, 4, "coordinate_transformation_mode:s cubic_coeff_a:f exclude_outside:i extrapolation_value:f "
        "mode:s nearest_mode:s"},
    {"Resize", 13, 1, 4, "coordinate_transformation_mode:s cubic_coeff_a:f exclude_outside:i extrapolation_value:f "
        "mode:s nearest_mode:s"},
    {"Resize", 18, 1, 4, "antialias:i axes:is coordinate_transformation_mode:s cubic_coeff_a:f exclude_outside:i "
        "extrapolation_value:f keep_aspect_ratio_policy:s mode:s nearest_mode:s"},
    {"ReverseSequence", 10, 2, 2, "batch_axis:i time_axis:i"},
    {"RoiAlign", 10, 3, 3, "mode:s output_height:i output_width:i sampling_ratio:i spatial_scale:f"},
    {"RoiAlign", 16, 3, 3, "coordinate_transformation_mode:s mode:s output_height:i output_width:i sampling_ratio:i "
        "spatial_scale:f"},
    {"RotaryEmbedding", 23, 3, 4, "interleaved:i num_heads:i rotary_embedding_dim:i"},
    {"Round", 11, 1, 1, ""},
    {"STFT", 17, 2, 4, "onesided:i"},
    {"Scan", 8, 2, any, "body:g! directions:is num_scan_inputs:i!"},
    {"Scan", 9, 1, any, "body:g! num_scan_inputs:i! scan_input_axes:is scan_input_directions:is scan_output_axes:is "
        "scan_output_directions:is"},
    {"Scatter", 9, 3, 3, "axis:i"},
    {"ScatterElements", 11, 3, 3, "axis:i"},
    {"ScatterElements", 16, 3, 3, "axis:i reduction:s"},
    {"ScatterND", 11, 3, 3, ""},
    {"ScatterND", 16, 3, 3, "reduction:s"},
    {"Selu", 1, 1, 1, "alpha:f consumed_inputs:is gamma:f"},
    {"Selu", 6, 1, 1, "alpha:f gamma:f"},
    {"Shape", 1, 1, 1, ""},
    {"Shape", 15, 1, 1, "end:i start:i"},
    {"Shrink", 9, 1, 1, "bias:f lambd:f"},
    {"Sigmoid", 1, 1, 1, "consumed_inputs:is"},
    {"Sigmoid", 6, 1, 1, ""},
    {"Sign", 9, 1, 1, ""},
    {"Sin", 7, 1, 1, ""},
    {"Sinh", 9, 1, 1, ""},
    {"Size", 1, 1, 1, ""},
    {"Slice", 1, 1, 1, "axes:is ends:is! starts:is!"},
    {"Slice", 10, 3, 5, ""},
    {"Softmax", 1, 1, 1, "axis:i"},
    {"SoftmaxCrossEntropyLoss", 12, 2, 3, "ignore_index:i reduction:s"},
    {"Softplus", 1, 1, 1, ""},
    {"Softsign", 1, 1, 1, ""},
    {"SpaceToDepth", 1, 1, 1, "blocksize:i!"},
    {"Split", 1, 1, 2, "axis:i split:is"},
    {"Split", 2, 1, 1, "axis:i split:is"},
    {"Split", 13, 1, 2, "axis:i"},
    {"Split", 18, 1, 2, "axis:i num_outputs:i"},
    {"Sqrt", 1, 1, 1, "consumed_inputs:is"},
    {"Sqrt", 6, 1, 1, ""},
    {"Squeeze", 1, 1, 1, "axes:is"},
    {"Squeeze", 13, 1, 2, ""},
    {"Sub", 1, 2, 2, "axis:i broadcast:i consumed_inputs:is"},
    {"Sub", 6, 2, 2, "axis:i broadcast:i"},
    {"Sub", 7, 2, 2, ""},
    {"Sum", 1, 1, any, "consumed_inputs:is"},
    {"Sum", 6, 1, any, ""},
    {"Swish", 24, 1, 1, "alpha:f"},
    {"Tan", 7, 1, 1, ""},
    {"Tanh", 1, 1, 1, "consumed_inputs:is"},
    {"Tanh", 6, 1, 1, ""},
    {"TensorScatter", 24, 2, 3, "axis:i mode:s"},
    {"ThresholdedRelu", 10, 1, 1, "alpha:f"},
    {"Tile", 1, 3, 3, ""},
    {"Tile", 6, 2, 2, ""},
    {"TopK", 1, 1, 1, "axis:i k:i!"},
    {"TopK", 10, 2, 2, "axis:i"},
    {"TopK", 11, 2, 2, "axis:i largest:i sorted:i"},
    {"Transpose", 1, 1, 1, "perm:is"},
    {"Trilu", 14, 1, 2, "upper:i"},
    {"Unique", 11, 1, 1, "axis:i sorted:i"},
    {"Unsqueeze", 1, 1, 1, "axes:is!"},
    {"Unsqueeze", 13, 2, 2, ""},
    {"Upsample", 1, 1, 1, "height_scale:f! mode:s width_scale:f!"},
    {"Upsample", 7, 1, 1, "mode:s scales:fs!"},
    {"Upsample", 9, 2, 2, "mode:s"},
    {"Where", 9, 3, 3, ""},
    {"Xor", 1, 2, 2, "axis:i broadcast:i"},
    {"Xor", 7, 2, 2, ""},
};
// clang-format on

constexpr bool before(const OnnxSignature& x, const OnnxSignature& y) {
    return x.name != y.name ? x.name < y.name : x.since < y.since;
}
static_assert(std::is_sorted(std::begin(rows), std::end(rows), before));

struct Kind {
    std::string_view letters;
    int type;
    const char* name;
};
using Attribute = format::AttributeProto;
constexpr Kind kinds[] = {{"i", Attribute::INT, "a whole number"},
                          {"f", Attribute::FLOAT, "a float"},
                          {"s", Attribute::STRING, "a text"},
                          {"t", Attribute::TENSOR, "a tensor"},
                          {"g", Attribute::GRAPH, "a graph"},
                          {"is", Attribute::INTS, "a list of whole numbers"},
                          {"fs", Attribute::FLOATS, "a list of floats"},
                          {"ss", Attribute::STRINGS, "a list of texts"},
                          {"sparse", Attribute::SPARSE_TENSOR, "a sparse tensor"}};
const char* name_of(int type) {
    for (const Kind& k : kinds)
        if (k.type == type) return k.name;
    return type == Attribute::UNDEFINED ? "a value without a type" : "a value of another type";
}

/// The parts of "axis:i!".
struct AttributeRow {
    std::string_view name, kind;
    bool needed = false;
};
std::vector<AttributeRow> known_attributes(std::string_view text) {
    std::vector<AttributeRow> all;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size()), colon = text.find(':');
        AttributeRow k{text.substr(0, colon), text.substr(colon + 1, end - colon - 1)};
        k.needed = k.kind.ends_with('!');
        if (k.needed) k.kind.remove_suffix(1);
        all.push_back(k);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return all;
}
std::string counted(const OnnxSignature& of) {
    if (of.most >= any) return sentence("at least ", of.fewest, of.fewest == 1 ? " input" : " inputs");
    if (of.fewest == of.most) return sentence(of.most, of.most == 1 ? " input" : " inputs");
    return sentence(of.fewest, " to ", of.most, " inputs");
}

}  // namespace

/// Returns the signature of an operator. Accepts operators before their first set, because some runtimes do.
const OnnxSignature* find_onnx_signature(std::string_view name, int set) {
    const auto beyond = std::upper_bound(std::begin(rows), std::end(rows), OnnxSignature{name, set, 0, 0, ""}, before);
    if (beyond != std::begin(rows) && std::prev(beyond)->name == name) return &*std::prev(beyond);
    return beyond != std::end(rows) && beyond->name == name ? &*beyond : nullptr;
}

std::optional<OnnxFault> signature_fault(const format::NodeProto& node, int set) {
    const OnnxSignature* const found = find_onnx_signature(node.op_type(), set);
    if (found == nullptr) return {};
    if (node.input_size() < found->fewest || node.input_size() > found->most)
        return OnnxFault{counted(*found), sentence(node.input_size())};
    const std::vector<AttributeRow> known = known_attributes(found->attributes);
    const auto of_name = [&](std::string_view name) {
        return std::find_if(known.begin(), known.end(), [&](const AttributeRow& k) { return k.name == name; });
    };
    for (const auto& a : node.attribute()) {
        if (a.name().starts_with("__")) continue;  // reserved for tools
        const auto k = of_name(a.name());
        if (k == known.end()) {
            std::string names;
            for (const AttributeRow& each : known) names += (names.empty() ? "" : ", ") + std::string(each.name);
            return OnnxFault{names.empty() ? sentence("no attributes in operator set ", set)
                                           : sentence("the attributes of operator set ", set, " (", names, ")"),
                             storage::quotation(a.name())};
        }
        const auto kind =
            std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& each) { return each.letters == k->kind; });
        if (kind != std::end(kinds) && a.type() != kind->type)
            return OnnxFault{sentence("attribute ", storage::quotation(a.name()), " as ", kind->name),
                             name_of(a.type())};
    }
    for (const AttributeRow& k : known)
        if (k.needed && std::none_of(node.attribute().begin(), node.attribute().end(),
                                     [&](const auto& a) { return a.name() == k.name; }))
            return OnnxFault{sentence("attribute ", storage::quotation(std::string(k.name))), "no such attribute"};
    return {};
}

}  // namespace sigma::detail
