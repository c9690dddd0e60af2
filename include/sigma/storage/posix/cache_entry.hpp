// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/storage/error.hpp>
#include <sigma/storage/posix/file.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace sigma::storage {

/// A file of a cache directory: there as a whole, or not at all. It is written as NAME.part, which one thread of one
/// process holds locked at a time. Neither is followed if it is a symbolic link. Throws StorageError.
class CacheEntry {
public:
    /// `name` is the name of a file: without "/", not ".", not "..".
    CacheEntry(const std::string& directory, std::string name);

    const std::string& path() const { return path_; }

    /// The file, to be read; empty where it is not there.
    Descriptor open() const;

    /// What there is of the file while it is written, with what an earlier process has left of it.
    class Part {
    public:
        /// Waits for others that write the same; `watch` is called meanwhile and may throw.
        Part(const CacheEntry& entry, const std::function<void()>& watch);
        Part(const Part&) = delete;
        Part& operator=(const Part&) = delete;
        ~Part();

        std::uint64_t size() const { return size_; }
        void write(std::span<const std::byte> bytes);
        void clear();
        /// Another descriptor of the same bytes, from the beginning; not for use while this one writes.
        Descriptor reopen() const;
        /// Whether an unfinished file stays, for who comes later.
        void keep(bool on) { kept_ = on; }
        /// Returns when the disk has the whole file under its name.
        void commit();

    private:
        bool take();
        void remove() const noexcept;
        [[noreturn]] void fail(const char* tried) const;

        const CacheEntry* entry_;
        std::string name_;
        Descriptor file_;
        std::uint64_t size_ = 0;
        bool kept_ = false, committed_ = false;
    };

private:
    std::string name_, path_;
    Descriptor directory_;
};

}  // namespace sigma::storage

#ifndef SIGMA_COMPILED
#include <sigma/storage/posix/impl/cache_entry.ipp>
#endif
