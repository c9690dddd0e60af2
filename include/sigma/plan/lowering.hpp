// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/contract.hpp>
#include <sigma/plan/fusion.hpp>
#include <sigma/plan/layout.hpp>
#include <sigma/plan/loops.hpp>
#include <sigma/plan/plan.hpp>
#include <sigma/plan/refused_plan.hpp>

#include <limits>

namespace sigma::detail {

class Lowering {
public:
    constexpr Lowering(const PassInput& in, const Views& views, const Layouts& layouts, const FusedGroups& fusion)
        : in_(in), views_(views), layouts_(layouts), fusion_(fusion) {}
    constexpr LoweredKernels run() {
        result_.kernels.reserve(fusion_.groups.size());
        result_.instructions.reserve(in_.size() + in_.size() / 4);
        result_.arguments.reserve(in_.size() + in_.size() / 2);
        emitted_kernel_ = emitted_sweep_ = emitted_ = List<int>(in_.size(), -1);
        for (int g = 0; g < fusion_.groups.size(); ++g) {
            const FusionGroup& group = fusion_.groups[g];
            const int first = result_.kernels.size();
            if (group.kind == FusionGroup::Kind::single) lower_single(group);
            else if (!group.roots.empty()) lower_fused(g);
            for (int k = first; k < result_.kernels.size(); ++k) {
                result_.kernels[k].loop = group.loop;
                result_.kernels[k].origin = in_.at(named_node(group)).origin;
            }
        }
        return static_cast<LoweredKernels&&>(result_);
    }

private:
    const PassInput& in_;
    const Views& views_;
    const Layouts& layouts_;
    const FusedGroups& fusion_;
    LoweredKernels result_{};
    List<int> emitted_kernel_{}, emitted_sweep_{}, emitted_{};

    constexpr TensorLayout layout_of(int i) const {
        const TensorLayout l = layouts_.layout_of(i);
        if (!l.exists) error_plan_would_read_the_wrong_elements();
        return l;
    }
    /// Returns the node that names the kernels of a group: its product, or its last result.
    static constexpr int named_node(const FusionGroup& group) {
        if (group.kind != FusionGroup::Kind::single) return group.roots[group.roots.size() - 1];
        return group.update.product >= 0 ? group.update.product : group.node;
    }
    constexpr Shape strides_of(int i) const { return layout_of(i).strides; }
    /// Returns the elements from row to row of an operand with evenly spaced rows.
    constexpr int pitch_of(int i) const {
        const Shape& s = in_.at(i).shape;
        const TensorLayout l = layout_of(i);
        const int pitch = layouts_.pitch_of(i), apart = merged_stride(s, l, 0, s.rank - 1);
        const bool even = mergeable(s, l, 0, s.rank - 1) && (apart == pitch || one_row(s));
        if (!even || (s.last() != 1 && l.strides[s.rank - 1] != 1)) error_plan_would_read_the_wrong_elements();
        return pitch;
    }
    static constexpr bool one_row(const Shape& s) {
        for (int i = 0; i + 1 < s.rank; ++i)
            if (s[i] != 1) return false;
        return true;
    }

    constexpr TensorArgument argument_for(int i, bool written) const {
        TensorArgument a;
        a.tensor = i;
        a.written = written;
        const int root = views_.root_of(i);
        if (in_.at(root).shape.batched()) a.record = footprint(in_.at(root).shape, layouts_.pitch_of(root));
        if (root != i) {
            const TensorLayout l = layout_of(i);
            a.offset = l.offset;
            a.time = l.time;
        }
        return a;
    }
    constexpr int add_argument(Kernel& k, TensorArgument a) {
        result_.arguments.push(a);
        return k.arguments++;
    }
    /// Returns a kernel without arguments, which are added next.
    constexpr Kernel start(Kernel k, bool local) const {
        k.argument = result_.arguments.size();
        k.local = local;
        return k;
    }
    static constexpr bool batch_leads(const Shape& s) {
        for (int i = 0; i < s.rank; ++i)
            if (s[i] != 1) return s[i] < 0;
        return false;
    }

    // ---- fused kernels ----

    constexpr int fused_argument(Kernel& k, int node, bool written, const Shape& domain) {
        for (int i = 0; i < k.arguments; ++i) {
            TensorArgument& a = result_.arguments[k.argument + i];
            if (a.tensor == node) {
                a.written = a.written || written;
                return i;
            }
        }
        TensorArgument a = argument_for(node, written);
        TensorLayout layout = layout_of(node);
        Shape own = in_.at(node).shape;
        if (written && in_.at(node).operation == Operation::stack) {
            layout = layout.at_position();
            own = own.without(1);
            a.time = layout.time;
        }
        const Shape& strides = layout.strides;
        const int shift = domain.rank - own.rank;
        for (int i = 0; i < own.rank; ++i)
            if (own[i] != 1) a.stride[i + shift] = strides[i];
        return add_argument(k, a);
    }
    struct Space {
        Shape domain;
        int split;  // rows: first axis of the row
        bool columns;
    };
    static constexpr bool varies_in_row(const Shape& s, const Space& space) {
        const Shape a = s.aligned(space.domain.rank);
        for (int i = space.split; i < a.rank; ++i)
            if (a[i] != 1) return true;
        return false;
    }
    static constexpr int level_of(const Shape& s, const Space& space) {
        if (s.scalar()) return 0;
        return space.columns || varies_in_row(s, space) ? 2 : 1;
    }
    /// Returns a position within a kernel. It is always in range, since Fusion limits the length of groups.
    static constexpr short within(int position) {
        if (position > std::numeric_limits<short>::max()) error_plan_would_read_the_wrong_elements();
        return static_cast<short>(position);
    }
    constexpr int put(Kernel& k, Instruction n) {
        result_.instructions.push(n);
        return k.fused.instructions++;
    }
    constexpr void note(int k, int node, int sweep, int instruction) {
        emitted_kernel_[node] = k;
        emitted_sweep_[node] = sweep;
        emitted_[node] = instruction;
    }
    /// Returns the instruction with the value of `node` in sweep `sweep`.
    constexpr int value(Kernel& k, int group, int node, int sweep, const Space& space) {
        const int number = result_.kernels.size();
        if (emitted_kernel_[node] == number) {
            const Instruction& old = result_.instructions[k.fused.instruction + emitted_[node]];
            if (old.level < 2 || emitted_sweep_[node] == sweep || old.opcode == Instruction::Opcode::reduce)
                return emitted_[node];
        }
        const Node& x = in_.at(node);
        Instruction n;
        n.operation = Operation::copy;
        n.sweep = static_cast<signed char>(sweep);
        int level = level_of(x.shape, space);
        const bool computed = is_map(x.operation) || x.operation == Operation::constant;
        const bool here = fusion_.group[node] == group && computed && (fusion_.sweep[node] == sweep || level < 2);
        if (fusion_.inlined(in_, node) || here) {
            n.opcode = Instruction::Opcode::evaluate;
            n.operation = x.operation;
            if (n.operation == Operation::constant) n.constant = x.constant;
            if (x.a >= 0) n.a = within(value(k, group, x.a, sweep, space));
            if (x.b >= 0) n.b = within(value(k, group, x.b, sweep, space));
            if (x.c >= 0) n.c = within(value(k, group, x.c, sweep, space));
            for (int o : {n.a, n.b, n.c})  // a scalar from a reduction of this row is a value of the row
                if (o >= 0 && level == 0) {
                    const Instruction& i = result_.instructions[k.fused.instruction + o];
                    if (i.opcode == Instruction::Opcode::reduce || i.level > 0) level = 1;
                }
        } else {
            n.opcode = Instruction::Opcode::load;
            n.argument = within(fused_argument(k, node, false, space.domain));
            n.broadcast = level == 2 && x.shape.aligned(space.domain.rank)[inner_axis(space.domain)] == 1;
        }
        n.level = static_cast<signed char>(level);
        const int id = put(k, n);
        note(number, node, sweep, id);
        return id;
    }
    static constexpr int inner_axis(const Shape& domain) {
        int axis = domain.rank - 1;
        while (axis > 0 && domain[axis] == 1) --axis;
        return axis < 0 ? 0 : axis;
    }
    /// Orders instructions, so that equal computations have equal code: those that are computed once come first, and
    /// operands of commutative operations are sorted.
    constexpr void order(const FusedKernel& k) {
        Instruction* const code = result_.instructions.begin() + k.instruction;
        List<Instruction> ordered;
        List<short> place(k.instructions, -1);
        ordered.reserve(k.instructions);
        for (bool once : {true, false})
            for (int i = 0; i < k.instructions; ++i)
                if ((code[i].level == 0) == once) place[i] = static_cast<short>(ordered.push(code[i]));
        for (int i = 0; i < k.instructions; ++i) {
            Instruction n = ordered[i];
            if (n.level == 0) n.sweep = 0;
            for (short* operand : {&n.a, &n.b, &n.c})
                if (*operand >= 0) *operand = place[*operand];
            if (n.opcode == Instruction::Opcode::evaluate && is_commutative(n.operation) && n.a > n.b)
                std::swap(n.a, n.b);
            code[i] = n;
        }
    }
    constexpr void lower_fused(int g) {
        const FusionGroup& group = fusion_.groups[g];
        const bool columns = group.kind == FusionGroup::Kind::columns;
        Kernel k = start({columns ? Kernel::Kind::columns : Kernel::Kind::rows, {}}, false);
        k.fused.instruction = result_.instructions.size();
        const Space space{group.domain,
                          columns            ? 0
                          : group.split >= 0 ? group.split
                                             : inner_axis(group.domain),
                          columns};
        bool reduces = false;
        int last_sweep = columns ? 1 : 0;
        for (int r : group.roots)
            if (fusion_.sweep[r] > last_sweep) last_sweep = fusion_.sweep[r];
        k.fused.sweeps = static_cast<short>(last_sweep + 1);
        for (int sweep = 0; sweep <= last_sweep; ++sweep) {
            List<int> sources;  // all values of a sweep come before its stores, which may overwrite operands
            for (int r : group.roots) {
                if (fusion_.sweep[r] != sweep) continue;
                const Node& x = in_.at(r);
                const int from = is_reduction(x.operation) ? x.a : in_.source_of(r);
                sources.push(value(k, g, from, sweep, space));
            }
            int next = 0;
            for (int r : group.roots) {
                if (fusion_.sweep[r] != sweep) continue;
                const Node& x = in_.at(r);
                Instruction n;
                n.a = within(sources[next++]);
                n.sweep = static_cast<signed char>(sweep);
                n.operation = x.operation;
                if (is_reduction(x.operation)) {
                    reduces = true;
                    n.opcode = Instruction::Opcode::reduce;
                    n.level = 2;
                    if (fusion_.in_memory[r]) n.argument = within(fused_argument(k, r, true, space.domain));
                    note(result_.kernels.size(), r, sweep, put(k, n));
                    continue;
                }
                n.operation = Operation::copy;
                n.opcode = Instruction::Opcode::store;
                const bool overwrites = x.operation == Operation::assign || x.operation == Operation::advance;
                n.argument = within(fused_argument(k, overwrites ? x.a : r, true, space.domain));
                const bool whole = equivalent(in_.at(in_.source_of(r)).shape, space.domain) || columns;
                n.level = space.domain.scalar() ? 0 : whole ? 2 : 1;
                put(k, n);
            }
        }
        bool each_record = true;  // a program that is not split for threads may reduce over the batch anywhere
        for (int r : group.roots) each_record = each_record && in_.at(r).shape.batched();
        k.local = each_record && !group.over_batch && batch_leads(group.domain) &&
                  !(columns && group.domain.batched() && !group.column_shape().batched());
        Loops(result_.arguments, k)
            .make(space.domain, columns ? group.begin : space.split, columns ? group.end : -1, reduces, in_.lanes,
                  [&](const TensorArgument& a) {
                      return layouts_.padded[a.tensor] && in_.at(a.tensor).shape.last() == space.domain.last();
                  });
        order(k.fused);
        Contraction(result_.instructions, k.fused).run();
        result_.kernels.push(k);
    }

    // ---- single nodes ----

    constexpr TensorArgument moved(int node, const Shape& strides, bool written) const {
        TensorArgument a = argument_for(node, written);
        for (int i = 0; i < strides.rank; ++i) a.stride[i] = strides[i];
        return a;
    }
    /// Adds a copy. Loops without gaps in both arguments are merged; the innermost loop is copied as one run.
    constexpr void push_move(const Shape& extents, TensorArgument from, TensorArgument to, int clear, bool local) {
        MoveKernel m;
        m.clear = clear;
        int loops = 0;
        for (int i = 0; i < extents.rank; ++i) {
            const int n = extents[i], x = from.stride[i], y = to.stride[i];
            if (n == 1 && (loops > 0 || i + 1 < extents.rank)) continue;
            const bool joins =
                loops > 0 && from.stride[loops - 1] == times(x, n) && to.stride[loops - 1] == times(y, n);
            if (joins) --loops;
            m.extent[loops] = joins ? times(m.extent[loops], n) : n;
            from.stride[loops] = x, to.stride[loops] = y;
            ++loops;
        }
        m.rank = static_cast<short>(loops);
        for (int i = loops; i < extents.rank; ++i) from.stride[i] = to.stride[i] = 0;
        Kernel k = start(Kernel(m), local);
        add_argument(k, from);
        add_argument(k, to);
        result_.kernels.push(k);
    }
    constexpr void lower_move(int i) {
        const Node& n = in_.at(i);
        const Shape from = in_.at(n.a).shape, to = n.shape;
        const Shape from_strides = strides_of(n.a), to_strides = strides_of(i);
        const bool local = batch_leads(from) && batch_leads(to);
        const int axis = axis_of(n), first = first_of(n);
        if (n.operation == Operation::reshape)
            return push_move(from, moved(n.a, from_strides, false), moved(i, row_major(from, from.last()), true), 0,
                             local);
        if (n.operation == Operation::permute) {
            Shape s = to;
            bool swaps_last = to.rank >= 2;
            for (int x = 0; x < to.rank; ++x) {
                s.extent[x] = from_strides[source_axis(n, x)];
                const int swapped = x == to.rank - 1 ? x - 1 : x == to.rank - 2 ? x + 1 : x;
                swaps_last = swaps_last && source_axis(n, x) == swapped;
            }
            if (swaps_last && !(to.last() < 0) && !(from.last() < 0)) return lower_transpose(i);
            return push_move(to, moved(n.a, s, false), moved(i, to_strides, true), 0, local);
        }
        if (n.operation == Operation::slice) {
            TensorArgument a = moved(n.a, from_strides, false);
            a.offset += times(first, from_strides[axis]);
            return push_move(to, a, moved(i, to_strides, true), 0, local);
        }
        if (n.operation == Operation::step || n.operation == Operation::stack) {
            const bool reads = n.operation == Operation::step;
            TensorArgument x = moved(n.a, reads ? from_strides.without(1) : from_strides, false);
            TensorArgument y = moved(i, reads ? to_strides : to_strides.without(1), true);
            (reads ? x : y).time += reads ? from_strides[1] : to_strides[1];
            return push_move(reads ? to : from, x, y, 0, local);
        }
        TensorArgument a = moved(i, to_strides, true);
        if (n.operation == Operation::pad) {
            a.offset += times(first, to_strides[axis]);
            // Memory that is bound from outside ends with its last element.
            const int clear = to.batched() ? -a.record : stored_count(to, pitch_of(i));
            return push_move(from, moved(n.a, from_strides, false), a, clear, local);
        }
        if (views_.destination[n.a] != i) push_move(from, moved(n.a, from_strides, false), a, 0, local);  // concatenate
        a.offset += times(first, to_strides[axis]);
        if (views_.destination[n.b] != i || n.a == n.b)
            push_move(in_.at(n.b).shape, moved(n.b, strides_of(n.b), false), a, 0, local);
    }
    /// Sets the numbers of matrices: one loop if all operands step through them evenly, else two.
    constexpr void count_matrices(const Kernel& k, int (&count)[2], const Shape& s, int operands) {
        bool even = true;
        for (int i = 0; i < operands; ++i) {
            const int node = result_.arguments[k.argument + i].tensor;
            even = even && mergeable(in_.at(node).shape, layout_of(node), 0, s.rank - 2);
        }
        const bool split = !even && s.rank == 4;
        for (int i = 0; i < s.rank - 2; ++i) {
            int& n = count[split && i == 1 ? 1 : 0];
            n = times(n, s[i]);
        }
        for (int i = 0; i < operands && s.rank > 2; ++i) {
            TensorArgument& a = result_.arguments[k.argument + i];
            const TensorLayout l = layout_of(a.tensor);
            a.stride[1] = split ? l.strides[0] : merged_stride(in_.at(a.tensor).shape, l, 0, s.rank - 2);
            a.stride[2] = split ? l.strides[1] : 0;
        }
    }
    constexpr void lower_transpose(int i) {
        const Shape from = in_.at(in_.at(i).a).shape;
        TransposeKernel t;
        t.rows = from[from.rank - 2];
        t.columns = from.last();
        Kernel k = start(Kernel(t), batch_leads(from) && from.rank > 2);
        for (int node : {in_.at(i).a, i}) {
            TensorArgument a = argument_for(node, node == i);
            a.stride[0] = strides_of(node)[from.rank - 2];
            add_argument(k, a);
        }
        count_matrices(k, k.transpose.count, from, 2);
        result_.kernels.push(k);
    }
    constexpr void lower_product(const FusionGroup& group) {
        const Node& n = in_.at(group.node);
        const Shape a = in_.at(n.a).shape, b = in_.at(n.b).shape;
        ProductKernel p;
        p.transposed = n.operation == Operation::transposed_dot;
        p.each = n.attribute != 0;
        int rows = p.each ? a[a.rank - 2] : 1;
        for (int i = 0; i < a.rank - 1 && !p.each; ++i) rows = times(rows, a[i]);
        p.m = p.transposed ? a.last() : rows;
        p.n = b.last();
        p.k = p.transposed ? rows : a.last();
        if (group.assign >= 0) {
            const FoldedUpdate& u = group.update;
            p.accumulate = true;
            p.negative = u.negative;
            p.scaled = u.scale >= 0 && in_.at(u.scale).operation != Operation::constant;
            if (u.scale >= 0 && !p.scaled) p.alpha = in_.at(u.scale).constant;
        }
        const int result = group.assign >= 0 ? in_.at(group.assign).a : group.node;
        p.padded = true;
        for (int node : {n.a, n.b, result})
            if (node != n.a || n.a == n.b)
                p.padded = p.padded && (layouts_.padded[node] || in_.at(node).shape.last() % in_.lanes == 0);
        Kernel k =
            start(Kernel(p), batch_leads(a) && (p.each ? a.batch_axis() < a.rank - 2 : !p.transposed && !b.batched()));
        for (int node : {n.a, n.b, result}) {
            TensorArgument x = argument_for(node, node == result);
            const Shape& s = in_.at(node).shape;
            const TensorLayout l = layout_of(node);
            if (!product_takes(n, s, l)) error_plan_would_read_the_wrong_elements();
            x.stride[0] = merged_stride(s, l, p.each ? s.rank - 2 : 0, s.rank - 1);
            add_argument(k, x);
        }
        if (p.each) count_matrices(k, k.product.count, a, 3);
        if (p.scaled) add_argument(k, argument_for(group.update.scale, false));
        result_.kernels.push(k);
    }
    constexpr void lower_argmax(int i) {
        const Node& n = in_.at(i);
        const Shape from = in_.at(n.a).shape;
        const TensorArgument a = moved(n.a, strides_of(n.a), false), b = moved(i, strides_of(i), true);
        const int axis = static_cast<int>(n.attribute);
        ArgmaxKernel m;
        m.rank = static_cast<short>(from.rank);
        int at = 0;  // the searched axis goes last
        TensorArgument x = a, y = b;
        for (int o = 0; o < from.rank; ++o) {
            const int source = o == from.rank - 1 ? axis : at == axis ? ++at : at;
            m.extent[o] = from[source];
            x.stride[o] = a.stride[source];
            y.stride[o] = source == axis ? 0 : b.stride[source];
            ++at;
        }
        Kernel k = start(Kernel(m), batch_leads(from) && from[axis] > 0);
        add_argument(k, x);
        add_argument(k, y);
        result_.kernels.push(k);
    }
    constexpr void lower_uniform(int i) {
        const Shape& s = in_.at(i).shape;
        FillUniformKernel u{1, s.last(), pitch_of(i), in_.at(i).attribute};
        for (int x = 0; x < s.rank - 1; ++x) u.rows = times(u.rows, s[x]);
        Kernel k = start(Kernel(u), batch_leads(s) && s.last() > 0);
        add_argument(k, argument_for(i, true));
        result_.kernels.push(k);
    }
    constexpr void lower_single(const FusionGroup& group) {
        const Operation o = in_.at(group.node).operation;
        if (is_product(o)) lower_product(group);
        else if (o == Operation::argmax) lower_argmax(group.node);
        else if (o == Operation::uniform) lower_uniform(group.node);
        else if (is_convolution(o)) lower_convolution(group.node);
        else if (is_pooling(o)) lower_pooling(group.node);
        else if (is_lookup(o)) lower_lookup(group.node);
        else if (is_block(o)) lower_block(group.node);
        else lower_move(group.node);
    }

    constexpr void lower_block(int i) {
        const Node& n = in_.at(i);
        const int rank = n.shape.rank, own = block_rank(n.operation);
        BlockKernel b;
        b.operation = n.operation;
        b.option = n.attribute != 0;
        b.part = n.attribute;
        b.rank = static_cast<short>(rank - own);
        for (int x = 0; x < b.rank; ++x) b.extent[x] = n.shape[x];
        Kernel k = start(Kernel(b), batch_leads(n.shape));
        for (int node : {n.a, n.b, n.c, i}) {
            if (node < 0) continue;
            const Shape s = in_.at(node).shape, strides = strides_of(node);
            const auto step = [&](int axis) {  // 0 along a repeated axis
                const int x = axis + s.rank - rank;
                return x < 0 || s[x] == 1 ? 0 : strides[x];
            };
            TensorArgument a = argument_for(node, node == i);
            for (int x = 0; x < b.rank; ++x) a.stride[x] = step(x);
            k.block.blocks[k.arguments] = {own == 2 ? s[s.rank - 2] : 1, s.last(), own == 2 ? step(rank - 2) : 0,
                                           step(rank - 1)};
            add_argument(k, a);
        }
        result_.kernels.push(k);
    }

    // ---- images and tables ----

    constexpr void lower_convolution(int i) {
        const Node& n = in_.at(i);
        const bool input = n.operation == Operation::convolve_input,
                   weights = n.operation == Operation::convolve_weights;
        const int y = input ? n.a : weights ? n.b : i, w = weights ? i : n.b, x = views_.image_of(i);
        const Shape &image = in_.at(x).shape, &result = in_.at(y).shape, &kernel = in_.at(w).shape;
        ConvolutionKernel c;
        c.operation = n.operation;
        c.geometry = Convolution::unpacked(n.attribute);
        c.images = result[0], c.height = image[1], c.width = image[2], c.channels = image[3];
        c.result_height = result[1], c.result_width = result[2], c.outputs = result[3];
        c.kernel_height = kernel[0];
        c.kernel_width = kernel[input && !c.by_channel() ? 2 : 1];            // turned weights are (kh, o, kw, c)
        for (int v = input ? x : n.a; v != (input ? i : x); v = in_.at(v).a)  // paddings, or slices without them
            c.before[axis_of(in_.at(v)) - 1] += first_of(in_.at(v));
        c.pixel = pitch_of(x), c.y_pixel = pitch_of(y), c.weights_row = pitch_of(w);
        Kernel k = start(Kernel(c), !weights && c.images < 0);
        add_argument(k, argument_for(input ? y : x, false));
        add_argument(k, argument_for(weights ? y : w, false));
        add_argument(k, argument_for(input ? x : weights ? w : y, true));
        result_.kernels.push(k);
    }
    constexpr void lower_pooling(int i) {
        const Node& n = in_.at(i);
        const int y = n.operation == Operation::pool_max || n.operation == Operation::pool_select ? i : n.b;
        const Shape &image = in_.at(n.a).shape, &windows = in_.at(y).shape;
        PoolingKernel p;
        p.operation = n.operation;
        p.geometry = Pooling::unpacked(n.attribute);
        p.images = windows[0], p.height = image[1], p.width = image[2], p.channels = windows[3];
        p.windows_high = windows[1], p.windows_wide = windows[2];
        Kernel k = start(Kernel(p), p.images < 0);
        for (int node : {n.a, n.b, n.c, i})
            if (node >= 0) k.pooling.pixel[add_argument(k, argument_for(node, node == i))] = pitch_of(node);
        result_.kernels.push(k);
    }
    constexpr void lower_lookup(int i) {
        const Node& n = in_.at(i);
        const bool gathers = n.operation == Operation::gather;
        const int table = gathers ? n.a : i, values = gathers ? i : n.a;
        const Shape& ids = in_.at(n.b).shape;
        LookupKernel l;
        l.operation = n.operation;
        l.ids = 1;
        for (int x = 0; x < ids.rank; ++x) l.ids = times(l.ids, ids[x]);
        l.width = in_.at(table).shape[1];
        l.rows = in_.at(table).shape[0];
        l.table_row = pitch_of(table), l.values_row = pitch_of(values);
        l.ids_each = ids.last(), l.ids_row = pitch_of(n.b);
        Kernel k = start(Kernel(l), gathers && batch_leads(ids));
        for (int node : {n.a, n.b, i}) add_argument(k, argument_for(node, node == i));
        result_.kernels.push(k);
    }
};

/// Fifth pass: turns groups into kernels, with micro-operations, loops and strides.
constexpr LoweredKernels lower(const PassInput& in, const Views& views, const Layouts& layouts,
                               const FusedGroups& fusion) {
    return detail::Lowering(in, views, layouts, fusion).run();
}

}  // namespace sigma::detail
