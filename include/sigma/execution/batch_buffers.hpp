// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/network/table.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sigma::detail {

/// The addresses of the dense rows of several arrays. Converts to a std::array of the same size.
template <class T>
class RowPointers : public std::span<const T* const> {
public:
    using std::span<const T* const>::span;

    operator std::vector<const T*>() const { return {this->begin(), this->end()}; }
    template <std::size_t n>
    operator std::array<const T*, n>() const {
        std::array<const T*, n> all{};
        for (std::size_t i = 0; i < n; ++i) all[i] = (*this)[i];
        return all;
    }
};

/// The records of a batch as dense arrays, one for each input and each target of a network.
template <class T>
class BatchBuffers {
public:
    BatchBuffers() = default;
    BatchBuffers(const BatchBuffers& other);
    BatchBuffers& operator=(const BatchBuffers& other);
    BatchBuffers(BatchBuffers&&) = default;
    BatchBuffers& operator=(BatchBuffers&&) = default;
    ~BatchBuffers() = default;

    /// Checks that the data fit the network (see check_data), and allocates memory for `rows` records.
    void bind(const NetworkTable& network, const Dataset& data, std::size_t rows);
    /// Gathers the records at these positions of the data set. Allocates nothing.
    void gather(const Dataset& data, std::span<const std::size_t> positions);
    /// Gathers the records of a batch, with the augmentation and the mixing of its minibatches.
    void gather(const Minibatches& from, const BatchRecords& of);
    /// Returns the elements of a record in each array: those of inputs, then those of targets.
    std::vector<std::size_t> widths() const;
    /// Copies records of one of these arrays as dense rows.
    void copy_array(const Dataset& data, std::size_t array, std::span<const std::size_t> positions, T* rows) const;
    RowPointers<T> inputs() const { return {rows_.begin(), inputs_}; }
    RowPointers<T> targets() const { return {rows_.begin() + inputs_, size() - inputs_}; }
    /// Returns the rows of the inputs, then those of the targets.
    RowPointers<T> rows() const { return {rows_.begin(), size()}; }

private:
    struct Buffer {
        std::size_t from = 0;   ///< number of the input or target of the data set
        std::size_t width = 0;  ///< elements of a record
        std::vector<T> values;
    };
    List<Buffer> buffers_;    ///< buffers of inputs, then those of targets
    std::size_t inputs_ = 0;  ///< number of inputs
    List<const T*> rows_;     ///< addresses of the values
    std::vector<float> scratch_;
    std::vector<T> row_;

    std::size_t size() const { return static_cast<std::size_t>(rows_.size()); }
    Buffer& buffer(std::size_t array) { return buffers_[static_cast<int>(array)]; }
    bool is_input(std::size_t array) const { return array < inputs_; }
    T* values_of(std::size_t section);
};

/// The batches of a training run as dense arrays, gathered on demand, or before that on another thread.
template <class T>
class BatchLoader {
public:
    /// Constructs a loader. Throws if the data do not fit the network or there are no such batches.
    BatchLoader(const NetworkTable& network, Minibatches minibatches);
    BatchLoader(const BatchLoader&) = delete;
    BatchLoader& operator=(const BatchLoader&) = delete;
    ~BatchLoader();

    Minibatches& batches();
    const Minibatches& batches() const;
    /// Continues with other minibatches. Throws, and changes nothing, if they do not fit.
    void replace(Minibatches minibatches);
    /// Gathers the records of a batch, which are valid until the next call, and returns their number. Throws the errors
    /// of reading.
    std::ptrdiff_t gather(std::uint64_t number_of_epoch, std::uint64_t number);
    /// Stops gathering ahead, before a change of the minibatches or the position.
    void halt();

    const BatchBuffers<T>& buffers() const;
    RowPointers<T> inputs() const { return buffers().inputs(); }
    RowPointers<T> targets() const { return buffers().targets(); }

private:
    struct Slot;
    Owned<BatchPrefetcher<Slot>> feed_;  // a type of the body, which includes its thread
    BatchPosition held_{};               ///< the position of the gathered records, if any
    bool holds_ = false;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/batch_buffers.ipp>
#endif
