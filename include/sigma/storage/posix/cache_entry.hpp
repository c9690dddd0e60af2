// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/storage/error.hpp>
#include <sigma/storage/posix/file.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

/// @cond internal
namespace sigma::storage {

/// A file of a cache directory, which exists as a whole or not at all. It is written as NAME.part, which only one
/// thread of one process can lock at a time. Symbolic links of these names are not followed. Functions throw
/// StorageError.
class CacheEntry {
public:
    /// Constructs an entry. `name` is the name of a file, without "/", and neither "." nor "..".
    CacheEntry(const std::string& directory, std::string name);

    const std::string& path() const { return path_; }

    /// Opens the file for reading. The result is false if the file does not exist.
    Descriptor open() const;

    /// The part of the file that has been written, beginning with what an earlier process has left.
    class Part {
    public:
        /// Waits for other writers of the file. Meanwhile `watch` is called, which may throw.
        Part(const CacheEntry& entry, const std::function<void()>& watch);
        Part(const Part&) = delete;
        Part& operator=(const Part&) = delete;
        ~Part();

        std::uint64_t size() const { return size_; }
        void write(std::span<const std::byte> bytes);
        void clear();
        /// Returns another descriptor of the bytes, at their beginning. Do not use it while this one writes.
        Descriptor reopen() const;
        /// Sets whether the destructor keeps an unfinished file for later writers.
        void keep(bool on) { kept_ = on; }
        /// Gives the file its final name, and returns when the disk has it.
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
/// @endcond

#ifndef SIGMA_COMPILED
#include <sigma/storage/posix/impl/cache_entry.ipp>
#endif
