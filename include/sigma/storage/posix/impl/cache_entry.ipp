// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/storage/posix/cache_entry.hpp>
#include <sigma/storage/posix/call.hpp>

#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include <sys/file.h>

namespace sigma::storage {

SIGMA_IMPL CacheEntry::CacheEntry(const std::string& directory, std::string name)
    : name_(std::move(name)), path_(sentence(directory, '/', name_)) {
    std::error_code code;
    std::filesystem::create_directories(directory, code);
    if (code) throw StorageError(directory, "to create the cache directory", system_text(code.value()));
    directory_ = open_at(AT_FDCWD, directory.c_str(), O_RDONLY | O_DIRECTORY);
    if (!directory_) throw StorageError(directory, "to open the cache directory", system_text(errno), errno);
}

SIGMA_IMPL Descriptor CacheEntry::open() const {
    Descriptor file = open_at(directory_.number(), name_.c_str(), O_RDONLY | O_NOFOLLOW);
    if (!file && errno != ENOENT) throw StorageError(path_, "to open it", system_text(errno), errno);
    struct ::stat found{};
    if (file && (::fstat(file.number(), &found) != 0 || !S_ISREG(found.st_mode)))
        throw StorageError(path_, "a regular file in the cache directory", "a directory, a link or a device");
    return file;
}

SIGMA_IMPL CacheEntry::Part::Part(const CacheEntry& entry, const std::function<void()>& watch)
    : entry_(&entry), name_(entry.name_ + ".part") {
    while (!take()) {
        watch();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

SIGMA_IMPL CacheEntry::Part::~Part() {
    if (!committed_ && (!kept_ || size_ == 0)) remove();
}

SIGMA_IMPL void CacheEntry::Part::write(std::span<const std::byte> bytes) {
    const int code = write_all(file_.number(), bytes);
    if (code != 0) {
        kept_ = false;  // otherwise it would fill the disk
        throw StorageError(sentence(entry_->path_, ".part"), "to write it", system_text(code), code);
    }
    size_ += bytes.size();
}

SIGMA_IMPL void CacheEntry::Part::clear() {
    if (::ftruncate(file_.number(), 0) != 0 || ::lseek(file_.number(), 0, SEEK_SET) != 0) fail("to empty it");
    size_ = 0;
}

SIGMA_IMPL Descriptor CacheEntry::Part::reopen() const {
    Descriptor file = open_at(entry_->directory_.number(), name_.c_str(), O_RDONLY | O_NOFOLLOW);
    if (!file) fail("to read it");
    return file;
}

SIGMA_IMPL void CacheEntry::Part::commit() {
    const int directory = entry_->directory_.number();
    if (uninterrupted([&] { return ::fsync(file_.number()); }) != 0) fail("to sync it");
    if (::renameat(directory, name_.c_str(), directory, entry_->name_.c_str()) != 0) fail("to rename it");
    committed_ = true;
    // Some file systems cannot sync directories.
    if (uninterrupted([&] { return ::fsync(directory); }) != 0 && errno != EINVAL && errno != ENOTSUP)
        fail("to sync its directory");
}

SIGMA_IMPL bool CacheEntry::Part::take() {
    const int directory = entry_->directory_.number();
    file_ = open_at(directory, name_.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (!file_) fail("to create it");
    struct ::stat own{}, named{};
    if (uninterrupted([&] { return ::flock(file_.number(), LOCK_EX | LOCK_NB); }) != 0) {
        if (errno == EWOULDBLOCK) return false;
        // Without locks each writer uses its own file.
        std::tie(file_, name_) = create_temporary(directory, entry_->name_, 0666);
        if (!file_) fail("to create a temporary file next to it");
        return true;
    }
    if (::fstat(file_.number(), &own) != 0) fail("to look at it");
    // The previous holder of the lock may have renamed or removed the file since it was opened here.
    if (::fstatat(directory, name_.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0 || named.st_ino != own.st_ino)
        return false;
    if (!S_ISREG(own.st_mode) || own.st_nlink > 1) {  // its bytes may belong to a file elsewhere
        remove();
        return false;
    }
    size_ = static_cast<std::uint64_t>(::lseek(file_.number(), 0, SEEK_END));
    return true;
}

SIGMA_IMPL void CacheEntry::Part::remove() const noexcept { ::unlinkat(entry_->directory_.number(), name_.c_str(), 0); }

SIGMA_IMPL void CacheEntry::Part::fail(const char* tried) const {
    throw StorageError(sentence(entry_->path_, ".part"), tried, system_text(errno), errno);
}

}  // namespace sigma::storage
