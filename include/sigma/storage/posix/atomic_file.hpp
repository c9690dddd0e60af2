// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/storage/posix/file.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace sigma {

/// A file that is replaced as a whole or not at all: what is written goes to a temporary in the same directory, and
/// commit() puts it in the place of the file once the disk has it. Whatever happens before, also the end of the process
/// or of the machine, leaves the file as it was; without a commit the temporary is removed.
///
///     AtomicFile file("net.safetensors");
///     file.write(bytes);
///     file.commit();
///
/// A symbolic link stays, and the file that it points at is replaced, or made where there is none yet. The file keeps
/// its permissions; one without write permission is not replaced. Everything throws StorageError. To be used by one
/// thread; several threads and processes may replace the same file at once, each as a whole.
class AtomicFile {
public:
    explicit AtomicFile(std::string path);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile() { abandon(); }

    const std::string& path() const& { return path_; }
    std::string path() && { return path_; }

    void write(std::span<const std::byte> bytes);

    /// Returns when the disk has the new file under its name. Removes temporaries of the same file whose writers died.
    void commit();

private:
    static int sync(const storage::Descriptor& what);

    /// The directory stays open, so that a later change of the working directory changes nothing.
    void find_place();

    /// The path that a link comes to, by way of others, where nothing is yet.
    std::string end_of_links(std::string path);

    /// Those of the file that is replaced; 0 where there is none.
    unsigned permissions() const;

    void require_open() const;

    [[noreturn]] void fail(const char* tried, int code);

    void abandon() noexcept;

    std::string path_, name_, temporary_;
    storage::Descriptor directory_, file_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/storage/posix/impl/atomic_file.ipp>
#endif
