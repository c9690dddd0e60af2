// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/data/batches/alias_table.hpp>
#include <sigma/data/batches/block_order.hpp>
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/minibatches.hpp>

#include <algorithm>
#include <numeric>
#include <type_traits>

namespace sigma {

SIGMA_IMPL std::size_t Minibatches::batches_per_epoch() const {
    if (undivided && blocks) return blocks->count();
    const std::size_t all = records_per_epoch(), round = size * shards;
    return all / round + (!drops_last && all % round > 0 ? 1 : 0);
}

SIGMA_IMPL void Minibatches::order(std::uint64_t number, std::vector<std::size_t>& records) const {
    if (weights) {
        const Philox random(seed, RandomUse::weights, number);
        records.resize(draws);
        for (std::size_t i = 0; i < draws; ++i) records[i] = weights->draw(random, i);
        if (blocks) blocks->arrange(seed, number, window, records);
    } else if (blocks && undivided) {
        records.assign(blocks->positions().begin(), blocks->positions().end());
    } else if (mixes()) {
        blocks->shuffle(seed, number, window, records);
    } else {
        records.resize(dataset.size());
        std::iota(records.begin(), records.end(), std::size_t{0});
        if (shuffling) detail::shuffle(std::span(records), seed, number);
    }
}

SIGMA_IMPL std::span<const std::size_t> Minibatches::batch(std::span<const std::size_t> order,
                                                           std::size_t index) const {
    const std::size_t begin = round(index), count = round(index + 1) - begin;
    const std::size_t first = begin + count * shard / shards;
    return order.subspan(first, begin + count * (shard + 1) / shards - first);
}

SIGMA_IMPL std::vector<std::pair<const char*, std::string>> Minibatches::options() const {
    std::string changes;
    for (std::size_t i = 0; i < augmentations.size(); ++i)
        if (!augmentations[i].empty())
            changes += sentence(changes.empty() ? "" : ", ", i, ": ", augmentations[i].text());
    return {{"drop_last", drops_last ? "yes" : "no"},
            {"shard", sentence(shard, " of ", shards)},
            {"weights", weights ? sentence(weights->digest(), ", ", draws, " draws") : "none"},
            {"augmentation", changes.empty() ? "none" : changes},
            {"blocks", undivided ? "undivided"
                       : mixes() ? sentence(blocks->count(), ", ", window, " at a time")
                                 : "none"}};
}

SIGMA_IMPL std::string Minibatches::of_each() const {
    return shards > 1 ? sentence(", one for each of ", shards, " shards") : std::string();
}

template <class T>
void Minibatches::augment(const detail::BatchRecords& of, T* to, std::size_t which, std::vector<float>& scratch) const {
    if (augmentations.empty() || augmentations[which].empty()) return;
    const std::size_t width = dataset.input_size(which);
    for (std::size_t i = 0; i < of.records.size(); ++i, to += width) {
        const Philox random = data::Augmentation::random(seed, of.epoch, of.first + i);
        if constexpr (std::is_same_v<T, float>) {
            augmentations[which].apply({to, width}, dataset.input_shape(which), random);
        } else {
            scratch.assign(to, to + width);
            augmentations[which].apply(scratch, dataset.input_shape(which), random);
            std::ranges::copy(scratch, to);
        }
    }
}
#ifdef SIGMA_COMPILED
template void Minibatches::augment(const detail::BatchRecords&, float*, std::size_t, std::vector<float>&) const;
template void Minibatches::augment(const detail::BatchRecords&, double*, std::size_t, std::vector<float>&) const;
#endif

SIGMA_IMPL void Minibatches::check() const {
    const std::string where = sentence("minibatches of dataset '", dataset.name(), "'");
    const std::size_t all = records_per_epoch(), rest = all % (size * shards);
    if (drops_last && batches_per_epoch() == 0)
        throw ArgumentError(where, sentence("at least ", size * shards, " records for a whole batch", of_each()),
                            sentence(all));
    if (undivided && blocks) {
        for (std::size_t b = 0; b < blocks->count(); ++b)
            if (blocks->begin(b + 1) - blocks->begin(b) < shards)
                throw ArgumentError(where, sentence("blocks of at least ", shards, " records", of_each()),
                                    sentence(blocks->begin(b + 1) - blocks->begin(b)));
    } else if (!drops_last && all < shards) {
        throw ArgumentError(where, sentence("at least ", shards, " records", of_each()), sentence(all));
    } else if (!drops_last && size == 1 && rest > 0) {
        throw ArgumentError(
            where, sentence("a number of records that ", shards, " shards divide, batches of 2 or more, or drop_last"),
            sentence(all, " records in batches of 1"));
    }
}

SIGMA_IMPL std::size_t Minibatches::round(std::size_t index) const {
    if (undivided && blocks) return blocks->begin(index);
    const std::size_t all = records_per_epoch(), full = all / (size * shards), rest = all % (size * shards);
    if (index > full) return all;
    return index == full && index > 0 && rest > 0 && rest < shards && !drops_last ? all - shards
                                                                                  : index * size * shards;
}

SIGMA_IMPL Minibatches undivided(Dataset dataset) {
    const std::size_t all = dataset.size();
    Minibatches batches = minibatches_in_order(std::move(dataset), all);
    batches.undivided = true;
    if (batches.blocks) batches.size = batches.blocks->largest();
    return batches;
}

SIGMA_IMPL Minibatches minibatches(Dataset dataset, detail::Integer size, std::uint64_t seed) {
    if (!size.within(1, dataset.size()))
        throw ArgumentError(sentence("minibatches of dataset '", dataset.name(), "'"),
                            sentence("a batch size from 1 to ", dataset.size()), sentence(size.text()));
    Minibatches batches{.dataset = std::move(dataset), .size = static_cast<std::size_t>(size.value()), .seed = seed};
    const Dataset& d = batches.dataset;
    if (d.in_memory()) {
        d.check_complete();
    } else {  // what is missing in blocks is found when a network reads them all, for their labels too
        std::vector<std::size_t> blocks(d.size());
        for (std::size_t i = 0; i < d.size(); ++i) blocks[i] = d.block_of(i);
        batches.blocks = detail::SharedOwner<const data::BlockOrder>::make(blocks);
        batches.window = std::max<std::size_t>(d.active_blocks() / 2, 1);  // the others are for the next window
        batches.prefetch = 2;
    }
    return batches;
}

SIGMA_IMPL Minibatches minibatches_in_order(Dataset dataset, detail::Integer size) {
    Minibatches batches = minibatches(std::move(dataset), size);
    batches.shuffling = false;
    return batches;
}

}  // namespace sigma
