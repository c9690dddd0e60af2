// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/execution/maximise_options.hpp>

#include <cmath>

namespace sigma::detail {

SIGMA_IMPL void check_maximise_options(const MaximiseOptions& o) {
    const auto refuse = [](const char* name, const char* expected, auto found) {
        throw ArgumentError(sentence("maximise with ", name), expected, sentence(found));
    };
    if (o.steps < 1) refuse("steps", "1 or more", o.steps);
    if (o.attempts < 1) refuse("attempts", "1 or more", o.attempts);
    if (!(o.rate > 0) || std::isinf(o.rate)) refuse("rate", "a finite number above 0", o.rate);
    const auto not_negative = [&](const char* name, double x) {
        if (!(x >= 0) || std::isinf(x)) refuse(name, "a finite number, 0 or more", x);
    };
    not_negative("cost", o.cost);
    not_negative("start_deviation", o.start_deviation);
    not_negative("decay", o.decay);
    not_negative("smoothing", o.smoothing);
    if (!(o.lowest < o.highest))
        throw ArgumentError("maximise with lowest and highest", "a lowest below the highest element",
                            sentence(o.lowest, " and ", o.highest));
}

}  // namespace sigma::detail
