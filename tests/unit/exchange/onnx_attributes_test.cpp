// SPDX-License-Identifier: BSL-1.0
// Nodes of ONNX files with other attributes, kinds of attributes or numbers of inputs than their operators have, pads
// that leave a window nothing but padding, and inputs beyond the limit: one sentence each.
#include <onnx/import.hpp>

#include <catch2/catch.hpp>
#include <support/onnx_made.hpp>

#include <functional>

using namespace sigma;

namespace {

using Change = std::function<void(format::NodeProto&)>;

std::string convolution(const Change& change, int set_of = 13) {
    Made m(set_of);
    m.input("x", {-1, 1, 8}).output("y");
    m.floats("w", {1, 1, 2}, {1, 1});
    change(m.node("Conv", {"x", "w"}, {"y"}, "c"));
    return m.refused();
}
std::string pooled(const char* op, std::initializer_list<long long> pads, const Change& change = [](auto&) {}) {
    Made m(13);
    m.input("x", {-1, 1, 8}).output("y");
    auto& n = m.node(op, {"x"}, {"y"}, "p");
    set(n, "kernel_shape", {2}), set(n, "pads", pads);
    change(n);
    return m.refused();
}
std::string of_input(const Extents& dims) {
    Made m(13);
    m.input("x", dims).output("y");
    m.node("Relu", {"x"}, {"y"});
    return m.refused();
}

}  // namespace

TEST_CASE("Attributes that an operator has not, and those of another kind, are refused") {
    CHECK(convolution([](auto& n) { set(n, "strides", {2}); }) == "no error");
    CHECK_THAT(convolution([](auto& n) { set(n, "stride", {2}); }),
               Catch::Contains("node 'c' ('Conv'): expected the attributes of operator set 13 (auto_pad, dilations, "
                               "group, kernel_shape, pads, strides), found 'stride'"));
    CHECK_THAT(convolution([](auto& n) { set(n, "strides", 2); }),
               Catch::Contains("expected attribute 'strides' as a list of whole numbers, found a whole number"));
    CHECK_THAT(convolution([](auto& n) { set(n, "group", 1.0); }),
               Catch::Contains("expected attribute 'group' as a whole number, found a float"));
    CHECK_THAT(convolution([](auto& n) { set(n, "auto_pad", 1); }),
               Catch::Contains("expected attribute 'auto_pad' as a text, found a whole number"));
    CHECK_THAT(
        convolution([](auto& n) {
            set(n, "strides", {2});
            n.mutable_attribute(0)->clear_type();
        }),
        Catch::Contains("expected attribute 'strides' as a list of whole numbers, found a value without a type"));
    CHECK(convolution([](auto& n) { set(n, "__tool", 1); }) == "no error");  // which ONNX leaves to tools
}

TEST_CASE("Attributes are those of the file's operator set") {
    const auto dropout = [](int set_of, const char* attribute) {
        Made m(set_of);
        m.input("x", {-1, 2}).output("y");
        set(m.node("Dropout", {"x"}, {"y"}, "d"), attribute, 0.5);
        return m.refused();
    };
    CHECK(dropout(11, "ratio") == "no error");
    CHECK_THAT(dropout(13, "ratio"),
               Catch::Contains("expected the attributes of operator set 13 (seed), found 'ratio'"));
    Made m(13);
    m.input("x", {-1, 2}).output("y");
    m.node("Concat", {"x", "x"}, {"y"}, "c");
    CHECK_THAT(m.refused(), Catch::Contains("node 'c' ('Concat'): expected attribute 'axis', found no such attribute"));
}

TEST_CASE("As many inputs as an operator has") {
    CHECK_THAT(convolution([](auto& n) { n.add_input(""), n.add_input("x"); }),
               Catch::Contains("node 'c' ('Conv'): expected 2 to 3 inputs, found 4"));
    CHECK_THAT(convolution([](auto& n) { n.mutable_input()->RemoveLast(); }),
               Catch::Contains("expected 2 to 3 inputs, found 1"));
    Made m(13);
    m.input("x", {-1, 2}).output("y");
    m.node("Relu", {"x", "x"}, {"y"}, "r");
    CHECK_THAT(m.refused(), Catch::Contains("node 'r' ('Relu'): expected 1 input, found 2"));
}

TEST_CASE("The attributes of each operator are known") {
    for (const auto rows :
         {detail::onnx_elementwise(), detail::onnx_shapes(), detail::onnx_reductions(), detail::onnx_products(),
          detail::onnx_images(), detail::onnx_normalizations(), detail::onnx_recurrences(), detail::onnx_indices(),
          detail::onnx_quantization(), detail::onnx_loops()})
        for (const detail::OnnxOperator& row : rows) {
            INFO(row.name);
            CHECK(detail::find_onnx_signature(row.name, 13) != nullptr);
        }
    CHECK(detail::find_onnx_signature("Dropout", 11)->since == 7);
    CHECK(detail::find_onnx_signature("Dropout", 12)->since == 12);
    CHECK(detail::find_onnx_signature("LayerNormalization", 13)->since == 17);  // runtimes have it earlier
}

TEST_CASE("Pads of a pool are smaller than its kernel, and no auto_pad stands beside pads") {
    for (const char* op : {"MaxPool", "AveragePool", "LpPool"}) {
        INFO(op);
        CHECK(pooled(op, {1, 1}) == "no error");
        for (const auto& pads : {std::initializer_list<long long>{2, 0}, {0, 2}, {0, 3}, {3, 3}})
            CHECK_THAT(pooled(op, pads),
                       Catch::Contains("expected pads that leave each window of 2 an element, found"));
    }
    const Change dilated = [](auto& n) { set(n, "dilations", {2}); };
    CHECK(pooled("MaxPool", {2, 2}, dilated) == "no error");
    CHECK_THAT(pooled("MaxPool", {3, 3}, dilated), Catch::Contains("each window of 3 an element, found 3 and 3"));
    // As PyTorch writes ceil_mode before set 10: the last window begins at the last element.
    CHECK(pooled("MaxPool", {1, 2}, [](auto& n) { set(n, "strides", {2}); }) == "no error");
    CHECK(convolution([](auto& n) { set(n, "pads", {5, 5}); }) == "no error");
    CHECK_THAT(convolution([](auto& n) { set(n, "pads", {1, 1}), set(n, "auto_pad", "VALID"); }),
               Catch::Contains("expected pads or auto_pad, found both"));
    CHECK(convolution([](auto& n) { set(n, "pads", {0, 0}), set(n, "auto_pad", "SAME_UPPER"); }) == "no error");
}

TEST_CASE("The limit of elements is that of inputs, too, before memory is asked for") {
    CHECK(of_input({-1, 4, 4}) == "no error");
    CHECK_THAT(of_input({-1, 65536, 65536}),
               Catch::Contains("input 'x': expected at most 536870912 elements in a record, found (-1, 65536, 65536)"));
    CHECK_THAT(of_input({536870912, 536870912}), Catch::Contains("elements in a record"));
    CHECK_THAT(of_input({1, 1 << 20, 1 << 20, 1 << 20}), Catch::Contains("elements in a record"));
}
