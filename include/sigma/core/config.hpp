// SPDX-License-Identifier: BSL-1.0
// Two ways to build, one source. foo.hpp declares; bodies that are no templates stand in impl/foo.ipp. Where the build
// says SIGMA_COMPILED (CMake's sigma::sigma does), they come from the library; else each header includes its own.
#pragma once

// Words of this library, and of the standard one: 400 errors follow where a macro takes them away.
#if defined(min) || defined(max)
#error "min and max are macros: define NOMINMAX before <windows.h> is included, or #undef both before a header of sigma"
#endif

// SIGMA_INSTANTIATE(class sigma::detail::Session) in an impl/*.ipp: of such a template the library has this of each
// type of elements. Headers need not say so (`extern template`): programs see no body that they could instantiate.
#ifdef SIGMA_COMPILED
#define SIGMA_IMPL
#define SIGMA_INSTANTIATE(...)   \
    template __VA_ARGS__<float>; \
    template __VA_ARGS__<double>
#else
#define SIGMA_IMPL inline
#define SIGMA_INSTANTIATE(...) static_assert(true)
#endif
