// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/storage/posix/call.hpp>

#include <dirent.h>
#include <sys/file.h>
#include <algorithm>
#include <atomic>

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
        if (!file && errno == EEXIST) continue;  // left by a process that had the same id
        if (!file) return {};
        // Where a file system has no locks, nobody can take a temporary for stale either.
        uninterrupted([&] { return ::flock(file.number(), LOCK_EX); });
        struct ::stat found{};
        if (::fstat(file.number(), &found) == 0 && found.st_nlink == 0) continue;  // cleaned away before it was locked
        return {std::move(file), std::move(own)};
    }
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
