// SPDX-License-Identifier: BSL-1.0
#pragma once

/// @file
/// The headers of xtensor, with a fix for clang 19. Included by `<sigma/xtensor.hpp>`. Include it instead of
/// `<xtensor/xarray.hpp>`.

#if !__has_include(<xtensor/xarray.hpp>)
#error \
    "<sigma/xtensor.hpp> needs xtensor, which was not found: install Debian's libxtensor-dev, or see https://xtensor.readthedocs.io"
#endif
#include <xtensor/xstorage.hpp>

#if defined(__clang__) && __clang_major__ >= 19
// clang 19 considers default template arguments (P0522). Two partial specializations of xtensor 0.24 for its shapes are
// then equally good, and no xarray compiles. This specialization is more specialized than both.
template <class X, class T, std::size_t n>
struct xt::rebind_container<X, xt::svector<T, n, std::allocator<T>, true>> {
    using type = xt::svector<X, n, std::allocator<X>, true>;
};
#endif

#include <xtensor/xarray.hpp>
#include <xtensor/xtensor.hpp>
