// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include "import.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sigma::detail {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// ---- one operand ----

using OneTensor = Tensor (*)(OnnxCall& c, Tensor x);
template <OneTensor f, int type = 0>
void one(OnnxCall& c) {
    const OnnxValue& v = c.in(0);
    const bool last = !v.known && v.last;
    c.give(f(c, last ? v.tensor : c.passed(0)), type == 0 ? c.type() : type, last);
}

Tensor truncated(Tensor x) { return where(x < 0.0, -floor(-x), floor(x)); }
/// Returns f(|x|) with the sign of x. Does not use abs, because its derivative at 0 is 0.
Tensor odd(Tensor x, auto f) {
    const Tensor negative = x < 0.0;
    const Tensor y = f(where(negative, -x, x));
    return where(negative, -y, y);
}
Tensor above(Tensor x, double beyond, Tensor y, Tensor otherwise) { return where(x > beyond, y, otherwise); }

// ---- hyperbolic functions without overflow of e^x or x^2 ----

/// Computes sinh(x) by e^(x/2) - 1 and e^(-x/2) - 1.
Tensor sinh_of(Tensor x) {
    const Tensor up = expm1(0.5 * x), down = expm1(-0.5 * x);
    return 0.5 * up * (up + 2.0) - 0.5 * down * (down + 2.0);
}
Tensor cosh_of(Tensor x) {
    const Tensor up = exp(0.5 * x), down = exp(-0.5 * x);
    return 0.5 * up * up + 0.5 * down * down;
}
constexpr double far_out = 0x1p28;  // beyond it asinh(x) and acosh(x) equal log(2x), also in double
Tensor asinh_of(Tensor x) {
    return odd(x, [](Tensor a) {
        const Tensor b = min(a, far_out);
        const Tensor root = sqrt(b * b + 1.0);
        return above(a, far_out, log(a) + std::log(2.0), log1p(b * (1.0 + b / (1.0 + root))));
    });
}
Tensor acosh_of(Tensor x) {
    const Tensor beyond = min(x, far_out) - 1.0;
    const Tensor root = sqrt(beyond) * sqrt(beyond + 2.0);
    return above(x, far_out, log(x) + std::log(2.0), log1p(beyond + root));
}

/// Returns α·(e^(x/α·β) - 1) for x below 0. The exponential must not overflow for other x, because its gradient is
/// multiplied by 0.
Tensor exponential_below(Tensor x, double factor, double over) {
    return above(x, 0, x, factor * expm1(min(x, 0.0) / over));
}

Tensor clipped(OnnxCall& c, Tensor x, bool by_attribute) {
    const auto bound = [&](int i, const char* name, bool lower) -> Tensor {
        if (by_attribute) {
            if (c.attribute(name) == nullptr) return x;
            const double k = c.real(name, 0);
            return lower ? max(x, k) : min(x, k);
        }
        if (!c.has(i)) return x;
        const Tensor k = c.x(i);
        return lower ? max(x, reshape(k, Shape{})) : min(x, reshape(k, Shape{}));
    };
    x = bound(1, "min", true);
    return bound(2, "max", false);
}

Tensor whole_of(Tensor x, int bits, bool sign) {
    const Tensor y = truncated(x);
    if (bits > 32) return y;
    const double count = std::ldexp(1.0, bits), half = sign ? count / 2 : 0;
    const Tensor wrapped = mod(y + half, count) - half;
    if (bits < 24) return wrapped;
    return where(abs(y) < half, y, wrapped);  // because y + half is rounded in float
}
/// Converts to another type. Halves are computed as floats.
Tensor cast(Tensor x, int from, int to) {
    if (to == OnnxType::BOOL) return from == to ? x : not_equal(x, constant_beside(x, 0));
    if (!is_whole(to) || (is_whole(from) && to == from) || from == OnnxType::BOOL) return x;
    switch (to) {
        case OnnxType::UINT8: return whole_of(x, 8, false);
        case OnnxType::INT8: return whole_of(x, 8, true);
        case OnnxType::UINT16: return whole_of(x, 16, false);
        case OnnxType::INT16: return whole_of(x, 16, true);
        case OnnxType::INT32: return whole_of(x, 32, true);
        default: return whole_of(x, 64, true);
    }
}
void cast_to(OnnxCall& c, int to) {
    if (type_size(to) == 0) c.refuse("numbers", sentence("a cast to ", type_name(to)));
    const OnnxValue& v = c.in(0);
    const bool last = !v.known && v.last;
    c.give(cast(last ? v.tensor : is_real(to) ? c.passed(0) : c.x(0), c.type(), to), to, last);
}

// ---- two or more operands ----

/// Aligns the second operand with an axis of the first, as before operator set 7.
bool at_an_axis(OnnxCall& c, std::vector<Tensor>& all, long long standard) {
    if (c.opset() >= 7 || c.rank(1) == 0 || c.rank(1) >= c.rank(0)) return false;
    const Shape s = c.shape(0);
    const int at = c.axis(c.whole("axis", standard), s.rank);
    const Tensor y = c.weight(1, "values");
    const Shape own = y.shape();
    if (at + own.rank > s.rank) c.refuse("a second operand within the axes of the first", sentence("axis ", at));
    Shape placed = all_ones(s);
    for (int i = 0; i < own.rank; ++i) placed.extent[at + i] = own[i];
    if (!broadcastable(placed, s)) c.refuse("shapes that broadcast", shape_text(c.in(1).dims()));
    all = {c.x(0), reshape(y, placed)};
    return true;
}

using TwoTensors = Tensor (*)(OnnxCall& c, Tensor x, Tensor y);
template <TwoTensors f, int type = 0, bool trained = false>
void two(OnnxCall& c) {
    std::vector<Tensor> all;
    c.require(c.inputs.size() == 2, "two inputs", sentence(c.inputs.size()));
    const bool last = !at_an_axis(c, all, c.rank(0) - c.rank(1)) && c.together(all, trained);
    c.give(f(c, all[0], all[1]), type == 0 ? c.type() : type, last);
}
template <TwoTensors f, bool mean = false>
void any(OnnxCall& c) {
    std::vector<Tensor> all;
    c.require(!c.inputs.empty(), "inputs", "no inputs");
    const bool last = c.together(all, true);
    Tensor y = all[0];
    for (std::size_t i = 1; i < all.size(); ++i) y = f(c, y, all[i]);
    c.give(mean ? y / static_cast<double>(all.size()) : y, c.type(), last);
}

Tensor quotient(OnnxCall& c, Tensor x, Tensor y) { return is_whole(c.type()) ? truncated(x / y) : x / y; }
Tensor remainder(OnnxCall& c, Tensor x, Tensor y) {
    if (c.whole("fmod", 0) == 0) return mod(x, y);
    return odd(x, [&](Tensor a) { return mod(a, abs(y)); });
}
Tensor powered(OnnxCall& c, Tensor x, Tensor y) {
    const Tensor z = pow(x, y);
    return is_whole(c.type()) ? floor(z + 0x1p-10) : z;  // a power of integers may be rounded
}
Tensor shifted(OnnxCall& c, Tensor x, Tensor y) {
    const bool left = c.text("direction", "") == "LEFT";
    const Tensor power = round(pow(2.0, y));
    return left ? cast(x * power, OnnxType::FLOAT, c.type()) : floor(x / power);
}
Tensor either(Tensor x, Tensor y) { return max(x, y); }

/// Combines the bits of two numbers by f. Negative numbers have infinitely many leading ones (two's complement). The
/// highest bit comes first, so that intermediate results are exact for small results.
template <Tensor f(Tensor, Tensor)>
Tensor bitwise(OnnxCall& c, Tensor x, Tensor y) {
    const bool has_sign = c.type() == OnnxType::INT8 || c.type() == OnnxType::INT16 || c.type() == OnnxType::INT32 ||
                          c.type() == OnnxType::INT64;
    if (!is_whole(c.type())) c.refuse("whole numbers", type_name(c.type()));
    const int width = std::min(static_cast<int>(8 * type_size(c.type())), 53) - (has_sign ? 1 : 0);
    std::vector<Tensor> bits;
    for (int bit = 0; bit < width; ++bit) {
        const Tensor half_x = floor(0.5 * x), half_y = floor(0.5 * y);
        bits.push_back(f(x - 2.0 * half_x, y - 2.0 * half_y));
        x = half_x, y = half_y;
    }
    Tensor all = has_sign ? -f(-x, -y) : bits.back();  // the rest of a number is 0 or -1
    if (!has_sign) bits.pop_back();
    for (; !bits.empty(); bits.pop_back()) all = 2.0 * all + bits.back();
    return all;
}
Tensor both_bits(Tensor x, Tensor y) { return min(x, y); }
Tensor any_bit(Tensor x, Tensor y) { return max(x, y); }
Tensor one_bit(Tensor x, Tensor y) { return abs(x - y); }
Tensor bits_turned(OnnxCall& c, Tensor x) {
    switch (c.type()) {
        case OnnxType::UINT8: return 255.0 - x;
        case OnnxType::UINT16: return 65535.0 - x;
        case OnnxType::UINT32: return 4294967295.0 - x;
        case OnnxType::INT8:
        case OnnxType::INT16:
        case OnnxType::INT32:
        case OnnxType::INT64: return -1.0 - x;
        default: c.refuse("whole numbers of at most 53 bits", type_name(c.type()));
    }
}
Tensor gauss_error(OnnxCall& c, Tensor x) {
    const std::string how = c.text("approximate", "none");
    if (how == "tanh") return gelu(x);
    if (how != "none") c.refuse("approximate none or tanh", how);
    return 0.5 * x * (1.0 + erf(x * 0.70710678118654752440));
}

void select(OnnxCall& c) {
    std::vector<Tensor> all;
    c.require(c.inputs.size() == 3, "three inputs", sentence(c.inputs.size()));
    const bool last = c.together(all, false);
    c.give(where(all[0], all[1], all[2]), c.type(1), last);
}
void prelu(OnnxCall& c) {
    std::vector<Tensor> all;
    c.require(c.inputs.size() == 2, "two inputs", sentence(c.inputs.size()));
    const bool last = !at_an_axis(c, all, 1) && c.together(all, true);
    c.give(where(all[0] < 0.0, all[0] * all[1], all[0]), c.type(), last);
}
void dropout(OnnxCall& c) {
    const double rate = c.has(1) ? c.number(1) : c.real("ratio", 0.5);
    c.require(rate >= 0 && rate < 1, "a ratio from 0 to below 1", sentence(rate));
    const OnnxValue& v = c.in(0);
    const bool last = !v.known && v.last;
    const Tensor x = last ? v.tensor : c.x(0);
    const bool may = !c.folding && c.walk.context != nullptr && rate > 0 && (!c.has(2) || c.number(2) != 0);
    const Tensor now = may ? hyperparameter(x, "rate", rate, NumberRange::from_0_to_below_1()) : x;
    if (!may || !c.training()) {
        c.give(x, c.type(), last);
        return c.give({expand(c.constant(1).variable, x.shape())}, OnnxType::BOOL, last);
    }
    const Tensor kept = random_uniform(*c.walk.context, x.shape()) >= now;
    const Tensor scale = 1.0 / (1.0 - now);
    c.give(where(kept, x * scale, 0.0), c.type(), last);
    c.give(kept, OnnxType::BOOL, last);
}

#define SIGMA_ONE(name, ...)                         \
    {name, one<[](OnnxCall& c, Tensor x) -> Tensor { \
         static_cast<void>(c);                       \
         return __VA_ARGS__;                         \
     }>}
#define SIGMA_ONE_OF(name, type, ...)                \
    {name, one<[](OnnxCall& c, Tensor x) -> Tensor { \
         static_cast<void>(c);                       \
         return __VA_ARGS__;                         \
     },                                              \
               OnnxType::type>}
#define SIGMA_TWO(name, trained, ...)                          \
    {name, two<[](OnnxCall& c, Tensor x, Tensor y) -> Tensor { \
         static_cast<void>(c);                                 \
         return __VA_ARGS__;                                   \
     },                                                        \
               0, trained>}
#define SIGMA_COMPARE(name, ...) \
    {name, two<[](OnnxCall&, Tensor x, Tensor y) -> Tensor { return __VA_ARGS__; }, OnnxType::BOOL>}
#define SIGMA_ANY(name, mean, ...) \
    {name, any<[](OnnxCall&, Tensor x, Tensor y) -> Tensor { return __VA_ARGS__; }, mean>}

// clang-format off: a table
constexpr OnnxOperator rows[] = {
    SIGMA_ONE("Abs", abs(x)),
    SIGMA_ONE("Acos", acos(x)),
    SIGMA_ONE("Acosh", acosh_of(x)),
    SIGMA_ONE("Asin", asin(x)),
    SIGMA_ONE("Asinh", asinh_of(x)),
    SIGMA_ONE("Atan", atan(x)),
    SIGMA_ONE("Atanh", 0.5 * (log1p(x) - log1p(-x))),
    SIGMA_ONE("Ceil", -floor(-x)),
    SIGMA_ONE("Celu", exponential_below(x, c.real("alpha", 1), c.real("alpha", 1))),
    SIGMA_ONE("Clip", clipped(c, x, c.opset() < 11)),
    SIGMA_ONE("Cos", cos(x)),
    SIGMA_ONE("Cosh", cosh_of(x)),
    SIGMA_ONE("Elu", exponential_below(x, c.real("alpha", 1), 1)),
    SIGMA_ONE("Erf", erf(x)),
    SIGMA_ONE("Exp", exp(x)),
    SIGMA_ONE("Floor", floor(x)),
    SIGMA_ONE("Gelu", gauss_error(c, x)),
    SIGMA_ONE("HardSigmoid", max(min(c.real("alpha", 0.2) * x + c.real("beta", 0.5), 1.0), 0.0)),
    SIGMA_ONE("HardSwish", x * max(min(x / 6.0 + 0.5, 1.0), 0.0)),
    SIGMA_ONE("LeakyRelu", where(x < 0.0, c.real("alpha", 0.01) * x, x)),
    SIGMA_ONE("Log", log(x)),
    SIGMA_ONE("Mish", x * tanh(softplus(x))),
    SIGMA_ONE("Neg", -x),
    SIGMA_ONE("Not", 1.0 - x),
    SIGMA_ONE("Reciprocal", 1.0 / x),
    SIGMA_ONE("Relu", relu(x)),
    SIGMA_ONE("Round", round(x)),
    SIGMA_ONE("Selu", c.real("gamma", 1.05070102214813232421875) *
                          exponential_below(x, c.real("alpha", 1.67326319217681884765625), 1)),
    SIGMA_ONE("Shrink", where(x < -c.real("lambd", 0.5), x + c.real("bias", 0),
                              where(x > c.real("lambd", 0.5), x - c.real("bias", 0), 0.0))),
    SIGMA_ONE("Sigmoid", sigmoid(x)),
    SIGMA_ONE("Sign", sign(x)),
    SIGMA_ONE("Sin", sin(x)),
    SIGMA_ONE("Sinh", sinh_of(x)),
    SIGMA_ONE("Softplus", softplus(x)),
    SIGMA_ONE("Softsign", x / (1.0 + abs(x))),
    SIGMA_ONE("Sqrt", sqrt(x)),
    SIGMA_ONE("Swish", x * sigmoid(c.real("alpha", 1) * x)),
    SIGMA_ONE("Tan", tan(x)),
    SIGMA_ONE("Tanh", tanh(x)),
    SIGMA_ONE("ThresholdedRelu", where(x > c.real("alpha", 1), x, 0.0)),
    SIGMA_ONE_OF("IsNaN", BOOL, not_equal(x, x)),
    SIGMA_ONE_OF("IsInf", BOOL, max(c.whole("detect_negative", 1) != 0 ? equal(x, -infinity) : 0.0 * equal(x, infinity),
                                    c.whole("detect_positive", 1) != 0 ? equal(x, infinity) : 0.0 * equal(x, infinity))),
    {"Cast", [](OnnxCall& c) { cast_to(c, static_cast<int>(c.whole("to", 0) & 255)); }},
    {"CastLike", [](OnnxCall& c) { cast_to(c, c.type(1)); }},
    SIGMA_TWO("Add", true, x + y),
    SIGMA_TWO("Sub", true, x - y),
    SIGMA_TWO("Mul", true, x * y),
    SIGMA_TWO("Div", true, quotient(c, x, y)),
    SIGMA_TWO("Mod", false, remainder(c, x, y)),
    SIGMA_TWO("Pow", false, powered(c, x, y)),
    SIGMA_TWO("BitShift", false, shifted(c, x, y)),
    SIGMA_TWO("BitwiseAnd", false, bitwise<both_bits>(c, x, y)),
    SIGMA_TWO("BitwiseOr", false, bitwise<any_bit>(c, x, y)),
    SIGMA_TWO("BitwiseXor", false, bitwise<one_bit>(c, x, y)),
    SIGMA_ONE("BitwiseNot", bits_turned(c, x)),
    SIGMA_COMPARE("Equal", equal(x, y)),
    SIGMA_COMPARE("Less", less(x, y)),
    SIGMA_COMPARE("Greater", less(y, x)),
    SIGMA_COMPARE("LessOrEqual", less_equal(x, y)),
    SIGMA_COMPARE("GreaterOrEqual", less_equal(y, x)),
    SIGMA_COMPARE("And", min(x, y)),
    SIGMA_COMPARE("Or", either(x, y)),
    SIGMA_COMPARE("Xor", not_equal(x, y)),
    SIGMA_ANY("Sum", false, x + y),
    SIGMA_ANY("Mean", true, x + y),
    SIGMA_ANY("Max", false, max(x, y)),
    SIGMA_ANY("Min", false, min(x, y)),
    {"Where", select},
    {"PRelu", prelu},
    {"Dropout", dropout, OnnxOperator::Kind::random},
};
// clang-format on

}  // namespace

std::span<const OnnxOperator> onnx_elementwise() { return rows; }

}  // namespace sigma::detail
