// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

/// Packed data and archives, made by libarchive's writer.
namespace test_packed {

class Writer {
public:
    explicit Writer(const char* format, const char* filter) {
        examine(archive_write_set_format_by_name(archive_, format));
        if (filter != nullptr) examine(archive_write_add_filter_by_name(archive_, filter));
        examine(archive_write_set_bytes_in_last_block(archive_, 1));
        examine(archive_write_open2(archive_, this, nullptr, &Writer::take, nullptr, nullptr));
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() { archive_write_free(archive_); }

    void add(::archive_entry* entry, const std::string& data) {
        examine(archive_write_header(archive_, entry));
        if (!data.empty() && archive_write_data(archive_, data.data(), data.size()) < 0) examine(ARCHIVE_FATAL);
    }
    std::string finish() {
        examine(archive_write_close(archive_));
        return bytes_;
    }

private:
    void examine(int code) const {
        if (code < ARCHIVE_WARN) throw std::runtime_error(archive_error_string(archive_));
    }
    static la_ssize_t take(::archive*, void* self, const void* bytes, std::size_t size) {
        static_cast<Writer*>(self)->bytes_.append(static_cast<const char*>(bytes), size);
        return static_cast<la_ssize_t>(size);
    }

    ::archive* archive_ = archive_write_new();
    std::string bytes_;
};

/// "gzip", "xz" …
inline std::string pack_with(const char* filter, const std::string& data) {
    Writer writer("raw", filter);
    ::archive_entry* const entry = archive_entry_new();
    archive_entry_set_filetype(entry, AE_IFREG);
    writer.add(entry, data);
    archive_entry_free(entry);
    return writer.finish();
}

struct Member {
    std::string name, data;
    std::string link;   ///< where it is a symbolic link
    unsigned type = 0;  ///< AE_IFCHR and the like, where it is neither file, directory nor link
    bool hard = false;  ///< is the link a hard one?
};

/// "zip", "7zip", "ustar", "cpio"; names that end with '/' are directories.
inline std::string archive_of(const char* format, const std::vector<Member>& members, const char* filter = nullptr) {
    Writer writer(format, filter);
    for (const Member& member : members) {
        ::archive_entry* const entry = archive_entry_new();
        archive_entry_set_pathname(entry, member.name.c_str());
        archive_entry_set_perm(entry, 0644);
        if (member.hard) {
            archive_entry_set_hardlink(entry, member.link.c_str());
        } else if (!member.link.empty()) {
            archive_entry_set_filetype(entry, AE_IFLNK);
            archive_entry_set_symlink(entry, member.link.c_str());
        } else if (member.type != 0) {
            archive_entry_set_filetype(entry, member.type);
        } else {
            archive_entry_set_filetype(entry, member.name.ends_with('/') ? AE_IFDIR : AE_IFREG);
            archive_entry_set_size(entry, static_cast<la_int64_t>(member.data.size()));
        }
        writer.add(entry, member.data);
        archive_entry_free(entry);
    }
    return writer.finish();
}

}  // namespace test_packed
