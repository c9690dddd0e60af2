// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/owners.hpp>
#include <sigma/core/words.hpp>
#include <sigma/exchange/portable_model.hpp>
#include <sigma/network/model.hpp>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Models as ONNX files, the component sigma::onnx: find_package(sigma COMPONENTS onnx).
SIGMA_INCLUDED(sigma, include_sigma_onnx_hpp);

namespace sigma {

/// How a model is written as an ONNX file.
struct OnnxOptions {
    /// The weights in a file of their own beside it, "m.onnx.data", which ONNX calls external data. A file with weights
    /// inside has at most 2 GB.
    bool weights_beside = false;
};
/// What stands in an ONNX file.
struct OnnxContents {
    std::vector<std::string> inputs{}, outputs{};  ///< "0-input (batch, 28, 28)"
    /// In the order in which they are computed: "Gemm(0-input, 1-dense.weights, 1-dense.biases) -> 1-dense/Gemm".
    std::vector<std::string> nodes{};
};

namespace detail {

[[gnu::cold]] OnnxContents export_onnx(const PortableModel& model, const std::string& file, const OnnxOptions& options);

}  // namespace detail

/// Writes what the model predicts as an ONNX file (operators of set 17), whole or not at all. Numbers have the model's
/// type. Throws ArgumentError where ONNX has no words for an operation, and StorageError where a file cannot be
/// written.
template <AnyNetwork N, class T>
OnnxContents export_onnx(const Model<N, T>& model, const std::string& file, const OnnxOptions& options = {}) {
    OnnxContents written;
    detail::with_portable(model,
                          [&](const detail::PortableModel& m) { written = detail::export_onnx(m, file, options); });
    return written;
}

}  // namespace sigma

/// Networks of other programs, from ONNX files.
namespace sigma {

/// Which axis of an ONNX graph counts records.
enum class OnnxBatch {
    automatic,   ///< the first axis of every input where that of one is open or all are 1, and the graph keeps it; else
                 ///< the graph is one record
    first_axis,  ///< the first axis of every input and output, whatever extent the file has for it
    whole_graph,  ///< none: the graph is one record. Inputs and outputs get an axis in front, which must be 1: of more
                  ///< records all is NaN
};

/// The extent of an axis that an ONNX file leaves open.
struct OnnxSize {
    std::string name;  ///< of the axis, or of an input where a number follows
    int axis = -1;     ///< of the input, from 0 on; -1: the axis is called by its name
    int extent = 0;

    /// Sets all axes of this name: {"height", 224}
    OnnxSize(std::string axis_name, int extent_) : name(std::move(axis_name)), extent(extent_) {}
    /// Sets one axis of an input, which may have no name: {"x", 2, 224}
    OnnxSize(std::string input, int axis_, int extent_) : name(std::move(input)), axis(axis_), extent(extent_) {}
};

/// How an ONNX file is read.
struct OnnxImport {
    OnnxBatch batch = OnnxBatch::automatic;
    /// Of axes that the file leaves open, by name, or by input and number: {{"height", 224}, {"x", 3, 224}}
    std::vector<OnnxSize> sizes{};
    /// Inputs that do not change, as files of their tensors (TensorProto): {{"shape", "shape.pb"}}
    std::map<std::string, std::string> fixed{};
    /// Those outputs alone, in this order; also values inside the graph. What they do not need is left out. Empty: all.
    std::vector<std::string> outputs{};
    bool last_activation = true;  ///< false: without the Softmax, LogSoftmax or Sigmoid that an output ends with
};

class OnnxGraph;

namespace detail {

class OnnxModel;
/// The network of a graph: each output is predicted as it is.
DynamicNetwork onnx_network(const OnnxGraph& graph);

}  // namespace detail

/// The graph of an ONNX file, read and checked, as a part of an expression. At the front it brings its inputs; behind
/// other layers it takes what flows. Its outputs flow on side by side, eight at most (`.outputs` chooses some).
/// Parameters begin as the file has them.
///
///   Trainer trainer("tuned", network(frozen(OnnxGraph("features.onnx")) + Dense(10) + SoftmaxCE()), Adam{}, batches);
///
/// Throws DataError: one sentence with the node and its operator, where the file is damaged or has what Sigma has not.
class OnnxGraph : public Layer, public detail::Several {
public:
    explicit OnnxGraph(const std::string& file, const OnnxImport& how = {});
    /// Of a file in memory, without anything beside it.
    OnnxGraph(std::span<const std::byte> bytes, const OnnxImport& how = {},
              const std::string& name = "bytes in memory");

    /// As the file has them, without those that are fixed.
    const std::vector<std::string>& inputs() const&;
    const std::vector<std::string>& outputs() const&;
    /// The names of the classes 0, 1, … where the file has them as export_onnx writes them.
    std::vector<std::string> classes() const;
    std::vector<std::string> inputs() && { return static_cast<const OnnxGraph&>(*this).inputs(); }
    std::vector<std::string> outputs() && { return static_cast<const OnnxGraph&>(*this).outputs(); }
    /// Is the graph one record, see OnnxBatch::whole_graph?
    bool is_one_record() const;
    /// The elements of an output that depends on no input; none of others.
    std::vector<double> constant_output(int output) const;

    void trace(Context& context, detail::Flow& x) const;
    void each_loss(auto) const {}

private:
    detail::SharedOwner<const detail::OnnxModel> model_;

    friend DynamicNetwork detail::onnx_network(const OnnxGraph& graph);
};

/// The graph of a file as layers, to which others may be added.
Layers onnx_layers(const std::string& file, const OnnxImport& how = {});

namespace detail {

/// Without the last activation where the loss, of this kind, applies it itself.
OnnxImport before_loss(OnnxImport how, std::string_view loss);

}  // namespace detail

/// The network of an ONNX file with its weights: predicts what the file says, and can be trained further.
///   auto model = import_onnx("resnet.onnx");
template <class T = float>
Model<DynamicNetwork, T> import_onnx(const std::string& file, const OnnxImport& how = {}) {
    const OnnxGraph graph(file, how);
    Model<DynamicNetwork, T> model(detail::onnx_network(graph));
    model.set_classes(graph.classes());
    return model;
}
/// The same with a loss: `import_onnx("digits.onnx", SoftmaxCE())`. A Softmax or Sigmoid at the end of the file that
/// the loss applies itself is left out.
template <class T = float, LossLayer L>
Model<DynamicNetwork, T> import_onnx(const std::string& file, const L& loss_of, const OnnxImport& how = {}) {
    const OnnxGraph graph(file, detail::before_loss(how, L::kind.view()));
    Model<DynamicNetwork, T> model(network(Layers(graph) + loss_of));
    model.set_classes(graph.classes());
    return model;
}

}  // namespace sigma
