// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/source/file_stream.hpp>
#include <sigma/storage/error.hpp>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <utility>

namespace sigma::data {

SIGMA_IMPL FileStream::FileStream(storage::Descriptor file, std::string name)
    : file_(std::move(file)), name_(std::move(name)) {
    ::posix_fadvise(file_.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
}

SIGMA_IMPL std::size_t FileStream::read(std::span<std::byte> to) {
    std::size_t done = 0;
    while (done < to.size()) {
        const ::ssize_t count =
            storage::uninterrupted([&] { return ::read(file_.number(), to.data() + done, to.size() - done); });
        if (count < 0)
            throw DataError(name_, sentence("byte ", at_ + done), "a readable file", storage::system_text(errno));
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    at_ += done;
    return done;
}

SIGMA_IMPL std::string file_key(const std::string& path, const std::string& name) {
    struct ::stat found{};
    const std::unique_ptr<char, void (*)(void*)> absolute(::realpath(path.c_str(), nullptr), &std::free);
    if (!absolute || ::stat(absolute.get(), &found) != 0)
        throw DataError(name, "", "a readable file", storage::system_text(errno));
    // The second time also tells of bytes that were replaced with the first time set back.
    return sentence("file:", absolute.get(), ':', found.st_size, ':', found.st_mtim.tv_sec, '.', found.st_mtim.tv_nsec,
                    ':', found.st_ctim.tv_sec, '.', found.st_ctim.tv_nsec, ':', found.st_ino);
}

}  // namespace sigma::data
