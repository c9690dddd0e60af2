// SPDX-License-Identifier: BSL-1.0
#include "layout.hpp"
#include "npz.hpp"

#include <sigma/core/number_text.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/network/tensor_file.hpp>
#include <sigma/storage/file.hpp>
#include <sigma/storage/safetensors.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace sigma::detail {
namespace {

const char* name_of(Framework f) { return f == Framework::torch ? "PyTorch" : "Keras"; }
std::string place_of(const ForeignNames& names, const std::string& file) {
    return sentence("parameters of ", name_of(names.framework), " in '", file, "'");
}

/// A tensor of a file of either format.
struct FileTensor {
    std::string name;
    std::vector<std::uint64_t> shape;
    Dtype type;
};
bool is_floating(Dtype t) { return t == Dtype::f64 || t == Dtype::f32 || t == Dtype::f16 || t == Dtype::bf16; }

class ParameterFile {
public:
    explicit ParameterFile(const std::string& file) {
        for (const auto& [ending, what] : {std::pair(".pt", "Python's pickle"), std::pair(".pth", "Python's pickle"),
                                           std::pair(".h5", "HDF5"), std::pair(".keras", "HDF5")})
            if (file.ends_with(ending))
                throw DataError(file, "", "a .safetensors or .npz file", sentence("a file of ", what));
        if (file.ends_with(".npz")) {
            npz_.emplace(file);
            for (const NpzArray& a : npz_->arrays()) tensors_.push_back({a.name, a.npy.shape, a.npy.type});
        } else {
            safetensors_.emplace(SafetensorsFile::open(file));
            for (const TensorInfo& t : safetensors_->tensors()) tensors_.push_back({t.name, t.shape, t.dtype});
        }
    }
    const std::string& path() const { return npz_ ? npz_->path() : safetensors_->path(); }
    const std::vector<FileTensor>& tensors() const { return tensors_; }
    std::vector<double> read(std::size_t i) const {
        return npz_ ? npz_->read(npz_->arrays()[i]) : safetensors_->read<double>(tensors_[i].name);
    }

private:
    std::optional<NpzFile> npz_;
    std::optional<SafetensorsFile> safetensors_;
    std::vector<FileTensor> tensors_;
};

/// A module of a file: tensors with one name in front of their own.
struct FileModule {
    std::string name;
    bool backwards = false;
    std::vector<std::pair<std::string, std::size_t>>
        tensors{};  // names within the module, and numbers of tensors in the file
    bool taken = false;
};

// ---- names ----

bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// The natural order of names: "2.weight" comes before "10.weight".
struct NaturalOrder {
    enum class Difference { none, number, text };

    const std::vector<std::string>& words;  ///< Words in names of modules, in their order.

    /// Compares two names; negative if a is first. `what` receives the kind of the first difference.
    int compare(std::string_view a, std::string_view b, Difference& what) const {
        std::size_t i = 0, k = 0;
        while (i < a.size() && k < b.size()) {
            if (is_digit(a[i]) && is_digit(b[k])) {
                const auto digits = [](std::string_view s, std::size_t& at) {
                    while (at + 1 < s.size() && s[at] == '0' && is_digit(s[at + 1])) ++at;
                    const std::size_t first = at;
                    while (at < s.size() && is_digit(s[at])) ++at;
                    return s.substr(first, at - first);
                };
                const std::string_view x = digits(a, i), y = digits(b, k);
                what = Difference::number;
                if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
                if (x != y) return x < y ? -1 : 1;
            } else {
                what = Difference::text;
                if (a[i] == b[k]) {
                    ++i, ++k;
                    continue;
                }
                const auto x = std::ranges::find(words, word_at(a, i)), y = std::ranges::find(words, word_at(b, k));
                if (x == y || x == words.end() || y == words.end()) return a[i] < b[k] ? -1 : 1;
                what = Difference::number;
                return x < y ? -1 : 1;
            }
        }
        // "dense" comes before "dense_1", and "norm" before "norm1".
        const std::string_view more = a.substr(i).empty() ? b.substr(k) : a.substr(i);
        if (more.empty()) return what = Difference::none, 0;
        what = is_digit(more.front()) || (more.size() > 1 && more.front() == '_' && is_digit(more[1]))
                   ? Difference::number
                   : Difference::text;
        return a.substr(i).empty() ? -1 : 1;
    }

private:
    /// Returns the word at a position: "layer" at 7 of "stem.0.layer12.conv".
    static std::string_view word_at(std::string_view name, std::size_t at) {
        const std::size_t before = at == 0 ? name.npos : name.find_last_of("./", at - 1);
        std::string_view word = name.substr(before == name.npos ? 0 : before + 1);
        word = word.substr(0, word.find_first_of("./"));
        while (!word.empty() && is_digit(word.back())) word.remove_suffix(1);
        return word;
    }
};

/// Splits a name into module and tensor: "2.weight_ih_l0_reverse" into "2_l0_reverse" and "weight_ih",
/// "mha/query/kernel:0" into "mha" and "query/kernel".
std::pair<std::string, std::string> split_name(std::string name, Framework framework) {
    if (framework == Framework::keras && name.ends_with(":0")) name.resize(name.size() - 2);
    const auto cut = [](const std::string& text) {
        const std::size_t at = text.find_last_of("./");
        return at == text.npos ? std::pair(std::string(), text) : std::pair(text.substr(0, at), text.substr(at + 1));
    };
    auto [module, tensor] = cut(name);
    auto [outer, last] = cut(module);
    if (framework == Framework::torch) {
        const std::size_t suffix = tensor.find("_l");
        if (suffix != tensor.npos && suffix + 2 < tensor.size() && is_digit(tensor[suffix + 2])) {
            module += tensor.substr(suffix);
            tensor.resize(suffix);
        } else if (last == "out_proj") {
            return {outer, "out_proj." + tensor};
        }
        return {module, tensor};
    }
    if (last.find("_cell") != last.npos) module = outer;
    else if (!outer.empty() && (last == "query" || last == "key" || last == "value" || last == "attention_output"))
        return {outer, last + "/" + tensor};
    if (tensor == "depthwise_kernel") tensor = "kernel";
    if (tensor == "scale") tensor = "gamma";
    return {module, tensor};
}
/// Returns the name of a unit's tensor in a file.
std::string joined_name(const ForeignUnit& unit, std::string module, const std::string& tensor, Framework framework) {
    if (framework == Framework::keras) return module.empty() ? tensor : module + "/" + tensor;
    std::string suffix;
    if (unit.recurrent) {
        const std::size_t at = module.rfind("_l");
        const bool has_one = at != module.npos && at + 2 < module.size() && is_digit(module[at + 2]);
        suffix = has_one ? module.substr(at) : unit.backwards ? "_l0_reverse" : "_l0";
        if (has_one) module.resize(at);
        if (unit.backwards && !suffix.ends_with("_reverse")) suffix += "_reverse";
    }
    return (module.empty() ? tensor : module + "." + tensor) + suffix;
}
bool same_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return x == y || ((x == '.' || x == '/') && (y == '.' || y == '/')); });
}

// ---- matching ----

/// Returns the names and shapes of the tensors of a unit or a module as text. Units match modules with an equal text.
std::string signature(std::vector<std::pair<std::string, std::vector<std::uint64_t>>> tensors, bool backwards) {
    std::sort(tensors.begin(), tensors.end());
    std::string text;
    for (auto& [name, shape] : tensors) {
        if (name == "alpha")  // PReLU has extents of 1 for shared axes
            while (shape.size() > 1 && shape.front() == 1) shape.erase(shape.begin());
        text += sentence(text.empty() ? "" : ", ", name, " ", shape_text(shape));
    }
    return backwards ? text + ", backwards" : text;
}
std::string signature(const ForeignUnit& unit) {
    std::vector<std::pair<std::string, std::vector<std::uint64_t>>> tensors;
    for (const ForeignTensor& t : unit.tensors) tensors.emplace_back(t.name, t.shape);
    return signature(std::move(tensors), unit.backwards);
}
std::string signature(const FileModule& module, const ParameterFile& file) {
    std::vector<std::pair<std::string, std::vector<std::uint64_t>>> tensors;
    for (const auto& [name, i] : module.tensors) tensors.emplace_back(name, file.tensors()[i].shape);
    return signature(std::move(tensors), module.backwards);
}

/// Finds the tensors of a file for each unit of a model.
class Assignment {
public:
    Assignment(const std::vector<ForeignUnit>& units, const ParameterFile& file, const ForeignNames& names)
        : units_(units), file_(file), names_(names), of_(units.size(), -1) {
        collect();
        by_map();
        if (numbered_) return;
        by_name();
        by_order();
    }
    /// Throws MismatchError if a unit or a module has no counterpart.
    void require_all() const {
        Listed left, over;
        for (std::size_t u = 0; u < units_.size(); ++u)
            if (of_[u] < 0) left.add(units_[u].name, signature(units_[u]));
        for (const FileModule& m : modules_)
            if (!m.taken) over.add(m.name, signature(m, file_));
        if (left.empty() && over.empty()) return;
        throw MismatchError(place_of(names_, file_.path()),
                            left.empty() ? "no modules besides those of the model" : "modules for " + left.text(),
                            over.empty() ? "no unused module" : over.text());
    }
    bool has(std::size_t unit) const { return of_[unit] >= 0; }
    /// Returns the number of the file's tensor for a tensor of a unit.
    std::size_t tensor(std::size_t unit, const std::string& name) const {
        const FileModule& m = modules_[static_cast<std::size_t>(of_[unit])];
        for (const auto& [own, i] : m.tensors)
            if (own == name) return i;
        throw std::logic_error("missing tensor");
    }

private:
    /// A list that is short enough for an error: "'1-dense' (weight (5, 4), bias (5)), …".
    struct Listed {
        std::string all;
        int count = 0;
        bool empty() const { return count == 0; }
        void add(const std::string& name, const std::string& what) {
            if (++count <= 24) all += sentence(count == 1 ? "" : "; ", "'", name, "' with ", what);
        }
        std::string text() const { return count > 24 ? sentence(all, "; and ", count - 24, " more") : all; }
    };

    const std::vector<ForeignUnit>& units_;
    const ParameterFile& file_;
    const ForeignNames& names_;
    std::vector<FileModule> modules_;
    std::vector<int> of_;
    bool sorted_ = true, numbered_ = false;

    void collect() {
        std::map<std::string, std::size_t, std::less<>> found;
        std::vector<std::size_t> values;
        for (std::size_t i = 0; i < file_.tensors().size(); ++i) {
            const FileTensor& t = file_.tensors()[i];
            if (t.name.starts_with(names_.options.prefix) && is_floating(t.type)) values.push_back(i);
        }
        numbered_ = !values.empty();
        for (std::size_t k = 0; k < values.size(); ++k) {
            const FileTensor& t = file_.tensors()[values[k]];
            std::uint64_t number = 0;
            numbered_ =
                numbered_ && t.name.starts_with("arr_") && read_number(std::string_view(t.name).substr(4), number);
            if (k > 0 && file_.tensors()[values[k - 1]].type == t.type)
                sorted_ = sorted_ && file_.tensors()[values[k - 1]].name < t.name;
        }
        if (numbered_) return take_numbered(values);
        for (const std::size_t i : values) {
            auto [module, tensor] =
                split_name(file_.tensors()[i].name.substr(names_.options.prefix.size()), names_.framework);
            const auto [at, is_new] = found.emplace(module, modules_.size());
            if (is_new) {
                const bool torch = names_.framework == Framework::torch;
                modules_.push_back(
                    {module, torch ? module.ends_with("_reverse") : module.find("backward") != module.npos});
            }
            modules_[at->second].tensors.emplace_back(std::move(tensor), i);
        }
    }
    /// Takes arrays without names, as model.get_weights() returns them, layer by layer.
    void take_numbered(std::vector<std::size_t> values) {
        const NaturalOrder in_order{names_.options.order};
        std::sort(values.begin(), values.end(), [&](std::size_t a, std::size_t b) {
            NaturalOrder::Difference what{};
            return in_order.compare(file_.tensors()[a].name, file_.tensors()[b].name, what) < 0;
        });
        std::size_t next = 0;
        for (std::size_t u = 0; u < units_.size(); ++u) {
            FileModule m{next < values.size() ? file_.tensors()[values[next]].name : ""};
            m.backwards = units_[u].backwards;
            for (const ForeignTensor& t : units_[u].tensors)
                if (next < values.size()) m.tensors.emplace_back(t.name, values[next++]);
            if (m.tensors.empty()) continue;
            m.taken = signature(m, file_) == signature(units_[u]);
            if (m.taken) of_[u] = static_cast<int>(modules_.size());
            modules_.push_back(std::move(m));
        }
        for (; next < values.size(); ++next) {
            modules_.push_back({file_.tensors()[values[next]].name});
            modules_.back().tensors.emplace_back("array", values[next]);
        }
    }
    void take(std::size_t unit, std::size_t module) {
        of_[unit] = static_cast<int>(module);
        modules_[module].taken = true;
    }
    /// Returns the module of a unit by the name `base` of its layer in the file, if its shapes match.
    std::optional<std::size_t> named(const ForeignUnit& unit, const std::string& base) const {
        const std::string inside = unit.module.empty() ? base : base.empty() ? unit.module : base + "." + unit.module;
        for (const char* suffix : {"", "_l0", "_l0_reverse", "_reverse"}) {
            if (*suffix != '\0' && (!unit.recurrent || names_.framework != Framework::torch)) break;
            for (std::size_t m = 0; m < modules_.size(); ++m)
                if (!modules_[m].taken && modules_[m].backwards == unit.backwards &&
                    same_name(modules_[m].name, inside + suffix))
                    return m;
        }
        return {};
    }
    void by_map() {
        for (const auto& entry : names_.options.modules) {
            const std::string &layer = entry.first, &module = entry.second;
            bool any = false;
            for (std::size_t u = 0; u < units_.size(); ++u) {
                ForeignUnit unit = units_[u];
                if (layer == unit.name && layer != unit.layer)
                    unit.module.clear();  // an inner module has a name of its own
                else if (layer != unit.layer) continue;
                any = true;
                const auto m = named(unit, module);
                const auto refuse = [&](const std::string& found) {
                    throw MismatchError(place_of(names_, file_.path()),
                                        sentence("module '", module, "' for '", unit.name, "' with ", signature(unit)),
                                        found);
                };
                if (!m) {
                    Listed there;
                    for (const FileModule& other : modules_) there.add(other.name, signature(other, file_));
                    refuse(numbered_ ? "arrays without names" : there.text());
                }
                if (signature(modules_[*m], file_) != signature(unit)) refuse(signature(modules_[*m], file_));
                take(u, *m);
            }
            if (!any) {
                std::string layers;
                for (const ForeignUnit& unit : units_) layers += sentence(layers.empty() ? "'" : ", '", unit.name, "'");
                throw ArgumentError("modules of layers", "a layer with parameters, " + layers,
                                    sentence("'", layer, "'"));
            }
        }
    }
    void by_name() {
        for (std::size_t u = 0; u < units_.size(); ++u)
            if (of_[u] < 0)
                if (const auto m = named(units_[u], units_[u].layer);
                    m && signature(modules_[*m], file_) == signature(units_[u]))
                    take(u, *m);
    }
    void by_order() {
        std::map<std::string, std::vector<std::size_t>, std::less<>> of_signature;
        for (std::size_t m = 0; m < modules_.size(); ++m)
            if (!modules_[m].taken) of_signature[signature(modules_[m], file_)].push_back(m);
        for (auto& [text, alike] : of_signature) {
            std::vector<std::size_t> waiting;
            for (std::size_t u = 0; u < units_.size(); ++u)
                if (of_[u] < 0 && signature(units_[u]) == text) waiting.push_back(u);
            if (waiting.empty()) continue;
            if (sorted_) sort_naturally(alike);
            for (std::size_t i = 0; i < alike.size() && i < waiting.size(); ++i) take(waiting[i], alike[i]);
        }
    }
    void sort_naturally(std::vector<std::size_t>& alike) const {
        const NaturalOrder in_order{names_.options.order};
        std::sort(alike.begin(), alike.end(), [&](std::size_t a, std::size_t b) {
            NaturalOrder::Difference what{};
            return in_order.compare(modules_[a].name, modules_[b].name, what) < 0;
        });
        for (std::size_t i = 1; i < alike.size(); ++i) {
            const std::string &a = modules_[alike[i - 1]].name, &b = modules_[alike[i]].name;
            NaturalOrder::Difference what{};
            in_order.compare(a, b, what);
            if (what != NaturalOrder::Difference::number)
                throw MismatchError(
                    place_of(names_, file_.path()),
                    sentence("modules of equal shapes with an order that follows from numbers in their names, "
                             "or from .modules or .order of the options"),
                    sentence("'", a, "' and '", b, "' in a file with sorted names"));
        }
    }
};

template <class T>
std::vector<T> as_elements(const std::vector<double>& values) {
    std::vector<T> all(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) all[i] = static_cast<T>(values[i]);
    return all;
}

}  // namespace

template <class T>
int load_foreign(ModelStore<T>& model, const ForeignUnits& units, const std::string& file, const ForeignNames& names,
                 Transfer how) {
    const ParameterFile from(file);
    if (units->empty())
        throw MismatchError(place_of(names, file), "a pattern of layers that have parameters",
                            sentence("'", names.options.layers, "'"));
    const Assignment assigned(*units, from, names);
    if (how == Transfer::whole) assigned.require_all();
    std::vector<std::pair<int, std::vector<double>>> read;
    const auto values_of = [&](int parameter) -> std::vector<double>& {
        for (auto& [p, values] : read)
            if (p == parameter) return values;
        const auto count = static_cast<std::size_t>(model.network().parameters[parameter].shape.count());
        return read.emplace_back(parameter, std::vector<double>(count, 0.0)).second;
    };
    for (std::size_t u = 0; u < units->size(); ++u) {
        if (!assigned.has(u)) continue;
        for (const ForeignTensor& t : (*units)[u].tensors) {
            const std::size_t i = assigned.tensor(u, t.name);
            const std::vector<double> found = from.read(i);
            if (const std::size_t bad = TensorFile<double>::first_not_finite(found); bad < found.size())
                throw DataError(from.path(), sentence("tensor '", from.tensors()[i].name, "'"), "finite numbers",
                                sentence(found[bad], " at element ", bad));
            for (const Link& link : t.links) {
                std::vector<double>& to = values_of(link.parameter);
                each_element(link, [&](std::size_t own, std::size_t foreign) { to[own] += found[foreign]; });
            }
        }
    }
    std::vector<std::vector<T>> elements;
    for (const auto& [p, values] : read) elements.push_back(as_elements<T>(values));
    model.write([&] {
        for (std::size_t i = 0; i < read.size(); ++i) write_elements(elements[i], parameter_rows(model, read[i].first));
        model.remembered().forget();
    });
    return static_cast<int>(read.size());
}

template int load_foreign(ModelStore<float>&, const ForeignUnits&, const std::string&, const ForeignNames&, Transfer);
template int load_foreign(ModelStore<double>&, const ForeignUnits&, const std::string&, const ForeignNames&, Transfer);

namespace {

/// Returns the values of a tensor in the layout of the other framework.
std::vector<double> foreign_values(const PortableModel& model, const ForeignTensor& tensor) {
    std::size_t count = 1;
    for (const std::uint64_t extent : tensor.shape) count *= static_cast<std::size_t>(extent);
    std::vector<double> values(count, 0.0);
    for (const Link& link : tensor.links) {
        if (link.second) continue;
        const std::vector<double> own = model.values(link.parameter);
        each_element(link, [&](std::size_t from, std::size_t to) { values[to] = own[from]; });
    }
    return values;
}

/// Returns the default name of a module: "tower.1-dense" for "tower/1-dense".
std::string default_module(const ForeignUnit& unit, const ForeignNames& names) {
    const bool torch = names.framework == Framework::torch;
    std::string module = unit.layer;
    for (const auto& [layer, there] : names.options.modules)
        if (layer == unit.layer) module = there;
        else if (layer == unit.name) return there;
    if (!unit.module.empty()) module += (module.empty() ? "" : torch ? "." : "/") + unit.module;
    if (torch) std::replace(module.begin(), module.end(), '/', '.');
    return module;
}

struct Written {
    std::string name;
    Dtype type;
    std::vector<std::uint64_t> shape;
    std::vector<std::byte> bytes;
};
template <class X>
std::vector<std::byte> bytes_of(const std::vector<X>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

}  // namespace

void save_foreign(const PortableModel& model, const std::string& file, const ForeignNames& names) {
    const ForeignUnits units = foreign_units(model, names);
    std::optional<ParameterFile> like;
    std::optional<Assignment> as_there;
    if (!names.options.like.empty()) {
        like.emplace(names.options.like);
        as_there.emplace(*units, *like, names);
        as_there->require_all();
    }
    std::vector<Written> all;
    for (std::size_t u = 0; u < units->size(); ++u) {
        const ForeignUnit& unit = (*units)[u];
        const std::string module = default_module(unit, names);
        for (const ForeignTensor& t : unit.tensors) {
            const std::vector<double> values = foreign_values(model, t);
            if (const std::size_t bad = TensorFile<double>::first_not_finite(values); bad < values.size())
                throw ArgumentError(
                    sentence("parameter '", joined_name(unit, module, t.name, names.framework), "' in a file"),
                    "finite numbers", sentence(values[bad], " at element ", bad));
            Written w{as_there ? like->tensors()[as_there->tensor(u, t.name)].name
                               : names.options.prefix + joined_name(unit, module, t.name, names.framework),
                      model.element, as_there ? like->tensors()[as_there->tensor(u, t.name)].shape : t.shape,
                      model.element == Dtype::f32 ? bytes_of(as_elements<float>(values)) : bytes_of(values)};
            const bool counts = w.name.ends_with("running_var") && names.framework == Framework::torch;
            const std::string counter = w.name.substr(0, w.name.rfind("running_var")) + "num_batches_tracked";
            all.push_back(std::move(w));
            if (counts) all.push_back({counter, Dtype::i64, {}, bytes_of(std::vector<std::int64_t>{0})});
        }
    }
    if (file.ends_with(".npz")) {
        std::vector<NpzMember> members;
        for (const Written& w : all) members.push_back({w.name, w.type, w.shape, w.bytes});
        return save_npz(file, members);
    }
    if (!file.ends_with(".safetensors"))
        throw ArgumentError(place_of(names, file), "a name that ends in .safetensors or .npz",
                            storage::quotation(file));
    SafetensorsWriter writer;
    for (const Written& w : all) writer.add(w.name, w.type, w.shape, w.bytes);
    writer.metadata("format", "pt");
    writer.save(file);
}

}  // namespace sigma::detail

namespace sigma {

ForeignNames torch_names(ForeignOptions options) { return {detail::Framework::torch, std::move(options)}; }
ForeignNames keras_names(ForeignOptions options) { return {detail::Framework::keras, std::move(options)}; }

}  // namespace sigma
