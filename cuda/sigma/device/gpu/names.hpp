// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/plan/print.hpp>

#include <string>

namespace sigma::on_gpu {

/// What errors call kernel `number` of a plan: "kernel 3, dot".
inline std::string operation_text(const sigma::detail::Kernel& k, int number) {
    return sentence("kernel ", number, ", ", sigma::detail::operation_name(k));
}

}  // namespace sigma::on_gpu
