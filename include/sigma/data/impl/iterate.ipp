// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/iterate.hpp>
#include <sigma/data/prefetcher.hpp>

namespace sigma {

SIGMA_IMPL void Batch::make_room(const Minibatches& batches) {
    dataset_ = &batches.dataset;
    inputs_ = batches.dataset.input_count();
    for (std::size_t i = 0; i < inputs_; ++i) sizes_.push_back(batches.dataset.input_size(i));
    for (std::size_t i = 0; i < batches.dataset.target_count(); ++i) sizes_.push_back(batches.dataset.target_size(i));
    for (const std::size_t size : sizes_) values_.emplace_back(batches.size * size);
    records_.resize(batches.size);
}

SIGMA_IMPL void Batch::fill(const Minibatches& batches, const detail::BatchRecords& of) {
    epoch_ = of.epoch;
    number_ = of.number;
    records_.assign(of.records.begin(), of.records.end());
    const auto to = [&](std::size_t section) { return values_[section].data(); };
    batches.copy_records(of, to);
    batches.change(of, to, row_, scratch_);
    mixing_ = batches.mixing;
}

SIGMA_IMPL std::span<const std::size_t> Batch::records() const& { return records_; }
SIGMA_IMPL std::span<const float> Batch::inputs(std::size_t which) const& { return rows("input", which, 0, inputs_); }
SIGMA_IMPL std::span<const float> Batch::targets(std::size_t which) const& {
    return rows("target", which, inputs_, sizes_.size() - inputs_);
}

SIGMA_IMPL std::vector<float> Batch::inputs(std::size_t which) && {
    const auto all = inputs(which);
    return {all.begin(), all.end()};
}
SIGMA_IMPL std::vector<float> Batch::targets(std::size_t which) && {
    const auto all = targets(which);
    return {all.begin(), all.end()};
}

SIGMA_IMPL std::span<const float> Batch::rows(const char* what, std::size_t which, std::size_t first,
                                              std::size_t count) const {
    if (which >= count)
        throw ArgumentError(sentence(what, " of a batch"), sentence("a number below ", count), sentence(which));
    return std::span(values_[first + which]).first(records_.size() * sizes_[first + which]);
}

SIGMA_IMPL BatchIterator::BatchIterator(Minibatches batches, BatchPosition begin)
    : feed_(detail::make_owned<detail::BatchPrefetcher<Batch>>(std::move(batches))) {
    restore(begin);
}

SIGMA_IMPL Minibatches BatchIterator::minibatches() && { return minibatches(); }
SIGMA_IMPL const Minibatches& BatchIterator::minibatches() const& { return feed_->batches; }

SIGMA_IMPL const Batch& BatchIterator::next() & {
    const Batch& made = feed_->get(position_);
    const bool last = position_.number + 1 == feed_->batches.batches_per_epoch();
    position_ = last ? BatchPosition{position_.epoch + 1, 0} : BatchPosition{position_.epoch, position_.number + 1};
    return made;
}

SIGMA_IMPL void BatchIterator::restore(BatchPosition position) {
    const std::uint64_t count = feed_->batches.batches_per_epoch();
    if (position.number >= count)
        throw ArgumentError(sentence("position in minibatches of dataset '", feed_->batches.dataset.name(), "'"),
                            sentence("a batch from 0 to ", count - 1), sentence(position.number));
    position_ = position;
}

SIGMA_IMPL EpochOfBatches::Iterator::Iterator(detail::BatchPrefetcher<Batch>* feed, BatchPosition at)
    : feed_(feed), at_(at) {
    take();
}

SIGMA_IMPL const Batch& EpochOfBatches::Iterator::operator*() const { return feed_->current(); }

SIGMA_IMPL bool EpochOfBatches::Iterator::at_end() const {
    return feed_ == nullptr || at_.number == feed_->batches.batches_per_epoch();
}

SIGMA_IMPL EpochOfBatches::Iterator& EpochOfBatches::Iterator::operator++() {
    ++at_.number;
    take();
    return *this;
}

SIGMA_IMPL void EpochOfBatches::Iterator::take() {
    if (!at_end()) feed_->get(at_, at_.epoch + 1);
}

SIGMA_IMPL EpochOfBatches::EpochOfBatches(Minibatches batches, std::uint64_t number)
    : feed_(detail::make_owned<detail::BatchPrefetcher<Batch>>(std::move(batches))), number_(number) {}

SIGMA_IMPL EpochOfBatches epoch_of(Minibatches batches, std::uint64_t number) { return {std::move(batches), number}; }

}  // namespace sigma
