// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/modifier/clip.hpp>

namespace sigma {

SIGMA_IMPL detail::Clip clip(double minimum, double maximum) {
    if (!(minimum <= maximum))
        throw ArgumentError("clip", "a minimum that is at most the maximum", sentence(minimum, " and ", maximum));
    return {minimum, maximum};
}

}  // namespace sigma
