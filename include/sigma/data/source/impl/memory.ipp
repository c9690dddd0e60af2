// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/source/memory.hpp>
#include <sigma/storage/hash.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

namespace sigma::data {

/// Bytes or a text that it owns.
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
    /// Outlives the source.
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

}  // namespace sigma::data
