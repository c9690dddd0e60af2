// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include "import.hpp"

// Quantized integers: real = (whole - zero) · scale. They are computed as floats.
namespace sigma::detail {

namespace {

struct Bounds {
    double low, high;
};
Bounds bounds_of(OnnxCall& c, int type) {
    if (type == OnnxType::UINT8) return {0, 255};
    if (type == OnnxType::INT8) return {-128, 127};
    if (type == OnnxType::UINT16) return {0, 65535};
    if (type == OnnxType::INT16) return {-32768, 32767};
    c.refuse("whole numbers of 8 or 16 bits", type_name(type));
}
/// Returns scales or zero points: one, or one for each index of an axis.
Tensor along_axis(OnnxCall& c, int i, const Shape& s, int at) {
    const Tensor x = c.x(i);
    if (x.shape().count() == 1 && !x.shape().batched()) return reshape(x, Shape{});
    if (x.shape().rank != 1 || at < 0 || at >= s.rank || x.shape()[0] != s[at])
        c.refuse("one scale, or one for each index of the axis", shape_text(c.in(i).dims()));
    return reshape(x, all_ones(s).with(at, s[at]));
}
Tensor real_of(OnnxCall& c, Tensor x, int scale, int zero, int at) {
    const Tensor centred = c.has(zero) ? x - along_axis(c, zero, x.shape(), at) : x;
    return scale < 0 ? centred : centred * along_axis(c, scale, x.shape(), at);
}
Tensor whole_of(OnnxCall& c, Tensor x, int scale, int zero, int at, Bounds b) {
    const Tensor y = round(x / along_axis(c, scale, x.shape(), at));
    return max(min(c.has(zero) ? y + along_axis(c, zero, x.shape(), at) : y, b.high), b.low);
}
int axis_given(OnnxCall& c) {
    const long long a = c.whole("axis", 1);
    const int rank = c.rank(0);
    return a >= -rank && a < rank ? c.axis(a, rank) : -1;
}

void require_no_blocks(OnnxCall& c) {
    const long long block = c.whole("block_size", 0);
    if (block != 0)
        c.refuse("one scale, or one for each index of an axis", sentence("one scale for each block of ", block));
}

void quantize(OnnxCall& c) {
    require_no_blocks(c);
    const auto output_type = static_cast<int>(c.whole("output_dtype", 0) & 255);
    const int type = c.has(2) ? c.type(2) : output_type != 0 ? output_type : static_cast<int>(OnnxType::UINT8);
    c.give(whole_of(c, c.x(0), 1, 2, axis_given(c), bounds_of(c, type)), type);
}
void dequantize(OnnxCall& c) {
    require_no_blocks(c);
    const auto output_type = static_cast<int>(c.whole("output_dtype", 0) & 255);
    if (output_type != 0 && !is_real(output_type)) c.refuse("floats as output_dtype", type_name(output_type));
    c.give(real_of(c, c.x(0), 1, 2, axis_given(c)), output_type != 0 ? output_type : c.type(1));
}
void quantize_by_range(OnnxCall& c) {
    const Tensor x = c.x(0);
    const Tensor high = max(max(x), 0.0), low = min(min(x), 0.0);
    const Tensor step = (high - low) / 255.0;
    const Tensor scale = where(equal(high, low), 1.0, step);  // all values are 0
    const Tensor zero = round(max(min(-low / scale, 255.0), 0.0));
    c.give(max(min(round(x / scale) + zero, 255.0), 0.0), OnnxType::UINT8);
    c.give(scale);
    c.give(zero, OnnxType::UINT8);
}
Tensor multiplied(OnnxCall& c, Tensor x, Tensor y) {
    if (y.shape().rank <= 2 || x.shape().rank == y.shape().rank) return dot(x, y);
    const Shape s = y.shape();
    c.refuse("matrices of equal axes", shape_text(Numbers(s.extent, s.extent + s.rank)));
}
void matmul_whole(OnnxCall& c) {
    const Tensor x = real_of(c, c.x(0), -1, 2, c.rank(0) - 2);
    c.give(multiplied(c, x, real_of(c, c.x(1), -1, 3, c.rank(1) - 1)), OnnxType::INT32);
}
/// Imports quantized convolutions of images and weights (outputs, channels, …).
void conv_whole(OnnxCall& c) {
    const Tensor x = real_of(c, c.x(0), -1, 2, -1);
    give_convolution(c, x, real_of(c, c.x(1), -1, 3, 0));
    c.outputs.back().type = OnnxType::INT32;
}
void conv_quantized(OnnxCall& c) {
    const Tensor x = real_of(c, c.x(0), 1, 2, -1), w = real_of(c, c.x(3), 4, 5, 0);
    give_convolution(c, x, w);
    OnnxValue v = c.outputs.back();
    c.outputs.clear();
    Tensor y = v.tensor;
    if (c.has(8)) {  // the scale of biases is the product of both scales
        const int groups = static_cast<int>(y.shape().last());
        const Tensor scales = c.x(1) * reshape(c.x(4), c.shape(4).count() == 1 ? Shape{1} : Shape{groups});
        y = y + c.x(8) * scales;
    }
    c.give(whole_of(c, y, 6, 7, -1, bounds_of(c, c.type(7))), c.type(7), true);
}
void matmul_quantized(OnnxCall& c) {
    const Tensor x = real_of(c, c.x(0), 1, 2, c.rank(0) - 2);
    const Tensor y = multiplied(c, x, real_of(c, c.x(3), 4, 5, c.rank(3) - 1));
    c.give(whole_of(c, y, 6, 7, -1, bounds_of(c, c.type(7))), c.type(7));
}

constexpr OnnxOperator rows[] = {
    {"QuantizeLinear", quantize},        {"DequantizeLinear", dequantize}, {"DynamicQuantizeLinear", quantize_by_range},
    {"ConvInteger", conv_whole},         {"QLinearConv", conv_quantized},  {"MatMulInteger", matmul_whole},
    {"QLinearMatMul", matmul_quantized},
};

}  // namespace

std::span<const OnnxOperator> onnx_quantization() { return rows; }

}  // namespace sigma::detail
