// SPDX-License-Identifier: BSL-1.0
// The optimized part of unoptimized.cpp's program.
#include <sigma/core/optimized.hpp>

void begin_optimized();

void begin_optimized() { sigma::detail::warn_if_unoptimized(); }
