// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/extract.hpp>
#include <sigma/data/source/extraction.hpp>

#include <system_error>

#include <sys/file.h>

namespace sigma::data {

SIGMA_IMPL std::vector<ArchiveEntry> extract(const Source& source, const std::string& directory, ExtractLimits limits) {
    namespace fs = std::filesystem;
    const fs::path absolute = fs::absolute(directory).lexically_normal();
    const fs::path place = absolute.has_filename() ? absolute : absolute.parent_path();
    if (!place.has_filename())
        throw ArgumentError("extract", "a directory that is not there yet", storage::quotation(directory));
    std::error_code code;
    const auto require = [&](std::string tried) {
        if (code) throw StorageError(directory, std::move(tried), storage::system_text(code.value()), code.value());
    };
    if (fs::symlink_status(place, code).type() != fs::file_type::not_found && !fs::is_empty(place, code))
        throw StorageError(directory, "a directory that is not there yet, or is empty", "one that is not", EEXIST);
    fs::create_directories(place.parent_path(), code);
    require("to create the directory above it");

    detail::remove_stale_extractions(place);
    fs::path temporary;
    storage::Descriptor root;
    do {  // until it is locked before another process takes it for left behind
        temporary = place.parent_path() / storage::temporary_name(place.filename().string());
        if (!fs::create_directory(temporary, code) && !code) continue;  // left by a process that had the same id
        require("to create a temporary beside it");
        root = storage::open_at(AT_FDCWD, temporary.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        if (root)
            storage::uninterrupted([&] { return ::flock(root.number(), LOCK_EX); });
        else if (errno != ENOENT)
            code.assign(errno, std::generic_category());
        require("to open its temporary");
    } while (!detail::is_open_at(root, temporary));
    struct Cleanup {
        const fs::path& path;
        ~Cleanup() {
            std::error_code ignored;
            fs::remove_all(path, ignored);
        }
    } const cleanup{temporary};

    Task task(TaskKind::unpack, source.name());
    const auto entries = detail::open_archive(source, limits.bytes);
    detail::Extraction extraction(source.name(), std::move(root));  // which keeps the lock until it is renamed
    std::vector<ArchiveEntry> all;
    std::size_t bytes = 0;
    while (auto one = entries->next()) {
        if (all.size() == limits.entries)
            throw DataError(source.name(), sentence("entry ", storage::quotation(one->name)),
                            sentence("at most ", limits.entries, " entries"), "more");
        extraction.write(*one, [&](std::span<std::byte> to) {
            const std::size_t count = entries->read(to);
            if (count > limits.bytes - bytes)
                throw DataError(source.name(), sentence("entry ", storage::quotation(one->name)),
                                sentence("at most ", limits.bytes, " bytes in all"), "more");
            bytes += count;
            task.advance(count);
            return count;
        });
        all.push_back(std::move(*one));
    }
    fs::rename(temporary, place, code);
    require("to rename its temporary");
    return all;
}

}  // namespace sigma::data
