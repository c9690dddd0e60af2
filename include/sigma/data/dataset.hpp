// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/array.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/data/block.hpp>
#include <sigma/data/blocks/hold.hpp>
#include <sigma/data/classes.hpp>
#include <sigma/data/number_list.hpp>
#include <sigma/data/transform/preprocessing.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sigma::detail {

/// The numbers of one record's input or target. Where its dataset lies in blocks or as bytes, the numbers stay in
/// memory while the Record lives: keep the Record, not the span, for as long as they are read.
class Record : public std::span<const float> {
public:
    Record() = default;
    explicit Record(std::span<const float> numbers, data::BlockHold block = {})
        : std::span<const float>(numbers), block_(std::move(block)) {}
    explicit Record(detail::SharedOwner<const std::vector<float>> numbers);

    /// The same numbers, which are there as long as the Record, whatever becomes of its dataset.
    Record copy() const;

private:
    data::BlockHold block_;
    detail::SharedOwner<const std::vector<float>> own_;
};

}  // namespace sigma::detail

namespace sigma {

namespace data {
class ActiveBlocks;
}
namespace detail {
struct DatasetSection;
struct DatasetStorage;
}  // namespace detail

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
    /// All records of a block with these sections.
    Dataset(data::Block records, const std::vector<data::SectionInfo>& sections, std::string name,
            std::vector<std::string> classes = {}, data::Preprocessing preprocessing = {}, std::string key = {},
            data::Missing missing_numbers = data::Missing::never);
    /// All records of these blocks, whose name it takes. Sections called "inputs" and "targets" are those without a
    /// name.
    explicit Dataset(detail::SharedOwner<data::ActiveBlocks> blocks, std::vector<std::string> classes = {},
                     data::Preprocessing preprocessing = {});
    Dataset(const Dataset&);
    Dataset(Dataset&&) noexcept;
    Dataset& operator=(const Dataset&);
    Dataset& operator=(Dataset&&) noexcept;
    ~Dataset();

    std::size_t size() const { return size_; }
    const std::string& name() const&;
    std::string name() && { return name(); }
    /// Names of classes 0, 1, …; none where they have none.
    const std::vector<std::string>& classes() const&;
    std::vector<std::string> classes() &&;
    /// What the records went through, to be applied to what shall be predicted.
    const data::Preprocessing& preprocessing() const&;
    data::Preprocessing preprocessing() && { return preprocessing(); }
    /// What read its records, for people; empty where the program has made them.
    const std::vector<data::Origin>& origins() const& { return origins_; }
    std::vector<data::Origin> origins() &&;
    void set_origins(std::vector<data::Origin> origins);
    /// All inputs, then all targets, with their names; "inputs" and "targets" where they have none.
    std::vector<data::SectionInfo> sections() const;
    /// What becomes of missing numbers. Where they are held, transforms must replace them before training.
    data::Missing missing() const;
    /// Throws DataError where a number of an input is missing. Loads blocks of which that is not known yet.
    void check_complete() const;
    /// A text that is another one when the records are: for caches.
    std::string key() const;

    std::size_t input_count() const;
    std::size_t target_count() const;
    const std::string& input_name(std::size_t which) const&;
    std::string input_name(std::size_t which) && { return input_name(which); }
    const std::string& target_name(std::size_t which) const&;
    std::string target_name(std::size_t which) && { return target_name(which); }

    // Extents of one record, without the record axis; () for one number, above all a class index.
    std::span<const std::size_t> input_shape(std::size_t which = 0) const&;
    std::span<const std::size_t> target_shape(std::size_t which = 0) const&;
    std::vector<std::size_t> input_shape(std::size_t which = 0) &&;
    std::vector<std::size_t> target_shape(std::size_t which = 0) &&;
    std::size_t input_size(std::size_t which = 0) const;
    std::size_t target_size(std::size_t which = 0) const;
    bool has_labels(std::size_t which = 0) const;

    detail::Record input(std::size_t record, std::size_t which = 0) const&;
    detail::Record target(std::size_t record, std::size_t which = 0) const&;
    detail::Record input(std::size_t record, std::size_t which = 0) && { return input(record, which).copy(); }
    detail::Record target(std::size_t record, std::size_t which = 0) && { return target(record, which).copy(); }
    // The class index, where has_labels().
    std::size_t label(std::size_t record, std::size_t which = 0) const;

    // The chosen records as arrays of their own, of float or double.
    template <class T = float>
    Array<T> inputs(std::size_t which = 0) const;
    template <class T = float>
    Array<T> targets(std::size_t which = 0) const;
    // Copies some records, by their positions in this dataset, to rows that are `stride` numbers apart, of float or
    // double. Allocates nothing where the blocks are in memory.
    template <class T>
    void copy_inputs(std::span<const std::size_t> positions, T* to, std::size_t stride, std::size_t which = 0) const;
    template <class T>
    void copy_targets(std::span<const std::size_t> positions, T* to, std::size_t stride, std::size_t which = 0) const;

    // ---- where the records are ----

    bool in_memory() const { return blocks() == nullptr; }
    /// Null where in_memory().
    const detail::SharedOwner<data::ActiveBlocks>& blocks() const&;
    detail::SharedOwner<data::ActiveBlocks> blocks() && { return blocks(); }
    /// The number of the record at a position in the storage that the dataset chooses from.
    std::size_t record_number(std::size_t position) const;
    /// The number of the block with that record; 0 where in_memory().
    std::size_t block_of(std::size_t position) const;
    /// How many blocks may be in memory at once: those who want records in random order take them from so many blocks
    /// at a time. 1 where in_memory().
    std::size_t active_blocks() const;
    /// Calls f(position) for each record, in given order where in_memory(), else so that each block is loaded once.
    template <class F>
    void for_each_position(F f) const {
        const std::vector<std::size_t> sorted = in_order_of_blocks();
        for (std::size_t i = 0; i < size(); ++i) f(sorted.empty() ? i : sorted[i]);
    }

    // The same storage, other records: `positions` are positions in this dataset.
    Dataset select(std::span<const std::size_t> positions) const;
    /// Records first, first + 1, … first + count - 1; costs no memory where the records are in the order of the
    /// storage.
    Dataset range(std::size_t first, std::size_t count) const;
    /// All records of the storage, in its order: select() from it takes what record_number() gives.
    Dataset everything() const;
    /// The same records in less memory: inputs and targets of 16 and more numbers a record of which at most 256 are
    /// different, as pixels are, become bytes, a quarter. They are read as the same numbers to the bit. Of datasets in
    /// memory; others stay what they are. All records of the storage are kept.
    Dataset compact() const;
    /// The same records, inputs as they are kept, with other targets. Of datasets in memory; throws ArgumentError of
    /// others.
    Dataset with_targets(std::vector<NamedNumbers> targets) const;
    bool shares_storage(const Dataset& other) const { return storage_ == other.storage_; }
    /// The same choice from other blocks with as many records.
    Dataset over(detail::SharedOwner<data::ActiveBlocks> blocks, data::Preprocessing preprocessing) const;

private:
    using Section = detail::DatasetSection;
    using Storage = detail::DatasetStorage;

    Dataset(detail::SharedOwner<const Storage> storage, std::vector<data::Origin> origins);

    [[noreturn]] void refuse(const char* what, std::size_t count, std::size_t found) const;
    std::size_t checked(std::size_t position) const;
    const Section& input_section(std::size_t which) const;
    const Section& target_section(std::size_t which) const;
    std::size_t number_of(std::size_t position) const;
    /// The positions, so that each block is loaded once; none where that is their own order.
    std::vector<std::size_t> in_order_of_blocks() const;

    detail::Record at(const Section& section, std::size_t position) const;
    template <class T>
    void copy_section(const Section& section, std::span<const std::size_t> positions, T* to, std::size_t stride) const;
    template <class T>
    Array<T> gather(const Section& from) const;

    detail::SharedOwner<const Storage> storage_;
    std::size_t first_ = 0, size_ = 0;
    std::vector<data::Origin> origins_;
    std::vector<std::size_t> chosen_;  ///< empty: first_, first_ + 1, …
};

namespace detail {

template <class T>
inline constexpr bool is_vector_of_numbers = false;
template <class T, class A>
inline constexpr bool is_vector_of_numbers<std::vector<T, A>> = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

}  // namespace detail

/// An array, or a vector with a target of one number for each record: a class or an amount.
template <class Y>
concept AnyTargets = AnyArray<Y> || detail::is_vector_of_numbers<Y>;

namespace detail {

/// A vector's numbers, one for each record.
template <class T, class A>
Numbers numbers_of(const std::vector<T, A>& targets) {
    return numbers_of(ArrayView<const T>(targets.data(), {targets.size()}));
}

}  // namespace detail

/// A dataset from any arrays of numbers. `preprocessing` says what they went through already:
/// make_dataset(p(x), y, "test", {}, p) is what `>> p` would make of x and y.
template <AnyArray Inputs, AnyTargets Targets>
Dataset make_dataset(const Inputs& inputs, const Targets& targets, std::string name = "data",
                     std::vector<std::string> classes = {}, data::Preprocessing preprocessing = {}) {
    return {{{"", detail::numbers_of(inputs)}},
            {{"", detail::numbers_of(targets)}},
            std::move(name),
            std::move(classes),
            std::move(preprocessing)};
}
template <class>
struct error_make_dataset_takes_arrays;
/// Vectors of vectors, arrays of C, texts.
template <class X, class Y>
    requires(!AnyArray<X> || !AnyTargets<Y>)
error_make_dataset_takes_arrays<write_an_array_or_ArrayView_of_numbers_and_their_shape> make_dataset(
    const X&, const Y&, std::string = "data", std::vector<std::string> = {}, data::Preprocessing = {});

namespace detail {

void check_has_labels(const Dataset& dataset, std::size_t which = 0);
/// "a label from 0 to 2, or -1"
std::string labels_wanted(const LabelRange& range);

/// Checks that every target is a class index in `range`: one for each record, or for each of its positions; the last
/// `others` numbers of a record are none.
void check_labels(const Dataset& dataset, const LabelRange& range, std::size_t which = 0, std::size_t others = 0);
/// Checks that every target is a class index below `count`: what a network with `count` outputs needs.
void check_labels(const Dataset& dataset, std::size_t count, std::size_t which = 0);

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/dataset.ipp>
#endif
