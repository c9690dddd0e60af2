// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/run_main.hpp>
#include <sigma/core/terminal.hpp>

#include <cstdio>
#include <exception>

namespace sigma::detail {

SIGMA_IMPL int run_program(const AnyFunction<int()>& program) {
    try {
        return program();
    } catch (const std::exception& thrown) {
        std::fflush(stdout);
        terminal::print(stderr, thrown.what());
    } catch (...) {
        std::fflush(stdout);
        terminal::print(stderr, "unknown exception, not derived from std::exception");
    }
    return 2;
}

}  // namespace sigma::detail
