// SPDX-License-Identifier: BSL-1.0
// Two ways to build, one source. foo.hpp declares; bodies that are no templates stand in impl/foo.ipp. Where the build
// says SIGMA_COMPILED (CMake's sigma::sigma does), they come from the library; else each header includes its own.
#pragma once

// Words of this library, and of the standard one: 400 errors follow where a macro takes them away.
#if defined(min) || defined(max)
#error "min and max are macros: define NOMINMAX before <windows.h> is included, or #undef both before a header of sigma"
#endif

// Options with which it would compute other numbers in silence, or end in errors that do not name them.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "Sigma computes wrong numbers with -ffast-math, -Ofast and parts of them: compile with -O3 and without these"
#endif
#ifndef __cpp_exceptions
#error "Sigma throws exceptions: compile without -fno-exceptions"
#endif
#ifndef __cpp_rtti
#error "Sigma needs types at run time: compile without -fno-rtti"
#endif

// A library and its programs have the classes of one standard library; the build says which those of the library are.
#ifdef SIGMA_COMPILED
#include <cstddef>  // which says what the compiler has where no option does
#if defined(_GLIBCXX_DEBUG) && !defined(SIGMA_LIBRARY_IS_GLIBCXX_DEBUG)
#error \
    "Sigma's library was built without -D_GLIBCXX_DEBUG: take sigma::header_only, which has no SIGMA_COMPILED, or give -D_GLIBCXX_DEBUG -DSIGMA_LIBRARY_IS_GLIBCXX_DEBUG to the library and to programs"
#elif !defined(_GLIBCXX_DEBUG) && defined(SIGMA_LIBRARY_IS_GLIBCXX_DEBUG)
#error "Sigma's library was built with -D_GLIBCXX_DEBUG: compile programs with it, too"
#endif
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI && !defined(SIGMA_LIBRARY_IS_OLD_ABI)
#error \
    "Sigma's library was built without -D_GLIBCXX_USE_CXX11_ABI=0: take sigma::header_only, which has no SIGMA_COMPILED, or give -D_GLIBCXX_USE_CXX11_ABI=0 -DSIGMA_LIBRARY_IS_OLD_ABI to the library and to programs"
#elif (!defined(_GLIBCXX_USE_CXX11_ABI) || _GLIBCXX_USE_CXX11_ABI) && defined(SIGMA_LIBRARY_IS_OLD_ABI)
#error "Sigma's library was built with -D_GLIBCXX_USE_CXX11_ABI=0: compile programs with it, too"
#endif
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
