// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/source/source.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::data::detail {

/// The format of packed bytes, by their first bytes.
enum class Packing { none, gzip, bzip2, xz, zstd, lzip, lz4, compress, zip, seven_zip, tar };

/// The number of bytes that determine the format.
inline constexpr std::size_t packing_prefix = 262;

Packing packing_of(std::span<const std::byte> front);
std::string_view name_of(Packing packing);
constexpr bool is_archive(Packing packing) {
    return packing == Packing::zip || packing == Packing::seven_zip || packing == Packing::tar;
}
/// Returns whether an archive has the list of its entries at its end.
constexpr bool must_seek(Packing packing) { return packing == Packing::zip || packing == Packing::seven_zip; }

/// Returns whether a zip archive begins with the end of its list, which means that it has no entries.
bool lists_nothing(std::span<const std::byte> front);

bool only_zeros(std::span<const std::byte> bytes);

/// Reads until `to` is full or the stream ends.
std::size_t read_fully(ByteStream& stream, std::span<std::byte> to);

/// A stream with first bytes that can be inspected before they are read.
class PeekedStream final : public ByteStream {
public:
    explicit PeekedStream(std::unique_ptr<ByteStream> stream);
    std::span<const std::byte> front() const { return front_; }

    SIGMA_IMPL std::size_t read(std::span<std::byte> to) override;

private:
    std::unique_ptr<ByteStream> stream_;
    std::vector<std::byte> front_ = std::vector<std::byte>(packing_prefix);
    std::size_t at_ = 0;
};

/// A stream that refuses to give more than `limit` bytes: a small file can unpack to any size.
class LimitedStream final : public ByteStream {
public:
    LimitedStream(std::unique_ptr<ByteStream> stream, std::string name, std::size_t limit);

    SIGMA_IMPL std::size_t read(std::span<std::byte> to) override;

private:
    std::unique_ptr<ByteStream> stream_;
    std::string name_;
    std::size_t limit_;
    std::size_t returned_ = 0;
};

/// Throws DataError if a text begins as packed data does: its bytes would pass for a text of strange characters.
/// Readers of texts do not unpack, so that they need no further libraries.
void refuse_packed(std::span<const std::byte> front, const std::string& file);

/// Returns the same stream, after refuse_packed has checked its front.
std::unique_ptr<ByteStream> plain_text(std::unique_ptr<ByteStream> stream, const std::string& file);

/// Converts UTF-16 with a byte-order mark (U+FEFF, which it keeps) to UTF-8. Other texts stay unchanged.
std::unique_ptr<ByteStream> as_utf8(std::unique_ptr<ByteStream> stream, const std::string& file);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/packing.ipp>
#endif
