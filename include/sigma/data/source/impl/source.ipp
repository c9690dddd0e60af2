// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/hash.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <system_error>

namespace sigma::data {

/// The first of several sources that can be opened. The choice is made when bytes, key or path are first needed, and is
/// kept: records of one source and keys of another never meet.
class FirstSource final : public ByteSource {
public:
    explicit FirstSource(std::vector<Source> sources) : sources_(std::move(sources)) {}

    const std::vector<Source>& sources() const { return sources_; }

    std::string name() const override {
        {
            const sigma::detail::Lock lock(mutex_);
            if (chosen_) return chosen_->name();
        }
        std::string names;
        for (const Source& source : sources_) names += sentence(names.empty() ? "" : " | ", source.name());
        return names;
    }
    bool exists() const override {
        return std::any_of(sources_.begin(), sources_.end(), [](const Source& source) { return source.exists(); });
    }
    std::unique_ptr<ByteStream> open() const override {
        auto [source, stream] = choose();
        return stream ? std::move(stream) : source.open();
    }
    std::string key() const override { return choose().first.key(); }
    std::optional<std::string> path() const override { return choose().first.path(); }

private:
    /// Chooses a source. Also returns the stream that it has opened, if any.
    std::pair<Source, std::unique_ptr<ByteStream>> choose() const {
        const sigma::detail::Lock lock(mutex_);
        if (chosen_) return {*chosen_, nullptr};
        std::string found, names;
        for (const Source& source : sources_) {
            try {
                std::unique_ptr<ByteStream> stream = source.open();
                chosen_ = source;
                return {source, std::move(stream)};
            } catch (const DataError& failure) {
                found += sentence(found.empty() ? "" : "; ", failure.what());
                names += sentence(names.empty() ? "" : " | ", source.name());
            }
        }
        throw DataError::unreadable(names, "", found);
    }

    std::vector<Source> sources_;
    mutable sigma::detail::Mutex mutex_;
    mutable std::optional<Source> chosen_;
};

SIGMA_IMPL Source operator|(const Source& left, const Source& right) {
    std::vector<Source> sources;
    for (const Source& side : {left, right}) {
        const auto* first = dynamic_cast<const FirstSource*>(side.shared().get());
        const std::vector<Source> parts = first != nullptr ? first->sources() : std::vector<Source>{side};
        sources.insert(sources.end(), parts.begin(), parts.end());
    }
    return Source(std::make_shared<FirstSource>(std::move(sources)));
}

SIGMA_IMPL std::vector<std::byte> read_all(const Source& source, std::size_t limit) {
    const auto stream = source.open();
    std::vector<std::byte> bytes;
    for (std::size_t block = std::size_t{1} << 16;; block = std::min(2 * block, std::size_t{1} << 24)) {
        const std::size_t size = bytes.size();
        bytes.resize(size + block);
        const std::size_t count = stream->read(std::span(bytes).subspan(size));
        bytes.resize(size + count);
        if (bytes.size() > limit) throw DataError(source.name(), "", sentence("at most ", limit, " bytes"), "more");
        if (count == 0) return bytes;
    }
}

SIGMA_IMPL std::string read_text(const Source& source, std::size_t limit) {
    const std::vector<std::byte> bytes = read_all(source, limit);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A source of bytes or a text that it owns.
template <class Bytes>
class MemorySource final : public ByteSource {
public:
    MemorySource(Bytes bytes, std::string name)
        : bytes_(std::make_shared<const Bytes>(std::move(bytes))), name_(std::move(name)) {}

    std::string name() const override { return name_; }
    bool exists() const override { return true; }
    std::unique_ptr<ByteStream> open() const override { return std::make_unique<Stream>(bytes_); }
    std::string key() const override {
        std::call_once(once_, [this] { key_ = sentence("memory:", storage::fingerprint(*bytes_)); });
        return key_;
    }

private:
    /// A stream that outlives its source.
    class Stream final : public ByteStream {
    public:
        explicit Stream(std::shared_ptr<const Bytes> bytes)
            : bytes_(std::move(bytes)), rest_(std::as_bytes(std::span(*bytes_))) {}

        std::size_t read(std::span<std::byte> to) override {
            const std::size_t count = std::min(to.size(), rest_.size());
            if (count > 0) std::memcpy(to.data(), rest_.data(), count);
            rest_ = rest_.subspan(count);
            return count;
        }

    private:
        std::shared_ptr<const Bytes> bytes_;
        std::span<const std::byte> rest_;
    };

    std::shared_ptr<const Bytes> bytes_;
    std::string name_;
    mutable std::once_flag once_;
    mutable std::string key_;
};

SIGMA_IMPL Source memory(std::string text, std::string name) {
    return Source(std::make_shared<MemorySource<std::string>>(std::move(text), std::move(name)));
}

SIGMA_IMPL Source memory(std::vector<std::byte> bytes, std::string name) {
    return Source(std::make_shared<MemorySource<std::vector<std::byte>>>(std::move(bytes), std::move(name)));
}

SIGMA_IMPL Source memory(std::span<const std::byte> bytes, std::string name) {
    return memory(std::vector<std::byte>(bytes.begin(), bytes.end()), std::move(name));
}

class FileSource final : public ByteSource {
public:
    explicit FileSource(std::string path) : path_(std::move(path)) {}

    std::string name() const override { return path_; }
    bool exists() const override {
        storage::FileState found;
        return without_zeros() && storage::look_at(path_, found) && !found.is_directory;
    }
    std::unique_ptr<ByteStream> open() const override {
        if (!without_zeros()) throw DataError(path_.c_str(), "", "a path without zero bytes", "a zero byte after this");
        storage::Descriptor file = storage::open_to_read(path_);
        storage::FileState found;
        if (!file || !storage::look_at(file, found))
            throw DataError::unreadable(path_, "", storage::system_text(errno));
        if (found.is_directory) throw DataError(path_, "", "a file", "a directory");
        return std::make_unique<FileStream>(std::move(file), path_);
    }
    std::string key() const override { return file_key(path_, path_); }
    std::optional<std::string> path() const override { return path_; }

private:
    /// Returns whether the path has no zero byte, at which the system would end it.
    bool without_zeros() const { return path_.find('\0') == path_.npos; }

    std::string path_;
};

SIGMA_IMPL File::File(std::string path) : Source(std::make_shared<FileSource>(path)), fixed_(std::move(path)) {}

SIGMA_IMPL File file(std::string path) { return File(std::move(path)); }

SIGMA_IMPL File file(const char* path) { return File(path); }

SIGMA_IMPL FileStream::FileStream(storage::Descriptor file, std::string name)
    : file_(std::move(file)), name_(std::move(name)) {
    storage::expect_in_order(file_);
}

SIGMA_IMPL std::size_t FileStream::read(std::span<std::byte> to) {
    const auto [count, code] = storage::read_next(file_.number(), to);
    if (code != 0) throw DataError::unreadable(name_, sentence("byte ", at_ + count), storage::system_text(code));
    at_ += count;
    return count;
}

SIGMA_IMPL std::string file_key(const std::string& path, const std::string& name) {
    std::error_code code;
    const std::string absolute = std::filesystem::canonical(path, code).string();
    bool found = false;
    const std::string identity = storage::file_identity(absolute, found);
    if (code || !found) throw DataError::unreadable(name, "", storage::system_text(code ? code.value() : errno));
    return sentence("file:", absolute, ':', identity);
}

}  // namespace sigma::data
