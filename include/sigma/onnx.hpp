// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// ONNX files: export_onnx, import_onnx, OnnxGraph. Include it yourself, and link the component `onnx`:
/// find_package(sigma COMPONENTS onnx).

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

SIGMA_INCLUDED(sigma, include_sigma_onnx_hpp);

namespace sigma {

/// Options of `export_onnx`.
/// @see export_onnx
struct OnnxOptions {
    /// Stores the weights in a second file next to the first one, "m.onnx.data" (ONNX: external data). Default: false,
    /// in the file itself. A file that contains weights has at most 2 GB.
    bool weights_beside = false;
};
/// The contents of an ONNX file, as `export_onnx` returns them.
/// @see export_onnx
struct OnnxContents {
    std::vector<std::string> inputs{};   ///< Inputs with their shapes: "0-input (batch, 28, 28)".
    std::vector<std::string> outputs{};  ///< Outputs with their shapes.
    /// Operators in the order of execution: "Gemm(0-input, 1-dense.weights, 1-dense.biases) -> 1-dense/Gemm".
    std::vector<std::string> nodes{};
};

namespace detail {

[[gnu::cold]] OnnxContents export_onnx(const PortableModel& model, const std::string& file, const OnnxOptions& options);

}  // namespace detail

/// Writes the prediction of a model as an ONNX file (operator set 17).
///
/// The numbers have the type of the model. After an error the old file still exists.
///
/// @param model    the model. A trainer may be training it.
/// @param file     path of the file, usually ending in ".onnx"
/// @param options  where the weights are stored
/// @return the inputs, outputs and operators of the file
/// @throws ArgumentError  if ONNX cannot express an operation of the network
/// @throws StorageError   if a file cannot be written
///
/// @par Example
/// @code
/// export_onnx(model, "digits.onnx");
/// @endcode
///
/// @see import_onnx, save_model
template <AnyNetwork N, class T>
OnnxContents export_onnx(const Model<N, T>& model, const std::string& file, const OnnxOptions& options = {}) {
    OnnxContents written;
    detail::with_portable(model,
                          [&](const detail::PortableModel& m) { written = detail::export_onnx(m, file, options); });
    return written;
}

/// The axis of an ONNX graph that counts records.
/// @see OnnxImport
enum class OnnxBatch {
    /// The first axis of all inputs, if one of them is open or all of them are 1, and if the graph keeps this axis.
    /// Otherwise like `whole_graph`.
    automatic,
    first_axis,  ///< The first axis of every input and output. The extent that the file gives for it is ignored.
    /// No axis: the graph is one record. Inputs and outputs get an additional first axis, which must be 1. With more
    /// records all results are NaN.
    whole_graph,
};

/// The extent of an axis that an ONNX file leaves open.
/// @see OnnxImport
struct OnnxSize {
    std::string name;  ///< Name of the axis, or name of the input if `axis` is not -1.
    int axis = -1;     ///< Number of the axis of the input, from 0; -1 if `name` is the name of the axis.
    int extent = 0;    ///< The extent, at least 1.

    /// Sets all axes of this name: `{"height", 224}`.
    /// @param axis_name  name of the axis in the file
    /// @param extent_    the extent
    OnnxSize(std::string axis_name, int extent_) : name(std::move(axis_name)), extent(extent_) {}
    /// Sets one axis of an input: `{"x", 2, 224}`. The axis needs no name.
    /// @param input    name of the input
    /// @param axis_    number of the axis, from 0
    /// @param extent_  the extent
    OnnxSize(std::string input, int axis_, int extent_) : name(std::move(input)), axis(axis_), extent(extent_) {}
};

/// Options of `import_onnx`, `onnx_layers` and `OnnxGraph`.
///
/// @par Example
/// @code
/// auto resnet = import_onnx("resnet.onnx", {.sizes = {{"height", 224}, {"width", 224}}});
/// @endcode
struct OnnxImport {
    OnnxBatch batch = OnnxBatch::automatic;  ///< The axis that counts records.
    /// Extents of axes that the file leaves open, by name, or by input and number: `{{"height", 224}, {"x", 3, 224}}`.
    std::vector<OnnxSize> sizes{};
    /// Inputs with constant values, as names of files with their tensors (TensorProto): `{{"shape", "shape.pb"}}`.
    std::map<std::string, std::string> fixed{};
    /// The outputs to import, in this order. Values inside the graph are allowed, too. Operators that these outputs do
    /// not need are left out. Default: all outputs.
    std::vector<std::string> outputs{};
    /// False: removes a Softmax, LogSoftmax or Sigmoid at the end of an output. Default: true.
    bool last_activation = true;
};

class OnnxGraph;

namespace detail {

class OnnxModel;
/// Returns the network of a graph without losses: each output is a prediction.
DynamicNetwork onnx_network(const OnnxGraph& graph);

}  // namespace detail

/// The graph of an ONNX file as a part of a run-time network.
///
/// At the front of an expression the graph brings its own inputs. Behind other layers it reads their results. Its
/// outputs flow on side by side, at most eight; choose some of them by `OnnxImport::outputs`. Parameters start with the
/// values of the file.
///
/// @par Example
/// @code
/// auto tuned = network(frozen(OnnxGraph("features.onnx")) + Dense(10) + SoftmaxCE());
/// @endcode
///
/// @see import_onnx, docs/onnx-import.md
class OnnxGraph : public Layer, public detail::Several {
public:
    /// Reads and checks the graph of a file.
    /// @param file     path of the ONNX file
    /// @param options  sizes of open axes, outputs, and the axis of records
    /// @throws ArgumentError  if no node computes one of `options.outputs`
    /// @throws DataError  if the file is damaged, or contains an operator that Sigma does not support. The message
    ///                    names the node and its operator.
    explicit OnnxGraph(const std::string& file, const OnnxImport& options = {});
    /// Reads and checks the graph of a file in memory. External data are not available.
    /// @param bytes    the bytes of the file
    /// @param options  sizes of open axes, outputs, and the axis of records
    /// @param name     name of the file in error messages
    /// @throws ArgumentError  if no node computes one of `options.outputs`
    /// @throws DataError  if the bytes are damaged, or contain an operator that Sigma does not support
    OnnxGraph(std::span<const std::byte> bytes, const OnnxImport& options = {},
              const std::string& name = "bytes in memory");

    /// Returns the names of the inputs in the file.
    /// @return the names, without inputs with constant values
    const std::vector<std::string>& inputs() const&;
    /// Returns the names of the outputs in the file.
    /// @return the names, in the order of `OnnxImport::outputs`
    const std::vector<std::string>& outputs() const&;
    /// Returns the names of the classes, which `export_onnx` writes.
    /// @return the names of the classes 0, 1, …, or an empty list
    std::vector<std::string> classes() const;
    /// Returns the names of the inputs in the file.
    /// @return a copy
    std::vector<std::string> inputs() && { return static_cast<const OnnxGraph&>(*this).inputs(); }
    /// Returns the names of the outputs in the file.
    /// @return a copy
    std::vector<std::string> outputs() && { return static_cast<const OnnxGraph&>(*this).outputs(); }
    /// Returns whether the graph is one record.
    /// @return true if no axis counts records, see `OnnxBatch::whole_graph`
    bool is_one_record() const;
    /// Returns the elements of an output that does not depend on inputs.
    /// @param output  number of the output, from 0
    /// @return the elements, or an empty list for other outputs
    std::vector<double> constant_output(int output) const;

    /// @cond internal
    void trace(Context& context, detail::Flow& x) const;
    void each_loss(auto) const {}
    /// @endcond

private:
    detail::SharedOwner<const detail::OnnxModel> model_;

    friend DynamicNetwork detail::onnx_network(const OnnxGraph& graph);
};

/// Reads the graph of an ONNX file as layers, to which you can add others.
///
/// @param file     path of the ONNX file
/// @param options  sizes of open axes, outputs, and the axis of records
/// @return the graph as layers, with parameters that start with the values of the file
/// @throws DataError  if the file is damaged, or contains an operator that Sigma does not support
///
/// @par Example
/// @code
/// auto net = network(onnx_layers("features.onnx") + Dense(10) + SoftmaxCE());
/// @endcode
Layers onnx_layers(const std::string& file, const OnnxImport& options = {});

namespace detail {

/// Returns the options without the last activation, if a loss of this kind applies the activation itself.
OnnxImport before_loss(OnnxImport options, std::string_view loss);

}  // namespace detail

/// Reads a model from an ONNX file. The model predicts the outputs of the graph.
///
/// @tparam T       type of the parameters and predictions: `float` (default) or `double`
/// @param file     path of the ONNX file
/// @param options  sizes of open axes, outputs, and the axis of records
/// @return a model of a run-time network, with the parameters of the file
/// @throws DataError  if the file is damaged, or contains an operator that Sigma does not support. The message names
/// the
///                    node and its operator.
///
/// @par Example
/// @code
/// auto resnet = import_onnx("resnet.onnx");
/// @endcode
///
/// @see OnnxImport, export_onnx, docs/onnx-import.md
template <class T = float>
Model<DynamicNetwork, T> import_onnx(const std::string& file, const OnnxImport& options = {}) {
    const OnnxGraph graph(file, options);
    Model<DynamicNetwork, T> model(detail::onnx_network(graph));
    model.set_classes(graph.classes());
    return model;
}
/// Reads a model from an ONNX file, and adds a loss, so that the model can be trained and evaluated.
///
/// If the file ends with a Softmax or Sigmoid that the loss applies itself, this operator is left out.
///
/// @tparam T       type of the parameters and predictions: `float` (default) or `double`
/// @param file     path of the ONNX file
/// @param loss_of  the loss, such as `SoftmaxCE()`
/// @param options  sizes of open axes, outputs, and the axis of records
/// @return a model of a run-time network, with the parameters of the file
/// @throws DataError     if the file is damaged, or contains an operator that Sigma does not support
/// @throws MistakeError  if the loss does not fit the output
///
/// @par Example
/// @code
/// auto digits = import_onnx("digits.onnx", SoftmaxCE());
/// double accuracy_of_the_file = digits.evaluate(testing).accuracy;
/// @endcode
template <class T = float, LossLayer L>
Model<DynamicNetwork, T> import_onnx(const std::string& file, const L& loss_of, const OnnxImport& options = {}) {
    const OnnxGraph graph(file, detail::before_loss(options, L::kind.view()));
    Model<DynamicNetwork, T> model(network(Layers(graph) + loss_of));
    model.set_classes(graph.classes());
    return model;
}

}  // namespace sigma
