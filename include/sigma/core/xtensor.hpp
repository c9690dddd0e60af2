// SPDX-License-Identifier: BSL-1.0
#pragma once

// The arrays that users hand in and get back. Include this instead of <xtensor/xarray.hpp>.

#if !__has_include(<xtensor/xarray.hpp>)
#error \
    "<sigma/xtensor.hpp> needs xtensor, which was not found: libxtensor-dev of Debian, or https://xtensor.readthedocs.io"
#endif
#include <xtensor/xstorage.hpp>

#if defined(__clang__) && __clang_major__ >= 19
// clang 19 takes default template arguments into account (P0522), so that xtensor 0.24 has two equally good partial
// specializations for its shapes, and no xarray compiles. This one is more special than both.
template <class X, class T, std::size_t n>
struct xt::rebind_container<X, xt::svector<T, n, std::allocator<T>, true>> {
    using type = xt::svector<X, n, std::allocator<X>, true>;
};
#endif

#include <xtensor/xarray.hpp>
#include <xtensor/xtensor.hpp>
