// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/plan/planner.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace sigma::test {

/// Looks for two buffers of a plan that hold values at one time in the same memory, pair by pair, from nothing but what
/// the kernels read and write. Returns what is wrong, or nothing.
class Overlap {
public:
    explicit Overlap(const sigma::detail::Plan& plan) : plan_(plan) {
        for (int b = 0; b < plan.buffers.size(); ++b) lives_.push_back(life_of(b));
    }
    std::string find() const {
        for (int x = 0; x < plan_.buffers.size(); ++x)
            for (int y = 0; y < plan_.buffers.size(); ++y) {
                const Life &a = life(x), &b = life(y);
                if (x == y || a.touches.empty() || b.touches.empty() || !share_memory(x, y)) continue;
                // One of the two comes first and must be over before the other begins.
                if (a.touches.front() < b.touches.front() || (a.touches.front() == b.touches.front() && x < y))
                    if (!over_before(x, y) && !over_before(y, x))
                        return sentence("buffers ", x, " and ", y, " are alive in the same memory");
            }
        for (int b = 0; b < plan_.buffers.size(); ++b) {
            const std::string wrong = outside_arena(b);
            if (!wrong.empty()) return wrong;
        }
        return "";
    }

private:
    struct Life {
        std::vector<int> touches{};  ///< kernels that read or write the buffer, in order
        bool lasting = false;        ///< filled once, when the arena is made
    };
    const sigma::detail::Plan& plan_;
    std::vector<Life> lives_{};

    const Life& life(int b) const { return lives_[static_cast<std::size_t>(b)]; }
    Life life_of(int b) const {
        Life l;
        for (int k = 0; k < plan_.kernels.size(); ++k)
            for (int a = 0; a < plan_.kernels[k].arguments; ++a)
                if (argument(k, a).buffer == b && (l.touches.empty() || l.touches.back() != k)) l.touches.push_back(k);
        l.lasting = b == plan_.reciprocal;
        for (int iota : plan_.iotas) l.lasting = l.lasting || iota == b;
        // What lives outside a loop that touches it, or is filled position by position, lives through the whole loop.
        for (const sigma::detail::PlannedLoop& loop : plan_.loops) {
            bool inside = false, outside = false, in_positions = false;
            for (int k : l.touches) (k >= loop.first && k < loop.end ? inside : outside) = true;
            for (int k = loop.first; k < loop.end; ++k)
                for (int a = 0; a < plan_.kernels[k].arguments; ++a)
                    in_positions = in_positions || (argument(k, a).buffer == b && argument(k, a).time != 0);
            if (!inside || (!outside && !in_positions)) continue;
            for (int k : {loop.first, loop.end - 1})
                if (std::find(l.touches.begin(), l.touches.end(), k) == l.touches.end()) l.touches.push_back(k);
            std::sort(l.touches.begin(), l.touches.end());
        }
        return l;
    }
    const sigma::detail::Argument& argument(int k, int a) const {
        return plan_.arguments[plan_.kernels[k].argument + a];
    }
    int stage(int k) const { return plan_.kernels[k].stage; }

    /// Elements, of each record where batched; written again here, not taken from the planner.
    long long size(int b) const {
        const sigma::detail::Buffer& buffer = plan_.buffers[b];
        long long n = 1;
        for (int i = 0; i < buffer.shape.rank; ++i) {
            const int extent = i == buffer.shape.rank - 1 ? buffer.pitch : buffer.shape[i];
            n *= extent < 0 ? -extent : extent;
        }
        return n;
    }
    bool share_memory(int x, int y) const {
        const sigma::detail::Buffer &a = plan_.buffers[x], &b = plan_.buffers[y];
        if (a.where != b.where ||
            (a.where != sigma::detail::Buffer::Where::fixed && a.where != sigma::detail::Buffer::Where::batched))
            return false;
        return a.offset < b.offset + size(y) && b.offset < a.offset + size(x);
    }
    std::string outside_arena(int b) const {
        const sigma::detail::Buffer& buffer = plan_.buffers[b];
        const bool fixed = buffer.where == sigma::detail::Buffer::Where::fixed;
        if (!fixed && buffer.where != sigma::detail::Buffer::Where::batched) return "";
        if (buffer.shape.batched() == fixed) return sentence("buffer ", b, " is in the wrong part of the arena");
        if (buffer.offset < 0 || buffer.offset + size(b) > (fixed ? plan_.fixed_size : plan_.batched_size))
            return sentence("buffer ", b, " ends outside the arena");
        return "";
    }
    /// The same records lie at the same place: what one thread does with its records cannot meet another's.
    bool record_by_record(int x, int y) const {
        const sigma::detail::Buffer &a = plan_.buffers[x], &b = plan_.buffers[y];
        return a.where == sigma::detail::Buffer::Where::batched && a.offset == b.offset && size(x) == size(y);
    }
    bool over_before(int x, int y) const {
        if (life(x).lasting || life(y).lasting) return false;
        const int last = life(x).touches.back(), first = life(y).touches.front();
        if (stage(last) < stage(first)) return true;
        if (stage(last) > stage(first)) return false;
        const bool odd = stage(first) % 2 == 1;
        if (odd && !record_by_record(x, y)) return false;
        if (odd && last < first) return true;
        if (last != first || !in_place(x, y, first)) return false;
        if (odd) return true;
        // Even stage: no other kernel that may run at the same time touches either.
        for (int b : {x, y})
            for (int k : life(b).touches)
                if (k != first && stage(k) == stage(first)) return false;
        return true;
    }
    /// Element for element: one sweep in which both are stepped through alike and every element has its own place.
    bool in_place(int x, int y, int number) const {
        const sigma::detail::Kernel& k = plan_.kernels[number];
        if (k.kind != sigma::detail::Kernel::Kind::rows || k.fused.sweeps != 1 ||
            plan_.buffers[x].offset != plan_.buffers[y].offset)
            return false;
        for (int a = 0; a < k.arguments; ++a)
            for (int b = 0; b < k.arguments; ++b) {
                if (argument(number, a).buffer != x || argument(number, b).buffer != y) continue;
                if (argument(number, a).written || !argument(number, b).written) return false;
                for (int i = 0; i < k.fused.rank; ++i)
                    if (argument(number, a).stride[i] != argument(number, b).stride[i] ||
                        argument(number, a).stride[i] == 0)
                        return false;
            }
        return true;
    }
};

}  // namespace sigma::test
