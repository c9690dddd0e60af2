// SPDX-License-Identifier: BSL-1.0
// An ONNX file of more operators than 16 bits can count.
#include <sigma/onnx.hpp>
#include <sigma/sigma.hpp>

#include <onnx/format.hpp>

#include <catch2/catch.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

using namespace sigma;

TEST_CASE("A file of 34,000 operators predicts what they compute", "[exchange]") {
    namespace format = sigma::onnx_format;
    format::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(13);
    auto& graph = *model.mutable_graph();
    graph.set_name("g");
    auto& x = *graph.add_input();
    x.set_name("x");
    auto& type = *x.mutable_type()->mutable_tensor_type();
    type.set_elem_type(format::TensorProto::FLOAT);
    type.mutable_shape()->add_dim()->set_dim_param("n");
    type.mutable_shape()->add_dim()->set_dim_value(4);
    std::string from = "x";
    constexpr int count = 34000;
    for (int i = 0; i <= count; ++i) {
        auto& n = *graph.add_node();
        const std::string to = i == count ? "y" : sentence("c", i);
        n.set_op_type(i == count ? "Neg" : "Relu");
        n.add_input(from), n.add_output(to);
        from = to;
    }
    graph.add_output()->set_name("y");
    const std::string all = model.SerializeAsString();
    const OnnxGraph read(std::as_bytes(std::span(all)), {}, "made");
    const Model<DynamicNetwork> made(detail::onnx_network(read));
    const std::vector<float> given{-1, 2, 0.5f, -3, 1, -2, 3, 4};
    std::vector<float> found(8);
    Model<DynamicNetwork>::ResultPointers results{found.data()};
    made.predict({given.data()}, results, 2);
    CHECK(found == std::vector<float>{0, -2, -0.5f, 0, -1, 0, -3, -4});
}
