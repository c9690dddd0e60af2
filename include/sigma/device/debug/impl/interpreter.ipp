// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/debug/interpreter.hpp>

namespace sigma::debugging {

SIGMA_IMPL Extents::Extents(const Shape& s, long long records) : rank(s.rank) {
    for (int i = 0; i < rank; ++i) extent[static_cast<std::size_t>(i)] = s[i] < 0 ? -s[i] * records : s[i];
}

SIGMA_IMPL long long Extents::count() const {
    long long n = 1;
    for (int i = 0; i < rank; ++i) n *= (*this)[i];
    return n;
}

SIGMA_IMPL Index Extents::index(long long position) const {
    Index at{};
    for (int i = rank - 1; i >= 0; --i) {
        at[static_cast<std::size_t>(i)] = position % (*this)[i];
        position /= (*this)[i];
    }
    return at;
}

SIGMA_IMPL std::size_t Extents::position(const Index& at) const {
    long long p = 0;
    for (int i = 0; i < rank; ++i) p = p * (*this)[i] + at[static_cast<std::size_t>(i)];
    return static_cast<std::size_t>(p);
}

SIGMA_IMPL std::size_t Extents::broadcast_position(const Index& at, int result_rank) const {
    Index own{};
    for (int i = 0; i < rank; ++i)
        own[static_cast<std::size_t>(i)] = (*this)[i] == 1 ? 0 : at[static_cast<std::size_t>(i + result_rank - rank)];
    return position(own);
}

}  // namespace sigma::debugging
