// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/layout.hpp>
#include <sigma/plan/plan.hpp>
#include <sigma/plan/schedule.hpp>

namespace sigma::detail {

/// The place of each tensor: in memory of the caller, or at a fixed offset in one arena.
struct MemoryPlan {
    List<Buffer> buffers{};
    List<int> buffer{};    ///< buffer of each node with its own memory, or -1
    List<int> iotas{};     ///< buffers filled once with 0, 1, 2, …
    int reciprocal = -1;   ///< buffer of 1 / records, or -1
    int fixed_size = 0;    ///< number of elements
    int batched_size = 0;  ///< number of elements per record
};

/// Allocates the arena. Memory of dead tensors is reused by best fit. Elementwise kernels overwrite an operand that
/// they read last.
class Allocation {
public:
    constexpr Allocation(const PassInput& in, const Liveness& liveness, const Views& views, const Layouts& layouts,
                         const LoweredKernels& lowered, const ScheduledKernels& schedule)
        : in_(in), live_(liveness.live), views_(views), layouts_(layouts), lowered_(lowered), schedule_(schedule) {}
    constexpr MemoryPlan run() {
        find_last_uses();
        result_.buffer = List<int>(in_.size(), -1);
        result_.buffers.reserve(schedule_.kernels.size() + schedule_.kernels.size() / 2);
        place_lasting();
        int stage = 0;
        for (int k = 0; k < schedule_.kernels.size(); ++k) {
            if (const int loop = schedule_.kernels[k].loop; loop >= 0 && schedule_.loops[loop].first == k)
                place_stacks(loop);
            if (schedule_.kernels[k].stage != stage) {
                stage = schedule_.kernels[k].stage;
                for (int i : waiting_) free(i);
                waiting_.clear();
            }
            place_results(k);
        }
        return static_cast<MemoryPlan&&>(result_);
    }

private:
    const PassInput& in_;
    const List<char>& live_;
    const Views& views_;
    const Layouts& layouts_;
    const LoweredKernels& lowered_;
    const ScheduledKernels& schedule_;
    MemoryPlan result_{};
    List<int>
        last_{};  ///< last kernel that uses each tensor; a tensor outside a loop is used until the end of the loop
    List<int> born_{};     ///< loop in which a tensor is first used, -1 outside of loops
    List<int> waiting_{};  ///< dead tensors of a stage with kernels that may run in parallel
    struct Block {
        int offset = 0, size = 0;
    };
    List<Block> free_fixed_{}, free_batched_{};

    constexpr int size_of(int i) const {
        const int n = footprint(in_.at(i).shape, layouts_.pitch_of(i));
        return in_.at(i).shape.batched() ? n : round_up(n, 16);
    }
    constexpr void find_last_uses() {
        last_ = List<int>(in_.size(), -1);
        born_ = List<int>(schedule_.loops.empty() ? 0 : in_.size(), -2);
        for (int k = 0; k < schedule_.kernels.size(); ++k) {
            const int loop = schedule_.kernels[k].loop;
            for (int a = 0; a < schedule_.kernels[k].arguments; ++a) {
                const int v = views_.root_of(lowered_.arguments[schedule_.kernels[k].argument + a].tensor);
                last_[v] = k;
                if (born_.empty()) continue;
                if (born_[v] == -2) born_[v] = in_.at(v).operation == Operation::stack ? -1 : loop;
                if (loop >= 0 && born_[v] != loop) last_[v] = schedule_.loops[loop].end - 1;
            }
        }
    }
    /// Places tensors that a loop fills position by position, before the loop begins.
    constexpr void place_stacks(int loop) {
        for (int k = schedule_.loops[loop].first; k < schedule_.loops[loop].end; ++k)
            for (int a = 0; a < schedule_.kernels[k].arguments; ++a) {
                const int v = views_.root_of(lowered_.arguments[schedule_.kernels[k].argument + a].tensor);
                if (in_.at(v).operation == Operation::stack && result_.buffer[v] < 0) take(v);
            }
    }
    constexpr int add(int node, Buffer::Where where, int offset) {
        Buffer b{where, offset, layouts_.pitch_of(node), layouts_.padded[node] != 0, in_.at(node).shape};
        return result_.buffer[node] = result_.buffers.push(b);
    }
    constexpr void place_lasting() {
        for (int i = 0; i < in_.size(); ++i) {
            const Node& n = in_.at(i);
            const int number = static_cast<int>(n.attribute);
            switch (n.operation) {
                case Operation::input: add(i, Buffer::Where::input, number); break;
                case Operation::parameter: add(i, Buffer::Where::parameter, number); break;
                case Operation::state: add(i, Buffer::Where::state, number); break;
                case Operation::iota:
                    if (live_[i])
                        result_.iotas.push(add(i, Buffer::Where::fixed, grow(result_.fixed_size, size_of(i))));
                    break;
                case Operation::reciprocal_batch:
                    if (!live_[i]) break;
                    if (result_.reciprocal >= 0)
                        result_.buffer[i] = result_.reciprocal;  // there may be several nodes if nodes are not shared
                    else result_.reciprocal = add(i, Buffer::Where::fixed, grow(result_.fixed_size, size_of(i)));
                    break;
                default: break;
            }
        }
        for (int i = 0; i < in_.program.outputs.size(); ++i) add(in_.program.outputs[i].id, Buffer::Where::output, i);
    }
    static constexpr int grow(int& end, int size) {
        const int at = end;
        end += size;
        return at;
    }
    /// Places a tensor. A batched block is reused only by a tensor of the same size per record, since threads work on
    /// different records at the same time.
    constexpr void take(int node) {
        const bool batched = in_.at(node).shape.batched();
        const int size = size_of(node);
        List<Block>& blocks = batched ? free_batched_ : free_fixed_;
        int best = -1;
        for (int i = 0; i < blocks.size(); ++i)
            if ((batched ? blocks[i].size == size : blocks[i].size >= size) &&
                (best < 0 || blocks[i].size < blocks[best].size))
                best = i;
        int offset = 0;
        if (best < 0) {
            offset = grow(batched ? result_.batched_size : result_.fixed_size, size);
        } else {
            offset = blocks[best].offset;
            blocks[best].offset += size;
            blocks[best].size -= size;
            if (blocks[best].size == 0) blocks.remove_unordered(best);
        }
        add(node, batched ? Buffer::Where::batched : Buffer::Where::fixed, offset);
    }
    constexpr void free(int node) {
        const Buffer& b = result_.buffers[result_.buffer[node]];
        List<Block>& blocks = b.where == Buffer::Where::batched ? free_batched_ : free_fixed_;
        const int size = size_of(node);
        if (b.where == Buffer::Where::fixed)
            for (Block& other : blocks) {  // adjacent free blocks are merged
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
        const Operation o = in_.at(node).operation;
        if (is_leaf(o) && o != Operation::uniform && o != Operation::constant) return true;
        return result_.buffer[node] >= 0 && result_.buffers[result_.buffer[node]].where == Buffer::Where::output;
    }
    /// Returns whether a result may overwrite an operand: one sweep, equal loops, equal strides.
    constexpr bool in_place(const Kernel& k, const TensorArgument& from, const TensorArgument& to) const {
        if (k.kind != Kernel::Kind::rows || k.fused.sweeps != 1 || k.fused.rank == 0 || from.written) return false;
        const int x = views_.root_of(from.tensor);
        if (to.tensor != views_.root_of(to.tensor) || from.offset != 0 || (k.loop >= 0 && born_[x] != k.loop))
            return false;
        for (int a = 0; a < k.arguments; ++a) {  // the operand must not be read through another view
            const TensorArgument& other = lowered_.arguments[k.argument + a];
            if (views_.root_of(other.tensor) != x) continue;
            if (other.offset != 0) return false;
            for (int i = 0; i < k.fused.rank; ++i)
                if (other.stride[i] != from.stride[i]) return false;
        }
        if (in_.at(from.tensor).shape.batched() != in_.at(to.tensor).shape.batched()) return false;
        for (int i = 0; i < k.fused.rank; ++i)
            if (from.stride[i] != to.stride[i] || from.stride[i] == 0) return false;
        return true;
    }
    /// Returns whether another kernel of this stage, which may run at the same time, uses `v`, too.
    constexpr bool used_beside(int v, int number) const {
        if (schedule_.kernels[number].local) return false;
        for (int k = number - 1; k >= 0 && schedule_.kernels[k].stage == schedule_.kernels[number].stage; --k)
            for (int a = 0; a < schedule_.kernels[k].arguments; ++a)
                if (views_.root_of(lowered_.arguments[schedule_.kernels[k].argument + a].tensor) == v) return true;
        return false;
    }
    constexpr void place_results(int number) {
        const Kernel& k = schedule_.kernels[number];
        List<int> dying, taken;
        for (int a = 0; a < k.arguments; ++a) {
            const int v = views_.root_of(lowered_.arguments[k.argument + a].tensor);
            if (last_[v] == number && result_.buffer[v] >= 0 && !lasting(v) && !dying.contains(v)) dying.push(v);
        }
        for (int a = 0; a < k.arguments; ++a) {
            const TensorArgument& to = lowered_.arguments[k.argument + a];
            const int v = views_.root_of(to.tensor);
            if (result_.buffer[v] >= 0) continue;
            for (int b = 0; b < k.arguments && result_.buffer[v] < 0; ++b) {
                const TensorArgument& from = lowered_.arguments[k.argument + b];
                const int x = views_.root_of(from.tensor);
                if (!dying.contains(x) || taken.contains(x) || size_of(x) != size_of(v) || !in_place(k, from, to) ||
                    used_beside(x, number))
                    continue;
                taken.push(x);
                add(v, result_.buffers[result_.buffer[x]].where, result_.buffers[result_.buffer[x]].offset);
            }
            if (result_.buffer[v] < 0) take(v);
            if (last_[v] == number && !dying.contains(v)) dying.push(v);  // written, but never read
        }
        for (int v : dying) {
            if (taken.contains(v)) continue;
            if (k.local) free(v);
            else waiting_.push(v);
        }
    }
};

/// Seventh pass: places each tensor in memory.
constexpr MemoryPlan allocate(const PassInput& in, const Liveness& liveness, const Views& views, const Layouts& layouts,
                              const LoweredKernels& lowered, const ScheduledKernels& schedule) {
    return detail::Allocation(in, liveness, views, layouts, lowered, schedule).run();
}

}  // namespace sigma::detail
