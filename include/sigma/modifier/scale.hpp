// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/modifier/modifier.hpp>

namespace sigma {

namespace detail {

/// w ← factor · w
struct Scale {
    double factor = 1;

    std::string text() const { return sentence("scale(", factor, ")"); }

    template <class T>
    void operator()(ParameterRows<T> rows) const {
        const T by = static_cast<T>(factor);
        for (std::size_t r = 0; r < rows.count; ++r)
            for (T& w : rows[r]) w *= by;
    }
};

}  // namespace detail

/// `trainer.modify("*.weights", scale(0.999))`
detail::Scale scale(double factor);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/modifier/impl/scale.ipp>
#endif
