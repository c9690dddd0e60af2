// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/storage/posix/call.hpp>

#include <dirent.h>
#include <sys/file.h>
#include <algorithm>
#include <vector>

namespace sigma::storage {

SIGMA_IMPL std::string temporary_name(std::string_view name) {
    static std::atomic<unsigned> calls{0};
    return sentence(name, '.', ::getpid(), '-', calls.fetch_add(1), ".partial");
}

SIGMA_IMPL bool is_temporary_of(std::string_view candidate, std::string_view name) {
    constexpr std::string_view ending = ".partial";
    if (!candidate.starts_with(name) || !candidate.ends_with(ending)) return false;
    if (candidate.size() < name.size() + ending.size() + 4 || candidate[name.size()] != '.') return false;
    candidate.remove_prefix(name.size() + 1);
    candidate.remove_suffix(ending.size());
    const std::size_t dash = candidate.find('-');
    if (dash == candidate.npos || dash == 0 || dash + 1 == candidate.size()) return false;
    const auto digits = [](std::string_view text) {
        return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    return digits(candidate.substr(0, dash)) && digits(candidate.substr(dash + 1));
}

SIGMA_IMPL std::pair<Descriptor, std::string> create_temporary(int directory, std::string_view name, ::mode_t mode) {
    while (true) {
        std::string own = temporary_name(name);
        Descriptor file = open_at(directory, own.c_str(), O_WRONLY | O_CREAT | O_EXCL, mode);
        if (!file && errno == EEXIST) continue;  // left by a process with the same id
        if (!file) return {};
        // If a file system has no locks, no process can consider a temporary abandoned either.
        uninterrupted([&] { return ::flock(file.number(), LOCK_EX); });
        struct ::stat found{};
        if (::fstat(file.number(), &found) == 0 && found.st_nlink == 0) continue;  // removed before it was locked
        return {std::move(file), std::move(own)};
    }
}

SIGMA_IMPL Descriptor create_unnamed([[maybe_unused]] int directory, [[maybe_unused]] std::string_view name,
                                     [[maybe_unused]] ::mode_t mode) {
    Descriptor file;
#ifdef O_TMPFILE
    // Checks the name first, so that a name that is too long fails before anything is written.
    if (!files_without_names || ::faccessat(directory, temporary_name(name).c_str(), F_OK, 0) == 0 || errno != ENOENT)
        return file;
    file = open_at(directory, ".", O_RDWR | O_TMPFILE, mode);
    if (file) uninterrupted([&] { return ::flock(file.number(), LOCK_EX); });
#endif
    return file;
}

/// Copies bytes and permissions and waits until the disk has them. Returns 0 or errno.
SIGMA_IMPL int copy_file(int from, int to) {
    struct ::stat found{};
    if (::fstat(from, &found) != 0 || ::fchmod(to, found.st_mode & 0777) != 0) return errno;
    std::vector<std::byte> bytes(1 << 20);
    for (std::uint64_t at = 0;;) {
        const auto [count, failed] = read_at(from, at, bytes);
        if (failed != 0) return failed;
        if (count == 0) break;
        if (const int code = write_all(to, std::span(bytes).first(count)); code != 0) return code;
        at += count;
    }
    return uninterrupted([&] { return ::fsync(to); }) == 0 ? 0 : errno;
}

SIGMA_IMPL std::string name_temporary(Descriptor& unnamed, int directory, std::string_view name) {
    const std::string from = sentence("/proc/self/fd/", unnamed.number());
    do {
        std::string own = temporary_name(name);
        if (::linkat(AT_FDCWD, from.c_str(), directory, own.c_str(), AT_SYMLINK_FOLLOW) == 0) return own;
    } while (errno == EEXIST);  // left by a process with the same id
    // Without /proc, or if the system allows no such links, the bytes are copied.
    auto made = create_temporary(directory, name, S_IRWXU);
    if (!made.first) return {};
    if (const int code = copy_file(unnamed.number(), made.first.number()); code != 0) {
        ::unlinkat(directory, made.second.c_str(), 0);
        errno = code;
        return {};
    }
    unnamed = std::move(made.first);
    return std::move(made.second);
}

SIGMA_IMPL void remove_stale_temporaries(int directory, std::string_view name) {
    const int listed = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (listed < 0) return;
    ::DIR* const entries = ::fdopendir(listed);
    if (entries == nullptr) {
        ::close(listed);
        return;
    }
    while (const ::dirent* entry = ::readdir(entries)) {
        if (!is_temporary_of(entry->d_name, name)) continue;
        const Descriptor file = open_at(directory, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
        struct ::stat found{};
        if (file && ::fstat(file.number(), &found) == 0 && S_ISREG(found.st_mode) &&
            ::flock(file.number(), LOCK_EX | LOCK_NB) == 0)
            ::unlinkat(directory, entry->d_name, 0);
    }
    ::closedir(entries);
}

}  // namespace sigma::storage
