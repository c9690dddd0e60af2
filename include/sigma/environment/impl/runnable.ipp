// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/environment/runnable.hpp>

#include <exception>

namespace sigma::detail {

SIGMA_IMPL std::string exception_text(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& e) { return e.what(); } catch (...) {
        return "what was thrown is no std::exception";
    }
}

}  // namespace sigma::detail
