// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/backend.hpp>
#include <sigma/device/gpu/epilogues.hpp>

#include <algorithm>
#include <vector>

namespace sigma::on_gpu {

namespace detail {

/// Does a kernel of `first` to `end` - 1 write where a buffer lies?
inline bool is_written_between(const PlanView& plan, int buffer, int first, int end) {
    for (int i = first; i < end; ++i)
        for (const Argument& a : plan.arguments_of(plan.kernels[static_cast<std::size_t>(i)]))
            if (a.written && overlap(plan, a.buffer, buffer)) return true;
    return false;
}
/// The only kernel that writes a buffer, if it is a transposition, or -1.
inline int transposition_into(const PlanView& plan, int buffer) {
    int found = -1;
    for (std::size_t i = 0; i < plan.kernels.size(); ++i)
        for (const Argument& a : plan.arguments_of(plan.kernels[i]))
            if (a.written && a.buffer == buffer) {
                if (found >= 0 || plan.kernels[i].kind != Kernel::Kind::transpose) return -1;
                found = static_cast<int>(i);
            }
    return found;
}
/// Is operand B of product `number` all that transposition `t` makes, matrix for matrix, from what is still there?
inline bool reads_turned(const PlanView& plan, int number, int t) {
    const Kernel& p = plan.kernels[static_cast<std::size_t>(number)];
    const Kernel& k = plan.kernels[static_cast<std::size_t>(t)];
    const Argument& b = plan.arguments_of(p)[1];
    const Argument& from = plan.arguments_of(k)[0];
    const Argument& to = plan.arguments_of(k)[1];
    if (t >= number || k.loop != p.loop || b.offset != to.offset || b.time != to.time) return false;
    if (b.stride[0] != to.stride[0]) return false;
    const ProductKernel& product = p.product;
    const TransposeKernel& transpose = k.transpose;
    if (product.k != transpose.columns || product.n != transpose.rows) return false;
    for (int i = 0; i < 2; ++i)
        if (product.count[i] != transpose.count[i] || (transpose.count[i] != 1 && b.stride[1 + i] != to.stride[1 + i]))
            return false;
    // What the source held may have died in the transposition. The kernel behind the product may be done with it.
    const int end = std::min(number + 2, static_cast<int>(plan.kernels.size()));
    return !is_written_between(plan, from.buffer, t, end);
}

}  // namespace detail

/// For each kernel of a plan: the transposition whose source it may read instead of the result, which only products
/// whose right operand can be read transposed, or -1.
inline std::vector<int> turned_operands(const PlanView& plan) {
    std::vector<int> turned(plan.kernels.size(), -1);
    for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
        if (plan.kernels[i].kind != Kernel::Kind::product) continue;
        const int buffer = plan.arguments_of(plan.kernels[i])[1].buffer;
        const int t = detail::in_arena(plan, buffer) ? detail::transposition_into(plan, buffer) : -1;
        if (t >= 0 && detail::reads_turned(plan, static_cast<int>(i), t)) turned[i] = t;
    }
    return turned;
}

/// How often kernels read what a transposition makes.
inline int readers_of_transposition(const PlanView& plan, int t) {
    const int buffer = plan.arguments_of(plan.kernels[static_cast<std::size_t>(t)])[1].buffer;
    int readers = 0;
    for (const Kernel& k : plan.kernels)
        for (const Argument& a : plan.arguments_of(k)) readers += !a.written && a.buffer == buffer;
    return readers;
}

/// Transpositions that nobody needs where the products for which `can(i)` holds read their sources.
template <class Can>
std::vector<int> needless_transpositions(const PlanView& plan, const std::vector<int>& turned, Can can) {
    std::vector<int> without(turned.size(), 0), needless;
    for (std::size_t i = 0; i < turned.size(); ++i)
        if (turned[i] >= 0 && can(static_cast<int>(i))) ++without[static_cast<std::size_t>(turned[i])];
    for (std::size_t t = 0; t < without.size(); ++t)
        if (without[t] > 0 && without[t] == readers_of_transposition(plan, static_cast<int>(t)))
            needless.push_back(static_cast<int>(t));
    return needless;
}

/// Makes a product read the source of transposition `t`, which lies at `source`.
inline void read_turned(Product& p, const PlanView& plan, int t, const void* source, std::ptrdiff_t records) {
    const Argument& from = plan.arguments_of(plan.kernels[static_cast<std::size_t>(t)])[0];
    p.b = source;
    p.b_row = resolve(from.stride[0], records);
    p.transposed_b = true;
    for (int i = 0; i < 2; ++i) p.b_stride[i] = resolve(from.stride[1 + i], records);
}

}  // namespace sigma::on_gpu
