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

/// Where the dense rows of each of several arrays are. Becomes a std::array of as many.
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

/// The records of one batch as dense arrays, one for each input and each target of a network.
template <class T>
class BatchBuffers {
public:
    BatchBuffers() = default;
    BatchBuffers(const BatchBuffers& other);
    BatchBuffers& operator=(const BatchBuffers& other);
    BatchBuffers(BatchBuffers&&) = default;
    BatchBuffers& operator=(BatchBuffers&&) = default;
    ~BatchBuffers() = default;

    /// Checks that the data fit the network, see check_data, and makes room for `rows` records.
    void bind(const NetworkTable& network, const Dataset& data, std::size_t rows);
    /// The records at these positions of the dataset; allocates nothing.
    void gather(const Dataset& data, std::span<const std::size_t> positions);
    /// The same for a batch, augmented as its minibatches say.
    void gather(const Minibatches& from, const BatchRecords& of);
    /// Elements of a record in each array: those of inputs, then those of targets.
    std::vector<std::size_t> widths() const;
    /// Records of one of these arrays as dense rows.
    void copy_array(const Dataset& data, std::size_t array, std::span<const std::size_t> positions, T* rows) const;
    RowPointers<T> inputs() const { return {rows_.begin(), inputs_}; }
    RowPointers<T> targets() const { return {rows_.begin() + inputs_, size() - inputs_}; }
    /// Those of inputs, then those of targets.
    RowPointers<T> rows() const { return {rows_.begin(), size()}; }

private:
    struct Buffer {
        std::size_t from = 0;   ///< which input or target of the dataset it is
        std::size_t width = 0;  ///< elements of a record
        std::vector<T> values;
    };
    List<Buffer> buffers_;    ///< of inputs, then of targets
    std::size_t inputs_ = 0;  ///< how many
    List<const T*> rows_;     ///< where their values are
    std::vector<float> scratch_;

    std::size_t size() const { return static_cast<std::size_t>(rows_.size()); }
    Buffer& buffer(std::size_t array) { return buffers_[static_cast<int>(array)]; }
    bool is_input(std::size_t array) const { return array < inputs_; }
    T* values_of(std::size_t section);
};

/// The batches of a training as dense arrays: gathered when they are wanted, or before that on another thread.
template <class T>
class BatchLoader {
public:
    /// Checks that the data fit the network, and that there are such batches.
    BatchLoader(const NetworkTable& network, Minibatches minibatches);
    BatchLoader(const BatchLoader&) = delete;
    BatchLoader& operator=(const BatchLoader&) = delete;
    ~BatchLoader();

    Minibatches& batches();
    const Minibatches& batches() const;
    /// Goes on with these. Throws, and changes nothing, where they do not fit.
    void replace(Minibatches minibatches);
    /// The records of a batch, there until the next call; returns how many they are. Throws what reading them throws.
    std::ptrdiff_t gather(std::uint64_t number_of_epoch, std::uint64_t number);
    /// What is about to happen may change the minibatches, or the position.
    void halt();

    const BatchBuffers<T>& buffers() const;
    RowPointers<T> inputs() const { return buffers().inputs(); }
    RowPointers<T> targets() const { return buffers().targets(); }

private:
    struct Slot;
    Owned<BatchPrefetcher<Slot>> feed_;  // with its thread, which only the body has to know
    BatchPosition held_{};               ///< whose records it has, if any
    bool holds_ = false;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/batch_buffers.ipp>
#endif
