// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/accumulate.hpp>

namespace sigma {

/// The largest of the last n values, of all, or of a period: `largest(loss, 100)`, `largest(loss).per(epoch)`. Throws
/// ArgumentError where n is below 1.
template <AnyValue V>
auto largest(const V& v) {
    return Accumulated<V, detail::Accumulating::largest>(v);
}
template <AnyValue V>
auto largest(const V& v, Integer n) {
    return Accumulated<V, detail::Accumulating::largest>(v, detail::positive("largest", n));
}
/// The smallest.
template <AnyValue V>
auto smallest(const V& v) {
    return Accumulated<V, detail::Accumulating::smallest>(v);
}
template <AnyValue V>
auto smallest(const V& v, Integer n) {
    return Accumulated<V, detail::Accumulating::smallest>(v, detail::positive("smallest", n));
}

}  // namespace sigma
