// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/modifier/modifier.hpp>

#include <cmath>

namespace sigma {

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
/// `trainer.modify("*.weights", scale(0.999))`
inline Scale scale(double factor) {
    if (!std::isfinite(factor)) throw ArgumentError("scale", "a finite factor", sentence(factor));
    return {factor};
}

}  // namespace sigma
