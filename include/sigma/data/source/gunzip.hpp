// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/source/packing.hpp>
#include <sigma/storage/utf8.hpp>

#include <zlib.h>

namespace sigma::data::detail {

/// The contents of gzip data (RFC 1952), of all its members. libarchive's own filter checks neither CRC nor length.
class GunzipStream final : public ByteStream {
public:
    GunzipStream(std::unique_ptr<ByteStream> packed, std::string name, std::string_view where);
    GunzipStream(const GunzipStream&) = delete;
    GunzipStream& operator=(const GunzipStream&) = delete;
    ~GunzipStream() override { inflateEnd(&state_); }

    std::size_t read(std::span<std::byte> to) override;

private:
    bool refill();
    void next_member();
    [[noreturn]] void fail(std::string expected, std::string found) const;

    std::unique_ptr<ByteStream> packed_;
    std::string name_;
    std::string_view where_;
    std::vector<std::byte> buffer_ = std::vector<std::byte>(std::size_t{1} << 16);
    std::size_t taken_ = 0;
    z_stream state_{};
    bool finished_ = false;
};

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/gunzip.ipp>
#endif
