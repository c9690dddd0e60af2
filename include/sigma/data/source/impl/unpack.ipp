// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/task.hpp>
#include <sigma/data/source/unpack.hpp>
#include <sigma/storage/file.hpp>
#include <sigma/storage/utf8.hpp>

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

namespace sigma::data::detail {

/// An archive that libarchive reads. Its faults become DataError. Not movable: libarchive holds its address.
class ArchiveHandle {
public:
    explicit ArchiveHandle(std::string name) : name_(std::move(name)), archive_(archive_read_new()) {
        if (archive_ == nullptr) throw std::bad_alloc();
    }
    ArchiveHandle(const ArchiveHandle&) = delete;
    ArchiveHandle& operator=(const ArchiveHandle&) = delete;
    ~ArchiveHandle() { archive_read_free(archive_); }

    ::archive* get() const { return archive_; }
    const std::string& name() const { return name_; }

    /// Reads from a stream, without seeking. `found` replaces libarchive's message in errors of this and the next two
    /// functions.
    void open(std::unique_ptr<ByteStream> stream, std::string_view expected, std::string_view found = {}) {
        stream_ = std::move(stream);
        if (archive_read_open(archive_, this, nullptr, &ArchiveHandle::give, nullptr) < ARCHIVE_OK)
            fail(expected, found);
    }
    void open(std::vector<std::byte> bytes, std::string_view expected) {
        buffer_ = std::move(bytes);
        examine(archive_read_open_memory(archive_, buffer_.data(), buffer_.size()), expected);
    }
    void open(const std::string& path, std::string_view expected) {
        examine(archive_read_open_filename(archive_, path.c_str(), std::size_t{1} << 16), expected);
    }

    /// Throws unless the code means success.
    void examine(long code, std::string_view expected) const {
        if (code < ARCHIVE_OK) fail(expected);
    }
    /// Throws DataError. `found` replaces libarchive's message.
    [[noreturn]] void fail(std::string_view expected, std::string_view found = {}) const {
        if (failure_) std::rethrow_exception(failure_);
        const char* const text = archive_error_string(archive_);
        const std::string message =
            found.empty() ? storage::quotation(text != nullptr ? text : "an unknown fault") : sentence(found);
        throw DataError(name_, place(), std::string(expected), ended_ ? "the end of the file" : message);
    }
    /// Returns the position in the packed bytes: "byte 17".
    std::string place() const { return sentence("byte ", std::max<la_int64_t>(archive_filter_bytes(archive_, -1), 0)); }
    /// Throws if other bytes than zeros, with which tools fill up blocks, follow the used bytes of the stream.
    void require_end(std::string_view kind) {
        const auto used = static_cast<std::size_t>(std::max<la_int64_t>(archive_filter_bytes(archive_, -1), 0));
        const std::size_t unused = taken_ - std::min(used, taken_);
        bool padding = unused <= last_ && only_zeros(std::span(buffer_).first(last_).last(std::min(unused, last_)));
        buffer_.resize(std::size_t{1} << 16);
        while (padding && (last_ = stream_->read(buffer_)) > 0) padding = only_zeros(std::span(buffer_).first(last_));
        taken_ = used;  // the rest was checked
        if (!padding)
            throw DataError(name_, place(), sentence("the end of the file after ", kind, " data"), "more bytes");
    }
    /// Reads the bytes after the end of the archive: only there packed data states whether it is complete.
    void drain() {
        if (!stream_) return;
        buffer_.resize(std::size_t{1} << 16);
        while (stream_->read(buffer_) > 0) continue;
    }
    /// Fills `to` with the entry's data as far as there is any.
    std::size_t read(std::span<std::byte> to, std::string_view expected) {
        std::size_t done = 0;
        while (done < to.size()) {
            const la_ssize_t count = archive_read_data(archive_, to.data() + done, to.size() - done);
            examine(count, expected);
            if (count == 0) break;
            done += static_cast<std::size_t>(count);
        }
        return done;
    }

private:
    static la_ssize_t give(::archive* archive, void* handle, const void** to) {
        auto* const self = static_cast<ArchiveHandle*>(handle);
        try {
            self->buffer_.resize(std::size_t{1} << 16);
            const std::size_t count = self->stream_->read(self->buffer_);
            self->ended_ = count == 0;
            self->taken_ += count;
            if (count > 0) self->last_ = count;
            *to = self->buffer_.data();
            return static_cast<la_ssize_t>(count);
        } catch (...) {  // exceptions must not pass through C
            self->failure_ = std::current_exception();
            archive_set_error(archive, EIO, "the stream failed");
            return ARCHIVE_FATAL;
        }
    }

    std::string name_;
    ::archive* archive_;
    std::unique_ptr<ByteStream> stream_;
    std::vector<std::byte> buffer_;
    std::size_t taken_ = 0, last_ = 0;  // bytes passed to libarchive, and bytes of the last call
    bool ended_ = false;
    std::exception_ptr failure_;
};

/// The entries of a zip, tar, 7zip or cpio archive, one after the other.
class ArchiveEntries {
public:
    /// Returns no entries, for an empty zip archive, which libarchive does not recognize.
    static std::unique_ptr<ArchiveEntries> empty_zip(ByteStream& stream, const std::string& name) {
        // The end of the list has a mark, six numbers that are 0, the length of a comment, and the comment.
        std::vector<std::byte> bytes(std::size_t{1} << 17);
        bytes.resize(read_fully(stream, bytes));
        const auto number = [&](std::size_t at) { return std::to_integer<std::size_t>(bytes[at]); };
        if (bytes.size() < 22 || !only_zeros(std::span(bytes).subspan(4, 16)) ||
            bytes.size() != 22 + number(20) + 256 * number(21))
            throw DataError(name, "byte 0", "a complete zip archive", "only the end of a list of entries");
        return std::unique_ptr<ArchiveEntries>(new ArchiveEntries(name));
    }
    /// Reads a stream from its beginning to its end.
    ArchiveEntries(std::unique_ptr<ByteStream> stream, const std::string& name) : archive_(name) {
        examine(archive_read_support_format_tar(archive_.get()));
        examine(archive_read_support_format_cpio(archive_.get()));
        archive_.open(std::move(stream), "a zip, tar, 7zip or cpio archive");
    }
    /// Reads archives with the list of entries at their end, from memory or a file.
    template <class BytesOrPath>
    ArchiveEntries(BytesOrPath from, Packing packing, const std::string& name) : archive_(name) {
        examine(packing == Packing::zip ? archive_read_support_format_zip_seekable(archive_.get())
                                        : archive_read_support_format_7zip(archive_.get()));
        archive_.open(std::move(from), packing == Packing::zip ? "a complete zip archive" : "a complete 7zip archive");
    }

    /// Returns the next entry, or nothing at the end.
    std::optional<ArchiveEntry> next() {
        if (ended_) return {};
        ::archive_entry* found = nullptr;
        const int code = archive_read_next_header(archive_.get(), &found);
        if (code == ARCHIVE_EOF) {
            archive_.drain();
            return {};
        }
        if (code < ARCHIVE_WARN) archive_.fail(sentence("entry ", number_ + 1, " of the archive"));
        ++number_;
        const char* text = archive_entry_pathname_utf8(found);  // null if the locale has no such characters
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
    /// Reads the next bytes of the present entry. Returns 0 at the end.
    std::size_t read(std::span<std::byte> to) {
        if (expected_.empty()) expected_ = sentence("the data of entry ", storage::quotation(name_));
        return archive_.read(to, expected_);
    }

private:
    explicit ArchiveEntries(const std::string& name) : archive_(name), ended_(true) {}

    void examine(int code) const { archive_.examine(code, "an archive"); }

    ArchiveHandle archive_;
    bool ended_ = false;
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

/// The limit of nested compression, beyond any real file. A file that unpacks to itself would never end.
inline constexpr int most_packings = 8;

SIGMA_IMPL std::unique_ptr<ArchiveEntries> open_archive(const Source& source, std::size_t limit) {
    return unpack(source, limit, false).entries(source, limit);
}

/// The contents of gzip data (RFC 1952), of all its members. libarchive's own filter checks neither CRC nor length.
class GunzipStream final : public ByteStream {
public:
    GunzipStream(std::unique_ptr<ByteStream> packed, std::string name, std::string_view where)
        : packed_(std::move(packed)), name_(std::move(name)), where_(where) {
        if (inflateInit2(&state_, 15 + 16) != Z_OK) throw std::bad_alloc();
    }
    GunzipStream(const GunzipStream&) = delete;
    GunzipStream& operator=(const GunzipStream&) = delete;
    ~GunzipStream() override { inflateEnd(&state_); }

    std::size_t read(std::span<std::byte> to) override {
        std::size_t done = 0;
        while (done < to.size() && !finished_) {
            if (state_.avail_in == 0 && !refill()) fail("more gzip data", "the end of the file");
            const std::size_t room = std::min(to.size() - done, std::size_t{1} << 30);
            state_.next_out = reinterpret_cast<Bytef*>(to.data() + done);
            state_.avail_out = static_cast<uInt>(room);
            const int code = inflate(&state_, Z_NO_FLUSH);
            done += room - state_.avail_out;
            if (code == Z_STREAM_END) {
                next_member();
            } else if (code == Z_MEM_ERROR) {
                throw std::bad_alloc();
            } else if (code != Z_OK && code != Z_BUF_ERROR) {
                fail("valid gzip data", sentence("'", state_.msg != nullptr ? state_.msg : "an unknown fault", "'"));
            }
        }
        return done;
    }

private:
    bool refill() {
        const std::size_t count = packed_->read(buffer_);
        taken_ += count;
        state_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
        state_.avail_in = static_cast<uInt>(count);
        return count > 0;
    }
    void next_member() {
        // Zeros, with which tools fill up blocks, may end a file and stand between members, as for gzip itself.
        do {
            for (; state_.avail_in > 0 && *state_.next_in == 0; --state_.avail_in) ++state_.next_in;
            if (state_.avail_in == 0 && !refill()) {
                finished_ = true;
                return;
            }
        } while (*state_.next_in == 0);
        if (*state_.next_in != 0x1f)
            fail("another gzip member or the end of the file",
                 storage::quotation(std::string_view(reinterpret_cast<const char*>(state_.next_in), state_.avail_in)));
        if (inflateReset(&state_) != Z_OK) throw std::bad_alloc();
    }
    [[noreturn]] void fail(std::string expected, std::string found) const {
        throw DataError(name_, sentence("byte ", taken_ - state_.avail_in, where_), std::move(expected),
                        std::move(found));
    }

    std::unique_ptr<ByteStream> packed_;
    std::string name_;
    std::string_view where_;
    std::vector<std::byte> buffer_ = std::vector<std::byte>(std::size_t{1} << 16);
    std::size_t taken_ = 0;
    z_stream state_{};
    bool finished_ = false;
};

/// The contents of bzip2, xz, zstd, lzip, lz4 or compress data.
class FilterStream final : public ByteStream {
public:
    FilterStream(std::unique_ptr<ByteStream> packed, std::string name, Packing packing, std::string_view where)
        : archive_(sentence(name)), kind_(name_of(packing)), expected_(sentence("valid ", kind_, " data", where)) {
        const int filter = packing == Packing::bzip2  ? ARCHIVE_FILTER_BZIP2
                           : packing == Packing::xz   ? ARCHIVE_FILTER_XZ
                           : packing == Packing::zstd ? ARCHIVE_FILTER_ZSTD
                           : packing == Packing::lzip ? ARCHIVE_FILTER_LZIP
                                                      : ARCHIVE_FILTER_LZ4;
        // This filter reads already when it is appended, before there is anything to read from (libarchive's issue
        // 2514).
        archive_.examine(packing == Packing::compress ? archive_read_support_filter_compress(archive_.get())
                                                      : archive_read_append_filter(archive_.get(), filter),
                         expected_);
        archive_.examine(archive_read_support_format_raw(archive_.get()), expected_);
        // libarchive's message hides that of the filter here. Empty data looks like damage from the first block on.
        archive_.open(std::move(packed), expected_, "damage, or nothing packed");
        ::archive_entry* entry = nullptr;
        archive_.examine(archive_read_next_header(archive_.get(), &entry), expected_);
    }
    std::size_t read(std::span<std::byte> to) override {
        if (to.empty()) return 0;
        const std::size_t count = archive_.read(to, expected_);
        if (count == 0) archive_.require_end(kind_);
        return count;
    }

private:
    ArchiveHandle archive_;
    std::string_view kind_;
    std::string expected_;
};

/// Normalizes a name: "./a/b" and "a//b" become a/b.
SIGMA_IMPL std::string plain_name(std::string_view name) {
    std::string plain;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('/', at), name.size());
        const std::string_view part = name.substr(at, end - at);
        if (!part.empty() && part != ".") plain += sentence(plain.empty() && !name.starts_with('/') ? "" : "/", part);
        at = end + 1;
    }
    return plain;
}

class EntryStream final : public ByteStream {
public:
    EntryStream(const Source& source, std::string_view name, std::size_t limit)
        : entries_(open_archive(source, limit)) {
        std::string others;
        std::size_t count = 0;
        while (const auto entry = entries_->next()) {
            if (entry->kind != ArchiveEntry::Kind::file) continue;
            if (plain_name(entry->name) == plain_name(name)) return;
            if (++count <= 5) others += sentence(count == 1 ? "" : ", ", storage::quotation(entry->name));
        }
        throw DataError(source.name(), "", sentence("a file ", storage::quotation(name), " in the archive"),
                        count == 0  ? "none"
                        : count > 5 ? sentence(others, " and ", count - 5, " more")
                                    : others);
    }
    std::size_t read(std::span<std::byte> to) override {
        if (ended_ || to.empty()) return 0;
        const std::size_t count = entries_->read(to);
        if (count > 0) return count;
        ended_ = true;
        while (entries_->next()) continue;  // the end of the archive states whether its contents were complete
        return 0;
    }

private:
    std::unique_ptr<ArchiveEntries> entries_;
    bool ended_ = false;
};

class EntrySource final : public ByteSource {
public:
    EntrySource(Source source, std::string entry, std::size_t limit)
        : source_(std::move(source)), entry_(std::move(entry)), limit_(limit) {}

    std::string name() const override { return sentence(source_.name(), ":", entry_); }
    bool exists() const override {
        if (!source_.exists()) return false;
        const auto entries = open_archive(source_, limit_);
        while (const auto entry = entries->next())
            if (entry->kind == ArchiveEntry::Kind::file && plain_name(entry->name) == plain_name(entry_)) return true;
        return false;
    }
    std::unique_ptr<ByteStream> open() const override {
        return std::make_unique<LimitedStream>(std::make_unique<EntryStream>(source_, entry_, limit_), name(), limit_);
    }
    std::string key() const override { return sentence("entry(", source_.key(), ",", entry_.size(), ":", entry_, ")"); }

private:
    Source source_;
    std::string entry_;
    std::size_t limit_;
};

/// Splits "a/b" into its parts. Throws DataError for names that leave the directory or are empty.
SIGMA_IMPL std::vector<std::string> entry_parts(const std::string& source, const std::string& place,
                                                const std::string& name) {
    const auto refuse = [&](std::string_view found) {
        throw DataError(source, place, "a name inside the directory", std::string(found));
    };
    if (name.empty()) refuse("no name");
    if (name.starts_with('/')) refuse("an absolute name");
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('/', at), name.size());
        std::string part = name.substr(at, end - at);
        at = end + 1;
        if (part == "..") refuse("a name with '..'");
        if (part.size() > 255) refuse("a name with a part of more than 255 bytes");
        if (!part.empty() && part != ".") parts.push_back(std::move(part));
    }
    if (parts.size() > 100) refuse("a name with more than 100 parts");
    return parts;
}

/// Writes entries into a new directory.
class Extraction {
public:
    Extraction(std::string source, const storage::NewTree& tree) : source_(std::move(source)), tree_(&tree) {}

    /// Writes an entry. `data(buffer)` returns the bytes of a file until it returns 0.
    template <class Data>
    void write(const ArchiveEntry& entry, const Data& data) {
        using enum ArchiveEntry::Kind;
        place_ = sentence("entry ", storage::quotation(entry.name));
        const std::vector<std::string> parts = entry_parts(source_, place_, entry.name);
        if (entry.kind == directory) {
            require(tree_->make_directory(parts));
            return;
        }
        if (entry.kind == other) refuse("a file, directory or link", "a device or pipe");
        if (parts.empty()) refuse("a name inside the directory", "the directory itself");
        if (entry.kind == symbolic_link) {
            check_link(entry.link, parts.size() - 1);
            require(tree_->make_link(parts, entry.link));
        } else if (entry.kind == hard_link) {
            const std::vector<std::string> to = entry_parts(source_, place_, entry.link);
            if (to.empty()) refuse("a link to a file of the archive", "a link to the directory itself");
            bool is_file = false;
            const int code = tree_->make_hard_link(parts, to, is_file);
            if (!is_file) refuse("a link to an earlier file of the archive", storage::quotation(entry.link));
            require(code);
        } else {
            auto [file, code] = tree_->make_file(parts, entry.executable);
            require(code);
            while (const std::size_t count = data(std::span(buffer_)))
                require(storage::write_all(file.number(), std::span(buffer_).first(count)));
            require(file.close());
        }
    }

private:
    [[noreturn]] void refuse(std::string expected, std::string found) const {
        throw DataError(source_, place_, std::move(expected), std::move(found));
    }
    /// Throws unless the code, 0 or errno, means success.
    void require(int code) const {
        if (code == 0) return;
        if (code == EEXIST) refuse("a new name", "the name of an earlier entry");
        if (code == ELOOP || code == ENOTDIR)
            refuse("a name below directories", "a name below a link or file of the archive");
        throw StorageError(sentence(source_, ", ", place_), "to extract it", storage::system_text(code), code);
    }
    /// Checks the target of a link, which has `depth` directories between itself and the root. ".." may only stand at
    /// the front: after a name, which may be a link itself, its meaning would depend on that link.
    void check_link(const std::string& to, std::size_t depth) const {
        const auto outside = [&] { refuse("a link inside the directory", storage::quotation(to)); };
        if (to.empty() || to.starts_with('/')) outside();
        bool front = true;
        for (std::size_t at = 0; at <= to.size();) {
            const std::size_t end = std::min(to.find('/', at), to.size());
            const std::string_view part = std::string_view(to).substr(at, end - at);
            at = end + 1;
            if (part.empty() || part == ".") continue;
            if (part != "..") {
                front = false;
            } else if (!front || depth-- == 0) {
                outside();
            }
        }
    }

    std::string source_;
    const storage::NewTree* tree_;
    std::string place_;
    std::vector<std::byte> buffer_ = std::vector<std::byte>(std::size_t{1} << 16);
};

SIGMA_IMPL std::unique_ptr<ArchiveEntries> Unpacked::entries(const Source& source, std::size_t limit) {
    if (lists_nothing(stream->front())) return ArchiveEntries::empty_zip(*stream, source.name());
    if (!must_seek(archive)) return std::make_unique<ArchiveEntries>(std::move(stream), source.name());
    if (const auto path = source.path(); path && !packed)
        return std::make_unique<ArchiveEntries>(*path, archive, source.name());
    std::vector<std::byte> bytes;
    for (std::size_t block = std::size_t{1} << 16;; block = std::min(2 * block, std::size_t{1} << 24)) {
        const std::size_t size = bytes.size();
        bytes.resize(size + block);
        const std::size_t count = read_fully(*stream, std::span(bytes).subspan(size));
        bytes.resize(size + count);
        if (bytes.size() > limit)
            throw DataError(source.name(), sentence("byte ", limit),
                            sentence("an archive of at most ", limit, " bytes"), "more");
        if (count < block) return std::make_unique<ArchiveEntries>(std::move(bytes), archive, source.name());
    }
}

SIGMA_IMPL Unpacked unpack(const Source& source, std::size_t limit, bool into_archives) {
    Unpacked now{std::make_unique<PeekedStream>(source.open())};
    for (int depth = 0; depth <= most_packings; ++depth) {
        const Packing packing = packing_of(now.stream->front());
        if (packing == Packing::none || (is_archive(packing) && !into_archives)) {
            now.archive = packing;
            storage::FileState found;
            if (const auto path = source.path(); path && !now.packed && storage::look_at(*path, found) && found.is_file)
                now.length = static_cast<std::size_t>(found.size);
            return now;
        }
        const std::string_view where = depth == 0 ? "" : " of what it unpacks to";
        std::unique_ptr<ByteStream> next;
        if (is_archive(packing)) {
            now.archive = packing;
            next = std::make_unique<OnlyFileStream>(now.entries(source, limit), source.name());
        } else if (packing == Packing::gzip) {
            next = std::make_unique<GunzipStream>(std::move(now.stream), source.name(), where);
        } else {
            next = std::make_unique<FilterStream>(std::move(now.stream), source.name(), packing, where);
        }
        next = std::make_unique<LimitedStream>(std::move(next), source.name(), limit);
        now = {std::make_unique<PeekedStream>(std::move(next)), Packing::none, true};
    }
    throw DataError(source.name(), "byte 0", sentence("data packed at most ", most_packings, " times"), "more");
}

class UnpackedSource final : public ByteSource {
public:
    UnpackedSource(Source source, std::size_t limit) : source_(std::move(source)), limit_(limit) {}

    std::string name() const override { return source_.name(); }
    bool exists() const override { return source_.exists(); }
    std::unique_ptr<ByteStream> open() const override { return unpack(source_, limit_, true).stream; }
    std::string key() const override { return sentence("unpacked(", source_.key(), ")"); }

private:
    Source source_;
    std::size_t limit_;
};

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Source unpacked(const Source& source, std::size_t limit) {
    return Source(std::make_shared<const detail::UnpackedSource>(source, limit));
}

SIGMA_IMPL std::unique_ptr<ByteStream> open_unpacked(const Source& source, std::size_t limit) {
    return detail::unpack(source, limit, true).stream;
}

SIGMA_IMPL std::vector<ArchiveEntry> entries(const Source& source, std::size_t limit) {
    const auto opened = detail::open_archive(source, limit);
    std::vector<ArchiveEntry> all;
    while (auto one = opened->next()) all.push_back(std::move(*one));
    return all;
}

SIGMA_IMPL Source entry(const Source& source, const std::string& name, std::size_t limit) {
    return Source(std::make_shared<const detail::EntrySource>(source, name, limit));
}

SIGMA_IMPL std::vector<ArchiveEntry> extract(const Source& source, const std::string& directory, ExtractLimits limits) {
    namespace fs = std::filesystem;
    const fs::path absolute = fs::absolute(directory).lexically_normal();
    const fs::path place = absolute.has_filename() ? absolute : absolute.parent_path();
    if (!place.has_filename())
        throw ArgumentError("extract", "the path of a new directory", storage::quotation(directory));
    std::error_code code;
    const auto require = [&](std::string tried) {
        if (code) throw StorageError(directory, std::move(tried), storage::system_text(code.value()), code.value());
    };
    if (fs::symlink_status(place, code).type() != fs::file_type::not_found && !fs::is_empty(place, code))
        throw StorageError(directory, "a new or empty directory", "a directory with files", EEXIST);
    fs::create_directories(place.parent_path(), code);
    require("to create the directory above it");

    storage::remove_stale_trees(place.string());
    const storage::NewTree tree(place.string(), directory);  // locked until it is renamed
    struct Cleanup {
        const std::string& path;
        ~Cleanup() {
            std::error_code ignored;
            fs::remove_all(path, ignored);
        }
    } const cleanup{tree.path()};

    Task task(TaskKind::unpack, source.name());
    const auto entries = detail::open_archive(source, limits.bytes);
    detail::Extraction extraction(source.name(), tree);
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
    fs::rename(tree.path(), place, code);
    require("to rename its temporary file");
    return all;
}

}  // namespace sigma::data
