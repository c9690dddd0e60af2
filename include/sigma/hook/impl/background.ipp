// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/background.hpp>

namespace sigma::detail {

SIGMA_IMPL std::string what_was_thrown() {
    try {
        throw;
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "something was thrown that is no std::exception";
    }
}

}  // namespace sigma::detail
