// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/csv_marks.hpp>

#include <bit>

namespace sigma::data::detail {

SIGMA_IMPL const std::uint32_t* CsvMarks::find(const char* bytes, std::size_t size) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < size; at += block) {
        if (positions_.size() < count + 2 * block) positions_.resize(2 * positions_.size() + 4 * block);
        std::uint64_t bits = mask(bytes + at);
        const auto found = static_cast<std::size_t>(std::popcount(bits));
        std::uint32_t* to = positions_.data() + count;
        const auto base = static_cast<std::uint32_t>(at);
        // 8 at once, though there may be fewer: what is too much is written over by the next.
        for (std::size_t done = 0; done < found; done += 8)
            for (std::size_t i = 0; i < 8; ++i) {
                to[done + i] = base + static_cast<std::uint32_t>(std::countr_zero(bits));
                bits &= bits - 1;
            }
        count += found;
    }
    if (positions_.size() < count + 4) positions_.resize(count + 4 * block);
    for (std::size_t i = 0; i < 4; ++i) positions_[count + i] = static_cast<std::uint32_t>(size);
    return positions_.data();
}

}  // namespace sigma::data::detail
