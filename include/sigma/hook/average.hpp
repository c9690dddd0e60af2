// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/accumulate.hpp>

namespace sigma {

/// Mean of the last n values: `average(loss, 100)`, `average(accuracy, 3)`. Without n of all, or of a period:
/// `average(loss).per(epoch)`. Throws ArgumentError where n is below 1.
template <AnyValue V>
auto average(const V& v) {
    return Accumulated<V, detail::Accumulating::average>(v);
}
template <AnyValue V>
auto average(const V& v, Integer n) {
    return Accumulated<V, detail::Accumulating::average>(v, detail::positive("average", n));
}
/// Their sum.
template <AnyValue V>
auto sum(const V& v) {
    return Accumulated<V, detail::Accumulating::sum>(v);
}
template <AnyValue V>
auto sum(const V& v, Integer n) {
    return Accumulated<V, detail::Accumulating::sum>(v, detail::positive("sum", n));
}

}  // namespace sigma
