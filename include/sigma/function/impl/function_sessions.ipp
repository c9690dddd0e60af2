// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/function/function_sessions.hpp>

namespace sigma::detail {

SIGMA_IMPL FunctionSessions& functions_of_thread() {
    thread_local FunctionSessions own;
    return own;
}

}  // namespace sigma::detail
