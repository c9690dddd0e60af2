// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/plan/print.hpp>

#include <string>

namespace sigma::on_gpu {

/// What errors call kernel `number` of a plan: "kernel 3, dot".
inline std::string operation_text(const Kernel& k, int number) {
    const bool named = k.kind == Kernel::Kind::product || k.kind == Kernel::Kind::convolution ||
                       k.kind == Kernel::Kind::pooling || k.kind == Kernel::Kind::lookup;
    return sentence("kernel ", number, ", ", named ? name(k.operation) : sigma::detail::name(k.kind));
}

}  // namespace sigma::on_gpu
