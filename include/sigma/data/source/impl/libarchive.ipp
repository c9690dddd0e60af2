// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/libarchive.hpp>

#include <algorithm>
#include <new>

namespace sigma::data::detail {

SIGMA_IMPL ArchiveHandle::ArchiveHandle(std::string name) : name_(std::move(name)), archive_(archive_read_new()) {
    if (archive_ == nullptr) throw std::bad_alloc();
}

SIGMA_IMPL void ArchiveHandle::open(std::unique_ptr<ByteStream> stream, std::string_view expected,
                                    std::string_view found) {
    stream_ = std::move(stream);
    if (archive_read_open(archive_, this, nullptr, &ArchiveHandle::give, nullptr) < ARCHIVE_OK) fail(expected, found);
}

SIGMA_IMPL void ArchiveHandle::open(std::vector<std::byte> bytes, std::string_view expected) {
    buffer_ = std::move(bytes);
    check(archive_read_open_memory(archive_, buffer_.data(), buffer_.size()), expected);
}

SIGMA_IMPL void ArchiveHandle::open(const std::string& path, std::string_view expected) {
    check(archive_read_open_filename(archive_, path.c_str(), std::size_t{1} << 16), expected);
}

SIGMA_IMPL void ArchiveHandle::check(long code, std::string_view expected) const {
    if (code < ARCHIVE_OK) fail(expected);
}

SIGMA_IMPL void ArchiveHandle::fail(std::string_view expected, std::string_view found) const {
    if (failure_) std::rethrow_exception(failure_);
    const char* const text = archive_error_string(archive_);
    const std::string said =
        found.empty() ? storage::quotation(text != nullptr ? text : "an unknown fault") : sentence(found);
    throw DataError(name_, place(), std::string(expected), ended_ ? "the end of the file" : said);
}

SIGMA_IMPL void ArchiveHandle::require_end(std::string_view kind) {
    const auto used = static_cast<std::size_t>(std::max<la_int64_t>(archive_filter_bytes(archive_, -1), 0));
    const std::size_t unused = taken_ - std::min(used, taken_);
    bool padding = unused <= last_ && only_zeros(std::span(buffer_).first(last_).last(std::min(unused, last_)));
    buffer_.resize(std::size_t{1} << 16);
    while (padding && (last_ = stream_->read(buffer_)) > 0) padding = only_zeros(std::span(buffer_).first(last_));
    taken_ = used;  // what follows has been looked at
    if (!padding) throw DataError(name_, place(), sentence("the end of the file after ", kind, " data"), "more bytes");
}

SIGMA_IMPL void ArchiveHandle::drain() {
    if (!stream_) return;
    buffer_.resize(std::size_t{1} << 16);
    while (stream_->read(buffer_) > 0) continue;
}

SIGMA_IMPL std::size_t ArchiveHandle::read(std::span<std::byte> to, std::string_view expected) {
    std::size_t done = 0;
    while (done < to.size()) {
        const la_ssize_t count = archive_read_data(archive_, to.data() + done, to.size() - done);
        check(count, expected);
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    return done;
}

SIGMA_IMPL la_ssize_t ArchiveHandle::give(::archive* archive, void* handle, const void** to) {
    auto* const self = static_cast<ArchiveHandle*>(handle);
    try {
        self->buffer_.resize(std::size_t{1} << 16);
        const std::size_t count = self->stream_->read(self->buffer_);
        self->ended_ = count == 0;
        self->taken_ += count;
        if (count > 0) self->last_ = count;
        *to = self->buffer_.data();
        return static_cast<la_ssize_t>(count);
    } catch (...) {  // must not pass through C
        self->failure_ = std::current_exception();
        archive_set_error(archive, EIO, "the stream failed");
        return ARCHIVE_FATAL;
    }
}

}  // namespace sigma::data::detail
