// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/data/split.hpp>
#include <sigma/storage/hash.hpp>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <type_traits>

namespace sigma::data {

/// Draws numbers 0 … size() - 1 with given weights, each in constant time. M. D. Vose, "A linear algorithm for
/// generating random numbers with a given distribution", IEEE Transactions on Software Engineering 17(9), 1991.
class AliasTable {
public:
    /// Throws ArgumentError for weights that are negative, not finite, or all 0. `where` is its first part.
    AliasTable(std::span<const double> weights, const std::string& where)
        : cells_(weights.size()), digest_(storage::fnv1a(std::as_bytes(weights))) {
        double largest = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
                throw ArgumentError(where, "finite weights of at least 0", sentence(weights[i], " for record ", i));
            largest = std::max(largest, weights[i]);
        }
        if (!(largest > 0))
            throw ArgumentError(where, "a weight above 0", weights.empty() ? "none" : "0 for every record");
        double sum = 0;
        for (const double w : weights) sum += w / largest;  // to keep the sum finite

        // A cell keeps its own number for a part of its draws, and gives the rest of them to a number with too many.
        std::vector<double> share(weights.size());
        std::vector<std::size_t> little, large;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            share[i] = weights[i] / largest / sum * static_cast<double>(weights.size());
            (share[i] < 1 ? little : large).push_back(i);
        }
        while (!little.empty() && !large.empty()) {
            const std::size_t less = little.back(), more = large.back();
            little.pop_back();
            cells_[less] = {share[less], more};
            share[more] -= 1 - share[less];
            if (share[more] < 1) {
                large.pop_back();
                little.push_back(more);
            }
        }
        // Cells left over by rounding have a share of 1. None has a weight of 0 unless it is the largest one left.
        const auto heaviest = static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin());
        for (const auto* left : {&little, &large})
            for (const std::size_t i : *left) cells_[i] = {weights[i] > 0 ? 1.0 : 0.0, weights[i] > 0 ? i : heaviest};
    }

    std::size_t size() const { return cells_.size(); }
    /// Returns a digest of the weights, which distinguishes tables.
    std::uint64_t digest() const { return digest_; }
    /// Returns draw `number` of this stream, which is one of its blocks.
    std::size_t draw(const Philox& random, std::uint64_t number) const {
        const auto cell =
            static_cast<std::size_t>(random.uniform<double>(2 * number) * static_cast<double>(cells_.size()));
        const Cell& c = cells_[cell];
        return random.uniform<double>(2 * number + 1) < c.kept ? cell : c.other;
    }

private:
    struct Cell {
        double kept = 1;  ///< share of this cell's draws that are its own number
        std::size_t other = 0;
    };
    std::vector<Cell> cells_;
    std::uint64_t digest_;
};

/// The records of a dataset in each of its blocks, and orders that visit one window of blocks after the other.
class BlockOrder {
public:
    /// Constructs from the block of each record.
    explicit BlockOrder(const std::vector<std::size_t>& blocks) : positions_(blocks.size()), rank_(blocks.size()) {
        std::iota(positions_.begin(), positions_.end(), std::size_t{0});
        std::ranges::sort(positions_, {}, [&](std::size_t i) { return std::pair(blocks[i], i); });
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (i == 0 || blocks[positions_[i]] != blocks[positions_[i - 1]]) begin_.push_back(i);
            rank_[positions_[i]] = begin_.size() - 1;
        }
        begin_.push_back(blocks.size());
    }

    /// Returns the number of blocks with records of the dataset.
    std::size_t count() const { return begin_.size() - 1; }
    /// Returns records by their blocks: block b has those from begin(b) to begin(b + 1).
    std::span<const std::size_t> positions() const { return positions_; }
    std::size_t begin(std::size_t block) const { return begin_[block]; }
    /// Returns the number, below count(), of the block of a record.
    std::size_t block(std::size_t position) const { return rank_[position]; }
    /// Returns whether the positions are 0, 1, 2, ….
    bool sequential() const { return std::ranges::is_sorted(positions_); }
    std::size_t largest() const {
        std::size_t most = 0;
        for (std::size_t b = 0; b < count(); ++b) most = std::max(most, begin_[b + 1] - begin_[b]);
        return most;
    }

    /// Writes the records of an epoch: blocks in random order, `window` of them at a time, with the records of a window
    /// shuffled, so that each block is needed during one window only. Allocates nothing if `to` has the capacity.
    void shuffle(std::uint64_t seed, std::uint64_t number, std::size_t window, std::vector<std::size_t>& to) const {
        const std::size_t n = positions_.size();
        to.resize(n + count());
        const std::span<std::size_t> records = std::span(to).first(n), order = std::span(to).subspan(n);
        shuffled_blocks(seed, number, order);
        PhiloxSequence random{Philox(seed, RandomUse::shuffle, number)};
        for (std::size_t first = 0, at = 0; first < order.size(); first += window) {
            const std::size_t from = at;
            for (std::size_t i = first; i < std::min(first + window, order.size()); ++i)
                for (std::size_t k = begin_[order[i]]; k < begin_[order[i] + 1]; ++k) records[at++] = positions_[k];
            sigma::detail::shuffle(records.subspan(from, at - from), random);
        }
        to.resize(n);
    }
    /// Arranges drawn records, of which some may occur several times, in the same way.
    void arrange(std::uint64_t seed, std::uint64_t number, std::size_t window, std::vector<std::size_t>& drawn) const {
        const std::size_t n = drawn.size(), windows = (count() + window - 1) / window;
        drawn.resize(2 * n + 2 * count() + windows + 1);
        const std::span<std::size_t> records = std::span(drawn).first(n), copies = std::span(drawn).subspan(n, n);
        const std::span<std::size_t> order = std::span(drawn).subspan(2 * n, count());
        const std::span<std::size_t> window_of = std::span(drawn).subspan(2 * n + count(), count());
        const std::span<std::size_t> ends = std::span(drawn).subspan(2 * n + 2 * count());
        shuffled_blocks(seed, number, order);
        for (std::size_t i = 0; i < order.size(); ++i) window_of[order[i]] = i / window;
        std::ranges::copy(records, copies.begin());
        std::ranges::fill(ends, std::size_t{0});
        for (const std::size_t record : copies) ++ends[window_of[rank_[record]] + 1];
        std::partial_sum(ends.begin(), ends.end(), ends.begin());
        for (const std::size_t record : copies) records[ends[window_of[rank_[record]]]++] = record;
        PhiloxSequence random{Philox(seed, RandomUse::shuffle, number)};
        for (std::size_t w = 0, at = 0; w < windows; at = ends[w++])
            sigma::detail::shuffle(records.subspan(at, ends[w] - at), random);
        drawn.resize(n);
    }
    /// Writes the order of the blocks of an epoch.
    static void shuffled_blocks(std::uint64_t seed, std::uint64_t number, std::span<std::size_t> order) {
        std::iota(order.begin(), order.end(), std::size_t{0});
        sigma::detail::shuffle(order, Philox(seed, RandomUse::blocks, number));
    }

private:
    std::vector<std::size_t> positions_, rank_, begin_;
};

}  // namespace sigma::data

namespace sigma::detail {

/// Loads the blocks of the next window on a thread of its own. Relies on ActiveBlocks, which drops the least recently
/// used block.
class BlockAhead final : public BlockWatch {
public:
    explicit BlockAhead(const Minibatches& batches)
        : batches_(batches), order_(batches.blocks->count()), place_(batches.blocks->count()) {
        present_.reserve(batches.window);
        next_.reserve(batches.window);
        thread_ = std::thread([this] { work(); });
    }
    ~BlockAhead() override {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        wake_.notify_one();
        thread_.join();
    }
    BlockAhead(const BlockAhead&) = delete;
    BlockAhead& operator=(const BlockAhead&) = delete;

    /// Called by one thread.
    void reading(std::uint64_t number_of_epoch, std::size_t position) override {
        order_of(number_of_epoch);
        const std::size_t window = place_[batches_.blocks->block(position)] / batches_.window;
        if (known_epoch_ == number_of_epoch && known_window_ == window) return;
        known_epoch_ = number_of_epoch;
        known_window_ = window;
        {
            const std::lock_guard lock(mutex_);
            std::swap(present_, next_);
            const bool expected = expected_ == std::pair(number_of_epoch, window);
            if (!expected) take(window, present_);
            // Marks the blocks that were loaded ahead as used, so that older ones are dropped first.
            present_done_ = expected ? next_done_ : 0;
            next_done_ = 0;
            for (std::size_t i = 0; i < present_done_; ++i) load(present_[i]);
            const bool last = (window + 1) * batches_.window >= order_.size();
            expected_ = last ? std::pair(number_of_epoch + 1, std::size_t{0}) : std::pair(number_of_epoch, window + 1);
            order_of(expected_->first);
            take(expected_->second, next_);
        }
        wake_.notify_one();
    }

private:
    const Minibatches& batches_;
    std::vector<std::size_t> order_, place_;  ///< blocks in the order of an epoch, and the place of each
    std::optional<std::uint64_t> order_epoch_, known_epoch_;
    std::size_t known_window_ = 0;
    std::optional<std::pair<std::uint64_t, std::size_t>> expected_;  ///< epoch and window of next_

    std::mutex mutex_;  // also held while a block is loaded, which the next window needs
    std::condition_variable wake_;
    std::vector<std::size_t> present_, next_;       ///< a record of each block
    std::size_t present_done_ = 0, next_done_ = 0;  ///< number of loaded ones
    bool closed_ = false;
    std::thread thread_;

    void order_of(std::uint64_t number) {
        if (order_epoch_ == number) return;
        if (batches_.mixes()) data::BlockOrder::shuffled_blocks(batches_.seed, number, order_);
        else std::iota(order_.begin(), order_.end(), std::size_t{0});
        for (std::size_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
        order_epoch_ = number;
    }
    void take(std::size_t window, std::vector<std::size_t>& to) const {
        to.clear();
        const std::size_t end = std::min((window + 1) * batches_.window, order_.size());
        for (std::size_t i = window * batches_.window; i < end; ++i)
            to.push_back(batches_.blocks->positions()[batches_.blocks->begin(order_[i])]);
    }
    void load(std::size_t position) const {
        try {
            batches_.dataset.blocks()->get(batches_.dataset.block_of(position));
        } catch (...) {
            // The reader of the block throws the same error.
        }
    }
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return closed_ || present_done_ < present_.size() || next_done_ < next_.size(); });
            if (closed_) return;
            if (present_done_ < present_.size()) load(present_[present_done_++]);
            else load(next_[next_done_++]);
            lock.unlock();  // for waiting threads
            std::this_thread::yield();
            lock.lock();
        }
    }
};

SIGMA_IMPL Owned<BlockWatch> blocks_ahead(const Minibatches& batches) {
    // For parts of batches it would load blocks that other workers need.
    const bool possible = batches.blocks && batches.parts == 1 &&
                          batches.dataset.active_blocks() >= 2 * batches.window &&
                          (batches.mixes() || batches.undivided || batches.blocks->sequential());
    return possible ? make_owned<BlockAhead>(batches) : Owned<BlockWatch>();
}

}  // namespace sigma::detail

namespace sigma::data::detail {

SIGMA_IMPL std::string of_minibatches(const char* word, const Minibatches& batches) {
    return sentence(word, " of minibatches of dataset '", batches.dataset.name(), "'");
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL detail::Prefetch prefetch(sigma::detail::Integer batches) {
    if (!batches.within(0, 1000)) throw ArgumentError("prefetch", "0 to 1000 batches", sentence(batches.text()));
    return {static_cast<std::size_t>(batches.value())};
}

SIGMA_IMPL detail::Shard shard(sigma::detail::Integer number, sigma::detail::Integer count) {
    if (!count.within(1, 1000000)) throw ArgumentError("shard", "1 to 1000000 parts", sentence(count.text()));
    if (!number.within(0, count.value() - 1))
        throw ArgumentError("shard", sentence("a part from 0 to ", count.value() - 1), sentence(number.text()));
    return {static_cast<std::size_t>(number.value()), static_cast<std::size_t>(count.value())};
}

}  // namespace sigma::data

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
    const auto whole = order.subspan(first, begin + count * (shard + 1) / shards - first);
    if (parts == 1 || whole.size() < parts) return whole;
    const std::size_t before = whole.size() * first_part / parts;
    return whole.subspan(before, whole.size() * end_part / parts - before);
}

SIGMA_IMPL std::size_t Minibatches::records_in(std::size_t index) const {
    const std::size_t count = round(index + 1) - round(index);
    return count * (shard + 1) / shards - count * shard / shards;
}

SIGMA_IMPL std::vector<std::pair<const char*, std::string>> Minibatches::options() const {
    std::string changes;
    for (std::size_t i = 0; i < augmentations.size(); ++i)
        if (!augmentations[i].empty())
            changes += sentence(changes.empty() ? "" : ", ", i, ": ", augmentations[i].text());
    if (!mixing.empty()) changes += sentence(changes.empty() ? "" : ", ", mixing.text());
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

SIGMA_IMPL void Minibatches::examine() const {
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
    } else {  // missing numbers in blocks are found when a network reads them all, as it does for labels
        std::vector<std::size_t> blocks(d.size());
        for (std::size_t i = 0; i < d.size(); ++i) blocks[i] = d.block_of(i);
        batches.blocks = detail::SharedOwner<const data::BlockOrder>::make(blocks);
        batches.window = std::max<std::size_t>(d.active_blocks() / 2, 1);  // the other half is for the next window
        batches.prefetch = 2;
    }
    return batches;
}

SIGMA_IMPL Minibatches minibatches_in_order(Dataset dataset, detail::Integer size) {
    Minibatches batches = minibatches(std::move(dataset), size);
    batches.shuffling = false;
    return batches;
}

SIGMA_IMPL BatchPosition BatchPosition::from_text(std::string_view text) {
    BatchPosition p;
    const std::size_t slash = text.find('/');
    if (slash != text.npos && detail::read_number(text.substr(0, slash), p.epoch) &&
        detail::read_number(text.substr(slash + 1), p.number))
        return p;
    throw ArgumentError("position of a minibatch", "two numbers as '3/17'", sentence("'", text, "'"));
}

SIGMA_IMPL Minibatches operator>>(Minibatches batches, data::detail::DropLast) {
    batches.drops_last = true;
    return batches;
}

SIGMA_IMPL Minibatches operator>>(Minibatches batches, data::detail::Prefetch p) {
    batches.prefetch = p.batches;
    return batches;
}

SIGMA_IMPL Minibatches operator>>(Minibatches batches, data::detail::Shard s) {
    if (batches.shards != 1)
        throw ArgumentError(data::detail::of_minibatches("shard", batches), "minibatches without a shard",
                            sentence("part ", batches.shard, " of ", batches.shards));
    batches.shard = s.number;
    batches.shards = s.count;
    return batches;
}

SIGMA_IMPL Minibatches operator>>(Minibatches batches, data::detail::Weighted w) {
    const std::string where = data::detail::of_minibatches("weights", batches);
    if (w.weights.size() != batches.dataset.size())
        throw ArgumentError(where, sentence(batches.dataset.size(), " weights, one for each record"),
                            sentence(w.weights.size()));
    if (batches.undivided) throw ArgumentError(where, "minibatches(data, size)", "undivided(data)");
    batches.weights = detail::SharedOwner<const data::AliasTable>::make(w.weights, where);
    batches.draws = w.draws == 0 ? batches.dataset.size() : w.draws;
    return batches;
}

SIGMA_IMPL Minibatches operator>>(Minibatches batches, data::detail::Balanced) {
    const Dataset& d = batches.dataset;
    const std::size_t which = detail::target_of_classes(d);
    std::vector<float> classes(d.size());
    d.for_each_position([&](std::size_t i) { classes[i] = d.target(i, which)[0]; });
    std::map<float, double> counts;
    for (const float c : classes) ++counts[c];
    std::vector<double> weights;
    for (const float c : classes) weights.push_back(1 / counts[c]);
    return std::move(batches) >> data::detail::Weighted{std::move(weights), 0};
}

SIGMA_IMPL Minibatches operator>>(Minibatches batches, data::detail::Seeded s) {
    batches.seed = s.seed;
    return batches;
}

SIGMA_IMPL Minibatches operator>>(Minibatches batches, const data::AugmentStep& step) {
    const Dataset& d = batches.dataset;
    std::size_t which = 0;
    while (which < d.input_count() && !step.section.empty() && d.input_name(which) != step.section) ++which;
    if (which == d.input_count()) {
        // `inputs` means the only input of a dataset, which may have no name.
        if (d.input_count() != 1 || !d.input_name(0).empty() || step.section != "inputs")
            throw ArgumentError(data::detail::of_minibatches("augment", batches), "the name of an input",
                                sentence("'", step.section, "'"));
        which = 0;
    }
    step.augmentation.examine(d.input_shape(which));
    batches.augmentations.resize(d.input_count());
    batches.augmentations[which] = batches.augmentations[which] >> step.augmentation;
    return batches;
}

SIGMA_IMPL Minibatches operator>>(Minibatches batches, data::Mixing mixing) {
    const Dataset& d = batches.dataset;
    const auto first = d.input_shape();
    for (std::size_t i = 0; mixing.cutmix > 0 && i < d.input_count(); ++i)
        if (const auto shape = d.input_shape(i);
            shape.size() < 2 || shape.size() > 3 || shape[0] != first[0] || shape[1] != first[1])
            throw ShapeError(data::detail::of_minibatches("cutmix", batches),
                             "images (height, width) or (height, width, channels) of one height and width",
                             detail::shape_text(shape));
    if (mixing.mixup > 0) batches.mixing.mixup = mixing.mixup;
    if (mixing.cutmix > 0) batches.mixing.cutmix = mixing.cutmix;
    return batches;
}

}  // namespace sigma
