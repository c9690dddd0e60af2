// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/kernel_arguments.hpp>
#include <sigma/device/program_table.hpp>
#include <sigma/plan/plan.hpp>
#include <sigma/tape/block_formulas.hpp>
#include <sigma/tape/custom_functions.hpp>
#include <sigma/tape/formulas.hpp>

#include <cstddef>
#include <limits>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

/// The elements of the formulas, for single numbers.
namespace block_formulas {

template <class V>
SIGMA_INLINE V abs(V x) {
    return x < V(0) ? -x : x;
}
SIGMA_INLINE float log(float x) { return __builtin_logf(x); }
SIGMA_INLINE double log(double x) { return __builtin_log(x); }
SIGMA_INLINE double nan(const char*) { return std::numeric_limits<double>::quiet_NaN(); }

template <class V>
SIGMA_INLINE V select(bool condition, V yes, V no) {
    return condition ? yes : no;
}

#define SIGMA_DEVICE
#define SIGMA_MEMBER SIGMA_INLINE
SIGMA_SETTLED_SUM
SIGMA_BLOCK_FORMULAS
#undef SIGMA_MEMBER
#undef SIGMA_DEVICE

template <class V>
void value(sigma::detail::Operation o, bool option, Block<V> y, Block<V> a, Block<V> b, Block<V> c) {
    switch (o) {
#define SIGMA_CASE(name, kind) \
    case sigma::detail::Operation::name: return block_formulas::name(y, a, b, c, option);
        SIGMA_BLOCK_OPERATIONS(SIGMA_CASE)
#undef SIGMA_CASE
        default: return;
    }
}

}  // namespace block_formulas

/// Runs an operation on whole blocks, one after the other.
template <class T>
void run_blocks(const sigma::detail::BlockKernel& k, int arguments, T* const* p, const Strides* s,
                const std::ptrdiff_t* extent) {
    block_formulas::Block<T> x[4]{};  // operands, then the result
    const auto place = [&](int a) { return a == arguments - 1 ? 3 : a; };
    std::ptrdiff_t count = 1, at[sigma::detail::max_rank]{};
    for (int a = 0; a < arguments; ++a) {
        const sigma::detail::BlockKernel::Block& b = k.blocks[a];
        x[place(a)] = {p[a], b.rows, b.columns, b.row, b.column};
    }
    for (int i = 0; i < k.rank; ++i) count *= extent[i];
    const sigma::detail::CustomFunctions* const custom =
        is_custom(k.operation) && count > 0 ? &sigma::detail::custom_functions(k.part) : nullptr;
    for (; count > 0; --count) {
        if (custom != nullptr) {
            BlockView<T> views[4]{};  // the result, then operands
            for (int a = 0; a < 4; ++a) {
                const block_formulas::Block<T>& b = x[(a + 3) % 4];
                views[a] = {b.data, b.rows, b.columns, b.row, b.column};
            }
            custom->call(k.part, views);
        } else block_formulas::value(k.operation, k.option, x[3], x[0], x[1], x[2]);
        for (int i = k.rank - 1; i >= 0; --i) {
            const bool ends = ++at[i] == extent[i];
            for (int a = 0; a < arguments; ++a) x[place(a)].data += ends ? (1 - extent[i]) * s[a][i] : s[a][i];
            if (!ends) break;
            at[i] = 0;
        }
    }
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
