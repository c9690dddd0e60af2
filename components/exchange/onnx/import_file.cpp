// SPDX-License-Identifier: BSL-1.0
#include <sigma/storage/dtype.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/file.hpp>
#include <sigma/storage/json.hpp>
#include <sigma/storage/utf8.hpp>

#include "import.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <unordered_set>

namespace sigma::detail {

static_assert(std::endian::native == std::endian::little, "ONNX stores little-endian numbers");

namespace {

struct TypeRow {
    const char* name;
    std::size_t size;
};
// Indexed by TensorProto::DataType.
constexpr TypeRow types[] = {
    {"no type", 0},        {"FLOAT", 4},    {"UINT8", 1},        {"INT8", 1},           {"UINT16", 2},
    {"INT16", 2},          {"INT32", 4},    {"INT64", 8},        {"STRING", 0},         {"BOOL", 1},
    {"FLOAT16", 2},        {"DOUBLE", 8},   {"UINT32", 4},       {"UINT64", 8},         {"COMPLEX64", 0},
    {"COMPLEX128", 0},     {"BFLOAT16", 2}, {"FLOAT8E4M3FN", 0}, {"FLOAT8E4M3FNUZ", 0}, {"FLOAT8E5M2", 0},
    {"FLOAT8E5M2FNUZ", 0}, {"UINT4", 0},    {"INT4", 0},         {"FLOAT4E2M1", 0},     {"FLOAT8E8M0", 0}};
const TypeRow& type_row(int type) { return types[type > 0 && type < static_cast<int>(std::size(types)) ? type : 0]; }

template <class T>
T read_as(const char* from) {
    T x;
    std::memcpy(&x, from, sizeof x);
    return x;
}
template <class T>
double number_as(const char* from) {
    return static_cast<double>(read_as<T>(from));
}
double half_as(const char* from) { return storage::from_f16(read_as<std::uint16_t>(from)); }
double brain_as(const char* from) { return storage::from_bf16(read_as<std::uint16_t>(from)); }
double bool_as(const char* from) { return *from != 0 ? 1 : 0; }
using Reader = double (*)(const char*);
constexpr Reader readers[] = {nullptr,
                              number_as<float>,
                              number_as<std::uint8_t>,
                              number_as<std::int8_t>,
                              number_as<std::uint16_t>,
                              number_as<std::int16_t>,
                              number_as<std::int32_t>,
                              number_as<std::int64_t>,
                              nullptr,
                              bool_as,
                              half_as,
                              number_as<double>,
                              number_as<std::uint32_t>,
                              number_as<std::uint64_t>,
                              nullptr,
                              nullptr,
                              brain_as};

std::string whole_file(const std::string& path, std::uint64_t offset, std::uint64_t length, bool links,
                       std::uint64_t most) {
    const auto fail = [&](const std::string& found) { throw DataError(path, "", "a file that can be read", found); };
    const storage::Descriptor file =
        storage::open_to_read(path, links ? storage::Opening::at_once : storage::Opening::without_a_link);
    storage::FileState state;
    if (!file || !storage::look_at(file, state)) fail(storage::system_text(errno));
    if (!state.is_file) fail("no file of bytes");
    if (offset > state.size)
        throw DataError(path, "", sentence("data from byte ", offset, " on"), sentence(state.size, " bytes"));
    const std::uint64_t rest = state.size - offset, size = length == 0 ? rest : length;
    if (size > rest) throw DataError(path, "", sentence(size, " bytes from byte ", offset, " on"), sentence(rest));
    if (size > most) throw DataError(path, "", sentence("at most ", most, " bytes"), sentence(size));
    std::string bytes(static_cast<std::size_t>(size), '\0');
    const auto [count, code] = storage::read_at(file.number(), offset, std::as_writable_bytes(std::span(bytes)));
    if (code != 0) fail(storage::system_text(code));
    if (count != bytes.size()) fail(sentence("only ", count, " of ", bytes.size(), " bytes"));
    return bytes;
}
std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

constexpr std::uint64_t most_bytes = 2147483647;  // limit of protobuf for a message

/// Returns a path below a folder. Throws if the path leaves the folder or contains a link.
std::string below(const std::string& folder, const std::string& location, const auto& refuse) {
    if (folder.empty()) refuse("tensors within the file", "a tensor in a second file");
    if (location.empty() || location[0] == '/' || location.find('\0') != location.npos)
        refuse("a path below the folder of the file", storage::quotation(location));
    std::string path = folder;
    for (std::size_t from = 0; from <= location.size();) {
        const std::size_t end = std::min(location.find('/', from), location.size());
        const std::string part = location.substr(from, end - from);
        if (part.empty() || part == "." || part == "..")
            refuse("a path below the folder of the file", storage::quotation(location));
        path += "/" + part;
        storage::FileState state;
        if (storage::look_at(path, state, false) && state.is_link)
            refuse("a path without links", storage::quotation(location));
        from = end + 1;
    }
    return path;
}

/// Returns the low bytes of numbers that a message stores one by one.
std::string low_bytes(const auto& numbers, std::size_t size) {
    std::string bytes;
    bytes.reserve(static_cast<std::size_t>(numbers.size()) * size);
    for (const auto x : numbers) {
        char all[sizeof x];
        std::memcpy(all, &x, sizeof x);
        bytes.append(all, size);
    }
    return bytes;
}

}  // namespace

const char* type_name(int type) { return type_row(type).name; }
std::size_t type_size(int type) { return type_row(type).size; }

long long Elements::count() const {
    long long n = 1;
    for (const long long d : dims) n *= d;
    return n;
}
Known settled(Elements e) {
    const long long count = e.count();
    e.equal = true, e.learnable = is_real(e.type);
    const double first = count > 0 ? e.at(0) : 0;
    for (long long i = 0; i < count && (e.equal || e.learnable); ++i) {
        const double x = e.at(i);
        e.equal = e.equal && x == first;
        e.learnable = e.learnable && std::abs(x) < 1e4;
    }
    return SharedOwner<const Elements>::make(std::move(e));
}
double Elements::at(long long i) const {
    if (!numbers.empty()) return numbers[static_cast<std::size_t>(i)];
    return readers[type](bytes.data() + static_cast<std::size_t>(i) * type_size(type));
}

// ---- tensors ----

Known TensorSource::read(format::TensorProto& tensor, const std::string& what) const {
    const auto refuse = [&](const std::string& expected, const std::string& found) {
        throw DataError(file, what, expected, found);
    };
    Elements e;
    e.type = tensor.data_type();
    const std::size_t size = type_size(e.type);
    if (size == 0) refuse("numbers", sentence("elements of type ", type_name(e.type)));
    if (tensor.has_segment()) refuse("a whole tensor", "a segment of a tensor");
    if (tensor.dims_size() > most_known_axes)
        refuse(sentence("at most ", most_known_axes, " axes"), sentence(tensor.dims_size()));
    long long count = 1;
    bool empty = false;
    for (const auto d : tensor.dims()) {
        if (d < 0 || d > most_onnx_elements) refuse(sentence("extents from 0 to ", most_onnx_elements), sentence(d));
        empty = empty || d == 0;
        if (d > 0) count *= d;
        if (count > most_onnx_elements) refuse(sentence("at most ", most_onnx_elements, " elements"), sentence(count));
        e.dims.push_back(d);
    }
    if (empty) count = 0;
    const auto wanted = static_cast<std::uint64_t>(count) * size;
    if (tensor.data_location() == OnnxType::EXTERNAL) {
        std::string location;
        std::uint64_t offset = 0, length = 0;
        for (const auto& entry : tensor.external_data()) {
            const auto number = [&] {
                std::uint64_t n = 0;
                for (const char c : entry.value()) {
                    if (c < '0' || c > '9' || n > most_bytes * 1000000)
                        refuse(sentence(entry.key(), " as a number of bytes"), storage::quotation(entry.value()));
                    n = 10 * n + static_cast<std::uint64_t>(c - '0');
                }
                return n;
            };
            if (entry.key() == "location") location = entry.value();
            else if (entry.key() == "offset") offset = number();
            else if (entry.key() == "length") length = number();
        }
        if (length != 0 && length != wanted) refuse(sentence(wanted, " bytes"), sentence(length));
        const std::string path = below(folder, location, refuse);
        if (wanted > 0) e.bytes = whole_file(path, offset, wanted, false, wanted);
        return settled(std::move(e));
    }
    std::size_t held = 0;
    if (tensor.has_raw_data()) {
        e.bytes = std::move(*tensor.mutable_raw_data());
        held = e.bytes.size() / size;
        if (e.bytes.size() != wanted) refuse(sentence(wanted, " bytes"), sentence(e.bytes.size()));
    } else {
        const auto take = [&](auto* numbers) {
            held = static_cast<std::size_t>(numbers->size());
            if (held == static_cast<std::size_t>(count)) e.bytes = low_bytes(*numbers, size);
            numbers->Clear();
        };
        if (e.type == OnnxType::FLOAT) take(tensor.mutable_float_data());
        else if (e.type == OnnxType::DOUBLE) take(tensor.mutable_double_data());
        else if (e.type == OnnxType::INT64) take(tensor.mutable_int64_data());
        else if (e.type == OnnxType::UINT32 || e.type == OnnxType::UINT64) take(tensor.mutable_uint64_data());
        else take(tensor.mutable_int32_data());
    }
    if (held != static_cast<std::size_t>(count)) refuse(sentence(count, " elements"), sentence(held));
    return settled(std::move(e));
}

// ---- the model ----

void OnnxModel::refuse(const std::string& place, std::string expected, std::string found) const {
    const auto printable = [](const std::string& text) {  // the text comes from the file
        return text.size() < 400 && storage::utf8_fault(text) == text.npos ? text : storage::quotation(text);
    };
    throw DataError(file, place, printable(expected), printable(found));
}

namespace {

std::string place_of(const format::NodeProto& node) {
    const std::string& name = node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
    return sentence("node ", storage::quotation(name), " (", storage::quotation(node.op_type()), ")");
}
/// Returns the names of classes that export_onnx has written. Ignores "classes" of other programs.
std::vector<std::string> stored_classes(const format::ModelProto& model, const std::string& file) {
    std::vector<std::string> names;
    for (const auto& fact : model.metadata_props())
        if (fact.key() == "classes") try {
                storage::JsonTokens text(fact.value(), file, 0);
                text.take('[');
                do names.push_back(text.string("a name"));
                while (text.take_if(','));
                text.take(']');
                if (!text.at_end()) names.clear();
            } catch (const DataError&) { names.clear(); }
    return names;
}
bool own_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

}  // namespace

OnnxModel::OnnxModel(std::span<const std::byte> bytes, std::string file_, std::string folder, OnnxImport how_)
    : file(std::move(file_)), how(std::move(how_)), source_{file, std::move(folder)} {
    // A safetensors file begins with the length of its header in eight bytes, then '{'.
    if (bytes.size() > 8 && bytes[8] == std::byte{'{'} && bytes[7] == std::byte{0})
        refuse("", "an ONNX model", "a model of save_model: read it with load_model of <sigma/exchange.hpp>");
    if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        refuse("", "an ONNX model", sentence(bytes.size(), " bytes that protobuf cannot parse"));
    if (!model.has_graph()) refuse("", "a model with a graph", "a model without a graph");
    if (model.ir_version() < 3 || model.ir_version() > 13)
        refuse("", "a model of version 3 to 13 of the format", sentence(model.ir_version()));
    for (const auto& set : model.opset_import())
        if (own_domain(set.domain())) opset = static_cast<int>(std::clamp<long long>(set.version(), 0, 1000));
    if (opset < 1 || opset > 25) refuse("", "operators of set 1 to 25", sentence(opset));
    if (model.functions_size() > 0)
        refuse("", "a model without functions of its own", sentence(model.functions_size()));
    classes = stored_classes(model, file);
    choose_outputs();
    std::unordered_set<std::string> known;
    check_graph(*model.mutable_graph(), known, 0);
    read_inputs();
    for (const auto& node : model.graph().node()) {
        const bool activation =
            node.op_type() == "Softmax" || node.op_type() == "LogSoftmax" || node.op_type() == "Sigmoid";
        if (how.last_activation || !activation || node.input_size() < 1 || node.output_size() < 1) continue;
        if (std::find(outputs.begin(), outputs.end(), node.output(0)) != outputs.end() && uses[node.output(0)] == 1)
            ends[node.output(0)] = node.input(0);
    }
    choose_batch();
}

namespace {

void names_within(const format::GraphProto& graph, std::unordered_set<std::string>& needed) {
    for (const auto& node : graph.node()) {
        for (const auto& in : node.input()) needed.insert(in);
        for (const auto& a : node.attribute())
            if (a.has_g()) names_within(a.g(), needed);
    }
    for (const auto& out : graph.output()) needed.insert(out.name());
}
/// Keeps the elements for which `stays` is true, in their order.
template <class List, class F>
void keep_some(List& all, F stays) {
    int kept = 0;
    for (int i = 0; i < all.size(); ++i)
        if (stays(all[i])) all.SwapElements(kept++, i);
    all.DeleteSubrange(kept, all.size() - kept);
}

}  // namespace

/// Removes nodes that the chosen outputs do not need, before they are checked.
void OnnxModel::choose_outputs() {
    if (how.outputs.empty()) return;
    format::GraphProto& graph = *model.mutable_graph();
    std::unordered_set<std::string> made, needed;
    for (const auto& node : graph.node()) made.insert(node.output().begin(), node.output().end());
    for (const auto& name : how.outputs) {
        if (name.empty() || made.count(name) == 0) {
            std::string all;
            for (const auto& out : graph.output())
                all += sentence(all.empty() ? "" : ", ", storage::quotation(out.name()));
            throw ArgumentError(sentence("file '", file, "', .outputs"),
                                sentence("values that its nodes compute (its outputs are ", all, ")"),
                                storage::quotation(name));
        }
        if (!needed.insert(name).second)
            throw ArgumentError(sentence("file '", file, "', .outputs"), "each output once", storage::quotation(name));
    }
    graph.clear_output();
    for (const auto& name : how.outputs) graph.add_output()->set_name(name);
    std::vector<const format::NodeProto*> used;
    for (int i = graph.node_size(); i-- > 0;) {
        const auto& node = graph.node(i);
        if (std::none_of(node.output().begin(), node.output().end(),
                         [&](const auto& y) { return needed.count(y) > 0; }))
            continue;
        used.push_back(&node);
        needed.insert(node.input().begin(), node.input().end());
        for (const auto& a : node.attribute())
            if (a.has_g()) names_within(a.g(), needed);
    }
    const std::unordered_set<const format::NodeProto*> nodes(used.begin(), used.end());
    keep_some(*graph.mutable_node(), [&](const auto& node) { return nodes.count(&node) > 0; });
    keep_some(*graph.mutable_initializer(), [&](const auto& tensor) { return needed.count(tensor.name()) > 0; });
    keep_some(*graph.mutable_input(), [&](const auto& in) {
        const bool stays = needed.count(in.name()) > 0;
        if (!stays) how.fixed.erase(in.name());
        return stays;
    });
}

void OnnxModel::check_graph(format::GraphProto& graph, std::unordered_set<std::string>& known, int depth) {
    if (depth > 8) refuse("", "at most 8 nested graphs", sentence(depth));
    if ((node_count_ += graph.node_size()) > most_nodes)
        refuse("", sentence("at most ", most_nodes, " nodes"), sentence(node_count_));
    if (graph.sparse_initializer_size() > 0) refuse("", "dense tensors", "a sparse tensor");
    std::vector<std::string> own;
    const auto add = [&](const std::string& name, const char* what) {
        if (!known.insert(name).second)
            refuse(sentence(what, " ", storage::quotation(name)), "a name that occurs once", "a second use");
        own.push_back(name);
    };
    std::unordered_set<std::string> stored;
    for (auto& tensor : *graph.mutable_initializer()) {
        const std::string& name = tensor.name();
        if (name.empty() || !stored.insert(name).second)
            refuse("initializers", "unique names", storage::quotation(name));
        add(name, "initializer");
        const Known elements = source_.read(tensor, sentence("initializer ", storage::quotation(name)));
        OnnxValue v;
        v.name = name, v.type = elements->type, v.known = elements, v.weight = is_real(elements->type);
        if (!initial.emplace(name, std::move(v)).second)
            refuse(sentence("initializer ", storage::quotation(name)), "a unique name", "a name in two branches");
    }
    for (const auto& in : graph.input()) {
        if (in.name().empty()) refuse("inputs", "names", "an input without a name");
        if (stored.count(in.name()) == 0) add(in.name(), "input");
    }
    for (auto& node : *graph.mutable_node()) {
        const std::string place = place_of(node);
        if (!own_domain(node.domain()))
            refuse(place, "an operator of ONNX", sentence("an operator of domain ", storage::quotation(node.domain())));
        if (find_onnx_operator(node.op_type()) == nullptr)
            refuse(place, "an operator that Sigma imports (docs/onnx-import.md)", storage::quotation(node.op_type()));
        if (const auto fault = signature_fault(node, opset)) refuse(place, fault->expected, fault->found);
        for (const auto& in : node.input()) {
            if (in.empty()) continue;
            if (known.count(in) == 0)
                refuse(place, sentence("a value ", storage::quotation(in), " of an earlier node"), "no such value");
            ++uses[in];
        }
        std::unordered_set<std::string> attributes;
        for (auto& a : *node.mutable_attribute()) {
            if (!attributes.insert(a.name()).second) refuse(place, "each attribute once", storage::quotation(a.name()));
            if (a.has_t()) constants[&a.t()] = source_.read(*a.mutable_t(), place);
            if (a.has_g()) check_graph(*a.mutable_g(), known, depth + 1);
        }
        for (const auto& out : node.output())
            if (!out.empty()) add(out, "value");
    }
    if (graph.output_size() == 0) refuse("", "a graph with outputs", "a graph without outputs");
    for (const auto& out : graph.output()) {
        if (known.count(out.name()) == 0)
            refuse(sentence("output ", storage::quotation(out.name())), "a value of the graph", "no such value");
        ++uses[out.name()];
        if (depth == 0) outputs.push_back(out.name());
    }
    for (const std::string& name : own) known.erase(name);  // names inside are not visible outside
}

void OnnxModel::read_inputs() {
    const auto constant = [&](const std::string& name, const std::string& path) {
        std::string bytes = whole_file(path, 0, 0, true, most_bytes);
        format::TensorProto tensor;
        if (!tensor.ParseFromString(bytes))
            throw DataError(path, "", "a tensor of ONNX (TensorProto)",
                            sentence(bytes.size(), " bytes that protobuf cannot parse"));
        OnnxValue v;
        v.name = name, v.known = TensorSource{path, ""}.read(tensor, ""), v.type = v.known->type;
        return v;
    };
    std::vector<bool> sized(how.sizes.size());
    /// Returns the extent of an open axis, or -1 if it stays open.
    const auto size_of = [&](const std::string& input, std::size_t axis, const std::string& name) {
        long long extent = -1;
        bool by_number = false;
        for (std::size_t i = 0; i < how.sizes.size(); ++i) {
            const OnnxSize& s = how.sizes[i];
            const bool here = s.axis >= 0 && s.name == input && static_cast<std::size_t>(s.axis) == axis;
            if (!here && (s.axis >= 0 || name.empty() || s.name != name)) continue;
            if (s.extent < 1)
                throw ArgumentError(sentence("file '", file, "', .sizes of ", storage::quotation(s.name)),
                                    "an extent of at least 1", sentence(s.extent));
            sized[i] = true;
            if (here || !by_number) extent = s.extent;
            by_number = by_number || here;
        }
        return extent;
    };
    std::size_t fixed = 0;
    for (const auto& in : model.graph().input()) {
        if (initial.count(in.name()) > 0) continue;  // optional input with a stored default
        if (const auto given = how.fixed.find(in.name()); given != how.fixed.end()) {
            initial.emplace(in.name(), constant(in.name(), given->second));
            ++fixed;
            continue;
        }
        const std::string place = sentence("input ", storage::quotation(in.name()));
        if (!in.type().has_tensor_type()) refuse(place, "a tensor", "a value of another kind");
        const auto& type = in.type().tensor_type();
        if (type_size(type.elem_type()) == 0)
            refuse(place, "a tensor of numbers", sentence("elements of type ", type_name(type.elem_type())));
        if (!type.has_shape()) refuse(place, "a shape", "no shape");
        if (type.shape().dim_size() > max_rank) refuse(place, "at most 6 axes", sentence(type.shape().dim_size()));
        Input input{in.name(), type.elem_type()};
        for (const auto& d : type.shape().dim()) {
            const long long extent =
                d.dim_value() > 0 ? d.dim_value() : size_of(in.name(), input.dims.size(), d.dim_param());
            if (extent > most_onnx_elements || extent == 0)
                refuse(place, sentence("extents from 1 to ", most_onnx_elements), sentence(extent));
            input.dims.push_back(extent);
            input.open.push_back(d.dim_param());
        }
        input_names.push_back(in.name());
        inputs.push_back(std::move(input));
    }
    if (fixed != how.fixed.size())
        throw ArgumentError(sentence("file '", file, "'"), "names of its inputs in OnnxImport::fixed",
                            "a name without an input");
    for (std::size_t i = 0; i < how.sizes.size(); ++i)
        if (!sized[i]) refuse_size(how.sizes[i]);
}

void OnnxModel::refuse_size(const OnnxSize& s) const {
    std::string open;
    const auto add = [&](const std::string& one) { open += (open.empty() ? "" : ", ") + one; };
    for (const auto& in : model.graph().input()) {
        const auto& dims = in.type().tensor_type().shape();
        for (int i = 0; i < dims.dim_size(); ++i)
            if (dims.dim(i).dim_value() <= 0)
                add(dims.dim(i).dim_param().empty() ? sentence("axis ", i, " of ", storage::quotation(in.name()))
                                                    : storage::quotation(dims.dim(i).dim_param()));
    }
    throw ArgumentError(
        sentence("file '", file, "', .sizes"),
        open.empty() ? "no size, because no axis is open" : sentence("one of ", open),
        s.axis < 0 ? storage::quotation(s.name) : sentence("axis ", s.axis, " of ", storage::quotation(s.name)));
}

/// Traces the graph for the first time, which finds errors before a network is made.
void OnnxModel::choose_batch() {
    bool open = false, ones = true, inner = false;
    for (const Input& in : inputs) {
        open = open || (!in.dims.empty() && in.dims[0] < 0);
        ones = ones && !in.dims.empty() && in.dims[0] == 1;
        for (std::size_t i = 1; i < in.dims.size(); ++i) inner = inner || in.dims[i] < 0;
    }
    for (const Input& in : inputs) {
        const long long here = in.dims.empty() ? 0 : in.dims[0];
        file_batch = &in == inputs.data() || file_batch == here ? here : 0;
    }
    const auto walk_once = [&] {
        if (inputs.empty()) return static_cast<void>(known_outputs());
        if (inner) return;  // their extents are those of the values that flow in
        for (const bool training : {false, true}) {
            Tape tape;
            Context context(tape, training);
            Flow x;
            static_cast<void>(outputs_of(context, x));
        }
    };
    one_record = how.batch == OnnxBatch::whole_graph || (how.batch == OnnxBatch::automatic && !open && !ones);
    if (how.batch != OnnxBatch::automatic || open || !ones) return walk_once();
    try {
        walk_once();
    } catch (const DataError&) {
        one_record = true;
        walk_once();
    }
}

// ---- public interface ----

}  // namespace sigma::detail

namespace sigma {

OnnxGraph::OnnxGraph(const std::string& file, const OnnxImport& options) {
    const std::string bytes = detail::whole_file(file, 0, 0, true, detail::most_bytes);
    model_ = detail::SharedOwner<const detail::OnnxModel>::make(std::as_bytes(std::span(bytes)), file,
                                                                detail::folder_of(file), options);
}
OnnxGraph::OnnxGraph(std::span<const std::byte> bytes, const OnnxImport& options, const std::string& name)
    : model_(detail::SharedOwner<const detail::OnnxModel>::make(bytes, name, "", options)) {}

const std::vector<std::string>& OnnxGraph::inputs() const& { return model_->input_names; }
const std::vector<std::string>& OnnxGraph::outputs() const& { return model_->outputs; }
std::vector<std::string> OnnxGraph::classes() const { return model_->classes; }
bool OnnxGraph::is_one_record() const { return model_->one_record; }
std::vector<double> OnnxGraph::constant_output(int output) const {
    const auto all = model_->known_outputs();
    std::vector<double> found;
    if (output < 0 || output >= static_cast<int>(all.size())) return found;
    const detail::OnnxValue& v = all[static_cast<std::size_t>(output)];
    for (long long i = 0; v.known && i < v.known->count(); ++i) found.push_back(v.known->at(i));
    return found;
}
void OnnxGraph::trace(Context& context, detail::Flow& x) const { model_->walk(context, x); }

Layers onnx_layers(const std::string& file, const OnnxImport& options) { return Layers(OnnxGraph(file, options)); }

}  // namespace sigma
