// SPDX-License-Identifier: BSL-1.0
// What operators of ONNX files compute where numbers end: infinities, NaN, both zeros, the greatest floats, scales that
// are no binary fractions. The numbers are those of ONNX Runtime 1.30, or of the C library.
#include <catch2/catch.hpp>
#include <support/onnx_made.hpp>

#include <cmath>
#include <functional>
#include <limits>

using namespace sigma;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity(), no_number = std::numeric_limits<float>::quiet_NaN();
using Floats = std::vector<float>;
using Change = std::function<void(format::NodeProto&)>;
const Change nothing = [](format::NodeProto&) {};

/// Equal but for rounding; a NaN is equal to a NaN, and 0 is not -0.
void require_same(const Floats& found, const Floats& wanted) {
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        INFO("element " << i << ": " << found[i] << " for " << wanted[i]);
        if (std::isnan(wanted[i])) CHECK(std::isnan(found[i]));
        else if (std::isinf(wanted[i])) CHECK(found[i] == wanted[i]);
        else if (wanted[i] == 0) CHECK((found[i] == 0 && std::signbit(found[i]) == std::signbit(wanted[i])));
        else CHECK(found[i] == Approx(wanted[i]).epsilon(2e-6));
    }
}
Floats predicted(const Made& m, const std::vector<Floats>& inputs, std::size_t records, std::size_t output = 0) {
    return predicted_of(model_of(m), inputs, static_cast<std::ptrdiff_t>(records), output);
}
/// Each number is a record.
Floats mapped(const char* op, const Floats& x, const Change& change = nothing) {
    Made m(15);
    m.input("x", {-1}).output("y");
    change(m.node(op, {"x"}, {"y"}));
    return predicted(m, {x}, x.size());
}
/// Beside a function of the C library.
void check_function(const char* op, const Floats& x, double (*f)(double)) {
    INFO(op);
    Floats wanted;
    for (const float each : x) wanted.push_back(static_cast<float>(f(static_cast<double>(each))));
    require_same(mapped(op, x), wanted);
}
/// An image of one row of 0, 1, 2, …
Floats resized(std::size_t width, const char* op, int set_of, float scale, const char* mode,
               const Change& change = nothing) {
    Made m(set_of);
    m.input("x", {-1, 1, 1, static_cast<long long>(width)}).output("y");
    m.floats("scales", {4}, {1, 1, 1, scale});
    auto& n = set_of > 10 ? m.node(op, {"x", "", "scales"}, {"y"}) : m.node(op, {"x", "scales"}, {"y"});
    set(n, "mode", mode);
    change(n);
    Floats x;
    for (std::size_t i = 0; i < width; ++i) x.push_back(static_cast<float>(i));
    return predicted(m, {x}, 1);
}
void floor_of_quotient(format::NodeProto& n) {
    set(n, "coordinate_transformation_mode", "asymmetric"), set(n, "nearest_mode", "floor");
}

}  // namespace

TEST_CASE("Hyperbolic functions and their inverses reach as far as floats do") {
    const Floats x{0.0f, -0.0f, inf,   -inf,   no_number, 1e-7f, -1e-7f, 0.5f,   -0.5f, 1,     -1,
                   20,   -20,   88.9f, -88.9f, 100,       -100,  1e10f,  -1e10f, 3e38f, -3e38f};
    check_function("Sinh", x, std::sinh);
    check_function("Cosh", x, std::cosh);
    check_function("Asinh", {0.0f, inf, -inf, no_number, 1e-7f, -1e-7f, 0.5f, -1, 20, 1e10f, -1e10f, 3e38f, -3e38f},
                   std::asinh);
    check_function("Acosh", {1, 1.0000001f, 1.5f, 20, 1e10f, 3e38f, inf, no_number, 0.5f, -1, -1e4f, -inf}, std::acosh);
}

TEST_CASE("Functions with a threshold are 0 below it, whatever is there") {
    require_same(mapped("ThresholdedRelu", {-inf, no_number, -2, 0.5f, 2, inf}), {0, 0, 0, 0, 2, inf});
    require_same(mapped("Shrink", {-inf, no_number, -2, 0.25f, 2, inf}), {-inf, 0, -2, 0, 2, inf});
}

TEST_CASE("The remainder of fmod is exact, and by infinity it is the number") {
    Made m(13);
    m.input("x", {-1}).input("y", {-1}).output("z");
    set(m.node("Mod", {"x", "y"}, {"z"}), "fmod", 1);
    require_same(predicted(m, {{1, -1, -0.0f, 1e10f, 5.5f, -5.5f, 1, inf}, {inf, -inf, 3, 3, -2, 2, 0, 2}}, 8),
                 {1, -1, -0.0f, 1, 1.5f, -1.5f, no_number, no_number});
}

TEST_CASE("A cast to INT32 keeps what fits, and what does not wraps round") {
    const Change to_int32 = [](format::NodeProto& n) { set(n, "to", format::TensorProto::INT32); };
    require_same(mapped("Cast", {1.5f, -1.5f, 0.75f, 1e6f + 1, -16777215, 2147483648.0f}, to_int32),
                 {1, -1, 0, 1e6f + 1, -16777215, -2147483648.0f});
}

TEST_CASE("Zeros are normalized to zeros") {
    for (const int p : {1, 2}) {
        Made m;
        m.input("x", {-1, 2}).output("y");
        auto& n = m.node("LpNormalization", {"x"}, {"y"});
        set(n, "p", p), set(n, "axis", 1);
        require_same(predicted(m, {{0, 0, 3, 0, inf, 1}}, 3), {0, 0, 1, 0, no_number, 0});
    }
}

TEST_CASE("Scales of Resize and Upsample are floats, and so are positions") {
    // 10 * 1.3 is 13 in floats and 12.9999999 in doubles; 3 / 0.6 is 5 in floats.
    require_same(resized(10, "Resize", 13, 1.3f, "nearest", floor_of_quotient),
                 {0, 0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9});
    require_same(resized(10, "Resize", 13, 0.6f, "nearest", floor_of_quotient), {0, 1, 3, 5, 6, 8});
    require_same(resized(10, "Upsample", 9, 1.3f, "nearest"), {0, 0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9});
    CHECK(resized(10, "Resize", 13, 1.3f, "linear").size() == 13);
    require_same(resized(4, "Resize", 10, 0.6f, "nearest"), {0, 2});  // of set 10: upwards, where it gets smaller
}

TEST_CASE("ConvTranspose with output_shape pads in front first, unless auto_pad says otherwise") {
    const auto transposed = [](const char* auto_pad) {
        Made m(11);
        m.input("x", {-1, 1, 2}).output("y");
        m.floats("w", {1, 1, 3}, {1, 1, 1});
        auto& n = m.node("ConvTranspose", {"x", "w"}, {"y"});
        set(n, "strides", {2}), set(n, "output_shape", {4});
        if (auto_pad) set(n, "auto_pad", auto_pad);
        return predicted(m, {{1, 2}}, 1);
    };
    require_same(transposed(nullptr), {1, 3, 2, 2});
    require_same(transposed("SAME_LOWER"), {1, 3, 2, 2});
    require_same(transposed("SAME_UPPER"), {1, 1, 3, 2});
}

TEST_CASE("Numbers that are quantized by their range: zeros stay zeros, halves go to the even neighbour") {
    Made m(11);
    m.input("x", {-1}).output("whole").output("real");
    m.node("DynamicQuantizeLinear", {"x"}, {"q", "scale", "zero"});
    set(m.node("Cast", {"q"}, {"whole"}), "to", 1);
    m.node("DequantizeLinear", {"q", "scale", "zero"}, {"real"});
    require_same(predicted(m, {{0, 0, 0}}, 3, 1), {0, 0, 0});
    require_same(predicted(m, {{0, 255, 0.5f, 1.5f, 2.5f, 253.5f}}, 6), {0, 255, 0, 2, 2, 254});
    require_same(predicted(m, {{-25.5f, 229.5f, -25, -24, 0.5f, 1}}, 6), {0, 255, 1, 2, 26, 27});
}
