// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/entries.hpp>

namespace sigma::data::detail {

SIGMA_IMPL ArchiveEntries::ArchiveEntries(std::unique_ptr<ByteStream> stream, const std::string& name)
    : archive_(name) {
    check(archive_read_support_format_tar(archive_.get()));
    check(archive_read_support_format_cpio(archive_.get()));
    archive_.open(std::move(stream), "a zip, tar, 7zip or cpio archive");
}

SIGMA_IMPL std::unique_ptr<ArchiveEntries> ArchiveEntries::empty_zip(ByteStream& stream, const std::string& name) {
    // The end of the list: its mark, six numbers that are 0, the length of a comment, and that.
    std::vector<std::byte> bytes(std::size_t{1} << 17);
    bytes.resize(read_fully(stream, bytes));
    const auto number = [&](std::size_t at) { return std::to_integer<std::size_t>(bytes[at]); };
    if (bytes.size() < 22 || !only_zeros(std::span(bytes).subspan(4, 16)) ||
        bytes.size() != 22 + number(20) + 256 * number(21))
        throw DataError(name, "byte 0", "a whole zip archive", "the end of its list first");
    return std::unique_ptr<ArchiveEntries>(new ArchiveEntries(name));
}

SIGMA_IMPL std::optional<ArchiveEntry> ArchiveEntries::next() {
    if (ended_) return {};
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

SIGMA_IMPL std::size_t ArchiveEntries::read(std::span<std::byte> to) {
    if (expected_.empty()) expected_ = sentence("the data of entry ", storage::quotation(name_));
    return archive_.read(to, expected_);
}

SIGMA_IMPL OnlyFileStream::OnlyFileStream(std::unique_ptr<ArchiveEntries> entries, std::string name)
    : entries_(std::move(entries)), name_(std::move(name)), first_(next_file()) {
    if (!first_) throw DataError(name_, "byte 0", "an archive with a file in it", "none");
}

SIGMA_IMPL std::size_t OnlyFileStream::read(std::span<std::byte> to) {
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

SIGMA_IMPL std::optional<ArchiveEntry> OnlyFileStream::next_file() {
    auto entry = entries_->next();
    while (entry && entry->kind != ArchiveEntry::Kind::file) entry = entries_->next();
    return entry;
}

}  // namespace sigma::data::detail
