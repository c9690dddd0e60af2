// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The state of hooks in checkpoints. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/error.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace sigma {

/// A remedy: pass a `std::vector` of numbers to `archive.tensor(numbers)`.
struct use_tensor_for_a_vector_of_numbers;
/// A mistake at compile time: an argument of an Archive is not a number, as in `archive(text_)`.
template <class Write>
struct error_Archive_takes_numbers;

/// The state of hooks on its way into a checkpoint or out of it: numbers, and large state as bytes.
///
/// An action lists its state once, for writing and reading.
///
/// @par Example
/// @code
/// struct Bell : Action<Bell> {
///     int fired = 0;
///     void run(HookContext& context) { context.print(sentence(++fired)); }
///     void archive(Archive& archive) { archive(fired); }
///     static std::string text() { return "bell"; }
/// };
/// trainer.add(every(1, epoch).then(Bell{}));
/// @endcode
///
/// @see Action
class Archive {
public:
    /// Constructs an empty archive for writing.
    Archive() = default;
    /// Constructs an archive for reading.
    /// @param words  the numbers, in the order in which they were written
    /// @param blobs  the tensors, in the order in which they were written
    Archive(std::vector<std::uint64_t> words, std::vector<std::vector<std::byte>> blobs);

    /// Returns whether the archive is read, not written.
    /// @return true if so
    bool reading() const { return reading_; }
    /// Returns the numbers as bits: of a `double`, or of an integer.
    /// @return the numbers
    const std::vector<std::uint64_t>& words() const { return words_; }
    /// Returns the tensors as bytes.
    /// @return the tensors
    const std::vector<std::vector<std::byte>>& blobs() const { return blobs_; }
    /// Returns whether everything was read.
    /// @return true if so
    bool finished() const { return next_word_ == words_.size() && next_blob_ == blobs_.size(); }

    /// Writes numbers to the archive, or reads them from it.
    /// @param numbers  numbers and truth values, always in the same order
    /// @throws MismatchError  if the archive is read and has no more numbers
    template <class... X>
        requires(std::is_arithmetic_v<X> && ...)
    void operator()(X&... numbers) {
        (number(numbers), ...);
    }
    /// @cond internal
    template <class... X>
        requires(!(std::is_arithmetic_v<X> && ...))
    error_Archive_takes_numbers<use_tensor_for_a_vector_of_numbers> operator()(X&...);
    /// @endcond
    /// Writes a vector of numbers to the archive, or reads it from there.
    /// @param values  numbers; reading sets the size
    /// @throws MismatchError  if the archive is read and has no further tensor of this type
    template <class T>
    void tensor(std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        if (!reading_) {
            std::vector<std::byte> bytes(values.size() * sizeof(T));
            if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
            blobs_.push_back(std::move(bytes));
            return;
        }
        if (next_blob_ == blobs_.size() || blobs_[next_blob_].size() % sizeof(T) != 0) too_short();
        const auto& bytes = blobs_[next_blob_++];
        values.resize(bytes.size() / sizeof(T));
        if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    }

    /// Adds the content of another archive.
    /// @param other  archive that was written
    void append(const Archive& other);

private:
    std::vector<std::uint64_t> words_;
    std::vector<std::vector<std::byte>> blobs_;
    std::size_t next_word_ = 0, next_blob_ = 0;
    bool reading_ = false;

    template <class X>
    void number(X& x) {
        if (!reading_) {
            if constexpr (std::is_floating_point_v<X>)
                words_.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(x)));
            else words_.push_back(static_cast<std::uint64_t>(x));
            return;
        }
        if (next_word_ == words_.size()) too_short();
        const std::uint64_t word = words_[next_word_++];
        if constexpr (std::is_floating_point_v<X>) x = static_cast<X>(std::bit_cast<double>(word));
        else x = static_cast<X>(word);
    }
    [[noreturn, gnu::cold]] static void too_short();
};

/// Hooks that have a state for checkpoints.
/// @see Archive
class ArchivedHooks {
public:
    virtual ~ArchivedHooks() = default;
    /// Writes the state of the hooks to an archive, or reads it from there.
    virtual void archive(Archive&) = 0;
    /// Returns the hooks as text, one a line.
    /// @return the text
    virtual std::string text() const = 0;
};

}  // namespace sigma

namespace sigma::detail {

/// Joins archives into one, with their number and the size of each.
void join_archives(Archive& to, const std::vector<Archive>& all);
/// Reads the archives that join_archives has joined.
std::vector<Archive> split_archives(Archive& from);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/archive.ipp>
#endif
