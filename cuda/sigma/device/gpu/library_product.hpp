// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/backend.hpp>
#include <sigma/plan/plan_view.hpp>

#include <cstdint>
#include <span>

namespace sigma::on_gpu {

/// A plan's product as a library takes it; `at` are the addresses of its arguments. The sign is in `alpha`, not in
/// `scalar`.
inline Product product_of(const PlanView& plan, const Kernel& k, std::span<const std::uint64_t> at,
                          std::ptrdiff_t records) {
    const auto arguments = plan.arguments_of(k);
    const auto extent = [&](int i) { return resolve(k.extent[i], records); };
    const auto stride = [&](std::size_t argument, int i) { return resolve(arguments[argument].stride[i], records); };
    const auto address = [&](std::size_t i) { return reinterpret_cast<void*>(at[i]); };
    Product p;
    p.element = plan.element;
    p.rows = extent(0), p.columns = extent(1), p.inner = extent(2);
    p.a = address(0), p.b = address(1), p.c = address(2);
    p.a_row = stride(0, 0), p.b_row = stride(1, 0), p.c_row = stride(2, 0);
    p.transposed = k.operation == Operation::transposed_dot;
    p.accumulate = k.accumulate;
    p.alpha = k.negative ? -k.alpha : k.alpha;
    if (k.arguments == 4) p.alpha = 1, p.scalar = address(3);
    for (int i = 0; i < 2; ++i) {
        p.count[i] = extent(3 + i);
        p.a_stride[i] = stride(0, 1 + i), p.b_stride[i] = stride(1, 1 + i), p.c_stride[i] = stride(2, 1 + i);
    }
    return p;
}

}  // namespace sigma::on_gpu
