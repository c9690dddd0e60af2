// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "functions.hpp"
#include "loops.hpp"
#include "program.hpp"
#include "text.hpp"
#include "workspace.hpp"

#include <sigma/tape/interpreter.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

namespace sigma::detail::cpp {

constexpr std::size_t at(long long i) { return static_cast<std::size_t>(i); }

/// The C++ form of each node of a prediction: constants, nodes that are computed in the loops of other nodes, and the
/// places of the other nodes.
class Values {
public:
    Values(const PortableModel& model, const CppNames& names, bool int8)
        : model_(model), names_(names), program_(model.prediction), tape_(program_.tape), members_(tape_), int8_(int8),
          single_(model.element == Dtype::f32), real_(single_ ? "float" : "double") {
        find_users();
        find_constants();
        find_roots();
    }

protected:
    const PortableModel& model_;
    const CppNames& names_;
    const Program& program_;
    const Tape& tape_;
    LoopMembers members_;
    bool int8_, single_;
    std::string real_;
    CppProgram result_{};
    std::vector<std::vector<int>> users_{};
    std::vector<char> live_{}, constant_{}, folded_{};  // folded: written as a table or a number
    Numbers stored_{};                                  // number of elements of constants that a constant is made of
    std::vector<int> root_{};  // the node that computes this node in its loops; itself if it has memory
    std::vector<View> views_{};
    std::vector<std::vector<double>> values_{};  // values of constants that are computed during the export
    std::set<std::string> table_names_{};
    std::map<std::string, std::string> whole_tables_{};  // 8-bit weights
    std::vector<Storage> storages_{};

    /// Returns the extents of one record.
    Numbers extents(int i) const {
        Numbers e;
        for (int axis = 0; axis < tape_[i].shape.rank; ++axis) e.push_back(std::abs(tape_[i].shape[axis]));
        return e;
    }
    long long count(int i) const { return tape_[i].shape.count(); }
    template <class F>
    void each_operand(int i, F f) const {
        for (int o : {tape_[i].a, tape_[i].b, tape_[i].c})
            if (o >= 0) f(o);
    }
    std::string number(double x) const { return cpp_number(x, single_); }

    void find_users() {
        const std::size_t n = at(tape_.size());
        users_.assign(n, {}), live_.assign(n, 0), views_.resize(n);
        for (const Variable& v : program_.outputs) live_[at(v.id)] = 1;
        for (bool again = true; again;) {  // the new value of a carry is live if the carry is
            again = false;
            for (int i = tape_.size(); i-- > 0;)
                if (live_[at(i)] && !folded(i)) each_operand(i, [&](int o) { live_[at(o)] = 1; });
            for (int i = 0; i < tape_.size(); ++i)
                if (tape_[i].operation == Operation::advance && live_[at(tape_[i].a)] && !live_[at(i)])
                    live_[at(i)] = again = true;
        }
        for (int i = 0; i < tape_.size(); ++i)
            if (live_[at(i)] && !folded(i)) each_operand(i, [&](int o) { users_[at(o)].push_back(i); });
    }

    [[noreturn]] void refuse(int i) const {
        const int layer = layer_of(i);
        throw ArgumentError("export_cpp", "operations that C++ without a library can do",
                            sentence(name(tape_[i].operation),
                                     layer < 0 ? "" : sentence(" in layer '", model_.layers[layer].name.view(), "'")));
    }
    int layer_of(int node) const {
        int found = -1;
        for (int l = 0; l < model_.layers.size(); ++l)
            if (model_.layers[l].first_node <= node && node < model_.layers[l].end_node) found = l;
        return found;
    }

    /// Finds constant nodes. A cheap constant with more elements than its operands, such as a mask, is computed by its
    /// readers.
    void find_constants() {
        constant_.assign(at(tape_.size()), 0);
        stored_.assign(at(tape_.size()), 0);
        for (int i = 0; i < tape_.size(); ++i) {
            const Operation o = tape_[i].operation;
            bool known = members_.computed_in(tape_, i) < 0 && o != Operation::input && o != Operation::state &&
                         o != Operation::uniform && facts(o).kind != OperationKind::effect && !is_loop_value(o) &&
                         live_[at(i)] != 0;
            long long of_operands = 0;
            each_operand(i, [&](int p) {
                known = known && constant_[at(p)] != 0;
                of_operands += stored_[at(p)];
            });
            if (!known) continue;
            constant_[at(i)] = 1;
            const bool made = o == Operation::constant || o == Operation::iota || o == Operation::reciprocal_batch;
            const bool passes = is_view(o) || (is_map(o) && !is_costly(o));
            stored_[at(i)] = made ? 0 : passes ? of_operands : count(i);
        }
        for (int i = 0; i < tape_.size(); ++i) folded_.push_back(constant_[at(i)] && folds(i));
        find_users();  // the remaining nodes
        List<char> closure(tape_.size(), 0);
        bool any = false;
        for (int i = tape_.size(); i-- > 0;) {
            const bool own = folded(i) && live_[at(i)] && tape_[i].operation != Operation::parameter;
            if (!own && !closure[i]) continue;
            closure[i] = 1, any = true;
            each_operand(i, [&](int p) { closure[p] = 1; });
        }
        if (!any) return;
        debugging::Bindings<double> bindings;
        bindings.parameters.resize(at(model_.network.parameters.size() + model_.network.hyperparameters.size()));
        for (int i = 0; i < tape_.size(); ++i)
            if (closure[i] && tape_[i].operation == Operation::parameter)
                bindings.parameters[at(number_of(i))] = model_.values(number_of(i));
        values_ = debugging::Interpreter<double>(tape_, bindings, 1).run(&closure);
    }
    int number_of(int leaf) const { return static_cast<int>(tape_[leaf].attribute); }
    /// Returns whether an operation is a view of its operand.
    static bool is_view(Operation o) {
        return o == Operation::expand || o == Operation::reshape || o == Operation::permute || o == Operation::slice ||
               o == Operation::stop_gradient || o == Operation::step;
    }
    /// Returns whether a constant is written as a table or a number. Movements of a table that exists are views of it.
    bool folds(int i) const {
        const Operation o = tape_[i].operation;
        if (o == Operation::iota) return count(i) == 1;
        if (count(i) == 1) return true;
        if (o == Operation::expand || o == Operation::reshape || o == Operation::stop_gradient) return false;
        if (o == Operation::permute || o == Operation::slice) {
            const std::vector<int>& all = users_[at(tape_[i].a)];
            return stored_[at(i)] > 0 && std::all_of(all.begin(), all.end(), [&](int u) {
                       return tape_[u].operation == o && (o == Operation::slice || u == i);
                   });
        }
        return count(i) <= stored_[at(i)];
    }

    bool is_output(int i) const {
        for (const Variable& v : program_.outputs)
            if (v.id == i) return true;
        return false;
    }
    bool is_written_map(int i) const { return is_map(tape_[i].operation) && !is_view(tape_[i].operation); }
    /// Finds elementwise nodes that can be computed in the loops of their users: all users are in the same loops. A
    /// padding of a padding is a single padding.
    void find_roots() {
        root_.resize(at(tape_.size()));
        for (int i = tape_.size(); i-- > 0;) {
            root_[at(i)] = i;
            const Operation o = tape_[i].operation;
            if (!(is_written_map(i) || o == Operation::pad) || is_output(i) || users_[at(i)].empty()) continue;
            int root = -1;
            bool one = true;
            for (const int u : users_[at(i)]) {
                const bool together = o == Operation::pad
                                          ? tape_[u].operation == o && users_[at(i)].size() == 1
                                          : (is_reduction(tape_[u].operation) && !folded(u)) ||
                                                (is_written_map(u) && !folded(u) && count(u) == count(i));
                one = one && together && members_.of(u) == members_.of(i) && (root < 0 || root == root_[at(u)]);
                root = root_[at(u)];
            }
            if (one) root_[at(i)] = root;
        }
    }
    bool folded(int i) const { return !folded_.empty() && folded_[at(i)] != 0; }
    bool inlined(int i) const { return root_[at(i)] != i; }

    View buffer(const Numbers& extents) {
        const int s = static_cast<int>(storages_.size());
        storages_.push_back({.size = product_of(extents)});
        return View::dense(sentence("v", s), s, extents);
    }
    const View& view(int i) {
        View& v = views_[at(i)];
        if (v.name.empty()) v = made_view(i);
        return v;
    }
    View made_view(int i) {
        const Node& n = tape_[i];
        const Numbers e = extents(i);
        if (folded(i)) {
            if (count(i) == 1) {
                const double x = n.operation == Operation::constant    ? n.constant
                                 : n.operation == Operation::parameter ? model_.values(number_of(i))[0]
                                                                       : values_[at(i)][0];
                View v = View::dense(number(x), -1, e);
                v.kind = View::Kind::number;
                return v;
            }
            return table(i);
        }
        switch (n.operation) {
            case Operation::input: return View::dense(names_.inputs.at(at(number_of(i))), -1, e);
            case Operation::iota: {
                View v{View::Kind::position, "position", -1, e, Numbers(e.size(), 0), 0, 0};
                v.strides[at(static_cast<long long>(n.attribute))] = 1;
                return v;
            }
            case Operation::stop_gradient: return view(n.a);
            case Operation::expand: return view(n.a).to(e);
            case Operation::reshape: return reshaped(view(n.a), e);
            case Operation::permute:
            case Operation::slice:
            case Operation::step: break;
            default: refuse(i);
        }
        View v = view(n.a);
        if (n.operation == Operation::permute) {
            const View from = v;
            for (std::size_t axis = 0; axis < e.size(); ++axis)
                v.strides[axis] = from.strides[at(source_axis(n, static_cast<int>(axis)))];
        } else if (n.operation == Operation::slice) {
            v.first += first_of(n) * v.strides[at(axis_of(n))];
        } else {
            v.per_step = v.strides[1];
            v.strides.erase(v.strides.begin() + 1);
        }
        v.extents = e;
        return v;
    }
    /// Returns a view with other extents, or an empty view if that is impossible.
    static View reshaped(View v, const Numbers& extents) {
        if (v.is_dense()) {
            const View dense = View::dense(v.name, v.storage, extents);
            v.extents = extents, v.strides = dense.strides;
            return v;
        }
        const View from = v;
        v.extents = extents, v.strides.assign(extents.size(), 0);
        std::size_t axis = 0;
        for (std::size_t i = 0; i < extents.size(); ++i) {
            if (extents[i] == 1) continue;
            while (axis < from.extents.size() && from.extents[axis] == 1) ++axis;
            if (axis == from.extents.size() || from.extents[axis] != extents[i]) return {};
            v.strides[i] = from.strides[axis++];
        }
        return v;
    }
    View table(int i) {
        const Node& n = tape_[i];
        const bool whole = n.operation == Operation::parameter;
        const std::vector<double> values = whole ? model_.values(number_of(i)) : values_[at(i)];
        int origin = i;  // a moved parameter keeps its name
        while (is_view(tape_[origin].operation)) origin = tape_[origin].a;
        const int layer = layer_of(i);
        const bool named =
            tape_[origin].operation == Operation::parameter && number_of(origin) < model_.network.parameters.size();
        const std::string wanted =
            table_name(named ? model_.network.parameters[number_of(origin)].name.view()
                             : sentence(layer < 0 ? "" : model_.layers[layer].name.view(), "_constant"));
        View v = View::dense(wanted, -1, extents(i));
        if (quantizes(i)) write_bytes(v, values);
        else
            write_table(
                real_, wanted, values.size(), [&](std::size_t k) { return number(values[k]); }, single_ ? 4 : 8);
        return v;
    }
    std::string table_name(std::string_view wish) {
        const std::string stem = cpp_identifier(wish);
        std::string wanted = stem;
        for (int k = 2; !table_names_.insert(wanted).second; ++k) wanted = sentence(stem, "_", k);
        return wanted;
    }
    template <class F>
    void write_table(const std::string& type, const std::string& name, std::size_t n, F element, int bytes) {
        result_.constant_bytes += static_cast<long long>(n) * bytes;
        std::string& to = result_.tables;
        to += sentence("inline constexpr ", type, " ", name, "[", n, "] = {\n");
        std::string line = "   ";
        for (std::size_t k = 0; k < n; ++k) {
            const std::string one = sentence(" ", element(k), k + 1 < n ? "," : "");
            if (line.size() + one.size() > 118) to += line + "\n", line = "   ";
            line += one;
        }
        to += line + "};\n";
    }
    /// Writes bytes from -127 to 127 with a scale for each index of the last axis.
    void write_bytes(const View& v, const std::vector<double>& values) {
        const std::size_t columns = at(v.extents.back());
        std::vector<double> scales(columns, 0);
        if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
            throw ArgumentError("export_cpp", "finite weights where they become bytes", "others in " + v.name);
        for (std::size_t k = 0; k < values.size(); ++k)
            scales[k % columns] = std::max(scales[k % columns], std::abs(values[k]) / 127);
        const auto byte = [&](std::size_t k) {
            const double scale = scales[k % columns];
            return sentence(static_cast<int>(scale > 0 ? std::nearbyint(values[k] / scale) : 0));
        };
        write_table("int8_t", v.name, values.size(), byte, 1);
        write_table(
            real_, v.name + "_scales", columns, [&](std::size_t k) { return number(scales[k]); }, single_ ? 4 : 8);
        ++result_.quantized;
    }
    /// Returns the 8-bit weight of a parameter, possibly with reordered axes before the last, or null.
    const QuantizedWeight* whole_weight(int i) const {
        const int last = tape_[i].shape.last();
        while (only_reshapes(i)) i = tape_[i].a;
        return tape_[i].operation == Operation::parameter && tape_[i].shape.last() == last
                   ? model_.quantized_weight(number_of(i))
                   : nullptr;
    }
    /// Writes its bytes, those of each output together, and the factors of the integer sums.
    std::string whole_table(const QuantizedWeight& w) {
        std::string& named = whole_tables_[w.name];
        if (!named.empty()) return named;
        named = table_name(w.name);
        const std::size_t columns = w.scales.size(), rows = w.values.size() / columns;
        write_table(
            "int8_t", named, w.values.size(),
            [&](std::size_t k) { return sentence(static_cast<int>(w.values[k % rows * columns + k / rows])); }, 1);
        write_table(
            real_, named + "_scales", columns,
            [&](std::size_t k) { return number(static_cast<double>(w.scales[k] * w.range / 127)); }, 4);
        ++result_.quantized;
        return named;
    }
    /// Returns whether a node is a weight that only products and convolutions read, as their second operand, possibly
    /// with reordered axes before the last.
    bool quantizes(int i) const {
        if (!int8_) return false;
        while (only_reshapes(i)) i = tape_[i].a;
        return folded(i) && count(i) > 1 && weighs_only(i);
    }
    bool only_reshapes(int i) const {
        const Operation o = tape_[i].operation;
        return o == Operation::reshape || (o == Operation::expand && count(i) == count(tape_[i].a));
    }
    bool weighs_only(int i) const {
        return std::all_of(users_[at(i)].begin(), users_[at(i)].end(), [&](int u) {
            const Node& n = tape_[u];
            const int last = tape_[i].shape.last();
            if (only_reshapes(u)) return n.shape.last() == last && weighs_only(u);
            return n.b == i && n.a != i &&
                   (n.operation == Operation::dot || n.operation == Operation::convolve ||
                    (n.operation == Operation::convolve_input && last <= n.shape.last()));
        });
    }
};

}  // namespace sigma::detail::cpp
