// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::detail {

/// A value of targets that counts for nothing: `{.ignore = -1}`. Without one, every target counts.
struct Ignored {
    bool given = false;
    double value = 0;

    constexpr Ignored() = default;
    constexpr Ignored(double v) : given(true), value(v) {}
};

/// Which class numbers a loss or a metric understands: whole numbers from `first` to `end - 1`, and `ignore`.
struct LabelRange {
    int first = 0, end = 0;
    Ignored ignore{};

    constexpr bool contains(double label) const {
        if (ignore.given && label == ignore.value) return true;
        return label >= first && label < end && label == static_cast<double>(static_cast<int>(label));
    }
};

}  // namespace sigma::detail
