// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma::data {

/// Bytes one after the other, from their beginning, once.
class ByteStream {
public:
    virtual ~ByteStream() = default;
    /// Fills `to` as far as there are bytes and returns how many it wrote: 0 only at the end. Throws DataError.
    virtual std::size_t read(std::span<std::byte> to) = 0;
};

/// Where bytes come from. Safe to be opened from several threads.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// What errors call it: a path, an address.
    virtual std::string name() const = 0;
    /// Is it there? May ask the network.
    virtual bool exists() const = 0;
    /// Throws DataError where it is not there.
    virtual std::unique_ptr<ByteStream> open() const = 0;
    /// A text that is another one when the bytes are: path, length and time of change of a file, a digest of memory.
    /// Part of the keys of caches.
    virtual std::string key() const = 0;
    /// The file in which the bytes lie as they are, where there is one.
    virtual std::optional<std::string> path() const { return {}; }
};

/// A handle to where bytes come from: file("a.csv"), memory(text), url("https://…"), or the first of several that is
/// there,
///
///     file("iris.data") | url("https://archive.example.org/iris.data")
class Source {
public:
    explicit Source(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {}

    std::string name() const { return source_->name(); }
    bool exists() const { return source_->exists(); }
    std::unique_ptr<ByteStream> open() const { return source_->open(); }
    std::string key() const { return source_->key(); }
    std::optional<std::string> path() const { return source_->path(); }
    const std::shared_ptr<const ByteSource>& shared() const& { return source_; }
    std::shared_ptr<const ByteSource> shared() && { return source_; }

private:
    std::shared_ptr<const ByteSource> source_;
};

/// What hooks call a file, sigma::file("a.csv"), which readers are given by mistake.
template <class Name>
concept NoSource = requires(const Name& name) { name.fixed(); } && !std::is_convertible_v<Name, Source>;

/// The first of the two that can be opened: file("iris.data") | url("https://…"). Where none can, a DataError says why,
/// of each.
Source operator|(const Source& left, const Source& right);

/// What a stream that may hold anything is allowed to give, unless the caller says otherwise: 4 GiB.
inline constexpr std::size_t default_limit = std::size_t{1} << 32;

/// All bytes of a source; more than `limit` are refused with a DataError.
std::vector<std::byte> read_all(const Source& source, std::size_t limit = default_limit);
/// The same as a text.
std::string read_text(const Source& source, std::size_t limit = default_limit);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/first.ipp>
#include <sigma/data/source/impl/source.ipp>
#endif
