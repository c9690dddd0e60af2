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
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = buffers_[i].values.data();
}

template <class T>
BatchBuffers<T>& BatchBuffers<T>::operator=(const BatchBuffers& other) {
    return *this = BatchBuffers(other);
}

template <class T>
void BatchBuffers<T>::bind(const NetworkTable& network, const Dataset& data, std::size_t rows) {
    const std::vector<std::size_t> from = check_data(network, data);
    inputs_ = data.input_count();
    buffers_.resize(from.size());
    rows_.resize(from.size());
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        Buffer& b = buffers_[i];
        b.from = from[i];
        b.width = is_input(i) ? data.input_size(b.from) : data.target_size(b.from);
        b.values.resize(rows * b.width);
        rows_[i] = b.values.data();
        if (!std::is_same_v<T, float> && is_input(i)) scratch_.resize(std::max(scratch_.size(), b.width));
    }
}

template <class T>
void BatchBuffers<T>::gather(const Dataset& data, std::span<const std::size_t> positions) {
    for (std::size_t i = 0; i < buffers_.size(); ++i) copy_array(data, i, positions, buffers_[i].values.data());
}

template <class T>
void BatchBuffers<T>::gather(const Minibatches& from, const BatchRecords& of) {
    from.copy_records(of, [&](std::size_t section) { return values_of(section); });
    for (std::size_t i = 0; i < inputs_; ++i) from.augment(of, buffers_[i].values.data(), buffers_[i].from, scratch_);
}

/// `section` counts the dataset's inputs, then its targets.
template <class T>
T* BatchBuffers<T>::values_of(std::size_t section) {
    const bool input = section < inputs_;
    std::size_t i = input ? 0 : inputs_;
    while (buffers_[i].from != (input ? section : section - inputs_)) ++i;
    return buffers_[i].values.data();
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
    const Buffer& b = buffers_[array];
    if (is_input(array)) data.copy_inputs(positions, rows, b.width, b.from);
    else data.copy_targets(positions, rows, b.width, b.from);
}

template <class T>
struct BatchLoader<T>::Slot {
    const NetworkTable* network = nullptr;
    BatchBuffers<T> buffers{};
    std::ptrdiff_t records = 0;

    void make_room(const Minibatches& of) { buffers.bind(*network, of.dataset, of.size); }
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
    held_.reset();
}
template <class T>
std::ptrdiff_t BatchLoader<T>::gather(std::uint64_t number_of_epoch, std::uint64_t number) {
    const BatchPosition wanted{number_of_epoch, number};
    if (held_ == wanted) return feed_->current().records;
    held_.reset();
    const std::ptrdiff_t records = feed_->get(wanted).records;
    held_ = wanted;
    return records;
}
template <class T>
void BatchLoader<T>::halt() {
    held_.reset();
    feed_->halt();
}
template <class T>
const BatchBuffers<T>& BatchLoader<T>::buffers() const {
    return feed_->current().buffers;
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template class sigma::detail::BatchBuffers<float>;
template class sigma::detail::BatchBuffers<double>;
template class sigma::detail::BatchLoader<float>;
template class sigma::detail::BatchLoader<double>;
#endif
