// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/threads.hpp>
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/onnx.hpp>

#include "format.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

// The import of ONNX files as networks. import_file.cpp reads and checks files, import_graph.cpp traces graphs, and the
// operators are tables in operators_*.cpp.
namespace sigma::detail {

using OnnxType = format::TensorProto;  // FLOAT, INT64, …
using Numbers = std::vector<long long>;

/// The number of records in a shape during the import. Computations of exporters with it (products with extents,
/// quotients, sums along an axis) stay exact, and no extent is as large.
inline constexpr long long records_mark = 1ll << 34;
/// The most elements of a tensor in the file, of a value (or of its record), and of a value computed during the import.
inline constexpr long long most_onnx_elements = 1ll << 29, most_value_elements = 1ll << 30,
                           most_folded_elements = 1ll << 20;
/// The most numbers that one import computes, and the most operations of a graph.
inline constexpr long long most_folding = 1ll << 24;
inline constexpr int most_operations = 1 << 20, most_nodes = 1 << 17, most_steps = 1 << 18, most_known_axes = 16;

constexpr bool is_real(int type) {
    return type == OnnxType::FLOAT || type == OnnxType::DOUBLE || type == OnnxType::FLOAT16 ||
           type == OnnxType::BFLOAT16;
}
constexpr bool is_whole(int type) {
    return type == OnnxType::UINT8 || type == OnnxType::INT8 || type == OnnxType::UINT16 || type == OnnxType::INT16 ||
           type == OnnxType::INT32 || type == OnnxType::INT64 || type == OnnxType::UINT32 || type == OnnxType::UINT64;
}
const char* type_name(int type);
/// Returns the bytes of an element; 0 for types that are not numbers.
std::size_t type_size(int type);

/// A constant tensor: bytes as in the file, or numbers.
struct Elements {
    int type = 0;
    Numbers dims{};
    std::string bytes{};
    std::vector<double> numbers{};
    bool equal = false;      ///< True if all elements are equal.
    bool learnable = false;  ///< True for floats without the huge numbers of a mask.

    long long count() const;
    double at(long long i) const;
};
using Known = SharedOwner<const Elements>;
/// Sets `equal` and `learnable` by the elements.
Known settled(Elements elements);

/// The initial values of a parameter: a tensor with its axes in another order.
struct StoredTensor : Initializer::Custom {
    Known elements{};
    std::uint64_t order = 0;
};

/// A value of the graph: a constant, or a node of the tape.
struct OnnxValue {
    std::string name{};
    int type = 0;
    Known known{};
    bool pure = true;     ///< Constant for all extents of inputs.
    bool weight = false;  ///< A tensor of numbers that the file stores.
    bool last = false;    ///< Axis 1 is the last one on the tape.
    Tensor tensor{};

    int rank() const;
    /// Returns the extents in the order of ONNX. The number of records is negative.
    Numbers dims() const;
};

class OnnxModel;
class OnnxWalk;

/// The attributes, inputs and outputs of a node, for the function that imports its operator.
class OnnxCall {
public:
    OnnxCall(OnnxWalk& walk, const format::NodeProto& node, std::vector<OnnxValue> inputs, bool folding);

    const format::NodeProto& node;
    OnnxWalk& walk;
    std::vector<OnnxValue> inputs;
    std::vector<OnnxValue> outputs{};
    const bool folding;  ///< True if all inputs are constants, and the result becomes one.

    Tape* tape() const { return tape_; }
    void use(Tape& tape) { tape_ = &tape; }
    int opset() const;
    bool training() const;

    [[noreturn]] void refuse(std::string expected, std::string found) const;
    void require(bool holds, const char* expected, const std::string& found) const {
        if (!holds) refuse(expected, found);
    }

    // ---- attributes ----
    const format::AttributeProto* attribute(std::string_view name) const;
    long long whole(std::string_view name, long long otherwise) const;
    double real(std::string_view name, double otherwise) const;
    std::string text(std::string_view name, const char* otherwise) const;
    Numbers list(std::string_view name) const;
    /// Returns an integer attribute within these bounds.
    int small(std::string_view name, int otherwise, int lowest, int greatest) const;
    /// Returns one number for each spatial axis. The default is the same for all.
    std::vector<int> spatial(std::string_view name, int count, int otherwise, int lowest = 1,
                             int greatest = 4095) const;
    int in_bounds(const std::string& what, long long x, long long lowest, long long greatest) const;

    // ---- inputs ----
    bool has(int i) const;
    const OnnxValue& in(int i) const;
    int type(int i = 0) const { return in(i).type; }
    int rank(int i) const { return in(i).rank(); }
    /// Returns the shape of an input. Throws if it has an extent of 0, or more than six axes.
    Shape shape(int i) const;
    /// Returns an input on the tape, with its axes in the order of ONNX.
    Tensor x(int i) { return on_tape(i, false, "values"); }
    /// Returns an input of an operator that only moves or maps elements, such as Slice. Its weights stay weights.
    Tensor passed(int i) { return in(i).weight ? weight(i, "weights") : x(i); }
    /// Returns an input that may be trained.
    Tensor weight(int i, Text name, std::uint64_t order = plain_order) { return on_tape(i, true, name, order); }
    /// Returns an input that is stored with the parameters, but not trained.
    Tensor stored(int i, Text name);
    /// Returns an input with axis 1 last.
    Tensor images(int i);
    /// Returns all inputs in one order of axes. The result is true if axis 1 is the last one.
    bool together(std::vector<Tensor>& all, bool trained);
    /// Returns constant integers, such as axes. In `extents` the number of records is negative.
    Numbers numbers(int i) const;
    Numbers extents(int i, bool open = false) const;
    long long whole_number(int i) const;
    /// Returns x. Throws if it has too many elements.
    Tensor checked(Tensor x) const;
    Shape shape_of(const Numbers& extents) const;
    double number(int i) const;
    int axis(long long given, int rank) const;
    /// Returns the axes of the attribute, or of input `i`. If there are none, returns all axes or no axis (`all`).
    std::vector<int> axes(int i, int rank, bool all) const;

    Tensor constant(double value) const { return {sigma::constant(tape_, value)}; }
    /// Returns numbers that follow from attributes and extents. They are stored like statistics.
    Tensor table(Elements elements, Text name);

    // ---- outputs ----
    void give(Tensor y) { give(y, type()); }
    void give(Tensor y, int type, bool last = false);
    void give_known(Elements elements, bool pure = true);
    /// Gives a tensor without elements, which exists only during the import.
    void give_empty(Numbers dims);
    void give_value(OnnxValue value) { outputs.push_back(std::move(value)); }

    static constexpr std::uint64_t plain_order = ~std::uint64_t{0};

private:
    Tape* tape_ = nullptr;

    Tensor on_tape(int i, bool trained, Text name, std::uint64_t order = plain_order);
};

/// A row of the tables of operators.
struct OnnxOperator {
    enum class Kind : char {
        layer,   ///< The result is on the tape, or a constant if all inputs are constants.
        direct,  ///< Reads values, and needs none of them on the tape.
        random,  ///< Never a constant.
        nested,  ///< Imports a graph of its own. Its nodes are not layers.
    };
    std::string_view name;
    void (*put)(OnnxCall&);
    Kind kind = Kind::layer;
};
const OnnxOperator* find_onnx_operator(std::string_view name);
/// Returns the kind of an operator, such as "batch_normalization". The text is static.
const Text& kind_of(const OnnxOperator& of);

/// The specification of an operator since an operator set.
struct OnnxSignature {
    std::string_view name;
    int since, fewest, most;      ///< `fewest` and `most` inputs.
    std::string_view attributes;  ///< "axis:i! keepdims:i"
};
const OnnxSignature* find_onnx_signature(std::string_view name, int set);
struct OnnxFault {
    std::string expected, found;
};
/// Returns the fault of a node with other attributes, kinds of attributes or numbers of inputs than its operator.
std::optional<OnnxFault> signature_fault(const format::NodeProto& node, int set);

std::span<const OnnxOperator> onnx_elementwise();
std::span<const OnnxOperator> onnx_shapes();
std::span<const OnnxOperator> onnx_reductions();
std::span<const OnnxOperator> onnx_products();
std::span<const OnnxOperator> onnx_attention();
std::span<const OnnxOperator> onnx_images();
std::span<const OnnxOperator> onnx_normalizations();
std::span<const OnnxOperator> onnx_recurrences();
std::span<const OnnxOperator> onnx_indices();
std::span<const OnnxOperator> onnx_quantization();
std::span<const OnnxOperator> onnx_loops();

/// Returns the product of matrices. The other axes broadcast.
Tensor onnx_product(OnnxCall& c, Tensor x, Tensor y);
/// Gives the convolution of a value (records, channels, …) and weights (outputs, channels, …), with the attributes of a
/// node.
void give_convolution(OnnxCall& c, Tensor x, Tensor w);
/// Returns the order of axes with axis 1 last.
std::uint64_t channels_last(int rank);

/// The tensors of a graph, and the folder of other files with tensors. An empty folder allows no other files.
struct TensorSource {
    std::string file, folder;
    Known read(format::TensorProto& tensor, const std::string& what) const;
};

/// A file, read and checked. Several threads may trace it at once.
class OnnxModel {
public:
    OnnxModel(std::span<const std::byte> bytes, std::string file, std::string folder, OnnxImport how);

    struct Input {
        std::string name;
        int type = 0;
        Numbers dims{};                   ///< -1 for open axes.
        std::vector<std::string> open{};  ///< Names of open axes.
    };
    std::string file;
    OnnxImport how;
    format::ModelProto model{};
    int opset = 0;
    long long file_batch = 0;  ///< The fixed number of records in the file, or 0.
    bool one_record = false;
    std::vector<Input> inputs{};
    std::vector<std::string> input_names{}, outputs{}, classes{};
    std::unordered_map<std::string, OnnxValue> initial{};
    std::unordered_map<std::string, int> uses{};
    std::unordered_map<const format::TensorProto*, Known> constants{};  ///< Constants in attributes.
    std::unordered_map<std::string, std::string> ends{};  ///< Values that replace outputs without their activation.

    void walk(Context& context, Flow& x) const;
    /// Traces the graph, and returns any number of outputs.
    std::vector<Tensor> outputs_of(Context& context, Flow& x) const;
    std::vector<OnnxValue> known_outputs() const;
    /// Returns the initializer of a parameter from a tensor.
    Initializer initializer(const Known& elements, std::uint64_t order) const;
    /// Returns one shared object for equal numbers of a node.
    Known derived(const format::NodeProto& node, Elements elements) const;
    /// Returns the constants of a node that an earlier trace has computed, or null.
    const std::vector<OnnxValue>* folded(const format::NodeProto& node) const;
    void keep(const format::NodeProto& node, const std::vector<OnnxValue>& results) const;
    [[noreturn]] void refuse(const std::string& place, std::string expected, std::string found) const;

private:
    TensorSource source_;
    long long node_count_ = 0;
    mutable Mutex mutex_{};
    mutable std::map<std::pair<const Elements*, std::uint64_t>, Owned<StoredTensor>> stored_{};
    mutable std::unordered_map<const format::NodeProto*, std::vector<OnnxValue>> folded_{};

    mutable std::unordered_map<const format::NodeProto*, std::vector<Known>> derived_{};

    void choose_outputs();
    void check_graph(format::GraphProto& graph, std::unordered_set<std::string>& known, int depth);
    void read_inputs();
    void choose_batch();
    [[noreturn]] void refuse_size(const OnnxSize& s) const;
};

/// A trace of the graph onto a tape.
class OnnxWalk {
public:
    OnnxWalk(const OnnxModel& of, Context& on) : model(of), context(&on) {}
    /// Constructs a trace of the constants alone.
    explicit OnnxWalk(const OnnxModel& of) : model(of) {}

    const OnnxModel& model;
    Context* context = nullptr;
    std::unordered_map<std::string, OnnxValue> values{};

    void run(const format::GraphProto& graph);
    /// Traces a graph inside a node with these inputs, and returns its outputs.
    std::vector<OnnxValue> run_inside(const format::GraphProto& graph, std::vector<OnnxValue> in);
    void add_inputs(Flow& x);
    std::vector<Tensor> take_outputs();
    const OnnxValue& value(const std::string& name) const;
    /// Counts numbers that the import computes. Throws if there are too many.
    void spend(const OnnxCall& call, long long numbers);
    /// Returns a constant on the tape, as a parameter or as an equivalent value.
    Tensor materialized(OnnxCall& call, const OnnxValue& v, bool trained, bool statistic, Text name,
                        std::uint64_t order);

private:
    std::map<std::pair<const Elements*, std::uint64_t>, Variable> parameters_{};
    std::unordered_set<std::string> parameter_names_{}, layer_names_{};
    long long work_left_ = most_folding, numbers_left_ = most_folding;
    int steps_ = 0;
    std::vector<Known> bound_{};  ///< Constants of the node that is being computed.
    bool inside_ = false;         ///< True inside a node with a graph of its own.

    void step(const format::NodeProto& node);
    bool fold(OnnxCall& call, const OnnxOperator& by);
    void put(OnnxCall& call, const OnnxOperator& by);
    bool affordable(const Tape& tape, long long& work) const;
    void input(const OnnxModel::Input& of, Tensor given);
    Text layer_name(const format::NodeProto& node);
};

/// Thrown if a value is not constant. The network computes it then.
struct NotKnown {};

}  // namespace sigma::detail
