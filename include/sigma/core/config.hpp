// SPDX-License-Identifier: BSL-1.0
// Two ways to build, one source. foo.hpp declares, and impl/foo.ipp defines the functions that are not templates. With
// SIGMA_COMPILED (CMake's sigma::sigma defines it) they come from the library; otherwise each header includes its own.
#pragma once

// This library and the standard one have functions of these names: macros would cause 400 errors.
#if defined(min) || defined(max)
#error "min and max are macros: define NOMINMAX before <windows.h> is included, or #undef both before a header of sigma"
#endif

// Options that would silently change the results, or cause errors that do not name the option.
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

// A library and its programs must use the same ABI of the standard library; the build defines that of the library.
#ifdef SIGMA_COMPILED
#include <cstddef>  // defines what the compiler uses by default
#if defined(_GLIBCXX_DEBUG) && !defined(SIGMA_LIBRARY_IS_GLIBCXX_DEBUG)
#error \
    "Sigma's library was built without -D_GLIBCXX_DEBUG: link sigma::header_only, which does not define SIGMA_COMPILED, or compile the library and your program with -D_GLIBCXX_DEBUG -DSIGMA_LIBRARY_IS_GLIBCXX_DEBUG"
#elif !defined(_GLIBCXX_DEBUG) && defined(SIGMA_LIBRARY_IS_GLIBCXX_DEBUG)
#error "Sigma's library was built with -D_GLIBCXX_DEBUG: compile your program with it"
#endif
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI && !defined(SIGMA_LIBRARY_IS_OLD_ABI)
#error \
    "Sigma's library was built without -D_GLIBCXX_USE_CXX11_ABI=0: link sigma::header_only, which does not define SIGMA_COMPILED, or compile the library and your program with -D_GLIBCXX_USE_CXX11_ABI=0 -DSIGMA_LIBRARY_IS_OLD_ABI"
#elif (!defined(_GLIBCXX_USE_CXX11_ABI) || _GLIBCXX_USE_CXX11_ABI) && defined(SIGMA_LIBRARY_IS_OLD_ABI)
#error "Sigma's library was built with -D_GLIBCXX_USE_CXX11_ABI=0: compile your program with it"
#endif
#endif

// SIGMA_INSTANTIATE(class sigma::detail::Session) in an impl/*.ipp instantiates a template in the library for each type
// of elements. Headers need no `extern template`: programs see no body that they could instantiate.
#ifdef SIGMA_COMPILED
#define SIGMA_IMPL
#define SIGMA_INSTANTIATE(...)   \
    template __VA_ARGS__<float>; \
    template __VA_ARGS__<double>
#else
#define SIGMA_IMPL inline
#define SIGMA_INSTANTIATE(...) static_assert(true)
#endif
