// SPDX-License-Identifier: BSL-1.0
#include "program.hpp"

#include "values.hpp"

#include <sigma/tape/geometry.hpp>

namespace sigma::detail {

namespace {

using namespace cpp;

/// Writes statements in the order of the tape. The statements of a loop over time stand together.
class CppWriter : Values {
public:
    using Values::Values;

    CppProgram write() {
        for (int i = 0; i < tape_.size(); ++i) {
            const int loop = members_.computed_in(tape_, i);
            if (loop < 0) node(i);
            if (members_.of(i) >= 0 && members_.last(members_.of(i)) == i) scan(members_.of(i));
        }
        write_outputs();
        result_.workspace = place(storages_, statements_);
        constexpr long long most = 2147483647 / 8;
        if (result_.workspace > most)
            throw ArgumentError("export_cpp", sentence("a workspace of at most ", most, " numbers"),
                                sentence(result_.workspace));
        return assembled();
    }

private:
    std::vector<Statement> statements_{};
    int loop_ = -1;

    /// Adds a statement, which f(lines) writes, with the views that it reads and the view that it writes.
    template <class F>
    void statement(int i, const std::vector<View>& reads, const View& written, F f) {
        Lines lines;
        f(lines);
        Statement s{lines.taken_apart(), {}, written.storage, loop_, layer_of(i)};
        for (const View& v : reads)
            if (v.storage >= 0)
                s.reads.push_back({v.storage, v.is_dense() && v.first == 0 && v.per_step == 0 && written.is_dense() &&
                                                  product_of(v.extents) == product_of(written.extents)});
        statements_.push_back(std::move(s));
    }
    /// Adds a statement with operands that must not share their place with the result.
    template <class F>
    void separate(int i, const std::vector<View>& reads, const View& written, F f) {
        statement(i, reads, written, f);
        for (Use& u : statements_.back().reads) u.same_place = false;
    }

    void copy(int i, const View& from, const View& to) {
        const Nest nest(to.extents, {to, from.to(to.extents)});
        statement(i, {from}, to,
                  [&](Lines& l) { nest.write(l, nest.element(0) + " = " + nest.value(1, real_) + ";"); });
    }
    void fill(int i, const View& to, const std::string& with) {
        View v = View::dense(with, -1, to.extents);
        v.kind = View::Kind::number;
        copy(i, v, to);
    }

    void node(int i) {
        const Node& n = tape_[i];
        const Operation o = n.operation;
        if (!live_[at(i)] || folded(i) || inlined(i) || o == Operation::input || o == Operation::iota) return;
        if (o == Operation::uniform || o == Operation::state || o == Operation::assign) refuse(i);
        if (o == Operation::reshape && reshaped(view(n.a), extents(i)).name.empty()) {
            const View from = view(n.a);
            const View to = result(i);
            View as_from = View::dense(to.name, to.storage, from.extents);
            copy(i, from, as_from);
            return;
        }
        if (is_view(o)) return;
        if (is_map(o)) map(i, result(i));
        else if (is_reduction(o)) reduce(i, result(i));
        else if (is_product(o)) product(i, result(i));
        else if (is_convolution(o)) convolution(i, result(i));
        else if (is_block(o) && !is_custom(o)) block(i, result(i));
        else if (o == Operation::carry) copy(i, view(n.a), lasting(i));
        else if (o == Operation::pad) pad(i, result(i));
        else if (o == Operation::concatenate) concatenate(i, result(i));
        else if (o == Operation::gather || o == Operation::scatter_add) look_up(i, result(i));
        else if (o == Operation::pool_max) pool(i, result(i));
        else if (o == Operation::argmax) find_greatest(i, result(i));
        else refuse(i);
    }
    /// Returns an operand in an array, for operations that cannot read numbers and positions.
    View in_array(int i, int operand) {
        const View v = view(operand);
        if (v.kind == View::Kind::array) return v;
        const View to = buffer(v.extents.empty() ? Numbers{1} : v.extents);
        copy(i, v, to);
        return to;
    }
    /// Returns memory for the result of a node: the caller's memory for an output.
    View result(int i) {
        for (int k = 0; k < program_.outputs.size() - static_cast<int>(names_.states); ++k)
            if (program_.outputs[k].id == i) return views_[at(i)] = View::dense(names_.outputs[at(k)], -1, extents(i));
        return views_[at(i)] = buffer(extents(i));
    }
    View lasting(int i) {
        const View v = views_[at(i)] = buffer(extents(i));
        storages_[at(v.storage)].lasts = true;
        return v;
    }

    /// Writes the steps of a loop over time. Stacks are placed before it.
    void scan(int loop) {
        for (int i = 0; i < tape_.size(); ++i)
            if (tape_[i].operation == Operation::stack && loop_of(tape_[i]) == loop && live_[at(i)]) lasting(i);
        loop_ = loop;
        std::vector<int> advances;
        for (int i = 0; i < tape_.size(); ++i) {
            if (members_.computed_in(tape_, i) != loop || !live_[at(i)]) continue;
            const Node& n = tape_[i];
            if (n.operation == Operation::advance) {
                advances.push_back(i);
            } else if (n.operation == Operation::stack) {
                View to = views_[at(i)];
                to.per_step = to.strides[1];
                to.extents.erase(to.extents.begin() + 1), to.strides.erase(to.strides.begin() + 1);
                copy(i, view(n.a), to);
            } else if (n.operation != Operation::carry) {
                node(i);
            }
        }
        std::vector<View> next;
        for (const int i : advances) {  // a carry that becomes another one is read before the other one is written
            View v = view(tape_[i].b);
            if (v.storage >= 0 && storages_[at(v.storage)].lasts) {
                const View kept = buffer(extents(i));
                copy(i, v, kept);
                v = kept;
            }
            next.push_back(v);
        }
        for (std::size_t k = 0; k < advances.size(); ++k) copy(advances[k], next[k], views_[at(tape_[advances[k]].a)]);
        loop_ = -1;
    }
    void write_outputs() {
        const int states = static_cast<int>(names_.states), all = program_.outputs.size();
        std::vector<View> last;
        for (int k = 0; k < all; ++k) {
            const int i = program_.outputs[k].id;
            const View to = View::dense(names_.outputs[at(k)], -1, extents(i));
            View from = view(i);
            if (from.name == to.name) continue;
            if (k >= all - states && from.storage < 0) {  // perhaps a view of a state that is written before
                const View kept = buffer(extents(i));
                copy(i, from, kept);
                from = kept;
            }
            if (k < all - states) copy(i, from, to);
            else last.push_back(from), last.push_back(to);
        }
        for (std::size_t k = 0; k < last.size(); k += 2) copy(program_.outputs[all - 1].id, last[k], last[k + 1]);
    }

    /// The nodes that are computed in the loops of one node, and the views that they read.
    struct Group {
        std::vector<int> nodes{};
        std::vector<int> read{};
        std::vector<View> views{};
    };
    void gather_group(int i, const Numbers& space, Group& g) {
        if (std::find(g.nodes.begin(), g.nodes.end(), i) != g.nodes.end()) return;
        each_operand(i, [&](int o) {
            if (!folded(o) && inlined(o)) gather_group(o, space, g);
            else if (std::find(g.read.begin(), g.read.end(), o) == g.read.end())
                g.read.push_back(o), g.views.push_back(view(o).to(space));
        });
        if (std::find(g.nodes.begin(), g.nodes.end(), i) == g.nodes.end()) g.nodes.push_back(i);
    }
    /// Returns the text of an operand. The first view of the nest is the one that is written.
    std::string operand(const Group& g, const Nest& nest, int o) const {
        const auto found = std::find(g.read.begin(), g.read.end(), o);
        if (found == g.read.end()) return sentence("x", o);
        return nest.value(1 + at(found - g.read.begin()), real_);
    }
    std::string expression(const Group& g, const Nest& nest, int i) const {
        const Node& n = tape_[i];
        std::string text;
        each_word(value_text(n.operation), [&](std::string_view word, bool named) {
            if (!named || word.size() != 1) text += word;
            else if (word == "V") text += real_;
            else text += operand(g, nest, word == "a" ? n.a : word == "b" ? n.b : n.c);
        });
        return text;
    }
    void write_inner(Lines& l, const Group& g, const Nest& nest, std::size_t but) const {
        for (std::size_t k = 0; k + but < g.nodes.size(); ++k)
            l.line(sentence("const ", real_, " x", g.nodes[k], " = ", expression(g, nest, g.nodes[k]), ";"));
    }
    void count_elements(const Group& g, const Numbers& space) {
        result_.elements += static_cast<long long>(g.nodes.size()) * product_of(space);
    }

    void map(int i, const View& to) {
        Group g;
        gather_group(i, to.extents, g);
        std::vector<View> views{to};
        views.insert(views.end(), g.views.begin(), g.views.end());
        const Nest nest(to.extents, views);
        count_elements(g, to.extents);
        statement(i, g.views, to, [&](Lines& l) {
            nest.open(l, 0, nest.depth());
            write_inner(l, g, nest, 1);
            l.line(nest.element(0) + " = " + expression(g, nest, i) + ";");
            nest.close(l, 0, nest.depth());
        });
    }
    void reduce(int i, const View& to) {
        const Node& n = tape_[i];
        const Numbers space = extents(n.a);
        Group g;
        if (!folded(n.a) && inlined(n.a)) gather_group(n.a, space, g);
        else g.read.push_back(n.a), g.views.push_back(view(n.a).to(space));
        std::vector<View> views{to.to(space)};
        views.insert(views.end(), g.views.begin(), g.views.end());
        const Nest nest(space, views);
        count_elements(g, space);
        std::size_t outer = nest.depth();
        while (outer > 0 && nest.stride(0, outer - 1) == 0) --outer;
        bool reduced_before = false;
        for (std::size_t l = 0; l < outer; ++l) reduced_before = reduced_before || nest.stride(0, l) == 0;
        const std::string begin = n.operation == Operation::sum              ? number(0)
                                  : n.operation == Operation::reduce_maximum ? sentence("-infinity<", real_, ">")
                                                                             : sentence("infinity<", real_, ">");
        const std::string x = operand(g, nest, n.a);
        const auto with = [&](const std::string& total) {
            if (n.operation == Operation::sum) return sentence(total, " += ", x, ";");
            return sentence(total, " = ", n.operation == Operation::reduce_maximum ? "maximum(" : "minimum(", total,
                            ", ", x, ");");
        };
        if (reduced_before) fill(i, to, begin);
        separate(i, g.views, to, [&](Lines& l) {
            const std::string total = reduced_before ? nest.element(0) : "total";
            nest.open(l, 0, outer);
            if (!reduced_before) l.line(sentence(real_, " total = ", begin, ";"));
            nest.open(l, outer, nest.depth());
            write_inner(l, g, nest, 0);
            l.line(with(total));
            nest.close(l, outer, nest.depth());
            if (!reduced_before) l.line(nest.element(0) + " = total;");
            nest.close(l, 0, outer);
        });
    }

    /// Writes to += first · second, over loops for which all three views have strides. `scales` belong to the last axis
    /// of `to`.
    void accumulate(int i, const Numbers& loops, const View& to, View y, View first, View second, int weights) {
        y.extents = first.extents = second.extents = loops;
        fill(i, to, number(0));
        const Nest nest(loops, {y, first, second});
        result_.multiply_adds += product_of(loops);
        const bool bytes = quantizes(weights);
        const std::string factor = bytes ? sentence(real_, "(", nest.value(2, real_), ")") : nest.value(2, real_);
        separate(i, {first, second, to}, to, [&](Lines& l) {
            const std::size_t depth = nest.depth(), outer = depth == 0 ? 0 : depth - 1;
            const bool steady = depth > 0 && nest.stride(1, outer) == 0, sums = depth > 0 && nest.stride(0, outer) == 0;
            nest.open(l, 0, outer);
            if (steady) l.line(sentence("const ", real_, " x = ", nest.value(1, real_), ";"));
            if (sums) l.line(sentence(real_, " total = ", nest.element(0), ";"));
            nest.open(l, outer, depth);
            l.line(sentence(sums ? "total" : nest.element(0), " += ", steady ? "x" : nest.value(1, real_), " * ",
                            factor, ";"));
            nest.close(l, outer, depth);
            if (sums) l.line(nest.element(0) + " = total;");
            nest.close(l, 0, outer);
        });
        if (!bytes) return;
        const View scales = View::dense(view(weights).name + "_scales", -1, {view(weights).extents.back()});
        const Numbers parts{product_of(to.extents) / scales.extents[0], scales.extents[0]};
        const Nest scaling(parts, {View::dense(to.name, to.storage, parts), scales.to(parts)});
        statement(i, {to}, to,
                  [&](Lines& l) { scaling.write(l, scaling.element(0) + " *= " + scaling.element(1) + ";"); });
    }
    void product(int i, const View& to) {
        const Node& n = tape_[i];
        const bool transposed = n.operation == Operation::transposed_dot, each = n.attribute != 0;
        const QuantizedWeight* const whole = whole_weight(n.b);
        if (whole != nullptr && !transposed && !each && tape_[n.b].shape.rank == 2) return whole_product(i, to, *whole);
        const View a = view(n.a), b = view(n.b);
        const std::size_t rank = a.extents.size(), leading = each ? rank - 2 : 0;
        // Loops: leading axes of both, rows, summed axis, columns.
        Numbers loops(a.extents.begin(), a.extents.begin() + static_cast<std::ptrdiff_t>(leading));
        View y = to, x = a, w = b;
        y.strides.assign(leading, 0), x.strides.assign(leading, 0), w.strides.assign(leading, 0);
        for (std::size_t k = 0; k < leading; ++k) {
            y.strides[k] = to.strides[k], x.strides[k] = a.strides[k];
            w.strides[k] = b.extents[k] == 1 ? 0 : b.strides[k];
        }
        const auto loop = [&](long long extent, long long of_y, long long of_x, long long of_w) {
            loops.push_back(extent);
            y.strides.push_back(of_y), x.strides.push_back(of_x), w.strides.push_back(of_w);
        };
        if (transposed) {  // sums over the rows of both: all axes but the last, or the last but one
            if (b.extents.size() != rank) refuse(i);
            for (std::size_t k = leading; k + 1 < rank; ++k) loop(a.extents[k], 0, a.strides[k], b.strides[k]);
            loop(a.extents.back(), to.strides[to.strides.size() - 2], a.strides.back(), 0);
        } else {
            for (std::size_t k = leading; k + 1 < rank; ++k) loop(a.extents[k], to.strides[k], a.strides[k], 0);
            loop(a.extents.back(), 0, a.strides.back(), b.strides[b.strides.size() - 2]);
        }
        loop(b.extents.back(), to.strides.back(), 0, b.strides.back());
        accumulate(i, loops, to, y, x, w, n.b);
    }
    /// Writes loops over images, rows and columns of y, rows and columns of the kernel, groups, channels, outputs of a
    /// group.
    void convolution(int i, const View& to) {
        const Node& n = tape_[i];
        const Convolution g = Convolution::unpacked(n.attribute);
        const bool back = n.operation == Operation::convolve_input;
        const bool of_weights = n.operation == Operation::convolve_weights;
        const QuantizedWeight* const whole = whole_weight(n.b);
        if (whole != nullptr && !back && !of_weights && g.groups == 1) return whole_convolution(i, to, g, *whole);
        View image = back ? to : view(n.a), kernel = of_weights ? to : view(n.b);
        View y = back ? view(n.a) : of_weights ? view(n.b) : to;
        if (back && !Convolution::by_channel(g.groups, n.shape[3])) {  // turned: (kh, o, kw, c)
            const View from = kernel;
            for (std::size_t k = 0; k < 4; ++k) {
                constexpr std::size_t order[] = {0, 2, 3, 1};
                kernel.extents[k] = from.extents[order[k]], kernel.strides[k] = from.strides[order[k]];
            }
        }
        const Numbers e = kernel.extents, s = image.strides, k = kernel.strides, t = y.strides;
        const long long channels = e[2], outputs = e[3] / g.groups;
        Numbers loops{y.extents[0], y.extents[1], y.extents[2], e[0], e[1], g.groups, channels, outputs};
        image.strides = {s[0],
                         s[1] * g.stride[0],
                         s[2] * g.stride[1],
                         s[1] * g.dilation[0],
                         s[2] * g.dilation[1],
                         s[3] * channels,
                         s[3],
                         0};
        kernel.strides = {0, 0, 0, k[0], k[1], k[3] * outputs, k[2], k[3]};
        y.strides = {t[0], t[1], t[2], 0, 0, t[3] * outputs, 0, t[3]};
        View views[] = {y, image, kernel};
        if (back) std::swap(views[0], views[1]);
        if (of_weights) std::swap(views[0], views[2]);
        if (back) {  // channels innermost, because they are contiguous
            std::swap(loops[6], loops[7]);
            for (View& v : views) std::swap(v.strides[6], v.strides[7]);
        }
        accumulate(i, loops, to, views[0], views[1], views[2], n.b);
    }

    /// Reserves temporary memory for integers, which is free again after the statement.
    void take_whole(long long count) { result_.whole = std::max(result_.whole, count); }
    std::string factor_to_whole(const QuantizedWeight& w) const { return number(static_cast<double>(127 / w.range)); }
    std::string by_table(const QuantizedWeight& w, long long count) {
        const std::string table = whole_table(w);
        return sentence(table, ", ", table, "_scales, ", count, ", ", w.scales.size());
    }
    void whole_product(int i, const View& to, const QuantizedWeight& w) {
        View x = in_array(i, tape_[i].a), y = to;
        const long long count = x.extents.back(), x_apart = x.strides.back(), y_apart = y.strides.back();
        for (View* const v : {&x, &y}) v->extents.pop_back(), v->strides.pop_back();
        const Nest rows(x.extents, {y, x});
        result_.multiply_adds += product_of(to.extents) * count;
        take_whole(count);
        separate(i, {x}, to, [&](Lines& l) {
            rows.open(l, 0, rows.depth());
            l.line(sentence("round_to_whole(", rows.address(1), ", ", x_apart, ", ", count, ", ", factor_to_whole(w),
                            ", workspace.whole);"));
            l.line(sentence("multiply_whole(workspace.whole, ", by_table(w, count), ", ", rows.address(0), ", ",
                            y_apart, ");"));
            rows.close(l, 0, rows.depth());
        });
    }
    /// Writes an 8-bit convolution: images become integers, then their windows become rows.
    void whole_convolution(int i, const View& to, const Convolution& g, const QuantizedWeight& w) {
        View x = in_array(i, tape_[i].a), y = to, dense = View::dense("workspace.whole", -1, x.extents), place = dense;
        const Shape& kernel = tape_[tape_[i].b].shape;
        const long long all = product_of(x.extents), width = x.extents[2], channels = x.extents[3],
                        count = kernel[0] * kernel[1] * channels, y_apart = y.strides.back();
        if (x.is_dense()) x.extents = dense.extents = {1, all}, x.strides = dense.strides = {all, 1};
        const long long line = x.extents.back(), x_apart = x.strides.back();
        for (View* const v : {&x, &dense, &y, &place}) v->extents.pop_back(), v->strides.pop_back();
        for (std::size_t k = 0; k < 2; ++k) place.strides[k + 1] *= g.stride[k];
        place.extents = y.extents;
        const Nest rounding(x.extents, {dense, x}), windows(y.extents, {y, place});
        result_.multiply_adds += product_of(to.extents) * count;
        take_whole(all + count);
        separate(i, {x}, to, [&](Lines& l) {
            rounding.open(l, 0, rounding.depth());
            l.line(sentence("round_to_whole(", rounding.address(1), ", ", x_apart, ", ", line, ", ", factor_to_whole(w),
                            ", ", rounding.address(0), ");"));
            rounding.close(l, 0, rounding.depth());
            windows.open(l, 0, windows.depth());
            l.line(sentence("take_window(", windows.address(1), ", ", kernel[0], ", ", g.dilation[0] * width * channels,
                            ", ", kernel[1], ", ", g.dilation[1] * channels, ", ", channels, ", workspace.whole + ",
                            all, ");"));
            l.line(sentence("multiply_whole(workspace.whole + ", all, ", ", by_table(w, count), ", ",
                            windows.address(0), ", ", y_apart, ");"));
            windows.close(l, 0, windows.depth());
        });
    }

    void pad(int i, const View& to) {
        View inner = to;
        int from = i;
        for (; from == i || (tape_[from].operation == Operation::pad && inlined(from)); from = tape_[from].a) {
            const std::size_t axis = at(axis_of(tape_[from]));
            inner.first += first_of(tape_[from]) * inner.strides[axis];
            inner.extents[axis] = extents(tape_[from].a)[axis];
        }
        fill(i, to, number(0));
        copy(i, view(from), inner);
    }
    void concatenate(int i, const View& to) {
        const Node& n = tape_[i];
        const std::size_t axis = at(axis_of(n));
        for (const bool second : {false, true}) {
            const View from = view(second ? n.b : n.a);
            View part = to;
            part.extents = from.extents;
            if (second) part.first = first_of(n) * to.strides[axis];
            copy(i, from, part);
            for (Use& u : statements_.back().reads) u.same_place = false;
        }
    }

    void look_up(int i, const View& to) {
        const Node& n = tape_[i];
        const bool gathers = n.operation == Operation::gather;
        const Numbers space = extents(n.b);
        const View ids = view(n.b), rows = gathers ? to : in_array(i, n.a), of_table = gathers ? in_array(i, n.a) : to;
        View row = rows;
        row.extents = space, row.strides.pop_back();
        const Nest nest(space, {row, ids});
        const long long width = of_table.extents[1], count = of_table.extents[0];
        if (!gathers) fill(i, to, number(0));
        separate(i, {ids, gathers ? of_table : rows, to}, to, [&](Lines& l) {
            nest.open(l, 0, nest.depth());
            l.line(sentence("const ", real_, " id = ", nest.value(1, real_), ";"));
            l.line(sentence("const int row = id >= 0 && id < ", count, " ? static_cast<int>(id) : -1;"));
            l.open(sentence("for (int z = 0; z < ", width, "; ++z)"));
            const Term of_record[] = {{nest.index(0), 1}, {"z", rows.strides.back()}};
            const Term of_entry[] = {
                {"row", of_table.strides[0]}, {"z", of_table.strides[1]}, {"t", of_table.per_step}};
            const std::string record = rows.name + "[" + sum_text(of_record, 0) + "]";
            const std::string in_table = of_table.name + "[" + sum_text(of_entry, of_table.first) + "]";
            if (gathers) l.line(record + " = row < 0 ? not_a_number<" + real_ + "> : " + in_table + ";");
            else l.line("if (row >= 0) " + in_table + " += " + record + ";");
            l.close();
            nest.close(l, 0, nest.depth());
        });
    }

    /// Writes a pooling. Images with windows across an edge are padded first.
    void pool(int i, const View& to) {
        const Node& n = tape_[i];
        const Pooling p = Pooling::unpacked(n.attribute);
        const std::string least = sentence("-infinity<", real_, ">");
        View x = in_array(i, n.a), inside = x;
        Numbers reached = x.extents;
        bool leaves = false;
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const long long length = (to.extents[axis + 1] - 1) * p.stride[axis] + p.window[axis];
            leaves = leaves || p.before[axis] > 0 || length > x.extents[axis + 1];
            reached[axis + 1] = length;
        }
        if (leaves) {
            const View around = buffer(reached);
            inside = around;
            for (std::size_t axis = 1; axis < 3; ++axis) {
                inside.first += p.before[axis - 1] * around.strides[axis];
                inside.extents[axis] = std::min(x.extents[axis], reached[axis] - p.before[axis - 1]);
            }
            fill(i, around, least);
            x.extents = inside.extents;
            copy(i, x, inside);
            x = around;
        }
        fill(i, to, least);
        const Numbers loops{to.extents[0], to.extents[1], to.extents[2], p.window[0], p.window[1], to.extents[3]};
        const Numbers& s = x.strides;
        const Numbers of_x{s[0], s[1] * p.stride[0], s[2] * p.stride[1], s[1], s[2], s[3]};
        const Numbers of_y{to.strides[0], to.strides[1], to.strides[2], 0, 0, to.strides[3]};
        View y = to;
        x.extents = y.extents = loops, x.strides = of_x, y.strides = of_y;
        const Nest nest(loops, {y, x});
        separate(i, {x, to}, to, [&](Lines& l) {
            nest.write(l, nest.element(0) + " = maximum(" + nest.element(0) + ", " + nest.element(1) + ");");
        });
    }

    void find_greatest(int i, const View& to) {
        const Node& n = tape_[i];
        const View x = in_array(i, n.a);
        View one = x;
        one.extents = to.extents;
        const Nest nest(to.extents, {to, one});
        const std::size_t axis = at(static_cast<long long>(n.attribute));
        separate(i, {x}, to, [&](Lines& l) {
            nest.open(l, 0, nest.depth());
            l.line("int best = 0;");
            l.open(sentence("for (int z = 1; z < ", x.extents[axis], "; ++z)"));
            l.line(sentence("const ", real_, " x = ", x.name, "[", nest.index(1), " + z * ", x.strides[axis],
                            "], y = ", x.name, "[", nest.index(1), " + best * ", x.strides[axis], "];"));
            l.line("if (x > y || (x != x && y == y)) best = z;");
            l.close();
            l.line(nest.element(0) + " = " + real_ + "(best);");
            nest.close(l, 0, nest.depth());
        });
    }

    void block(int i, const View& to) {
        const Node& n = tape_[i];
        const std::size_t own = at(block_rank(n.operation)), leading = to.extents.size() - own;
        const Numbers space(to.extents.begin(), to.extents.begin() + static_cast<std::ptrdiff_t>(leading));
        std::vector<View> all{to}, places;
        each_operand(i, [&](int o) { all.push_back(in_array(i, o)); });
        for (const View& v : all) {
            View place = v;  // the block's first element
            const std::size_t more = v.extents.size() - std::min(own, v.extents.size());
            place.extents.resize(more), place.strides.resize(more);
            places.push_back(place.to(space));
        }
        const Nest nest(space, places);
        separate(i, all, to, [&](Lines& l) {
            nest.open(l, 0, nest.depth());
            std::string call = sentence(name(n.operation), "(");
            for (std::size_t k = 0; k < 4; ++k) {
                if (k > 0) call += ", ";
                call += sentence("Block<", real_, ">{");
                if (k < all.size()) {
                    const View& v = all[k];
                    const std::size_t rank = v.extents.size();
                    const long long columns = v.extents[rank - 1], rows = own == 2 ? v.extents[rank - 2] : 1;
                    const std::string data = nest.address(k);
                    call += sentence(k == 0 ? data : sentence("const_cast<", real_, "*>(", data, ")"), ", ", rows, ", ",
                                     columns, ", ", own == 2 ? v.strides[rank - 2] : columns, ", ",
                                     columns == 1 ? 0 : v.strides[rank - 1]);
                }
                call += "}";
            }
            l.line(call + (n.attribute != 0 ? ", true);" : ", false);"));
            nest.close(l, 0, nest.depth());
        });
    }

    CppProgram assembled() {
        std::string& out = result_.statements;
        const auto add = [&](const std::string& line) { out += (line[0] == '\n' ? "" : "    ") + line + "\n"; };
        for (std::size_t k = 0; k < storages_.size(); ++k) {
            if (storages_[k].first < 0) continue;
            const long long offset = storages_[at(home(storages_, static_cast<int>(k)))].offset;
            add(sentence(real_, "* const v", k, " = workspace.numbers", offset > 0 ? sentence(" + ", offset) : "",
                         ";"));
        }
        int loop = -1, layer = -2;
        for (const Statement& s : statements_) {
            if (s.loop != loop) {
                if (loop >= 0) add("}");
                loop = s.loop;
                if (loop >= 0) {
                    const Loop l = tape_.loops()[loop];
                    add(l.backwards ? sentence("for (int t = ", l.count - 1, "; t >= 0; --t) {")
                                    : sentence("for (int t = 0; t < ", l.count, "; ++t) {"));
                }
            }
            const std::string indent = loop >= 0 ? "    " : "";
            if (s.layer != layer && s.layer >= 0)
                add("\n    " + indent + "// " + cpp_comment(model_.layers[s.layer].name.view()));
            layer = s.layer;
            for (const std::string& line : s.lines) add(indent + line);
        }
        if (loop >= 0) add("}");
        return std::move(result_);
    }
};

}  // namespace

CppProgram cpp_program(const PortableModel& model, const CppNames& names, bool int8) {
    return CppWriter(model, names, int8).write();
}

}  // namespace sigma::detail
