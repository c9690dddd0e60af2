// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/backend.hpp>
#include <sigma/plan/plan_view.hpp>

#include <cstdint>
#include <span>

namespace sigma::on_gpu {

/// Returns a product of a plan for a library; `at` has the addresses of its arguments. The sign is in `alpha`, not in
/// `scalar`.
inline Product product_of(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& kernel,
                          std::span<const std::uint64_t> at, std::ptrdiff_t records) {
    const sigma::detail::ProductKernel& k = kernel.product;
    const auto arguments = plan.arguments_of(kernel);
    const auto stride = [&](std::size_t argument, int i) {
        return sigma::detail::resolve(arguments[argument].stride[i], records);
    };
    const auto address = [&](std::size_t i) { return reinterpret_cast<void*>(at[i]); };
    Product p;
    p.element = plan.element;
    p.rows = sigma::detail::resolve(k.m, records), p.columns = sigma::detail::resolve(k.n, records),
    p.inner = sigma::detail::resolve(k.k, records);
    p.a = address(0), p.b = address(1), p.c = address(2);
    p.a_row = stride(0, 0), p.b_row = stride(1, 0), p.c_row = stride(2, 0);
    p.transposed = k.transposed;
    p.accumulate = k.accumulate;
    p.alpha = k.negative ? -k.alpha : k.alpha;
    if (k.scaled) p.alpha = 1, p.scalar = address(3);
    for (int i = 0; i < 2; ++i) {
        p.count[i] = sigma::detail::resolve(k.count[i], records);
        p.a_stride[i] = stride(0, 1 + i), p.b_stride[i] = stride(1, 1 + i), p.c_stride[i] = stride(2, 1 + i);
    }
    return p;
}

/// Lets a product read the operand of transposition `t`, which is at `source`.
inline void read_transposed(Product& p, const sigma::detail::PlanView& plan, int t, const void* source,
                            std::ptrdiff_t records) {
    const sigma::detail::Argument& from = plan.arguments_of(plan.kernels[static_cast<std::size_t>(t)])[0];
    p.b = source;
    p.b_row = sigma::detail::resolve(from.stride[0], records);
    p.transposed_b = true;
    for (int i = 0; i < 2; ++i) p.b_stride[i] = sigma::detail::resolve(from.stride[1 + i], records);
}

}  // namespace sigma::on_gpu
