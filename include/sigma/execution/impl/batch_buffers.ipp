// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/data/prefetcher.hpp>
#include <sigma/execution/batch_buffers.hpp>
#include <sigma/execution/check_data.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace sigma::detail {

template <class T>
BatchBuffers<T>::BatchBuffers(const BatchBuffers& other)
    : buffers_(other.buffers_), inputs_(other.inputs_), rows_(other.rows_), scratch_(other.scratch_) {
    for (int i = 0; i < rows_.size(); ++i) rows_[i] = buffers_[i].values.data();
}

template <class T>
BatchBuffers<T>& BatchBuffers<T>::operator=(const BatchBuffers& other) {
    return *this = BatchBuffers(other);
}

template <class T>
void BatchBuffers<T>::bind(const NetworkTable& network, const Dataset& data, std::size_t rows) {
    const std::vector<std::size_t> from = check_data(network, data);
    inputs_ = data.input_count();
    const int count = static_cast<int>(from.size());
    buffers_ = List<Buffer>(count, {});
    rows_ = List<const T*>(count, nullptr);
    for (std::size_t i = 0; i < from.size(); ++i) {
        Buffer& b = buffer(i);
        b.from = from[i];
        b.width = is_input(i) ? data.input_size(b.from) : data.target_size(b.from);
        b.values.resize(rows * b.width);
        rows_[static_cast<int>(i)] = b.values.data();
        if (!std::is_same_v<T, float> && is_input(i)) scratch_.resize(std::max(scratch_.size(), b.width));
    }
}

template <class T>
void BatchBuffers<T>::gather(const Dataset& data, std::span<const std::size_t> positions) {
    for (std::size_t i = 0; i < size(); ++i) copy_array(data, i, positions, buffer(i).values.data());
}

template <class T>
void BatchBuffers<T>::gather(const Minibatches& from, const BatchRecords& of) {
    const auto to = [&](std::size_t section) { return values_of(section); };
    from.copy_records(of, to);
    from.change(of, to, row_, scratch_);
}

/// Returns the memory of an array. `section` counts the data set's inputs, then its targets.
template <class T>
T* BatchBuffers<T>::values_of(std::size_t section) {
    const bool input = section < inputs_;
    std::size_t i = input ? 0 : inputs_;
    while (buffer(i).from != (input ? section : section - inputs_)) ++i;
    return buffer(i).values.data();
}

template <class T>
std::vector<std::size_t> BatchBuffers<T>::widths() const {
    std::vector<std::size_t> all;
    for (const Buffer& b : buffers_) all.push_back(b.width);
    return all;
}

template <class T>
void BatchBuffers<T>::copy_array(const Dataset& data, std::size_t array, std::span<const std::size_t> positions,
                                 T* rows) const {
    const Buffer& b = buffers_[static_cast<int>(array)];
    if (is_input(array)) data.copy_inputs(positions, rows, b.width, b.from);
    else data.copy_targets(positions, rows, b.width, b.from);
}

template <class T>
struct BatchLoader<T>::Slot {
    const NetworkTable* network = nullptr;
    BatchBuffers<T> buffers{};
    std::ptrdiff_t records = 0;

    void make_room(const Minibatches& of) {
        buffers.bind(*network, of.dataset, of.size);
        check_mixing(*network, of.mixing, of.dataset);
    }
    void fill(const Minibatches& from, const BatchRecords& of) {
        buffers.gather(from, of);
        records = static_cast<std::ptrdiff_t>(of.records.size());
    }
};

template <class T>
BatchLoader<T>::BatchLoader(const NetworkTable& network, Minibatches minibatches)
    : feed_(make_owned<BatchPrefetcher<Slot>>(std::move(minibatches), Slot{&network})) {}
template <class T>
BatchLoader<T>::~BatchLoader() = default;

template <class T>
Minibatches& BatchLoader<T>::batches() {
    return feed_->batches;
}
template <class T>
const Minibatches& BatchLoader<T>::batches() const {
    return feed_->batches;
}
template <class T>
void BatchLoader<T>::replace(Minibatches minibatches) {
    feed_ = make_owned<BatchPrefetcher<Slot>>(std::move(minibatches), Slot{feed_->current().network});
    holds_ = false;
}
template <class T>
std::ptrdiff_t BatchLoader<T>::gather(std::uint64_t number_of_epoch, std::uint64_t number) {
    const BatchPosition wanted{number_of_epoch, number};
    if (holds_ && held_ == wanted) return feed_->current().records;
    holds_ = false;
    const std::ptrdiff_t records = feed_->get(wanted).records;
    held_ = wanted;
    holds_ = true;
    return records;
}
template <class T>
void BatchLoader<T>::halt() {
    holds_ = false;
    feed_->halt();
}
template <class T>
const BatchBuffers<T>& BatchLoader<T>::buffers() const {
    return feed_->current().buffers;
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::BatchBuffers);
SIGMA_INSTANTIATE(class sigma::detail::BatchLoader);
