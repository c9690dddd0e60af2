// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/generate/blocks.hpp>
#include <sigma/device/gpu/generate/columns.hpp>
#include <sigma/device/gpu/generate/convolution.hpp>
#include <sigma/device/gpu/generate/lookup.hpp>
#include <sigma/device/gpu/generate/movement.hpp>
#include <sigma/device/gpu/generate/pooling.hpp>
#include <sigma/device/gpu/generate/product.hpp>
#include <sigma/device/gpu/generate/rows.hpp>

namespace sigma::on_gpu {

/// Returns the launches for one kernel of a plan. For products these are used if the library does not compute them.
inline GeneratedKernel generate(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& k) {
    switch (k.kind) {
        case sigma::detail::Kernel::Kind::rows: return generate_rows(plan, k);
        case sigma::detail::Kernel::Kind::columns: return generate_columns(plan, k);
        case sigma::detail::Kernel::Kind::product: return generate_product(plan, k);
        case sigma::detail::Kernel::Kind::transpose: return generate_transpose(plan, k);
        case sigma::detail::Kernel::Kind::move: return generate_move(plan, k);
        case sigma::detail::Kernel::Kind::fill_uniform: return generate_uniform(plan, k);
        case sigma::detail::Kernel::Kind::argmax: return generate_argmax(plan, k);
        case sigma::detail::Kernel::Kind::convolution: return generate_convolution(plan, k);
        case sigma::detail::Kernel::Kind::pooling: return generate_pooling(plan, k);
        case sigma::detail::Kernel::Kind::lookup: return generate_lookup(plan, k);
        case sigma::detail::Kernel::Kind::block: return generate_blocks(plan, k);
    }
    return {};
}

}  // namespace sigma::on_gpu
