// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/data/source/first.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/storage/fingerprint.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

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
        std::call_once(once_, [this] { key_ = sentence("memory:", fingerprint(*bytes_)); });
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

/// A text, as the bytes of a file that errors call `name`.
Source memory(std::string text, std::string name = "memory");

/// Bytes, as those of a file that errors call `name`.
Source memory(std::vector<std::byte> bytes, std::string name = "memory");

/// A copy of these bytes.
Source memory(std::span<const std::byte> bytes, std::string name = "memory");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/memory.ipp>
#endif
