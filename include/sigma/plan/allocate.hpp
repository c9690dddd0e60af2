// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/draft.hpp>

namespace sigma {

/// Liveness, and a static place in one arena for every tensor that is not the caller's. Memory of dead tensors is used
/// again, by best fit; elementwise kernels write over an operand that dies in them.
class Allocation {
public:
    constexpr Allocation(const Draft& draft, Plan& plan) : d(draft), plan_(plan) {}
    constexpr void run() {
        find_last_uses();
        buffer_ = List<int>(d.size(), -1);
        plan_.buffers.reserve(plan_.kernels.size() + plan_.kernels.size() / 2);
        place_lasting();
        int stage = 0;
        for (int k = 0; k < plan_.kernels.size(); ++k) {
            if (const int loop = plan_.kernels[k].loop; loop >= 0 && plan_.loops[loop].first == k) place_stacks(loop);
            if (plan_.kernels[k].stage != stage) {
                stage = plan_.kernels[k].stage;
                for (int i : waiting_) free(i);
                waiting_.clear();
            }
            place_results(k);
        }
        for (Argument& a : plan_.arguments) a.buffer = buffer_of(a.buffer);
        for (const Variable& v : d.program.outputs) plan_.outputs.push(buffer_[v.id]);
    }

private:
    const Draft& d;
    Plan& plan_;
    List<int> last_{};     ///< last kernel that touches each tensor; all of a loop touch what stands outside it
    List<int> born_{};     ///< the loop in which a tensor is first touched, -1 outside of loops
    List<int> buffer_{};   ///< buffer of each tensor
    List<int> waiting_{};  ///< dead, but in a stage whose kernels may run side by side
    struct Block {
        int offset = 0, size = 0;
    };
    List<Block> free_fixed_{}, free_batched_{};

    constexpr int buffer_of(int node) const { return buffer_[d.root_of(node)]; }
    constexpr int size_of(int i) const {
        const int n = footprint(d.at(i).shape, d.row_of(i));
        return d.at(i).shape.batched() ? n : round_up(n, 16);
    }
    constexpr void find_last_uses() {
        last_ = List<int>(d.size(), -1);
        born_ = List<int>(plan_.loops.empty() ? 0 : d.size(), -2);
        for (int k = 0; k < plan_.kernels.size(); ++k) {
            const int loop = plan_.kernels[k].loop;
            for (int a = 0; a < plan_.kernels[k].arguments; ++a) {
                const int v = d.root_of(plan_.arguments[plan_.kernels[k].argument + a].buffer);
                last_[v] = k;
                if (born_.empty()) continue;
                if (born_[v] == -2) born_[v] = d.at(v).operation == Operation::stack ? -1 : loop;
                if (loop >= 0 && born_[v] != loop) last_[v] = plan_.loops[loop].end - 1;
            }
        }
    }
    /// What a loop fills position by position has its place before the loop begins.
    constexpr void place_stacks(int loop) {
        for (int k = plan_.loops[loop].first; k < plan_.loops[loop].end; ++k)
            for (int a = 0; a < plan_.kernels[k].arguments; ++a) {
                const int v = d.root_of(plan_.arguments[plan_.kernels[k].argument + a].buffer);
                if (d.at(v).operation == Operation::stack && buffer_[v] < 0) take(v);
            }
    }
    constexpr int add(int node, Buffer::Where where, int offset) {
        Buffer b{where, offset, d.row_of(node), d.padded[node] != 0, d.at(node).shape};
        return buffer_[node] = plan_.buffers.push(b);
    }
    constexpr void place_lasting() {
        for (int i = 0; i < d.size(); ++i) {
            const Node& n = d.at(i);
            const int number = static_cast<int>(n.attribute);
            switch (n.operation) {
                case Operation::input: add(i, Buffer::Where::input, number); break;
                case Operation::parameter: add(i, Buffer::Where::parameter, number); break;
                case Operation::state: add(i, Buffer::Where::state, number); break;
                case Operation::iota:
                    if (d.live[i]) plan_.iotas.push(add(i, Buffer::Where::fixed, grow(plan_.fixed_size, size_of(i))));
                    break;
                case Operation::reciprocal_batch:
                    if (!d.live[i]) break;
                    if (plan_.reciprocal >= 0) buffer_[i] = plan_.reciprocal;  // without sharing there may be several
                    else plan_.reciprocal = add(i, Buffer::Where::fixed, grow(plan_.fixed_size, size_of(i)));
                    break;
                default: break;
            }
        }
        for (int i = 0; i < d.program.outputs.size(); ++i) add(d.program.outputs[i].id, Buffer::Where::output, i);
    }
    static constexpr int grow(int& end, int size) {
        const int at = end;
        end += size;
        return at;
    }
    /// A record's part of a batched block must stay that record's: threads work on different records at one time, so
    /// such a block is used again only by a tensor of the same size a record.
    constexpr void take(int node) {
        const bool batched = d.at(node).shape.batched();
        const int size = size_of(node);
        List<Block>& blocks = batched ? free_batched_ : free_fixed_;
        int best = -1;
        for (int i = 0; i < blocks.size(); ++i)
            if ((batched ? blocks[i].size == size : blocks[i].size >= size) &&
                (best < 0 || blocks[i].size < blocks[best].size))
                best = i;
        int offset = 0;
        if (best < 0) {
            offset = grow(batched ? plan_.batched_size : plan_.fixed_size, size);
        } else {
            offset = blocks[best].offset;
            blocks[best].offset += size;
            blocks[best].size -= size;
            if (blocks[best].size == 0) blocks.remove_unordered(best);
        }
        add(node, batched ? Buffer::Where::batched : Buffer::Where::fixed, offset);
    }
    constexpr void free(int node) {
        const Buffer& b = plan_.buffers[buffer_[node]];
        List<Block>& blocks = b.where == Buffer::Where::batched ? free_batched_ : free_fixed_;
        const int size = size_of(node);
        if (b.where == Buffer::Where::fixed)
            for (Block& other : blocks) {  // neighbours grow together
                if (other.offset + other.size == b.offset) {
                    other.size += size;
                    return;
                }
                if (b.offset + size == other.offset) {
                    other.offset = b.offset;
                    other.size += size;
                    return;
                }
            }
        blocks.push({b.offset, size});
    }
    constexpr bool lasting(int node) const {
        const Operation o = d.at(node).operation;
        if (is_leaf(o) && o != Operation::uniform && o != Operation::constant) return true;
        return buffer_[node] >= 0 && plan_.buffers[buffer_[node]].where == Buffer::Where::output;
    }
    /// Element for element, so that a result may take the place of an operand: one sweep, same loops, same strides.
    constexpr bool in_place(const Kernel& k, const Argument& from, const Argument& to) const {
        if (k.kind != Kernel::Kind::rows || k.fused.phases != 1 || k.fused.rank == 0 || from.written) return false;
        const int x = d.root_of(from.buffer);
        if (to.buffer != d.root_of(to.buffer) || from.offset != 0 || (k.loop >= 0 && born_[x] != k.loop)) return false;
        for (int a = 0; a < k.arguments; ++a) {  // nor may it be read elsewhere through another view
            const Argument& other = plan_.arguments[k.argument + a];
            if (d.root_of(other.buffer) != x) continue;
            if (other.offset != 0) return false;
            for (int i = 0; i < k.fused.rank; ++i)
                if (other.stride[i] != from.stride[i]) return false;
        }
        if (d.at(from.buffer).shape.batched() != d.at(to.buffer).shape.batched()) return false;
        for (int i = 0; i < k.fused.rank; ++i)
            if (from.stride[i] != to.stride[i] || from.stride[i] == 0) return false;
        return true;
    }
    /// Another kernel of this stage, which may run at the same time, uses `v` too.
    constexpr bool used_beside(int v, int number) const {
        if (plan_.kernels[number].local) return false;
        for (int k = number - 1; k >= 0 && plan_.kernels[k].stage == plan_.kernels[number].stage; --k)
            for (int a = 0; a < plan_.kernels[k].arguments; ++a)
                if (d.root_of(plan_.arguments[plan_.kernels[k].argument + a].buffer) == v) return true;
        return false;
    }
    constexpr void place_results(int number) {
        const Kernel& k = plan_.kernels[number];
        List<int> dying, taken;
        for (int a = 0; a < k.arguments; ++a) {
            const int v = d.root_of(plan_.arguments[k.argument + a].buffer);
            if (last_[v] == number && buffer_[v] >= 0 && !lasting(v) && !dying.contains(v)) dying.push(v);
        }
        for (int a = 0; a < k.arguments; ++a) {
            const Argument& to = plan_.arguments[k.argument + a];
            const int v = d.root_of(to.buffer);
            if (buffer_[v] >= 0) continue;
            for (int b = 0; b < k.arguments && buffer_[v] < 0; ++b) {
                const Argument& from = plan_.arguments[k.argument + b];
                const int x = d.root_of(from.buffer);
                if (!dying.contains(x) || taken.contains(x) || size_of(x) != size_of(v) || !in_place(k, from, to) ||
                    used_beside(x, number))
                    continue;
                taken.push(x);
                add(v, plan_.buffers[buffer_[x]].where, plan_.buffers[buffer_[x]].offset);
            }
            if (buffer_[v] < 0) take(v);
            if (last_[v] == number && !dying.contains(v)) dying.push(v);  // written, read by nobody
        }
        for (int v : dying) {
            if (taken.contains(v)) continue;
            if (k.local) free(v);
            else waiting_.push(v);
        }
    }
};

}  // namespace sigma
