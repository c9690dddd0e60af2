// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/dataset.hpp>

#include <cstddef>

namespace sigma::test {

/// What the trainers were trained on whose checkpoints are stored.
inline Dataset older_points() {
    constexpr std::size_t records = 22;
    Numbers x{{records, 3}, {}}, y{{records}, {}};
    for (std::size_t i = 0; i < 3 * records; ++i) x.values.push_back(static_cast<float>((i * 37 + 11) % 101) / 50 - 1);
    for (std::size_t i = 0; i < records; ++i)
        y.values.push_back(x.values[3 * i] + x.values[3 * i + 1] > 0 ? 1.0f : 0.0f);
    return Dataset(x, y, "points");
}

}  // namespace sigma::test
