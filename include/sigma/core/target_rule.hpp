// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/label_range.hpp>

namespace sigma::detail {

/// Which targets a loss makes sense of, where they are not all numbers; `ignore` is one in any case. Labels, see
/// LabelRange, have no other rule than `spelling`.
struct TargetRule {
    enum class Kind {
        share,         ///< from 0 to 1
        sign,          ///< -1, 0 or 1
        distribution,  ///< rows of numbers of 0 or more whose sum is 1
        spelling       ///< rows of labels from 1, filled up with what is below
    };
    Kind kind;
    Ignored ignore{};
    int longest = 0;  ///< how many labels, and one more for each that repeats the one before; 0: any number of them

    /// How far a number may be outside for having been rounded: sums and differences of a few floats of about 1.
    static constexpr float rounding = 1e-5f;
    /// How far the sum of a row may be from 1: probabilities may be written with two digits, and seven of 0.14 make
    /// 0.98.
    static constexpr double sum_rounding = 0.05;
};

}  // namespace sigma::detail
