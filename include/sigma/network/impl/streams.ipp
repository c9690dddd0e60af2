// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/network/streams.hpp>

#include <algorithm>

namespace sigma::detail {

template <class T>
void Streams<T>::Batch::bind(Session<T>& program, ListView<CarriedState> states, int input, int output,
                             std::ptrdiff_t first) {
    for (int i = 0; i < states.size(); ++i) {
        const auto number = static_cast<std::size_t>(i);
        program.bind_input(input + i, before[number].data() + first * states[i].units);
        program.bind_output(output + i, after[number].data() + first * states[i].units);
    }
}

template <class T>
void Streams<T>::require(std::ptrdiff_t count) const {
    if (count_ != 0 && count_ != count)
        throw ArgumentError("prediction of a network with states",
                            sentence(count_, " records, one for each stream (call forget to reset the states)"),
                            sentence(count, " records"));
}

template <class T>
void Streams<T>::reserve(ListView<CarriedState> states, std::ptrdiff_t count) {
    rows_.resize(static_cast<std::size_t>(states.size()));
    for (std::size_t i = 0; i < rows_.size(); ++i)
        rows_[i].resize(static_cast<std::size_t>(count * states[static_cast<int>(i)].units));
    count_ = 0;
}

template <class T>
void Streams<T>::begin(ListView<CarriedState> states, std::ptrdiff_t count, Batch& batch) const {
    const auto all = static_cast<std::size_t>(states.size());
    if (count == count_ && count == batch.count) {  // as at all steps of a stream but the first
        for (std::size_t i = 0; i < all; ++i) std::ranges::copy(rows_[i], batch.before[i].begin());
        return;
    }
    batch.count = count;
    batch.before.resize(all);
    batch.after.resize(all);
    for (std::size_t i = 0; i < all; ++i) {
        const auto elements = static_cast<std::size_t>(count * states[static_cast<int>(i)].units);
        if (count == count_) batch.before[i] = rows_[i];
        else batch.before[i].assign(elements, T(0));
        batch.after[i].resize(elements);
    }
}

template <class T>
void Streams<T>::end(Batch& batch) {
    // A copy of few elements keeps the memory that is already bound.
    constexpr std::size_t few = 1024;
    if (count_ != batch.count) rows_ = batch.after;
    else if (std::ranges::any_of(rows_, [](const auto& rows) { return rows.size() > few; })) rows_.swap(batch.after);
    else
        for (std::size_t i = 0; i < rows_.size(); ++i) std::ranges::copy(batch.after[i], rows_[i].begin());
    count_ = batch.count;
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::Streams);
