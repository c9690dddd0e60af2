// SPDX-License-Identifier: BSL-1.0
// Two ways to build, one source. foo.hpp declares; bodies that are no templates stand in impl/foo.ipp. Where the build
// says SIGMA_COMPILED (CMake's sigma::sigma does), they come from the library; else each header includes its own.
#pragma once

#ifdef SIGMA_COMPILED
#define SIGMA_IMPL
#else
#define SIGMA_IMPL inline
#endif
