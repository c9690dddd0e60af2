// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/source/libarchive.hpp>

namespace sigma::data {

/// What an archive holds under a name.
struct ArchiveEntry {
    enum class Kind { file, directory, symbolic_link, hard_link, other };

    std::string name;
    Kind kind = Kind::file;
    std::optional<std::size_t> size{};  ///< bytes of a file, where the archive says so; not yet checked
    std::string link{};                 ///< what a link points at
    bool executable = false;
};

namespace detail {

/// The entries of a zip, tar, 7zip or cpio archive, one after the other.
class ArchiveEntries {
public:
    /// Reads a stream from its beginning to its end.
    ArchiveEntries(std::unique_ptr<ByteStream> stream, const std::string& name) : archive_(name) {
        check(archive_read_support_format_tar(archive_.get()));
        check(archive_read_support_format_cpio(archive_.get()));
        archive_.open(std::move(stream), "a zip, tar, 7zip or cpio archive");
    }
    /// Reads archives whose list is at their end, from memory or a file.
    template <class BytesOrPath>
    ArchiveEntries(BytesOrPath from, Packing packing, const std::string& name) : archive_(name) {
        check(packing == Packing::zip ? archive_read_support_format_zip_seekable(archive_.get())
                                      : archive_read_support_format_7zip(archive_.get()));
        archive_.open(std::move(from), packing == Packing::zip ? "a whole zip archive" : "a whole 7zip archive");
    }

    /// The next one; none at the end.
    std::optional<ArchiveEntry> next() {
        ::archive_entry* found = nullptr;
        const int code = archive_read_next_header(archive_.get(), &found);
        if (code == ARCHIVE_EOF) {
            archive_.drain();
            return {};
        }
        if (code < ARCHIVE_WARN) archive_.fail(sentence("entry ", number_ + 1, " of the archive"));
        ++number_;
        const char* text = archive_entry_pathname_utf8(found);  // null where the locale cannot say it
        if (text == nullptr) text = archive_entry_pathname(found);
        if (text == nullptr || *text == '\0')
            throw DataError(archive_.name(), sentence("entry ", number_), "a name", "none");
        expected_.clear();
        name_ = text;

        using enum ArchiveEntry::Kind;
        const auto type = archive_entry_filetype(found);
        ArchiveEntry entry{text, type == AE_IFREG   ? file
                                 : type == AE_IFDIR ? directory
                                 : type == AE_IFLNK ? symbolic_link
                                                    : other};
        const char* link = nullptr;
        if (entry.kind == symbolic_link) {
            link = archive_entry_symlink_utf8(found);
            if (link == nullptr) link = archive_entry_symlink(found);
        } else {
            link = archive_entry_hardlink_utf8(found);
            if (link == nullptr) link = archive_entry_hardlink(found);
            if (link != nullptr) entry.kind = hard_link;
        }
        if (link != nullptr) entry.link = link;
        if (entry.kind == file && archive_entry_size_is_set(found) && archive_entry_size(found) >= 0)
            entry.size = static_cast<std::size_t>(archive_entry_size(found));
        entry.executable = (archive_entry_perm(found) & 0100) != 0;
        return entry;
    }
    /// The bytes of the present entry, until there are none.
    std::size_t read(std::span<std::byte> to) {
        if (expected_.empty()) expected_ = sentence("the data of entry ", storage::quotation(name_));
        return archive_.read(to, expected_);
    }

private:
    void check(int code) const { archive_.check(code, "an archive"); }

    ArchiveHandle archive_;
    std::size_t number_ = 0;
    std::string name_, expected_;
};

/// The only file of an archive.
class OnlyFileStream final : public ByteStream {
public:
    OnlyFileStream(std::unique_ptr<ArchiveEntries> entries, std::string name)
        : entries_(std::move(entries)), name_(std::move(name)), first_(next_file()) {
        if (!first_) throw DataError(name_, "byte 0", "an archive with a file in it", "none");
    }
    std::size_t read(std::span<std::byte> to) override {
        if (ended_ || to.empty()) return 0;
        const std::size_t count = entries_->read(to);
        if (count > 0) return count;
        if (const auto second = next_file())
            throw DataError(name_, sentence("entry ", storage::quotation(second->name)),
                            "an archive with one file, or entry(source, name) to choose one",
                            sentence(storage::quotation(first_->name), " and ", storage::quotation(second->name)));
        ended_ = true;
        return 0;
    }

private:
    std::optional<ArchiveEntry> next_file() {
        auto entry = entries_->next();
        while (entry && entry->kind != ArchiveEntry::Kind::file) entry = entries_->next();
        return entry;
    }

    std::unique_ptr<ArchiveEntries> entries_;
    std::string name_;
    std::optional<ArchiveEntry> first_;
    bool ended_ = false;
};

}  // namespace detail
}  // namespace sigma::data
