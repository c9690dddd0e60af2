// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/dataset_storage.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace sigma::detail {

/// The set of different numbers, by their bits, in a table with open addressing.
class DifferentNumbers {
public:
    /// Returns the place of a number, or -1 if it is the 257th.
    int find(float number) {
        const auto bits = std::bit_cast<std::uint32_t>(number);
        for (std::uint32_t i = bits * 0x9E3779B1u >> 22;; i = (i + 1) % cells) {
            if (places_[i] == 0) {
                if (count_ == 256) return -1;
                bits_[i] = bits;
                places_[i] = ++count_;
            } else if (bits_[i] != bits) {
                continue;
            }
            return places_[i] - 1;
        }
    }
    int count() const { return count_; }

private:
    static constexpr std::uint32_t cells = 1024;
    std::array<std::uint32_t, cells> bits_{};
    std::array<int, cells> places_{};  // 1 and more
    int count_ = 0;
};

SIGMA_IMPL ByteNumbers::ByteNumbers(std::span<const float> numbers) {
    DifferentNumbers different;
    std::vector<std::uint8_t> places(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const int place = different.find(numbers[i]);
        if (place < 0) return;
        places[i] = static_cast<std::uint8_t>(place);
        numbers_[static_cast<std::size_t>(place)] = numbers[i];
    }
    const std::span known = std::span(numbers_).first(static_cast<std::size_t>(different.count()));
    for (const float divisor : {255.0f, 1.0f}) {
        std::array<std::uint8_t, 256> bytes{};
        bool all = true;
        for (std::size_t k = 0; k < known.size() && all; ++k) {
            const float byte = known[k] * divisor + 0.5f;
            all = byte >= 0 && byte < 256;
            if (!all) break;
            bytes[k] = static_cast<std::uint8_t>(byte);
            const float again = static_cast<float>(bytes[k]) / divisor;
            all = std::bit_cast<std::uint32_t>(again) == std::bit_cast<std::uint32_t>(known[k]);
        }
        if (!all) continue;
        for (std::uint8_t& place : places) place = bytes[place];
        divisor_ = divisor;
        break;
    }
    bytes_ = std::move(places);
}

SIGMA_IMPL ByteNumbers ByteNumbers::select(std::span<const std::size_t> records, std::size_t record_size) const {
    ByteNumbers some;
    some.numbers_ = numbers_;
    some.divisor_ = divisor_;
    some.bytes_.resize(records.size() * record_size);
    auto to = some.bytes_.begin();
    for (const std::size_t r : records)
        to = std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(r * record_size), record_size, to);
    return some;
}

template <class T>
void ByteNumbers::copy(std::size_t first, std::size_t count, T* to) const {
    const std::uint8_t* __restrict const from = bytes_.data() + first;
    T* __restrict const rows = to;
    if (divisor_ != 0) {
        const float divisor = divisor_;
        for (std::size_t i = 0; i < count; ++i) rows[i] = static_cast<T>(static_cast<float>(from[i]) / divisor);
    } else {
        for (std::size_t i = 0; i < count; ++i) rows[i] = static_cast<T>(numbers_[from[i]]);
    }
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template void sigma::detail::ByteNumbers::copy(std::size_t, std::size_t, float*) const;
template void sigma::detail::ByteNumbers::copy(std::size_t, std::size_t, double*) const;
#endif
