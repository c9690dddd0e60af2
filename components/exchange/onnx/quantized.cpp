// SPDX-License-Identifier: BSL-1.0
// 8-bit products: their operands are written as integers that QuantizeLinear and DequantizeLinear convert from floats
// and back, which runtimes recognize.
#include <onnx/translator.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace sigma::detail::onnx {

/// Returns the 8-bit weight of a parameter, possibly with reordered axes before the last, or null.
const QuantizedWeight* Translation::small_weight(int i) const {
    const int last = shape(i).last();
    while (is_reshape(i)) i = node(i).a;
    const Node& n = node(i);
    return n.operation == Operation::parameter && n.shape.last() == last
               ? model_.quantized_weight(static_cast<int>(n.attribute))
               : nullptr;
}

bool Translation::never_negative(int i) const {
    if (const char* const op = matches_[at(i)].op)
        for (const std::string_view each : {"Relu", "Sigmoid", "Softmax"})
            if (each == op) return true;
    const Node& n = node(i);
    switch (n.operation) {
        case Operation::absolute:
        case Operation::exp:
        case Operation::sqrt:
        case Operation::sigmoid: return true;
        case Operation::reshape:
        case Operation::permute:
        case Operation::slice:
        case Operation::pad:
        case Operation::pool_max: return never_negative(n.a);
        default: return false;
    }
}

/// Writes a value as integers with 127 steps on each side, and back. If no value is negative the bytes are unsigned:
/// then they include a Relu before, and sums of two products fit into 16 bits, which CPUs without VNNI need.
std::string Translation::rounded(int i, const Order& order, float range) {
    const std::string x = form(i, order);
    std::string& name = rounded_[{x, range, body_loop_}];
    if (!name.empty()) return name;
    const bool with_sign = !never_negative(i);
    std::string& zero = zeros_[with_sign ? 1 : 0];
    if (zero.empty())
        zero =
            to_.whole(to_.fresh("zero"), with_sign ? format::TensorProto::INT8 : format::TensorProto::UINT8, {}, {0});
    const std::string scale = constant(static_cast<double>(range / 127));
    return name = to_.node("DequantizeLinear", {to_.node("QuantizeLinear", {x, scale, zero}), scale, zero});
}

/// Writes integers times the scale of their index along an axis.
std::string Translation::dequantized(const std::string& name, format::TensorProto::DataType type,
                                     const Integers& extents, const std::vector<double>& values,
                                     const std::vector<double>& scales, long long axis) {
    const Integers one_axis{static_cast<long long>(scales.size())};
    const Names inputs{to_.whole(name, type, extents, values),
                       to_.tensor(to_.fresh(name + ".scales"), one_axis, scales),
                       to_.whole(to_.fresh(name + ".zeros"), type, one_axis, std::vector<double>(scales.size(), 0))};
    format::NodeProto& n = to_.outside("DequantizeLinear", inputs);
    to_.set(n, {"axis", axis});
    n.set_name(to_.fresh(name + "/DequantizeLinear"));
    n.add_output(n.name());
    return n.name();
}

namespace {
/// Returns the scales of a weight. A column of zeros may have any scale: it gets one that suits the bias.
std::vector<double> scales_of(const QuantizedWeight& w) {
    std::vector<double> all(w.scales.begin(), w.scales.end());
    const double most = *std::max_element(all.begin(), all.end());
    std::replace(all.begin(), all.end(), 0.0, most > 0 ? most : 1.0);
    return all;
}
}  // namespace

std::string Translation::weight_form(int i, const QuantizedWeight& w, const Order& order) {
    std::string& name = small_weights_[{i, order}];
    if (name.empty()) {
        const std::vector<double> whole(w.values.begin(), w.values.end());
        name = dequantized(parameter_name(model_.network.find_parameter(w.name)), format::TensorProto::INT8,
                           extents(shape(i), order), moved(whole, shape(i), order), scales_of(w),
                           place_of(order, rank(i) - 1));
    }
    return name;
}
/// Writes a bias as integers with the scale of the sums, if this scale is neither too coarse nor too fine.
std::string Translation::bias_form(int i, const QuantizedWeight& w) {
    if (!is_weight(i)) return vector_form(i);
    std::vector<double> values = weight_values(i), scales = scales_of(w);
    bool fits = true;
    for (std::size_t j = 0; j < scales.size(); ++j) {
        scales[j] *= static_cast<double>(w.range / 127);
        values[j] = std::nearbyint(values[j] / scales[j]);
        fits = fits && std::abs(values[j]) < 0x1p30;
    }
    if (!fits) return vector_form(i);
    return dequantized(parameter_name(weight_of(i)), format::TensorProto::INT32, {shape(i).last()}, values, scales, 0);
}

}  // namespace sigma::detail::onnx
