// SPDX-License-Identifier: BSL-1.0
// onnx_imported FOLDER: for each of several graphs of the operator sets 18 to 24 writes NAME.onnx, and NAME.json with
// inputs and what Sigma says of them, for the script beside to compare with ONNX Runtime. Among them are graphs built
// as those of Silero VAD, openWakeWord and ISNet are. One line each.
#include <sigma/onnx.hpp>
#include <sigma/sigma.hpp>

#include <support/onnx_made.hpp>

#include "cases.hpp"

#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace sigma;

namespace {

using Names = std::vector<std::string>;
using Floats = std::vector<float>;

std::string folder;
std::mt19937 numbers(20261128);

float uniform(double low = -1.5, double high = 1.5) {
    return static_cast<float>(low + (high - low) * static_cast<double>(numbers()) / 4294967296.0);
}
Floats drawn(const Extents& dims, double most = 1.5) {
    Floats all;
    long long count = 1;
    for (const long long d : dims) count *= d;
    for (long long i = 0; i < count; ++i) all.push_back(uniform(-most, most));
    return all;
}
void weights(Made& m, const std::string& name, const Extents& dims, double most = 0.5) {
    m.floats(name, dims, drawn(dims, most));
}

/// Computed for 1, 2 and 7 records, or for the one that the graph is.
void examine(const std::string& name, const Made& m, const OnnxImport& how = {}) {
    const OnnxGraph graph = m.read(how);
    const auto model = model_of(m, how);
    const bool whole = graph.is_one_record();
    Cases<float> cases;
    for (const std::size_t records : {1u, 2u, 7u}) {
        if (whole && records > 1) break;
        std::vector<Array<float>> in, out;
        std::vector<Floats> given;
        const auto extents = [&](const Shape& s) {
            std::vector<std::size_t> e;
            for (int k = whole ? 1 : 0; k < s.rank; ++k)
                e.push_back(s[k] < 0 ? records : static_cast<std::size_t>(s[k]));
            return e;
        };
        for (const Shape& s : model.records.inputs) {
            in.push_back(Array<float>::from_shape(extents(s)));
            for (float& x : in.back()) x = uniform();
            given.emplace_back(in.back().begin(), in.back().end());
        }
        for (int k = 0; k < model.records.costs.size(); ++k) {
            out.push_back(Array<float>::from_shape(extents(model.records.costs[k].prediction)));
            const Floats y =
                predicted_of(model, given, static_cast<std::ptrdiff_t>(records), static_cast<std::size_t>(k));
            std::copy(y.begin(), y.end(), out.back().begin());
        }
        cases.add(in, out);
    }
    format::ModelProto typed = m.model;  // as ONNX Runtime wants it
    for (auto& y : *typed.mutable_graph()->mutable_output())
        y.mutable_type()->mutable_tensor_type()->set_elem_type(format::TensorProto::FLOAT);
    for (auto& node : *typed.mutable_graph()->mutable_node())
        for (auto& a : *node.mutable_attribute())
            if (a.has_g())
                for (auto& y : *a.mutable_g()->mutable_output())
                    y.mutable_type()->mutable_tensor_type()->set_elem_type(format::TensorProto::FLOAT);
    const std::string file = folder + "/" + name, bytes = typed.SerializeAsString();
    std::FILE* const f = std::fopen((file + ".onnx").c_str(), "wb");
    if (!f || std::fwrite(bytes.data(), 1, bytes.size(), f) != bytes.size() || std::fclose(f) != 0) std::abort();
    cases.write(file + ".json");
    std::printf("%s\n", name.c_str());
}
using Change = std::function<void(Made&, format::NodeProto&)>;
/// One node over x and others.
void one(const std::string& name, int set_, const std::string& op, const Extents& dims, const Names& more = {},
         const Change& change = {}) {
    Made m(set_);
    m.input("x", dims).output("y");
    Names in{"x"};
    in.insert(in.end(), more.begin(), more.end());
    auto& n = m.node(op, in, {"y"});
    if (change) change(m, n);
    examine(name, m);
}

void operators() {
    for (const char* op : {"L1", "L2", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"}) {
        const std::string name = std::string("Reduce") + op;
        one(name, 18, name, {-1, 3, 4, 2}, {"axes"},
            [](Made& m, format::NodeProto&) { m.wholes("axes", {2}, {-1, 1}); });
        one(name + "_dropped", 20, name, {-1, 3, 4}, {"axes"},
            [](Made& m, format::NodeProto& n) { m.wholes("axes", {1}, {2}), set(n, "keepdims", 0); });
    }
    for (const char* mode : {"constant", "edge", "reflect", "wrap"})
        one(std::string("pad_") + mode, 19, "Pad", {-1, 3, 5}, {"pads", "", "axes"},
            [&](Made& m, format::NodeProto& n) {
                m.wholes("pads", {4}, {2, 1, 0, 2}), m.wholes("axes", {2}, {2, 1}), set(n, "mode", mode);
            });
    for (const char* how : {"none", "tanh"})
        one(std::string("gelu_") + how, 20, "Gelu", {-1, 37}, {},
            [&](Made&, format::NodeProto& n) { set(n, "approximate", how); });
    one("mish", 18, "Mish", {-1, 37});
    one("group_normalization", 21, "GroupNormalization", {-1, 6, 3, 5}, {"s", "b"},
        [](Made& m, format::NodeProto& n) { weights(m, "s", {6}), weights(m, "b", {6}), set(n, "num_groups", 3); });
    one("layer_normalization", 17, "LayerNormalization", {-1, 3, 4, 5}, {"s", "b"},
        [](Made& m, format::NodeProto& n) { weights(m, "s", {4, 5}), weights(m, "b", {4, 5}), set(n, "axis", -2); });
    one("rms_normalization", 23, "RMSNormalization", {-1, 3, 20}, {"s"},
        [](Made& m, format::NodeProto&) { weights(m, "s", {20}); });
    for (const bool counts : {false, true})
        one(counts ? "average_counted" : "average", 19, "AveragePool", {-1, 2, 9, 8}, {},
            [&](Made&, format::NodeProto& n) {
                set(n, "kernel_shape", {3, 2}), set(n, "dilations", {2, 3}), set(n, "pads", {1, 1, 2, 0});
                set(n, "strides", {2, 1}), set(n, "count_include_pad", counts);
            });
    one("center", 18, "CenterCropPad", {-1, 6, 7}, {"to"},
        [](Made& m, format::NodeProto& n) { m.wholes("to", {2}, {9, 4}), set(n, "axes", {1, 2}); });
    one("reshape_zero", 21, "Reshape", {-1, 2, 6}, {"to"},
        [](Made& m, format::NodeProto&) { m.wholes("to", {4}, {0, 0, 3, -1}); });
    for (const char* mode : {"linear", "nearest", "cubic"}) {
        Made m(20);
        m.input("x", {-1, 2, 5, 4}).input("grid", {-1, 3, 6, 2}).output("y");
        set(m.node("GridSample", {"x", "grid"}, {"y"}), "mode", mode);
        examine(std::string("grid_") + mode, m);
    }
    for (const char* op : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"}) {
        Made m(18);
        m.input("x", {-1, 50}).input("y", {-1, 50}).output("z");
        m.floats("large", {}, {100});
        for (const std::string of : {"x", "y"}) {
            m.node("Mul", {of, "large"}, {of + "l"});
            set(m.node("Cast", {of + "l"}, {of + "i"}), "to", 6);
        }
        m.node(op, {"xi", "yi"}, {"zi"});
        set(m.node("Cast", {"zi"}, {"z"}), "to", 1);
        examine(op, m);
    }
    for (const char* mode : {"linear", "cubic"})
        for (const bool excludes : {false, true})
            one(std::string("antialias_") + mode + (excludes ? "_excludes" : ""), 18, "Resize", {-1, 2, 9, 11},
                {"", "", "to"}, [&](Made& m, format::NodeProto& n) {
                    m.wholes("to", {2}, {4, 5}), set(n, "axes", {2, 3}), set(n, "mode", mode), set(n, "antialias", 1);
                    set(n, "exclude_outside", excludes);
                });
    for (const char* policy : {"stretch", "not_larger", "not_smaller"})
        for (const char* mode : {"nearest", "linear"})
            one(std::string("resize_") + policy + "_" + mode, 19, "Resize", {-1, 2, 5, 8}, {"", "", "to"},
                [&](Made& m, format::NodeProto& n) {
                    m.wholes("to", {2}, {13, 7}), set(n, "axes", {3, 2}), set(n, "mode", mode);
                    set(n, "keep_aspect_ratio_policy", policy);
                });
    one("resize_symmetric", 19, "Resize", {-1, 2, 5, 7}, {"", "scales"}, [](Made& m, format::NodeProto& n) {
        m.floats("scales", {2}, {1.7f, 0.6f}), set(n, "axes", {2, 3}), set(n, "mode", "linear");
        set(n, "coordinate_transformation_mode", "half_pixel_symmetric");
    });
    Made split(18);
    split.input("x", {-1, 7}).output("a").output("b").output("c");
    auto& n = split.node("Split", {"x"}, {"a", "b", "c"});
    set(n, "axis", 1), set(n, "num_outputs", 3);
    examine("split", split);
}

void attention() {
    for (const bool causal : {false, true}) {
        Made m(23);
        m.input("q", {-1, 4, 5, 6}).input("k", {-1, 2, 7, 6}).input("v", {-1, 2, 7, 3}).output("y");
        auto& n = m.node("Attention", {"q", "k", "v"}, {"y"});
        set(n, "is_causal", causal), set(n, "scale", 0.7);
        examine(causal ? "attention_causal" : "attention", m);
    }
    Made flat(23);
    flat.input("q", {-1, 5, 24})
        .input("k", {-1, 7, 12})
        .input("v", {-1, 7, 12})
        .input("mask", {-1, 1, 5, 7})
        .output("y");
    auto& n = flat.node("Attention", {"q", "k", "v", "mask"}, {"y"});
    set(n, "q_num_heads", 4), set(n, "kv_num_heads", 2), set(n, "softcap", 1.5);
    examine("attention_flat", flat);
    Made past(23);
    past.input("q", {-1, 2, 3, 4}).input("k", {-1, 2, 3, 4}).input("v", {-1, 2, 3, 4});
    past.input("pk", {-1, 2, 5, 4}).input("pv", {-1, 2, 5, 4}).output("y").output("keys").output("values");
    set(past.node("Attention", {"q", "k", "v", "", "pk", "pv"}, {"y", "keys", "values"}), "is_causal", 1);
    examine("attention_past", past);
    for (const bool pairs : {false, true}) {
        Made m(23);
        m.input("x", {-1, 5, 24}).input("c", {-1, 5, 3}).input("s", {-1, 5, 3}).output("y");
        auto& r = m.node("RotaryEmbedding", {"x", "c", "s"}, {"y"});
        set(r, "num_heads", 4), set(r, "interleaved", pairs);
        examine(pairs ? "rotary_pairs" : "rotary", m);
    }
}

/// A frame of a Silero VAD: short-time spectrum by a convolution, an encoder, an LSTM with its state, a decoder; two
/// such, one of which the rate chooses.
void voice_activity() {
    const auto branch = [](const std::string& p, long long channels) {
        Made m(18);
        const auto v = [&](const char* name) { return p + name; };
        m.output(v("prob")).output(v("next"));
        m.wholes(v("pads"), {4}, {0, 0, 0, 64});
        set(m.node("Pad", {"x", v("pads")}, {v("padded")}), "mode", "reflect");
        m.wholes(v("one"), {1}, {1}), weights(m, v("basis"), {66, 1, 64}, 0.2);
        m.node("Unsqueeze", {v("padded"), v("one")}, {v("signal")});
        set(m.node("Conv", {v("signal"), v("basis")}, {v("stft")}), "strides", {32});
        m.wholes(v("0"), {1}, {0}), m.wholes(v("33"), {1}, {33}), m.wholes(v("66"), {1}, {66});
        m.node("Slice", {v("stft"), v("0"), v("33"), v("one")}, {v("real")});
        m.node("Slice", {v("stft"), v("33"), v("66"), v("one")}, {v("imaginary")});
        m.floats(v("two"), {}, {2});
        m.node("Pow", {v("real"), v("two")}, {v("real2")}),
            m.node("Pow", {v("imaginary"), v("two")}, {v("imaginary2")});
        m.node("Add", {v("real2"), v("imaginary2")}, {v("power")}), m.node("Sqrt", {v("power")}, {v("size")});
        weights(m, v("w1"), {channels, 33, 3}, 0.2), weights(m, v("b1"), {channels});
        auto& first = m.node("Conv", {v("size"), v("w1"), v("b1")}, {v("c1")});
        set(first, "pads", {1, 1}), set(first, "strides", {2});
        m.node("Relu", {v("c1")}, {v("r1")});
        weights(m, v("w2"), {16, channels, 3}, 0.2), weights(m, v("b2"), {16});
        auto& second = m.node("Conv", {v("r1"), v("w2"), v("b2")}, {v("c2")});
        set(second, "pads", {1, 1}), set(second, "strides", {2});
        m.node("Relu", {v("c2")}, {v("r2")});
        m.wholes(v("last"), {1}, {-1});
        m.node("ReduceMean", {v("r2"), v("last")}, {v("frame")});  // (1, 16, 1)
        set(m.node("Transpose", {v("frame")}, {v("steps")}), "perm", {2, 0, 1});
        auto& halves = m.node("Split", {"state"}, {v("h"), v("c")});
        set(halves, "axis", 0), set(halves, "num_outputs", 2);
        weights(m, v("w"), {1, 64, 16}, 0.3), weights(m, v("r"), {1, 64, 16}, 0.3), weights(m, v("b"), {1, 128}, 0.3);
        set(m.node("LSTM", {v("steps"), v("w"), v("r"), v("b"), "", v("h"), v("c")}, {v("all"), v("hn"), v("cn")}),
            "hidden_size", 16);
        set(m.node("Concat", {v("hn"), v("cn")}, {v("next")}), "axis", 0);
        m.node("Relu", {v("hn")}, {v("decoded")});
        weights(m, v("out"), {16, 1});
        m.node("MatMul", {v("decoded"), v("out")}, {v("score")});
        m.node("Sigmoid", {v("score")}, {v("prob3")});
        m.node("Squeeze", {v("prob3"), v("0")}, {v("prob")});
        return m.graph;
    };
    Made m(18);
    m.input("x", {1, 320}).input("state", {2, 1, 16}).input("rate", {}).output("prob").output("next");
    m.floats("threshold", {}, {0});
    m.node("Less", {"rate", "threshold"}, {"low"});
    auto& n = m.node("If", {"low"}, {"prob", "next"});
    set(n, "then_branch", branch("a", 12)), set(n, "else_branch", branch("b", 20));
    for (const char* name : {"vad", "vad_again", "vad_once_more"}) examine(name, m);  // either branch
}

/// Mel spectrum of a wave by convolutions, in decibels below its greatest, and an embedding of it by small images.
void wake_word() {
    Made m(18);
    m.input("x", {-1, 1600}).output("y");
    m.wholes("one", {1}, {1}), m.wholes("last", {1}, {-1}), m.wholes("pads", {6}, {0, 0, 40, 0, 0, 40});
    m.node("Unsqueeze", {"x", "one"}, {"signal"});
    set(m.node("Pad", {"signal", "pads"}, {"padded"}), "mode", "reflect");
    for (const std::string part : {"real", "imaginary"}) {
        weights(m, part + "_basis", {41, 1, 80}, 0.2);
        set(m.node("Conv", {"padded", part + "_basis"}, {part}), "strides", {40});
        m.node("Mul", {part, part}, {part + "2"});
    }
    m.node("Add", {"real2", "imaginary2"}, {"power"});
    set(m.node("Transpose", {"power"}, {"frames"}), "perm", {0, 2, 1});
    m.floats("mel", {41, 32}, drawn({41, 32}, 0.2));
    m.node("Abs", {"mel"}, {"bank"}), m.node("MatMul", {"frames", "bank"}, {"bands"});
    m.floats("least", {}, {1e-10f}), m.floats("ten", {}, {10 / std::log(10.0f)}), m.floats("range", {}, {80});
    m.node("Max", {"bands", "least"}, {"clear"}), m.node("Log", {"clear"}, {"log"}),
        m.node("Mul", {"log", "ten"}, {"decibel"});
    m.wholes("both", {2}, {1, 2});
    m.node("ReduceMax", {"decibel", "both"}, {"loudest"}), m.node("Sub", {"loudest", "range"}, {"floor"});
    m.node("Max", {"decibel", "floor"}, {"mel_spectrum"});
    m.node("Unsqueeze", {"mel_spectrum", "one"}, {"image"});  // (n, 1, 41, 32)
    std::string from = "image";
    long long channels = 1;
    for (int i = 0; i < 3; ++i) {
        const std::string k = std::to_string(i);
        weights(m, "w" + k, {8, channels, 3, 3}, 0.3);
        set(m.node("Conv", {from, "w" + k}, {"c" + k}), "auto_pad", "SAME_UPPER");
        m.floats("scale" + k, {8}, Floats(8, 0.8f)), m.floats("variance" + k, {8}, Floats(8, i == 0 ? 400.0f : 1.5f));
        weights(m, "shift" + k, {8}), weights(m, "mean" + k, {8});
        m.node("BatchNormalization", {"c" + k, "scale" + k, "shift" + k, "mean" + k, "variance" + k}, {"n" + k});
        set(m.node("LeakyRelu", {"n" + k}, {"l" + k}), "alpha", 0.2);
        auto& pool = m.node("MaxPool", {"l" + k}, {"p" + k});
        set(pool, "kernel_shape", {2, 2}), set(pool, "strides", {2, 2});
        from = "p" + k, channels = 8;
    }
    m.wholes("to", {2}, {0, -1}), weights(m, "dense", {8 * 5 * 4, 6}, 0.2);
    m.node("Reshape", {from, "to"}, {"flat"}), m.node("MatMul", {"flat", "dense"}, {"y"});
    examine("wake_word", m);
}

/// U-nets as ISNet has them: pooled with ceil_mode, and brought to the size of what they are joined with.
void segmentation() {
    Made m(18);
    m.input("x", {-1, 3, 25, 19});
    for (int i = 0; i < 10; ++i) m.output("side" + std::to_string(i));
    int count = 0;
    const auto block = [&](const std::string& from, long long in, long long out, int dilation) {
        const std::string k = std::to_string(count++);
        weights(m, "w" + k, {out, in, 3, 3}, 0.3), weights(m, "b" + k, {out});
        auto& n = m.node("Conv", {from, "w" + k, "b" + k}, {"c" + k});
        set(n, "pads", {dilation, dilation, dilation, dilation}), set(n, "dilations", {dilation, dilation});
        m.floats("s" + k, {out}, Floats(static_cast<std::size_t>(out), 1.1f)), weights(m, "t" + k, {out});
        weights(m, "m" + k, {out}), m.floats("v" + k, {out}, Floats(static_cast<std::size_t>(out), 2));
        m.node("BatchNormalization", {"c" + k, "s" + k, "t" + k, "m" + k, "v" + k}, {"n" + k});
        m.node("Relu", {"n" + k}, {"r" + k});
        return "r" + k;
    };
    m.wholes("0", {1}, {0}), m.wholes("2", {1}, {2}), m.wholes("4", {1}, {4});
    const auto like = [&](const std::string& from, const std::string& to) {
        const std::string k = std::to_string(count++);
        m.node("Shape", {from}, {"fs" + k}), m.node("Shape", {to}, {"ts" + k});
        m.node("Slice", {"fs" + k, "0", "2", "0"}, {"front" + k}),
            m.node("Slice", {"ts" + k, "2", "4", "0"}, {"sides" + k});
        set(m.node("Concat", {"front" + k, "sides" + k}, {"size" + k}), "axis", 0);
        auto& n = m.node("Resize", {from, "", "", "size" + k}, {"u" + k});
        set(n, "mode", "linear"), set(n, "coordinate_transformation_mode", "half_pixel");
        return "u" + k;
    };
    const auto joined = [&](const std::string& a, const std::string& b) {
        const std::string k = "j" + std::to_string(count++);
        set(m.node("Concat", {a, b}, {k}), "axis", 1);
        return k;
    };
    const auto pooled = [&](const std::string& from) {
        const std::string k = "q" + std::to_string(count++);
        auto& n = m.node("MaxPool", {from}, {k});
        set(n, "kernel_shape", {2, 2}), set(n, "strides", {2, 2}), set(n, "ceil_mode", 1);
        return k;
    };
    const std::string e1 = block("x", 3, 6, 1), e2 = block(pooled(e1), 6, 6, 1), e3 = block(pooled(e2), 6, 6, 1),
                      e4 = block(e3, 6, 6, 2);
    const std::string d3 = block(joined(e4, e3), 12, 6, 1), d2 = block(joined(like(d3, e2), e2), 12, 6, 1),
                      d1 = block(joined(like(d2, e1), e1), 12, 6, 1);
    int side = 0;
    for (const std::string& from : {d1, d2, d3, e4, e3}) {
        const std::string k = std::to_string(side);
        weights(m, "sw" + k, {1, 6, 3, 3}), weights(m, "sb" + k, {1});
        set(m.node("Conv", {from, "sw" + k, "sb" + k}, {"sc" + k}), "pads", {1, 1, 1, 1});
        m.node("Sigmoid", {side == 0 ? "sc" + k : like("sc" + k, "x")}, {"side" + std::to_string(2 * side)});
        m.node("Identity", {from}, {"side" + std::to_string(2 * side + 1)});
        ++side;
    }
    examine("segmentation", m);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "onnx_imported: expected a folder\n"), 2;
    folder = argv[1];
    operators();
    attention();
    voice_activity();
    wake_word();
    segmentation();
    return 0;
}
