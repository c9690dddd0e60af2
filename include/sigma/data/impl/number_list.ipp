// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/number_list.hpp>

#include <algorithm>
#include <cstring>

namespace sigma {

SIGMA_IMPL std::vector<float>& NumberList::floats() & {
    if (std::exchange(of_double_, false)) doubles_.clear();
    return floats_;
}

SIGMA_IMPL std::vector<double>& NumberList::doubles() & {
    if (!std::exchange(of_double_, true)) floats_.clear();
    return doubles_;
}

namespace detail {

/// Changes the numbers to a new size.
template <class Numbers, class F>
void change_numbers(Numbers& numbers, std::size_t count, F f) {
    in_memory([&] { refuse_memory("numbers of data", count, sizeof(numbers[0])); }, [&] { f(numbers); });
}

}  // namespace detail

SIGMA_IMPL void NumberList::resize(std::size_t count) {
    visit([&](auto& all) { detail::change_numbers(all, count, [&](auto& numbers) { numbers.resize(count); }); });
}

SIGMA_IMPL void NumberList::reserve(std::size_t count) {
    visit([&](auto& all) { detail::change_numbers(all, count, [&](auto& numbers) { numbers.reserve(count); }); });
}

SIGMA_IMPL void NumberList::erase_front(std::size_t count) {
    visit([&](auto& numbers) { numbers.erase(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count)); });
}

SIGMA_IMPL void NumberList::append(std::size_t count, float number) {
    visit([&](auto& all) {
        detail::change_numbers(all, all.size() + count,
                               [&](auto& numbers) { numbers.insert(numbers.end(), count, number); });
    });
}

SIGMA_IMPL void NumberList::append(const NumberList& from, std::size_t first, std::size_t count) {
    if (from.of_double_ != of_double_ && empty()) {
        if (from.of_double_) doubles().reserve(floats_.capacity());
        else floats();
    }
    if (from.of_double_ && !of_double_) {
        std::vector<double> wider(floats_.begin(), floats_.end());
        doubles() = std::move(wider);
    }
    from.visit([&](const auto& numbers) {
        const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = begin + static_cast<std::ptrdiff_t>(count);
        const auto insert = [&](auto& all) { all.insert(all.end(), begin, end); };
        if (of_double_) detail::change_numbers(doubles_, doubles_.size() + count, insert);
        else if constexpr (std::is_same_v<decltype(numbers), const std::vector<float>&>)
            detail::change_numbers(floats_, floats_.size() + count, insert);
    });
}

template <class T>
void NumberList::copy(std::size_t first, std::size_t count, T* to) const {
    visit([&](const auto& numbers) {
        using From = typename std::remove_cvref_t<decltype(numbers)>::value_type;
        const From* const from = numbers.data() + first;
        if constexpr (std::is_same_v<T, From>) {
            if (count > 0) std::memcpy(to, from, count * sizeof(T));
        } else {
            std::transform(from, from + count, to, [](From x) { return static_cast<T>(x); });
        }
    });
}

SIGMA_IMPL std::span<const std::byte> NumberList::bytes() const& {
    return visit([](const auto& numbers) { return std::as_bytes(std::span(numbers)); });
}

SIGMA_IMPL std::span<std::byte> NumberList::bytes() & {
    return visit([](auto& numbers) { return std::as_writable_bytes(std::span(numbers)); });
}

}  // namespace sigma

#ifdef SIGMA_COMPILED
template void sigma::NumberList::copy(std::size_t, std::size_t, float*) const;
template void sigma::NumberList::copy(std::size_t, std::size_t, double*) const;
#endif
