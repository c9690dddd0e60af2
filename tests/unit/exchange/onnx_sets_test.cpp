// SPDX-License-Identifier: BSL-1.0
// Operators as the sets 18 to 25 have them: what they give beside formulas in double. tests/onnx/imported.cpp compares
// more of them with ONNX Runtime.
#include <catch2/catch.hpp>
#include <support/onnx_made.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

using namespace sigma;

namespace {

using Floats = std::vector<float>;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// One node of an operator set over x, and what it gives.
struct One {
    Made m;
    format::NodeProto* node;

    One(int set, const std::string& op, const Extents& dims, const std::vector<std::string>& more = {}) : m(set) {
        m.input("x", dims).output("y");
        std::vector<std::string> in{"x"};
        in.insert(in.end(), more.begin(), more.end());
        node = &m.node(op, in, {"y"});
    }
    Floats of(const Floats& x, std::ptrdiff_t records = 1) const { return predicted_of(model_of(m), {x}, records); }
};
void require_close(const Floats& found, const std::vector<double>& wanted) {
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(static_cast<double>(found[i]) == Approx(wanted[i]).margin(2e-6));
}
std::vector<double> mapped(const Floats& x, const std::function<double(double)>& f) {
    std::vector<double> y;
    for (const float each : x) y.push_back(f(static_cast<double>(each)));
    return y;
}
double logistic(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

TEST_CASE("Operator sets 1 to 25 are read, later ones are not") {
    for (int set = 13; set <= 25; ++set) {
        One one(set, "Relu", {-1, 2});
        CHECK(one.of({-1, 2}) == Floats{0, 2});
    }
    CHECK_THAT(One(26, "Relu", {-1, 2}).m.refused(), Catch::Contains("expected operators of set 1 to 25, found 26"));
    One newest(25, "Relu", {-1, 2});
    newest.m.model.set_ir_version(13);
    CHECK(newest.m.refused() == "no error");
}

TEST_CASE("From set 18 on the axes of reductions are an input") {
    One mean(18, "ReduceMean", {-1, 2, 3}, {"axes"});
    mean.m.wholes("axes", {1}, {-1});
    set(*mean.node, "keepdims", 0);
    CHECK(mean.of({1, 2, 3, 4, 5, 9}) == Floats{2, 6});
    One none(18, "ReduceSumSquare", {-1, 3});
    set(*none.node, "noop_with_empty_axes", 1);
    CHECK(none.of({1, -2, 3}) == Floats{1, 4, 9});  // nothing is summed, all is squared
}

TEST_CASE("Split into a number of parts, the last of which may be smaller") {
    Made m(18);
    m.input("x", {-1, 7}).output("a").output("b").output("c");
    auto& n = m.node("Split", {"x"}, {"a", "b", "c"});
    set(n, "axis", 1), set(n, "num_outputs", 3);
    const auto model = model_of(m);
    const Floats x{1, 2, 3, 4, 5, 6, 7};
    CHECK(predicted_of(model, {x}, 1, 0) == Floats{1, 2, 3});
    CHECK(predicted_of(model, {x}, 1, 1) == Floats{4, 5, 6});
    CHECK(predicted_of(model, {x}, 1, 2) == Floats{7});
    n.mutable_attribute(1)->set_i(2);
    CHECK_THAT(m.refused(),
               Catch::Contains("(Split): expected num_outputs equal to the number of outputs, 3, found 2"));
}

TEST_CASE("Pad along some axes, also with what stands at the other end") {
    One some(18, "Pad", {-1, 2, 2}, {"pads", "", "axes"});
    some.m.wholes("pads", {2}, {1, 0}), some.m.wholes("axes", {1}, {-1});
    CHECK(some.of({1, 2, 3, 4}) == Floats{0, 1, 2, 0, 3, 4});
    One around(19, "Pad", {-1, 3}, {"pads"});
    around.m.wholes("pads", {4}, {0, 2, 0, 4});
    set(*around.node, "mode", "wrap");
    CHECK(around.of({1, 2, 3}) == Floats{2, 3, 1, 2, 3, 1, 2, 3, 1});
    some.m.graph.mutable_initializer(0)->add_int64_data(1), some.m.graph.mutable_initializer(0)->set_dims(0, 3);
    CHECK_THAT(some.m.refused(), Catch::Contains("(Pad): expected 2 pads, found 3"));
}

TEST_CASE("The middle of an axis, or an axis in the middle of zeros") {
    One one(18, "CenterCropPad", {-1, 4, 2}, {"to"});
    one.m.wholes("to", {2}, {3, 5});
    set(*one.node, "axes", {1, 2});
    CHECK(one.of({1, 2, 3, 4, 5, 6, 7, 8}) == Floats{0, 1, 2, 0, 0, 0, 3, 4, 0, 0, 0, 5, 6, 0, 0});
}

TEST_CASE("Newer activations") {
    const Floats x = counted(17, -1.5f, 0.2f);
    const auto given = [&](int set_, const char* op, const char* how = nullptr, double alpha = 0) {
        One one(set_, op, {-1, 17});
        if (how) set(*one.node, "approximate", how);
        if (alpha != 0) set(*one.node, "alpha", alpha);
        return one.of(x);
    };
    require_close(given(20, "Gelu"), mapped(x, [](double v) { return 0.5 * v * (1 + std::erf(v / std::sqrt(2.0))); }));
    require_close(given(20, "Gelu", "tanh"), mapped(x, [](double v) {
                      return 0.5 * v * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (v + 0.044715 * v * v * v)));
                  }));
    require_close(given(18, "Mish"), mapped(x, [](double v) { return v * std::tanh(std::log1p(std::exp(v))); }));
    require_close(given(24, "Swish"), mapped(x, [](double v) { return v * logistic(v); }));
    require_close(given(24, "Swish", nullptr, 1.5), mapped(x, [](double v) { return v * logistic(1.5 * v); }));
}

TEST_CASE("A cast to whole numbers keeps what fits into the type, and takes what does not by its low bits") {
    const auto given = [](int type, const Floats& x) {
        Made m(19);
        m.input("x", {-1, 6}).output("y");
        set(m.node("Cast", {"x"}, {"y"}), "to", type);
        return predicted_of(model_of(m), {x}, 1);
    };
    const Floats x{100.7f, -3.2f, 0.5f, 127, -128, 70001};
    CHECK(given(format::TensorProto::INT32, x) == Floats{100, -3, 0, 127, -128, 70001});
    CHECK(given(format::TensorProto::INT64, x) == Floats{100, -3, 0, 127, -128, 70001});
    CHECK(given(format::TensorProto::UINT32, {100, 3, 0, 127, 128, 70001}) == Floats{100, 3, 0, 127, 128, 70001});
    CHECK(given(format::TensorProto::INT16, x) == Floats{100, -3, 0, 127, -128, 4465});
    CHECK(given(format::TensorProto::INT8, x) == Floats{100, -3, 0, 127, -128, 113});
}

TEST_CASE("Bits of whole numbers together") {
    const auto given = [](const char* op, int type, const Floats& x, const Floats& y) {
        Made m(18);
        m.input("x", {-1, 4}, type).input("y", {-1, 4}, type).output("z");
        m.node(op, {"x", "y"}, {"z"});
        return predicted_of(model_of(m), {x, y}, 1);
    };
    const auto wanted = [](auto f, const Floats& x, const Floats& y) {
        Floats z;
        for (std::size_t i = 0; i < x.size(); ++i)
            z.push_back(static_cast<float>(f(static_cast<int>(x[i]), static_cast<int>(y[i]))));
        return z;
    };
    const Floats x{12, -7, 127, -128}, y{10, 6, -1, -126}, a{12, 250, 255, 128}, b{10, 6, 129, 127};
    for (const int type : {format::TensorProto::INT8, format::TensorProto::INT32, format::TensorProto::INT64}) {
        CHECK(given("BitwiseAnd", type, x, y) == wanted(std::bit_and<int>(), x, y));
        CHECK(given("BitwiseOr", type, x, y) == wanted(std::bit_or<int>(), x, y));
        CHECK(given("BitwiseXor", type, x, y) == wanted(std::bit_xor<int>(), x, y));
    }
    CHECK(given("BitwiseXor", format::TensorProto::UINT8, a, b) == wanted(std::bit_xor<int>(), a, b));
    Made m(18);
    m.input("x", {-1, 4}, format::TensorProto::UINT8).output("z");
    m.node("BitwiseNot", {"x"}, {"z"});
    CHECK(predicted_of(model_of(m), {a}, 1) == Floats{243, 5, 0, 127});
}

TEST_CASE("Normalization of groups has scales of groups in set 18, of channels from 21 on") {
    const Floats x = counted(2 * 4 * 3);
    for (const int set_ : {18, 21}) {
        const bool by_group = set_ == 18;
        const Floats scales = by_group ? Floats{2, -1} : Floats{1, 2, 3, -4},
                     shifts = by_group ? Floats{0.5f, 0.25f} : Floats{0, 1, -1, 2};
        One one(set_, "GroupNormalization", {-1, 4, 3}, {"s", "b"});
        one.m.floats("s", {by_group ? 2 : 4}, scales), one.m.floats("b", {by_group ? 2 : 4}, shifts);
        set(*one.node, "num_groups", 2), set(*one.node, "epsilon", 1e-3);
        std::vector<double> wanted;
        for (std::size_t g = 0; g < 4; ++g) {  // of two records
            double mean = 0, square = 0;
            for (std::size_t i = 0; i < 6; ++i) mean += static_cast<double>(x[g * 6 + i]) / 6;
            for (std::size_t i = 0; i < 6; ++i) square += std::pow(static_cast<double>(x[g * 6 + i]) - mean, 2) / 6;
            for (std::size_t i = 0; i < 6; ++i) {
                const std::size_t k = by_group ? g % 2 : g % 2 * 2 + i / 3;
                wanted.push_back((static_cast<double>(x[g * 6 + i]) - mean) / std::sqrt(square + 1e-3) *
                                     static_cast<double>(scales[k]) +
                                 static_cast<double>(shifts[k]));
            }
        }
        require_close(one.of(x, 2), wanted);
        CHECK(model_of(one.m).find_parameter("1-group_normalization.scales") >= 0);
        one.m.graph.mutable_initializer(0)->add_float_data(1),
            one.m.graph.mutable_initializer(0)->set_dims(0, by_group ? 3 : 5);
        CHECK_THAT(one.m.refused(), Catch::Contains(by_group ? "with one number for each group, found (3)"
                                                             : "with one number for each channel, found (5)"));
    }
}

TEST_CASE("Normalization by the root of the mean square") {
    One one(23, "RMSNormalization", {-1, 2, 3}, {"s"});
    one.m.floats("s", {3}, {1, 2, -1});
    const Floats x = counted(6);
    std::vector<double> wanted;
    for (std::size_t r = 0; r < 2; ++r) {
        double square = 0;
        for (std::size_t i = 0; i < 3; ++i) square += std::pow(static_cast<double>(x[r * 3 + i]), 2) / 3;
        for (std::size_t i = 0; i < 3; ++i)
            wanted.push_back(static_cast<double>(x[r * 3 + i]) / std::sqrt(square + 1e-5) *
                             (i == 0   ? 1
                              : i == 1 ? 2
                                       : -1));
    }
    require_close(one.of(x), wanted);
}

TEST_CASE("Averages of dilated windows, and norms with a last window that is not whole") {
    One average(19, "AveragePool", {-1, 1, 7});
    set(*average.node, "kernel_shape", {3}), set(*average.node, "dilations", {2}), set(*average.node, "strides", {2});
    CHECK(average.of({1, 2, 3, 4, 5, 6, 13}) == Floats{3, 7});
    One ceil(18, "LpPool", {-1, 1, 5});
    set(*ceil.node, "kernel_shape", {2}), set(*ceil.node, "strides", {2}), set(*ceil.node, "ceil_mode", 1),
        set(*ceil.node, "p", 1);
    CHECK(ceil.of({1, -2, 3, 4, 5}) == Floats{3, 7, 5});
}

TEST_CASE("Quantized numbers of 16 bits, and of another type of floats") {
    Made m(21);
    m.input("x", {-1, 4}).output("y").output("q");
    m.floats("scale", {}, {0.25f});
    auto& zero = m.wholes("zero", {}, {});
    zero.set_data_type(format::TensorProto::INT16), zero.add_int32_data(3);
    m.node("QuantizeLinear", {"x", "scale", "zero"}, {"q"});
    set(m.node("DequantizeLinear", {"q", "scale", "zero"}, {"y"}), "block_size", 0);
    const auto model = model_of(m);
    const Floats x{0.3f, -2, 1e6f, -1e6f};
    CHECK(predicted_of(model, {x}, 1, 1) == Floats{4, -5, 32767, -32768});
    CHECK(predicted_of(model, {x}, 1, 0) == Floats{0.25f, -2, 8191, -8192.75f});
    m.graph.mutable_node(1)->mutable_attribute(0)->set_i(2);
    CHECK_THAT(
        m.refused(),
        Catch::Contains(
            "(DequantizeLinear): expected one scale, or one for each index of an axis, found one scale for each block "
            "of 2"));
    m.graph.mutable_node(1)->clear_attribute();
    set(*m.graph.mutable_node(0), "output_dtype", static_cast<int>(21));
    m.graph.mutable_node(0)->mutable_input()->RemoveLast();
    CHECK_THAT(m.refused(), Catch::Contains("expected whole numbers of 8 or 16 bits, found UINT4"));
}

// ---- attention ----

namespace {

struct Heads {
    std::size_t queries, keys, rows, columns, width;
};
/// Of one record: q (queries, rows, width), k and v (keys, columns, width); `score` changes one, or makes it -infinity.
std::vector<double> attended(const Heads& h, const Floats& q, const Floats& k, const Floats& v,
                             const std::function<double(double, std::size_t, std::size_t)>& score, double scale) {
    std::vector<double> y;
    for (std::size_t a = 0; a < h.queries; ++a)
        for (std::size_t i = 0; i < h.rows; ++i) {
            const std::size_t b = a / (h.queries / h.keys);
            std::vector<double> share(h.columns), row(h.width);
            double total = 0;
            for (std::size_t j = 0; j < h.columns; ++j) {
                double s = 0;
                for (std::size_t d = 0; d < h.width; ++d)
                    s += static_cast<double>(q[(a * h.rows + i) * h.width + d]) *
                         static_cast<double>(k[(b * h.columns + j) * h.width + d]);
                total += share[j] = std::exp(score(s * scale, i, j));
            }
            for (std::size_t j = 0; j < h.columns; ++j)
                for (std::size_t d = 0; d < h.width && total > 0; ++d)
                    row[d] += share[j] / total * static_cast<double>(v[(b * h.columns + j) * h.width + d]);
            y.insert(y.end(), row.begin(), row.end());
        }
    return y;
}

}  // namespace

TEST_CASE("Attention of fewer heads of keys than of queries, as far as a mask, the past and windows allow") {
    const Heads h{4, 2, 3, 5, 2};
    const Floats q = counted(24), k = counted(20, -0.5f), v = counted(20, 0.3f);
    const auto given = [&](int set_, const std::vector<std::string>& in, auto change) {
        Made m(set_);
        m.input("q", {-1, 4, 3, 2}).input("k", {-1, 2, 5, 2}).input("v", {-1, 2, 5, 2}).output("y");
        auto& n = m.node("Attention", in, {"y"});
        change(m, n);
        return predicted_of(model_of(m), {q, k, v}, 1);
    };
    const double scale = 1 / std::sqrt(2.0);
    const auto plain = [](double s, std::size_t, std::size_t) { return s; };
    require_close(given(23, {"q", "k", "v"}, [](Made&, format::NodeProto&) {}), attended(h, q, k, v, plain, scale));
    require_close(
        given(
            23, {"q", "k", "v"},
            [](Made&, format::NodeProto& n) { set(n, "is_causal", 1), set(n, "softcap", 0.5), set(n, "scale", 2.0); }),
        attended(
            h, q, k, v,
            [](double s, std::size_t i, std::size_t j) { return j <= i ? 0.5 * std::tanh(s / 0.5) : -infinity; }, 2));
    require_close(
        given(23, {"q", "k", "v", "mask"},
              [](Made& m, format::NodeProto&) {
                  auto& t = m.wholes("mask", {3, 5}, {});
                  t.set_data_type(format::TensorProto::BOOL);
                  for (int i = 0; i < 15; ++i) t.add_int32_data(i >= 10 ? 0 : i % 3 != 0);
              }),
        attended(
            h, q, k, v,
            [](double s, std::size_t i, std::size_t j) { return i < 2 && (i * 5 + j) % 3 != 0 ? s : -infinity; },
            scale));
    require_close(
        given(24, {"q", "k", "v", "", "", "", "length"},
              [](Made& m, format::NodeProto& n) { m.wholes("length", {1}, {4}), set(n, "is_causal", 1); }),
        attended(h, q, k, v, [](double s, std::size_t i, std::size_t j) { return j <= i + 1 ? s : -infinity; }, scale));
    require_close(
        given(25, {"q", "k", "v"},
              [](Made&, format::NodeProto& n) { set(n, "left_window_size", 1), set(n, "right_window_size", 2); }),
        attended(
            h, q, k, v, [](double s, std::size_t i, std::size_t j) { return j + 1 >= i && j <= i + 2 ? s : -infinity; },
            scale));
}

TEST_CASE("Attention of three axes has the heads that it says, and hands on what it has seen") {
    Made m(23);
    m.input("q", {-1, 2, 4})
        .input("k", {-1, 1, 4})
        .input("v", {-1, 1, 4})
        .input("pk", {-1, 2, 2, 2})
        .input("pv", {-1, 2, 2, 2});
    m.output("y").output("keys");
    auto& n = m.node("Attention", {"q", "k", "v", "", "pk", "pv"}, {"y", "keys"});
    set(n, "q_num_heads", 2), set(n, "kv_num_heads", 2), set(n, "is_causal", 1);
    const Floats q = counted(8), k = counted(4, 0.3f), v = counted(4, -0.7f), pk = counted(8, 0.1f),
                 pv = counted(8, -0.2f);
    // By heads: q (2, 2, 2), and the past before what is new.
    const Floats by_heads{q[0], q[1], q[4], q[5], q[2], q[3], q[6], q[7]};
    const auto behind = [](const Floats& past, const Floats& now) {
        return Floats{past[0], past[1], past[2], past[3], now[0], now[1],
                      past[4], past[5], past[6], past[7], now[2], now[3]};
    };
    const auto y = attended(
        {2, 2, 2, 3, 2}, by_heads, behind(pk, k), behind(pv, v),
        [](double s, std::size_t i, std::size_t j) { return j <= i + 2 ? s : -infinity; }, 1 / std::sqrt(2.0));
    const auto model = model_of(m);
    require_close(predicted_of(model, {q, k, v, pk, pv}, 1), {y[0], y[1], y[4], y[5], y[2], y[3], y[6], y[7]});
    CHECK(predicted_of(model, {q, k, v, pk, pv}, 1, 1) == behind(pk, k));
    n.mutable_attribute(1)->set_i(3);
    CHECK_THAT(m.refused(), Catch::Contains("(Attention): expected a width that 3 heads divide, found 4"));
}

TEST_CASE("Rotation by positions, of halves and of pairs, of a part of the width") {
    const Floats x = counted(2 * 6), cosine = counted(8, 0.2f), sine = counted(8, -0.6f);
    for (const bool pairs : {false, true}) {
        Made m(23);
        m.input("x", {-1, 1, 2, 6}).output("y");
        m.floats("c", {4, 2}, cosine), m.floats("s", {4, 2}, sine), m.wholes("at", {1, 2}, {3, 1});
        auto& n = m.node("RotaryEmbedding", {"x", "c", "s", "at"}, {"y"});
        set(n, "interleaved", pairs), set(n, "rotary_embedding_dim", 4);
        std::vector<double> wanted(x.begin(), x.end());
        for (std::size_t p = 0; p < 2; ++p)
            for (std::size_t i = 0; i < 2; ++i) {
                const std::size_t row = p == 0 ? 3 : 1, a = p * 6 + (pairs ? 2 * i : i), b = a + (pairs ? 1 : 2);
                const auto c = static_cast<double>(cosine[row * 2 + i]), s = static_cast<double>(sine[row * 2 + i]);
                const auto u = static_cast<double>(x[a]), v = static_cast<double>(x[b]);
                wanted[a] = c * u - s * v, wanted[b] = s * u + c * v;
            }
        require_close(predicted_of(model_of(m), {x}, 1), wanted);
    }
}
