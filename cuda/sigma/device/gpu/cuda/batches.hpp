// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/backend.hpp>

#include <array>
#include <utility>

namespace sigma::on_gpu::cuda {

/// The division of a product with two counts into calls of a library that takes one count: one call for `each`, and one
/// for each step of `loops`.
struct Batches {
    struct Count {
        long long count = 1, a = 0, b = 0, c = 0;  ///< strides in elements from one product to the next
    };
    Count each;
    std::array<Count, 2> loops{};

    long long calls() const { return loops[0].count * loops[1].count; }
};

inline Batches batches_of(const Product& p) {
    using Count = Batches::Count;
    Count outer{p.count[0], p.a_stride[0], p.b_stride[0], p.c_stride[0]};
    Count inner{p.count[1], p.a_stride[1], p.b_stride[1], p.c_stride[1]};
    // Products with the same C run one after the other, each in its own call.
    const auto parallel = [](const Count& x) { return x.count > 1 && x.c != 0; };
    const auto continues = [](const Count& slow, const Count& fast) {
        return slow.a == fast.a * fast.count && slow.b == fast.b * fast.count && slow.c == fast.c * fast.count;
    };
    if (parallel(outer) && parallel(inner)) {
        for (const auto& [slow, fast] : {std::pair(outer, inner), std::pair(inner, outer)})
            if (continues(slow, fast)) return {{slow.count * fast.count, fast.a, fast.b, fast.c}, {}};
        if (outer.count > inner.count) return {outer, {inner, {}}};
        return {inner, {outer, {}}};
    }
    if (parallel(outer)) return {outer, {inner, {}}};
    if (parallel(inner)) return {inner, {outer, {}}};
    return {{}, {outer, inner}};
}

}  // namespace sigma::on_gpu::cuda
