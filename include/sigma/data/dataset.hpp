// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/array.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/label_range.hpp>
#include <sigma/data/numbers.hpp>
#include <sigma/data/record.hpp>
#include <sigma/data/transform/preprocessing.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

/// Records with their targets. A Dataset is a choice of records, in some order, from storage that is shared and
/// immutable: arrays in memory, or blocks of which only some are in memory. So copying, splitting and shuffling move no
/// data.
///
///   inputs:  [records, features...], or [records] for one number each
///   targets: [records] class indices, or [records, outputs...] numbers
///
/// There may be several inputs and several targets, `which` of them counts from 0. Safe to be read from several
/// threads. What takes a record or `which` throws ArgumentError where there is no such one. What reads records of
/// blocks may throw DataError: the file, or the record with a number that is not finite.
class Dataset {
public:
    Dataset(Numbers inputs, Numbers targets, std::string name, std::vector<std::string> classes = {});
    /// `preprocessing` is what the records went through before.
    Dataset(std::vector<NamedNumbers> inputs, std::vector<NamedNumbers> targets, std::string name,
            std::vector<std::string> classes = {}, data::Preprocessing preprocessing = {}, std::string key = {},
            data::Missing missing_numbers = data::Missing::never);
    /// All records of these blocks, whose name it takes. Sections called "inputs" and "targets" are those without a
    /// name.
    explicit Dataset(std::shared_ptr<data::ActiveBlocks> blocks, std::vector<std::string> classes = {},
                     data::Preprocessing preprocessing = {});

    std::size_t size() const { return size_; }
    const std::string& name() const { return storage_->name; }
    /// Names of classes 0, 1, …; none where they have none.
    const std::vector<std::string>& classes() const { return storage_->classes; }
    /// What the records went through, to be applied to what shall be predicted.
    const data::Preprocessing& preprocessing() const { return storage_->preprocessing; }
    /// All inputs, then all targets, with their names; "inputs" and "targets" where they have none.
    std::vector<data::SectionInfo> sections() const;
    /// What becomes of missing numbers. Where they are held, transforms must replace them before training.
    data::Missing missing() const { return storage_->missing; }
    /// Throws DataError where a number of an input is missing. Loads blocks of which that is not known yet.
    void check_complete() const;
    /// A text that is another one when the records are: for caches.
    std::string key() const;

    std::size_t input_count() const { return storage_->inputs.size(); }
    std::size_t target_count() const { return storage_->targets.size(); }
    const std::string& input_name(std::size_t which) const { return input_section(which).name; }
    const std::string& target_name(std::size_t which) const { return target_section(which).name; }

    // Extents of one record, without the record axis; () for one number, above all a class index.
    std::span<const std::size_t> input_shape(std::size_t which = 0) const { return input_section(which).shape; }
    std::span<const std::size_t> target_shape(std::size_t which = 0) const { return target_section(which).shape; }
    std::size_t input_size(std::size_t which = 0) const { return input_section(which).record_size; }
    std::size_t target_size(std::size_t which = 0) const { return target_section(which).record_size; }
    bool has_labels(std::size_t which = 0) const { return target_shape(which).empty(); }

    Record input(std::size_t record, std::size_t which = 0) const { return at(input_section(which), checked(record)); }
    Record target(std::size_t record, std::size_t which = 0) const;
    // The class index, where has_labels().
    std::size_t label(std::size_t record, std::size_t which = 0) const;

    // The chosen records as arrays of their own.
    template <class T = float>
    Array<T> inputs(std::size_t which = 0) const {
        return gather<T>(input_section(which));
    }
    template <class T = float>
    Array<T> targets(std::size_t which = 0) const {
        return gather<T>(target_section(which));
    }
    // Copies some records, by their positions in this dataset, to rows that are `stride` numbers apart. Allocates
    // nothing where the blocks are in memory.
    template <class T>
    void copy_inputs(std::span<const std::size_t> positions, T* to, std::size_t stride, std::size_t which = 0) const {
        copy_section(input_section(which), positions, to, stride);
    }
    template <class T>
    void copy_targets(std::span<const std::size_t> positions, T* to, std::size_t stride, std::size_t which = 0) const {
        copy_section(target_section(which), positions, to, stride);
    }

    // ---- where the records are ----

    bool in_memory() const { return storage_->blocks == nullptr; }
    /// Null where in_memory().
    const std::shared_ptr<data::ActiveBlocks>& blocks() const { return storage_->blocks; }
    /// The number of the record at a position in the storage that the dataset chooses from.
    std::size_t record_number(std::size_t position) const { return number_of(checked(position)); }
    /// The number of the block with that record; 0 where in_memory().
    std::size_t block_of(std::size_t position) const;
    /// How many blocks may be in memory at once: those who want records in random order take them from so many blocks
    /// at a time. 1 where in_memory().
    std::size_t active_blocks() const { return in_memory() ? 1 : storage_->blocks->most(); }
    /// Calls f(position) for each record, in given order where in_memory(), else so that each block is loaded once.
    template <class F>
    void for_each_position(F f) const;

    // The same storage, other records: `positions` are positions in this dataset.
    Dataset select(std::span<const std::size_t> positions) const;
    /// Records first, first + 1, … first + count - 1; costs no memory where the records are in the order of the
    /// storage.
    Dataset range(std::size_t first, std::size_t count) const;
    /// All records of the storage, in its order: select() from it takes what record_number() gives.
    Dataset everything() const;
    bool shares_storage(const Dataset& other) const { return storage_ == other.storage_; }
    /// The same choice from other blocks with as many records.
    Dataset over(std::shared_ptr<data::ActiveBlocks> blocks, data::Preprocessing preprocessing) const;

private:
    struct Section {
        std::string name;
        std::vector<std::size_t> shape;
        std::size_t record_size;
        std::vector<float> values;  ///< where in memory
        std::size_t index = 0;      ///< in a block
        std::vector<std::string> columns{};
        bool incomplete = false;  ///< numbers are missing; where in memory
    };
    struct Storage {
        std::vector<Section> inputs, targets;
        std::string name;
        std::vector<std::string> classes;
        data::Preprocessing preprocessing;
        std::string key;
        std::shared_ptr<data::ActiveBlocks> blocks;
        std::size_t block_records = 1;
        data::Missing missing = data::Missing::never;
    };

    explicit Dataset(std::shared_ptr<const Storage> storage) : storage_(std::move(storage)) {}

    [[noreturn]] void refuse(const char* what, std::size_t count, std::size_t found) const;
    std::size_t checked(std::size_t position) const;
    const Section& input_section(std::size_t which) const;
    const Section& target_section(std::size_t which) const;
    std::size_t number_of(std::size_t position) const;

    Record at(const Section& section, std::size_t position) const;
    template <class T>
    static void copy(const float* record, std::size_t size, T* to) {
        if constexpr (std::is_same_v<T, float>)
            std::memcpy(to, record, size * sizeof(float));
        else
            std::transform(record, record + size, to, [](float x) { return static_cast<T>(x); });
    }
    template <class T>
    void copy_section(const Section& section, std::span<const std::size_t> positions, T* to, std::size_t stride) const;
    template <class T>
    Array<T> gather(const Section& from) const {
        std::vector<std::size_t> shape{size()};
        shape.insert(shape.end(), from.shape.begin(), from.shape.end());
        Array<T> all = Array<T>::from_shape(std::move(shape));
        for_each_position([&](std::size_t position) {
            const Record record = at(from, position);
            copy(record.data(), from.record_size, all.data() + position * from.record_size);
        });
        return all;
    }

    std::shared_ptr<const Storage> storage_;
    std::size_t first_ = 0, size_ = 0;
    std::vector<std::size_t> chosen_;  ///< empty: first_, first_ + 1, …
};

template <class F>
void Dataset::for_each_position(F f) const {
    std::vector<std::size_t> sorted;
    if (!in_memory() && !chosen_.empty() && !std::ranges::is_sorted(chosen_)) {
        sorted.resize(size());
        std::iota(sorted.begin(), sorted.end(), std::size_t{0});
        std::ranges::sort(sorted, {}, [&](std::size_t position) { return chosen_[position]; });
    }
    for (std::size_t i = 0; i < size(); ++i) f(sorted.empty() ? i : sorted[i]);
}

/// A dataset from any arrays of numbers. `preprocessing` says what they went through already:
/// make_dataset(p(x), y, "test", {}, p) is what `>> p` would make of x and y.
template <AnyArray Inputs, AnyArray Targets>
Dataset make_dataset(const Inputs& inputs, const Targets& targets, std::string name = "data",
                     std::vector<std::string> classes = {}, data::Preprocessing preprocessing = {}) {
    return {{{"", numbers_of(inputs)}}, {{"", numbers_of(targets)}}, std::move(name), std::move(classes), std::move(preprocessing)};
}

void check_has_labels(const Dataset& dataset, std::size_t which = 0);

/// Checks that every target is a class index in `range`: one for each record, or for each of its positions.
void check_labels(const Dataset& dataset, const LabelRange& range, std::size_t which = 0);
/// Checks that every target is a class index below `count`: what a network with `count` outputs needs.
void check_labels(const Dataset& dataset, std::size_t count, std::size_t which = 0);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/dataset.ipp>
#include <sigma/data/impl/dataset_construction.ipp>
#endif
