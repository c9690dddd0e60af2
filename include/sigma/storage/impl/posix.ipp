// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/storage/posix.hpp>

namespace sigma::storage {

SIGMA_IMPL Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
}

SIGMA_IMPL int Descriptor::close() {
    if (number_ < 0) return 0;
    return ::close(std::exchange(number_, -1)) == 0 || errno == EINTR ? 0 : errno;
}

SIGMA_IMPL Descriptor open_at(int directory, const char* path, int flags, ::mode_t mode) {
    return Descriptor(uninterrupted([&] { return ::openat(directory, path, flags | O_CLOEXEC, mode); }));
}

SIGMA_IMPL int write_all(int file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ::ssize_t count = uninterrupted([&] { return ::write(file, bytes.data(), bytes.size()); });
        if (count < 0) return errno;
        if (count == 0) return ENOSPC;  // no file does this; without it the loop would not end
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return 0;
}

SIGMA_IMPL std::pair<std::size_t, int> read_at(int file, std::uint64_t offset, std::span<std::byte> to) {
    std::size_t done = 0;
    while (done < to.size()) {
        const ::ssize_t count = uninterrupted(
            [&] { return ::pread(file, to.data() + done, to.size() - done, static_cast<::off_t>(offset + done)); });
        if (count < 0) return {done, errno};
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    return {done, 0};
}

}  // namespace sigma::storage
