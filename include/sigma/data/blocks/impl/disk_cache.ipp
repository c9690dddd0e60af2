// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/blocks/cache_file.hpp>
#include <sigma/data/blocks/disk_cache.hpp>
#include <sigma/storage/cache_directory.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/hash.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <sys/file.h>
#include <sys/statvfs.h>

namespace sigma::data::detail {

struct CachedFile {
    std::string path;
    std::uint64_t bytes = 0;
    ::timespec used{};
};

/// Makes a directory and those above it.
SIGMA_IMPL void make_directories(const std::string& path) {
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        const std::string part = path.substr(0, slash);
        if (::mkdir(part.c_str(), 0777) != 0 && errno != EEXIST && slash == path.npos)
            throw StorageError(path, "to make this directory for caches", storage::system_text(errno), errno);
        if (slash == path.npos) return;
    }
}

/// The files in a directory that end like this; none where there is no directory.
SIGMA_IMPL std::vector<CachedFile> cached_files(const std::string& directory, std::string_view ending) {
    std::vector<CachedFile> all;
    const std::unique_ptr<::DIR, int (*)(::DIR*)> entries(::opendir(directory.c_str()), &::closedir);
    while (const ::dirent* entry = entries ? ::readdir(entries.get()) : nullptr) {
        const std::string_view name = entry->d_name;
        if (!name.ends_with(ending) || name.find(".blocks") == name.npos) continue;
        const std::string path = sentence(directory, '/', name);
        struct ::stat found{};
        if (::lstat(path.c_str(), &found) != 0 || S_ISDIR(found.st_mode)) continue;
        all.push_back({path, static_cast<std::uint64_t>(found.st_size), found.st_mtim});
    }
    return all;
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL DiskCache::DiskCache(std::string directory, std::uint64_t limit)
    : directory_(directory.empty() ? sentence(cache_directory(), "/blocks") : std::move(directory)), limit_(limit) {}

SIGMA_IMPL std::string DiskCache::path(const std::string& name, const std::string& key) const {
    std::string plain = name.substr(0, 40);
    for (char& c : plain)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-')) c = '_';
    return sentence(directory_, '/', plain, '-', sigma::detail::hexadecimal(storage::checksum(key)), ".blocks");
}

SIGMA_IMPL std::uint64_t DiskCache::bytes() const {
    std::uint64_t all = 0;
    for (const auto& file : detail::cached_files(directory_, ".blocks")) all += file.bytes;
    return all;
}

SIGMA_IMPL void DiskCache::clear() const {
    for (const auto& file : detail::cached_files(directory_, ".blocks")) ::unlink(file.path.c_str());
    for (const auto& file : detail::cached_files(directory_, ".partial")) {
        const storage::Descriptor open =
            storage::open_at(AT_FDCWD, file.path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
        if (open && ::flock(open.number(), LOCK_EX | LOCK_NB) == 0)
            ::unlink(file.path.c_str());  // see storage/temporary.hpp
    }
}

SIGMA_IMPL CacheFile DiskCache::make(const std::string& name, const CacheFooter& footer, const Fill& fill) const {
    detail::make_directories(directory_);
    const std::string file = path(name, footer.key);
    struct ::stat found{};
    if (::lstat(file.c_str(), &found) == 0 && S_ISLNK(found.st_mode)) ::unlink(file.c_str());  // it may point outside
    const std::uint64_t limit = limit_ != 0 ? limit_ : room();
    for (int tries = 0; tries < 5; ++tries) {  // other processes may remove it at once
        CacheWriter writer(file, footer, limit);
        std::vector<std::string> classes = footer.classes;
        fill([&](const Block& block) { writer.add(block); }, classes);
        writer.finish(std::move(classes));
        auto made = CacheFile::open(file, footer.key);
        if (!made) continue;
        make_room(file, limit);
        return std::move(*made);
    }
    throw StorageError(file, "to read what was written", "nothing, or other bytes");
}

SIGMA_IMPL std::uint64_t DiskCache::room() const {
    struct ::statvfs disk{};
    if (::statvfs(directory_.c_str(), &disk) != 0) return std::numeric_limits<std::uint64_t>::max();
    return (std::uint64_t{disk.f_bavail} * disk.f_frsize + bytes()) / 2;
}

SIGMA_IMPL void DiskCache::make_room(const std::string& keep, std::uint64_t limit) const {
    auto files = detail::cached_files(directory_, ".blocks");
    std::ranges::sort(files, {}, [](const auto& f) { return std::pair(f.used.tv_sec, f.used.tv_nsec); });
    std::uint64_t all = 0;
    for (const auto& f : files) all += f.bytes;
    for (const auto& f : files) {
        if (all <= limit) return;
        if (f.path == keep) continue;
        ::unlink(f.path.c_str());
        all -= f.bytes;
    }
}

}  // namespace sigma::data
