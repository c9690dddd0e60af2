// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/file.hpp>
#include <sigma/storage/hash.hpp>
#include <sigma/storage/workspace.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace sigma::on_gpu::cuda {

/// A cache of compiled kernels on the disk. If the disk fails, the cache finds nothing. Several processes may use one
/// directory at the same time.
class KernelCache {
public:
    /// Constructs a cache. Without a directory it keeps nothing. Above `limit` bytes, the files that were not used for
    /// the longest time are removed.
    explicit KernelCache(std::string directory, std::uint64_t limit = std::uint64_t{256} << 20)
        : directory_(std::move(directory)), limit_(limit) {}

    /// Returns the directory of the environment variable SIGMA_CUDA_CACHE, none if it is "off", otherwise the folder
    /// "kernels" of the user's cache directory.
    static std::string default_directory() {
        const char* chosen = std::getenv("SIGMA_CUDA_CACHE");
        if (chosen && *chosen) return std::string_view(chosen) == "off" ? std::string() : std::string(chosen);
        try {
            return sentence(data::cache_directory(), "/kernels");
        } catch (const Error&) {  // without a home directory there is no cache
            return {};
        }
    }

    const std::string& directory() const { return directory_; }

    std::optional<std::string> find(std::string_view key) const {
        if (directory_.empty()) return {};
        const std::string path = path_of(key);
        std::ifstream file(path, std::ios::binary);
        if (!file) return {};
        const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        const std::string_view content = std::string_view(all).substr(std::min(all.size(), head_size));
        if (!std::string_view(all).starts_with(head(content))) return {};
        std::error_code ignored;  // marks the file as used
        std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now(), ignored);
        return std::string(content);
    }

    void keep(std::string_view key, std::string_view content) const {
        if (directory_.empty()) return;
        std::error_code failed;
        std::filesystem::create_directories(directory_, failed);
        if (failed) return;
        try {
            const std::string top = head(content);
            const std::span<const std::byte> pieces[] = {std::as_bytes(std::span(top)),
                                                         std::as_bytes(std::span(content))};
            write_file_atomically(path_of(key), pieces);
        } catch (const StorageError&) {  // a full disk, or a directory without permission: the kernels work without the
                                         // cache
            return;
        }
        make_room();
    }

private:
    static constexpr std::string_view title = "sigma kernels 1\n";
    static constexpr std::size_t head_size = title.size() + 20 + 1 + 32 + 1;

    /// Returns the first line of a file, with length and digest, so that incomplete and damaged files are detected.
    static std::string head(std::string_view content) {
        const std::string size = sentence(content.size());
        return sentence(title, std::string(20 - size.size(), '0'), size, ' ', storage::fingerprint(content), '\n');
    }
    std::string path_of(std::string_view key) const { return sentence(directory_, '/', key, extension); }

    void make_room() const {
        namespace files = std::filesystem;
        struct Entry {
            files::file_time_type used;
            std::uint64_t bytes;
            files::path path;
        };
        std::vector<Entry> entries;
        std::uint64_t bytes = 0;
        std::error_code failed;
        for (files::directory_iterator at(directory_, failed), end; !failed && at != end; at.increment(failed)) {
            if (at->path().extension() != extension) continue;
            std::error_code gone;  // another process may also be removing files
            const std::uint64_t size = at->file_size(gone);
            if (gone) continue;
            const auto used = at->last_write_time(gone);
            if (gone) continue;
            entries.push_back({used, size, at->path()});
            bytes += size;
        }
        std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
        for (const Entry& each : entries) {
            if (bytes <= limit_) return;
            std::error_code ignored;
            files::remove(each.path, ignored);
            bytes -= each.bytes;
        }
    }

    static constexpr const char* extension = ".kernels";
    std::string directory_;
    std::uint64_t limit_;
};

}  // namespace sigma::on_gpu::cuda
