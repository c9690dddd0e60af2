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

/// How ONNX files become networks: import_file.cpp reads and checks, import_graph.cpp walks the graph, and the
/// operators are tables in operators_*.cpp.
namespace sigma::detail {

using OnnxType = format::TensorProto;  // FLOAT, INT64, …
using Numbers = std::vector<long long>;

/// The number of records in a shape while the graph is walked: what exporters compute with it (products with
/// extents, quotients, sums along an axis) stays exact, and no extent is as large.
inline constexpr long long records_mark = 1ll << 34;
/// Of a tensor in the file, of a value (or of its records), and of one that is computed while importing.
inline constexpr long long most_onnx_elements = 1ll << 29, most_value_elements = 1ll << 30,
                           most_folded_elements = 1ll << 20;
/// Of all that is computed in one walk, and of the operations that a graph becomes.
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
/// Bytes of an element; 0 of what is no number.
std::size_t type_size(int type);

/// A tensor that is known while importing: bytes as they lie in a file, or numbers.
struct Elements {
    int type = 0;
    Numbers dims{};
    std::string bytes{};
    std::vector<double> numbers{};
    bool equal = false;      ///< are all elements the same?
    bool learnable = false;  ///< floats, and none of the numbers beyond all weights that hide something in a mask

    long long count() const;
    double at(long long i) const;
};
using Known = SharedOwner<const Elements>;
/// Looks at them once.
Known settled(Elements elements);

/// A tensor with which a parameter begins, its axes in another order.
struct StoredTensor : Initializer::Custom {
    Known elements{};
    std::uint64_t order = 0;
};

/// A value of the graph: known, or on the tape.
struct OnnxValue {
    std::string name{};
    int type = 0;
    Known known{};
    bool pure = true;     ///< known whatever the extents of inputs are
    bool weight = false;  ///< a tensor of numbers that the file stores
    bool last = false;    ///< on the tape axis 1 stands last
    Tensor tensor{};

    int rank() const;
    /// In the order of ONNX; the number of records is negative.
    Numbers dims() const;
};

class OnnxModel;
class OnnxWalk;

/// What an operator is told, and what it gives.
class OnnxCall {
public:
    OnnxCall(OnnxWalk& walk, const format::NodeProto& node, std::vector<OnnxValue> inputs, bool folding);

    const format::NodeProto& node;
    OnnxWalk& walk;
    std::vector<OnnxValue> inputs;
    std::vector<OnnxValue> outputs{};
    const bool folding;  ///< is everything known, and the result to be?

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
    /// The same within these bounds.
    int small(std::string_view name, int otherwise, int lowest, int greatest) const;
    /// As many numbers as there are spatial axes, or all the same.
    std::vector<int> spatial(std::string_view name, int count, int otherwise, int lowest = 1,
                             int greatest = 4095) const;
    int in_bounds(const std::string& what, long long x, long long lowest, long long greatest) const;

    // ---- inputs ----
    bool has(int i) const;
    const OnnxValue& in(int i) const;
    int type(int i = 0) const { return in(i).type; }
    int rank(int i) const { return in(i).rank(); }
    /// With the records negative. Throws where it has an extent of 0 or more axes than six.
    Shape shape(int i) const;
    /// On the tape, in the order of ONNX.
    Tensor x(int i) { return on_tape(i, false, "values"); }
    /// The same for what only moves or maps elements, such as Slice: weights stay weights in it.
    Tensor passed(int i) { return in(i).weight ? weight(i, "weights") : x(i); }
    /// The same of what may be trained.
    Tensor weight(int i, Text name, std::uint64_t order = plain_order) { return on_tape(i, true, name, order); }
    /// One that is stored with the parameters and not trained.
    Tensor stored(int i, Text name);
    /// With axis 1 last.
    Tensor images(int i);
    /// All inputs in one order of axes: true where axis 1 stands last in it.
    bool together(std::vector<Tensor>& all, bool trained);
    /// Known integers, such as axes; in `extents` the number of records is negative.
    Numbers numbers(int i) const;
    Numbers extents(int i, bool open = false) const;
    long long whole_number(int i) const;
    /// Throws where it has too many elements.
    Tensor checked(Tensor x) const;
    Shape shape_of(const Numbers& extents) const;
    double number(int i) const;
    int axis(long long given, int rank) const;
    /// Axes by attribute or input `i`; `all` where there are none.
    std::vector<int> axes(int i, int rank, bool all) const;

    Tensor constant(double value) const { return {sigma::constant(tape_, value)}; }
    /// Numbers that follow from attributes and extents, stored as statistics are.
    Tensor table(Elements elements, Text name);

    // ---- outputs ----
    void give(Tensor y) { give(y, type()); }
    void give(Tensor y, int type, bool last = false);
    void give_known(Elements elements, bool pure = true);
    /// A tensor without elements, which is no tensor of Sigma.
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
        layer,   ///< what it gives is on the tape, or computed while importing where all is known
        direct,  ///< looks at values and needs none on the tape
        random,  ///< never computed while importing
        nested,  ///< walks a graph of its own, whose nodes are no layers
    };
    std::string_view name;
    void (*put)(OnnxCall&);
    Kind kind = Kind::layer;
};
const OnnxOperator* find_onnx_operator(std::string_view name);
/// "batch_normalization", which lasts.
const Text& kind_of(const OnnxOperator& of);

/// What the specification says of an operator since an operator set.
struct OnnxSignature {
    std::string_view name;
    int since, fewest, most;      ///< the number of inputs
    std::string_view attributes;  ///< "axis:i! keepdims:i"
};
std::span<const OnnxSignature> onnx_signatures();
const OnnxSignature* find_onnx_signature(std::string_view name, int set);
struct OnnxFault {
    std::string expected, found;
};
/// Whether a node has other attributes, kinds of attributes or numbers of inputs than its operator.
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

/// The product of matrices whose other axes broadcast.
Tensor onnx_product(OnnxCall& c, Tensor x, Tensor y);
/// The convolution of a value (records, channels, …) by weights (outputs, channels, …), with the attributes of a node.
void give_convolution(OnnxCall& c, Tensor x, Tensor w);
/// The order of axes in which axis 1 comes last.
std::uint64_t channels_last(int rank);

/// The tensors of a graph, with the folder where others may lie beside the file; none may where that is empty.
struct TensorSource {
    std::string file, folder;
    Known read(format::TensorProto& tensor, const std::string& what) const;
};

/// A file, read and checked. Many threads may walk it at a time.
class OnnxModel {
public:
    OnnxModel(std::span<const std::byte> bytes, std::string file, std::string folder, OnnxImport how);

    struct Input {
        std::string name;
        int type = 0;
        Numbers dims{};                   ///< -1: open
        std::vector<std::string> open{};  ///< the names of those
    };
    std::string file;
    OnnxImport how;
    format::ModelProto model{};
    int opset = 0;
    long long file_batch = 0;  ///< the number of records that the file has written everywhere; 0: none
    bool one_record = false;
    std::vector<Input> inputs{};
    std::vector<std::string> input_names{}, outputs{}, classes{};
    std::unordered_map<std::string, OnnxValue> initial{};
    std::unordered_map<std::string, int> uses{};
    std::unordered_map<const format::TensorProto*, Known> constants{};  ///< that are attributes
    std::unordered_map<std::string, std::string> ends{};  ///< what stands for an output without its activation

    void walk(Context& context, Flow& x) const;
    /// The same, without a limit to the number of outputs.
    std::vector<Tensor> outputs_of(Context& context, Flow& x) const;
    std::vector<OnnxValue> known_outputs() const;
    /// The initializer that stands for a tensor.
    Initializer initializer(const Known& elements, std::uint64_t order) const;
    /// The same object for the same numbers of a node.
    Known derived(const format::NodeProto& node, Elements elements) const;
    /// What was computed once and holds for every walk.
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

/// One walk over the graph, onto a tape.
class OnnxWalk {
public:
    OnnxWalk(const OnnxModel& of, Context& on) : model(of), context(&on) {}
    /// Of what is known alone.
    explicit OnnxWalk(const OnnxModel& of) : model(of) {}

    const OnnxModel& model;
    Context* context = nullptr;
    std::unordered_map<std::string, OnnxValue> values{};

    void run(const format::GraphProto& graph);
    /// Of a graph inside a node, with these inputs: its outputs.
    std::vector<OnnxValue> run_inside(const format::GraphProto& graph, std::vector<OnnxValue> in);
    void bring_inputs(Flow& x);
    std::vector<Tensor> take_outputs();
    const OnnxValue& value(const std::string& name) const;
    /// So many numbers more are computed while importing. Throws where they are too many.
    void spend(const OnnxCall& call, long long numbers);
    /// A tensor as a parameter, or by what is as good.
    Tensor materialized(OnnxCall& call, const OnnxValue& v, bool trained, bool statistic, Text name,
                        std::uint64_t order);

private:
    std::map<std::pair<const Elements*, std::uint64_t>, Variable> parameters_{};
    std::unordered_set<std::string> parameter_names_{}, layer_names_{};
    long long work_left_ = most_folding, numbers_left_ = most_folding;
    int steps_ = 0;
    std::vector<Known> bound_{};  ///< of what is being folded
    bool inside_ = false;         ///< a node that walks a graph of its own

    void step(const format::NodeProto& node);
    bool fold(OnnxCall& call, const OnnxOperator& by);
    void put(OnnxCall& call, const OnnxOperator& by);
    bool affordable(const Tape& tape, long long& work) const;
    void input(const OnnxModel::Input& of, Tensor given);
    Text layer_name(const format::NodeProto& node);
};

/// Thrown where a value cannot be known while importing; then it is computed by the network.
struct NotKnown {};

}  // namespace sigma::detail
