// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace sigma {

/// archive(text_)
struct write_tensor_for_a_vector_of_numbers;
template <class Write>
struct error_Archive_takes_numbers;

/// The state of hooks as numbers, and large state as bytes, on its way into a checkpoint or out of it. What has state
/// names it once, `archive(count_, last_)`, for both ways.
class Archive {
public:
    /// To be filled.
    Archive() = default;
    /// To be read.
    Archive(std::vector<std::uint64_t> words, std::vector<std::vector<std::byte>> blobs);

    bool reading() const { return reading_; }
    const std::vector<std::uint64_t>& words() const { return words_; }
    const std::vector<std::vector<std::byte>>& blobs() const { return blobs_; }
    /// Has everything been read?
    bool finished() const { return next_word_ == words_.size() && next_blob_ == blobs_.size(); }

    template <class... X>
        requires(std::is_arithmetic_v<X> && ...)
    void operator()(X&... x) {
        (number(x), ...);
    }
    template <class... X>
        requires(!(std::is_arithmetic_v<X> && ...))
    error_Archive_takes_numbers<write_tensor_for_a_vector_of_numbers> operator()(X&...);
    /// Many numbers, for instance a copy of parameters.
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

    /// What another archive was filled with.
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

/// Hooks whose state goes into checkpoints.
class ArchivedHooks {
public:
    virtual ~ArchivedHooks() = default;
    virtual void archive(Archive&) = 0;
    /// The sentences, one a line.
    virtual std::string text() const = 0;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/archive.ipp>
#endif
