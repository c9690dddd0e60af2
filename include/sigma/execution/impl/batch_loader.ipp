// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/prefetcher.hpp>
#include <sigma/execution/batch_loader.hpp>

#include <utility>

namespace sigma::detail {

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
template class sigma::detail::BatchLoader<float>;
template class sigma::detail::BatchLoader<double>;
#endif
