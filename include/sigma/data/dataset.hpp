// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `Dataset`, records with their targets, and `make_dataset`. Included by `<sigma/sigma.hpp>`.

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

/// The numbers of the input or target of one record: a `std::span<const float>` that keeps its memory alive.
///
/// Keep the Record, not the span, for as long as you read the numbers: a dataset in blocks may otherwise drop the
/// block. A Record of a dataset in memory reads the dataset's own memory; `copy` makes one that outlives the dataset.
///
/// @par Example
/// @code
/// const data::Record pixels = training.input(0);  // 784 numbers
/// const float first = pixels[0];
/// @endcode
class Record : public std::span<const float> {
    /// @cond internal
public:
    Record() = default;
    explicit Record(std::span<const float> numbers, data::BlockHold block = {})
        : std::span<const float>(numbers), block_(std::move(block)) {}
    explicit Record(detail::SharedOwner<const std::vector<float>> numbers);
    /// @endcond

    /// Copies the numbers. The copy stays valid when the dataset is destroyed.
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

/// Records with their targets: the data that you train on, score, or predict.
///
/// A Dataset selects records, in some order, from storage that is shared and immutable: arrays in memory, or blocks of
/// which only some are in memory. Copying, splitting and shuffling move no data.
///
/// A dataset has one or more inputs and one or more targets. Functions that take `which` select one of them, counted
/// from 0. Several threads may read one dataset.
///
/// @par Shape
/// Inputs (records, features…), or (records) for one number each. Targets (records) for class indices, or (records,
/// outputs…) for numbers.
///
/// @par Errors
/// Functions throw ArgumentError if `record` or `which` is out of range. A dataset in blocks throws DataError if its
/// file cannot be read, or if a number is not finite.
///
/// @par Example
/// @code
/// const Array<float> x{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, y{0, 1, 1, 0};
/// const Dataset xor_data = make_dataset(x, y, "xor", {"same", "different"});
/// xor_data.size();         // 4
/// xor_data.input_shape();  // (2)
/// xor_data.label(1);       // 1, "different"
/// @endcode
///
/// @see make_dataset, data::dataset, split, minibatches, docs/datasets.md
class Dataset {
public:
    /// Constructs a dataset of one input and one target in memory.
    /// @param inputs   numbers of shape (records, features…) or (records)
    /// @param targets  numbers of shape (records), class indices, or (records, outputs…)
    /// @param name     name in errors and reports
    /// @param classes  names of classes 0, 1, …; empty if the classes have no names
    /// @throws ShapeError  if a shape does not fit its numbers
    /// @throws DataError   if there are no records, the counts of records differ, or a number is not finite
    Dataset(Numbers inputs, Numbers targets, std::string name, std::vector<std::string> classes = {});
    /// Constructs a dataset of several inputs and targets in memory.
    /// @param inputs           at least one array, each with the same number of records
    /// @param targets          at least one array, each with the same number of records
    /// @param name             name in errors and reports
    /// @param classes          names of classes 0, 1, …; empty if the classes have no names
    /// @param preprocessing    transforms that the records have already gone through
    /// @param key              text that identifies the numbers for caches; empty: made from the numbers
    /// @param missing_numbers  whether inputs may contain NaN
    /// @throws ShapeError  if a shape does not fit its numbers
    /// @throws DataError   if there are no records, the counts of records differ, or a number is not finite
    Dataset(std::vector<NamedNumbers> inputs, std::vector<NamedNumbers> targets, std::string name,
            std::vector<std::string> classes = {}, data::Preprocessing preprocessing = {}, std::string key = {},
            data::Missing missing_numbers = data::Missing::never);
    /// Constructs a dataset of all records of one block.
    /// @param records          the numbers of each section
    /// @param sections         names, extents and roles, one for each section of the block
    /// @param name             name in errors and reports
    /// @param classes          names of classes 0, 1, …; empty if the classes have no names
    /// @param preprocessing    transforms that the records have already gone through
    /// @param key              text that identifies the numbers for caches
    /// @param missing_numbers  whether inputs may contain NaN
    /// @throws ArgumentError  if the block has another number of sections
    Dataset(data::Block records, const std::vector<data::SectionInfo>& sections, std::string name,
            std::vector<std::string> classes = {}, data::Preprocessing preprocessing = {}, std::string key = {},
            data::Missing missing_numbers = data::Missing::never);
    /// Constructs a dataset of all records of these blocks, with their name.
    /// @param blocks         blocks in memory or in a cache. Sections called "inputs" and "targets" get no name
    /// @param classes        names of classes 0, 1, …; empty if the classes have no names
    /// @param preprocessing  transforms that the records have already gone through
    /// @throws DataError  if there is no input, no target or no record
    explicit Dataset(detail::SharedOwner<data::ActiveBlocks> blocks, std::vector<std::string> classes = {},
                     data::Preprocessing preprocessing = {});
    /// @cond internal
    Dataset(const Dataset&);
    Dataset(Dataset&&) noexcept;
    Dataset& operator=(const Dataset&);
    Dataset& operator=(Dataset&&) noexcept;
    ~Dataset();
    /// @endcond

    /// Returns the number of records.
    std::size_t size() const { return size_; }
    /// Returns the name, which errors and reports print.
    const std::string& name() const&;
    /// @copydoc name
    std::string name() && { return name(); }
    /// Returns the names of classes 0, 1, …, or an empty list if the classes have no names.
    const std::vector<std::string>& classes() const&;
    /// @copydoc classes
    std::vector<std::string> classes() &&;
    /// Returns the transforms that the records went through. Apply them to raw records before you predict them.
    ///
    /// @code
    /// const data::Preprocessing& preprocessing = training.preprocessing();
    /// const auto predictions = model.predict(preprocessing(images));
    /// @endcode
    const data::Preprocessing& preprocessing() const&;
    /// @copydoc preprocessing
    data::Preprocessing preprocessing() && { return preprocessing(); }
    /// Returns the readers and sources of the records, for people. Empty if the program made the records.
    const std::vector<data::Origin>& origins() const& { return origins_; }
    /// @copydoc origins
    std::vector<data::Origin> origins() &&;
    /// Replaces the readers and sources that `origins` returns.
    /// @param origins  one entry for each reader
    void set_origins(std::vector<data::Origin> origins);
    /// Returns all inputs, then all targets. Sections without a name are called "inputs" and "targets".
    std::vector<data::SectionInfo> sections() const;
    /// Returns whether inputs may hold missing numbers (NaN). If they are held, a transform must replace them.
    data::Missing missing() const;
    /// Checks that no number of an input is missing. Loads the blocks that have not been checked yet.
    /// @throws DataError  if a number of an input is missing; the error names the record
    void check_complete() const;
    /// Returns a text that changes when the records change. Caches use it as their key.
    std::string key() const;

    /// Returns the number of inputs, at least 1.
    std::size_t input_count() const;
    /// Returns the number of targets, at least 1.
    std::size_t target_count() const;
    /// Returns the name of an input, or an empty text if it has none.
    /// @param which  number of the input, from 0
    const std::string& input_name(std::size_t which) const&;
    /// @copydoc input_name
    std::string input_name(std::size_t which) && { return input_name(which); }
    /// Returns the name of a target, or an empty text if it has none.
    /// @param which  number of the target, from 0
    const std::string& target_name(std::size_t which) const&;
    /// @copydoc target_name
    std::string target_name(std::size_t which) && { return target_name(which); }

    /// Returns the extents of an input of one record, without the record axis. Empty for one number.
    /// @param which  number of the input, from 0
    std::span<const std::size_t> input_shape(std::size_t which = 0) const&;
    /// Returns the extents of a target of one record, without the record axis. Empty for a class index.
    /// @param which  number of the target, from 0
    std::span<const std::size_t> target_shape(std::size_t which = 0) const&;
    /// @copydoc input_shape
    std::vector<std::size_t> input_shape(std::size_t which = 0) &&;
    /// @copydoc target_shape
    std::vector<std::size_t> target_shape(std::size_t which = 0) &&;
    /// Returns the count of numbers in an input of one record: the product of its extents.
    /// @param which  number of the input, from 0
    std::size_t input_size(std::size_t which = 0) const;
    /// Returns the count of numbers in a target of one record.
    /// @param which  number of the target, from 0
    std::size_t target_size(std::size_t which = 0) const;
    /// Returns whether each record has one number as its target, as classes do.
    /// @param which  number of the target, from 0
    bool has_labels(std::size_t which = 0) const;

    /// Returns the numbers of an input of one record, in row-major order.
    /// @param record  position in this dataset, from 0
    /// @param which   number of the input, from 0
    /// @throws DataError  if the numbers are doubles and one is too large for a float, or a block cannot be read
    detail::Record input(std::size_t record, std::size_t which = 0) const&;
    /// Returns the numbers of a target of one record, in row-major order.
    /// @param record  position in this dataset, from 0
    /// @param which   number of the target, from 0
    /// @throws DataError  if the numbers are doubles and one is too large for a float, or a block cannot be read
    detail::Record target(std::size_t record, std::size_t which = 0) const&;
    /// @copydoc input
    detail::Record input(std::size_t record, std::size_t which = 0) && { return input(record, which).copy(); }
    /// @copydoc target
    detail::Record target(std::size_t record, std::size_t which = 0) && { return target(record, which).copy(); }
    /// Returns the class index of a record. Call it only if `has_labels(which)`.
    /// @param record  position in this dataset, from 0
    /// @param which   number of the target, from 0
    std::size_t label(std::size_t record, std::size_t which = 0) const;

    /// Copies an input of all records into an array of shape (records, features…).
    ///
    /// @code
    /// const Array<float> pixels = training.inputs();  // (60000, 28, 28)
    /// @endcode
    ///
    /// @tparam T     float or double
    /// @param which  number of the input, from 0
    /// @return the copy
    template <class T = float>
    Array<T> inputs(std::size_t which = 0) const;
    /// Copies a target of all records into an array of shape (records) or (records, outputs…).
    /// @tparam T     float or double
    /// @param which  number of the target, from 0
    /// @return the copy
    template <class T = float>
    Array<T> targets(std::size_t which = 0) const;
    /// Copies an input of some records to rows of memory. Allocates nothing if their blocks are in memory.
    /// @tparam T         float or double
    /// @param positions  positions in this dataset, from 0
    /// @param to         the first row
    /// @param stride     distance between two rows, in numbers
    /// @param which      number of the input, from 0
    template <class T>
    void copy_inputs(std::span<const std::size_t> positions, T* to, std::size_t stride, std::size_t which = 0) const;
    /// Copies a target of some records to rows of memory. Allocates nothing if their blocks are in memory.
    /// @tparam T         float or double
    /// @param positions  positions in this dataset, from 0
    /// @param to         the first row
    /// @param stride     distance between two rows, in numbers
    /// @param which      number of the target, from 0
    template <class T>
    void copy_targets(std::span<const std::size_t> positions, T* to, std::size_t stride, std::size_t which = 0) const;

    // ---- the storage of the records ----

    /// Returns whether all records are in memory as arrays, not in blocks.
    bool in_memory() const { return blocks() == nullptr; }
    /// Returns the blocks that hold the records, or null if `in_memory()`.
    const detail::SharedOwner<data::ActiveBlocks>& blocks() const&;
    /// @copydoc blocks
    detail::SharedOwner<data::ActiveBlocks> blocks() && { return blocks(); }
    /// Returns the number that a record has in the storage from which this dataset selects.
    /// @param position  position in this dataset, from 0
    /// @throws ArgumentError  if there is no record of this position
    std::size_t record_number(std::size_t position) const;
    /// Returns the number of the block with a record; 0 if `in_memory()`.
    /// @param position  position in this dataset, from 0
    std::size_t block_of(std::size_t position) const;
    /// Returns how many blocks may be in memory at the same time; 1 if `in_memory()`. Code that reads records in random
    /// order mixes the records of this many blocks at a time.
    std::size_t active_blocks() const;
    /// Calls a function with each position. Visits a dataset in blocks so that each block is loaded once.
    /// @param function  called as `function(position)`, in order if `in_memory()`
    template <class F>
    void for_each_position(F function) const {
        const std::vector<std::size_t> sorted = in_order_of_blocks();
        for (std::size_t i = 0; i < size(); ++i) function(sorted.empty() ? i : sorted[i]);
    }

    /// Returns a dataset of some records of the same storage.
    /// @param positions  positions in this dataset, in the order of the result
    /// @throws ArgumentError  if a position is not below `size()`
    Dataset select(std::span<const std::size_t> positions) const;
    /// Returns the dataset of records `first` to `first + count - 1`. Takes no memory if the records are in the order
    /// of the storage.
    /// @param first  position of the first record, from 0
    /// @param count  number of records
    /// @throws ArgumentError  if the range exceeds the dataset
    Dataset range(std::size_t first, std::size_t count) const;
    /// Returns all records of the storage, in its order: `everything().select` takes numbers of `record_number`.
    Dataset everything() const;
    /// Returns the same records in less memory. In sections of 16 or more numbers a record, with at most 256 different
    /// values (pixels, for example), each number becomes one byte. The values that you read stay bit-identical.
    ///
    /// Keeps all records of the storage. Returns datasets in blocks unchanged.
    Dataset compact() const;
    /// Returns the same records with other targets. Inputs stay as they are stored.
    /// @param targets  at least one array, each with `size()` records
    /// @throws ArgumentError  if the dataset is in blocks
    Dataset with_targets(std::vector<NamedNumbers> targets) const;
    /// Returns whether both datasets select from the same storage.
    /// @param other  the dataset to compare
    bool shares_storage(const Dataset& other) const { return storage_ == other.storage_; }
    /// Returns the same selection from other blocks with the same number of records.
    /// @param blocks         the blocks to read from
    /// @param preprocessing  transforms that the records of the blocks went through
    /// @throws ArgumentError  if the blocks have another number of records or other sections
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
    /// The positions in an order that loads each block once; empty if their own order does.
    std::vector<std::size_t> in_order_of_blocks() const;

    detail::Record at(const Section& section, std::size_t position) const;
    template <class T>
    void copy_section(const Section& section, std::span<const std::size_t> positions, T* to, std::size_t stride) const;
    template <class T>
    Array<T> gather(const Section& from) const;

    detail::SharedOwner<const Storage> storage_;
    std::size_t first_ = 0, size_ = 0;
    std::vector<data::Origin> origins_;
    std::vector<std::size_t> chosen_;  ///< numbers of records; empty: first_, first_ + 1, …
};

namespace detail {

template <class T>
inline constexpr bool is_vector_of_numbers = false;
template <class T, class A>
inline constexpr bool is_vector_of_numbers<std::vector<T, A>> = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

}  // namespace detail

/// An array of numbers, or a `std::vector` with one target for each record: a class index or a regression target.
///
/// @see make_dataset
template <class Y>
concept AnyTargets = AnyArray<Y> || detail::is_vector_of_numbers<Y>;

namespace detail {

/// Copies a vector with one number for each record.
template <class T, class A>
Numbers numbers_of(const std::vector<T, A>& targets) {
    return numbers_of(ArrayView<const T>(targets.data(), {targets.size()}));
}

}  // namespace detail

/// Makes a dataset from arrays of numbers.
///
/// Copies the numbers. Arrays of `double` stay double, all others become float.
///
/// @par Shape
/// Inputs (records, features…) or (records). Targets (records) for class indices, or (records, outputs…).
///
/// @param inputs         an array: `Array`, `ArrayView`, xtensor
/// @param targets        an array, or a `std::vector` of one number for each record
/// @param name           name in errors and reports
/// @param classes        names of classes 0, 1, …; empty if the classes have no names
/// @param preprocessing  transforms that `inputs` and `targets` have already gone through
/// @return the dataset
/// @throws ShapeError  if an array has no axis
/// @throws DataError   if there are no records, the counts of records differ, or a number is not finite
///
/// @par Example
/// @code
/// const Dataset threes = make_dataset(images, std::vector<int>(100, 3), "threes");
/// @endcode
///
/// If a program has applied preprocessing to the arrays itself, pass it, too: the result is as of `>> p`.
/// @code
/// const data::Preprocessing p = data::fitted(data::normalize(data::inputs, 0, 255), training);
/// const Dataset test = make_dataset(p(images), std::vector<int>(100, 3), "test", {}, p);
/// @endcode
///
/// @see data::dataset for files, docs/datasets.md
template <AnyArray Inputs, AnyTargets Targets>
Dataset make_dataset(const Inputs& inputs, const Targets& targets, std::string name = "data",
                     std::vector<std::string> classes = {}, data::Preprocessing preprocessing = {}) {
    return {{{"", detail::numbers_of(inputs)}},
            {{"", detail::numbers_of(targets)}},
            std::move(name),
            std::move(classes),
            std::move(preprocessing)};
}
/// @cond internal
template <class>
struct error_make_dataset_takes_arrays;
/// Rejects vectors of vectors, C arrays and texts.
template <class X, class Y>
    requires(!AnyArray<X> || !AnyTargets<Y>)
error_make_dataset_takes_arrays<use_an_array_or_ArrayView_of_numbers_and_their_shape> make_dataset(
    const X&, const Y&, std::string = "data", std::vector<std::string> = {}, data::Preprocessing = {});
/// @endcond

namespace detail {

void check_has_labels(const Dataset& dataset, std::size_t which = 0);
/// Describes the labels of a range: "a label from 0 to 2, or -1".
std::string labels_wanted(const LabelRange& range);

/// Checks that every target is a class index in `range`: one for each record, or one for each of its positions. The
/// last `others` numbers of a record are not checked.
void check_labels(const Dataset& dataset, const LabelRange& range, std::size_t which = 0, std::size_t others = 0);
/// Checks that every target is a class index below `count`, as a network with `count` outputs needs.
void check_labels(const Dataset& dataset, std::size_t count, std::size_t which = 0);

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/dataset.ipp>
#endif
