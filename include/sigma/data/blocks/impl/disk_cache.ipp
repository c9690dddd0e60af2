// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/blocks/cache_file.hpp>
#include <sigma/data/blocks/disk_cache.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/file.hpp>
#include <sigma/storage/hash.hpp>
#include <sigma/storage/workspace.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

namespace sigma::data::detail {

struct CachedFile {
    std::string path;
    std::uint64_t bytes = 0;
    std::int64_t used = 0;
};

/// Returns the files in a directory with this ending; none if the directory does not exist.
SIGMA_IMPL std::vector<CachedFile> cached_files(const std::string& directory, std::string_view ending) {
    namespace fs = std::filesystem;
    std::vector<CachedFile> all;
    std::error_code code;
    for (fs::directory_iterator at(directory, code), end; !code && at != end; at.increment(code)) {
        const std::string name = at->path().filename().string();
        if (!name.ends_with(ending) || name.find(".blocks") == name.npos) continue;
        const std::string path = sentence(directory, '/', name);
        storage::FileState found;
        if (!storage::look_at(path, found, false) || found.is_directory) continue;
        all.push_back({path, found.size, found.modified});
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
    std::error_code ignored;
    for (const auto& file : detail::cached_files(directory_, ".blocks")) std::filesystem::remove(file.path, ignored);
    for (const auto& file : detail::cached_files(directory_, ".partial")) storage::remove_if_stale(file.path);
}

SIGMA_IMPL CacheFile DiskCache::make(const std::string& name, const CacheFooter& footer, const Fill& fill) const {
    std::error_code code;
    std::filesystem::create_directories(directory_, code);
    if (code)
        throw StorageError(directory_, "to create this directory for caches", storage::system_text(code.value()),
                           code.value());
    const std::string file = path(name, footer.key);
    if (std::filesystem::is_symlink(file, code)) std::filesystem::remove(file, code);  // its target may be outside
    const std::uint64_t limit = limit_ != 0 ? limit_ : room();
    for (int tries = 0; tries < 5; ++tries) {  // other processes may remove the file immediately
        CacheWriter writer(file, footer, limit);
        std::vector<std::string> classes = footer.classes;
        fill([&](const Block& block) { writer.add(block); }, classes);
        writer.finish(std::move(classes));
        auto made = CacheFile::open(file, footer.key);
        if (!made) continue;
        make_room(file, limit);
        return std::move(*made);
    }
    throw StorageError(file, "to read back the written blocks", "missing or different bytes");
}

SIGMA_IMPL std::uint64_t DiskCache::room() const {
    std::error_code code;
    const std::uintmax_t free = std::filesystem::space(directory_, code).available;
    return code ? std::numeric_limits<std::uint64_t>::max() : (free + bytes()) / 2;
}

SIGMA_IMPL void DiskCache::make_room(const std::string& keep, std::uint64_t limit) const {
    auto files = detail::cached_files(directory_, ".blocks");
    std::ranges::sort(files, {}, &detail::CachedFile::used);
    std::uint64_t all = 0;
    for (const auto& f : files) all += f.bytes;
    for (const auto& f : files) {
        if (all <= limit) return;
        if (f.path == keep) continue;
        std::error_code ignored;
        std::filesystem::remove(f.path, ignored);
        all -= f.bytes;
    }
}

}  // namespace sigma::data
