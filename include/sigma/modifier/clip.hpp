// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/modifier/modifier.hpp>

namespace sigma {

namespace detail {

/// w ← the nearest number in [minimum, maximum]; NaN stays NaN.
struct Clip {
    double minimum = -1, maximum = 1;

    std::string text() const { return sentence("clip(", minimum, ", ", maximum, ")"); }

    template <class T>
    void operator()(ParameterRows<T> rows) const {
        const T least = static_cast<T>(minimum), most = static_cast<T>(maximum);
        for (std::size_t r = 0; r < rows.count; ++r)
            for (T& w : rows[r]) w = w < least ? least : most < w ? most : w;
    }
};

}  // namespace detail

/// `trainer.modify("*.weights", clip(-1, 1))`
detail::Clip clip(double minimum, double maximum);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/modifier/impl/clip.ipp>
#endif
