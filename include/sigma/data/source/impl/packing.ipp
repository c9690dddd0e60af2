// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/packing.hpp>

#include <algorithm>
#include <array>

namespace sigma::data::detail {

struct PackingRow {
    Packing packing;
    std::string_view name;
    std::size_t at;
    std::string_view magic;
};
inline constexpr std::array packings = std::to_array<PackingRow>({
    {Packing::gzip, "gzip", 0, "\x1f\x8b"},
    {Packing::bzip2, "bzip2", 0, "BZh"},
    {Packing::xz, "xz", 0, std::string_view("\xfd\x37zXZ\0", 6)},
    {Packing::zstd, "zstd", 0, "\x28\xb5\x2f\xfd"},
    {Packing::lzip, "lzip", 0, "LZIP\x01"},
    {Packing::lz4, "lz4", 0, "\x04\x22\x4d\x18"},
    {Packing::compress, "compress", 0, "\x1f\x9d"},
    {Packing::zip, "zip", 0, "PK\x03\x04"},
    {Packing::zip, "zip", 0, "PK\x05\x06"},  // without entries
    {Packing::seven_zip, "7zip", 0, "7z\xbc\xaf\x27\x1c"},
    {Packing::tar, "tar", 257, "ustar"},
});

SIGMA_IMPL Packing packing_of(std::span<const std::byte> front) {
    const std::string_view text(reinterpret_cast<const char*>(front.data()), front.size());
    for (const PackingRow& row : packings) {
        if (text.size() < row.at || !text.substr(row.at).starts_with(row.magic)) continue;
        // "BZh" may begin a text: a level and the beginning of a block, or of the end, must follow.
        if (row.packing == Packing::bzip2 &&
            (text.size() < 5 || text[3] < '1' || text[3] > '9' || (text[4] != '\x31' && text[4] != '\x17')))
            continue;
        return row.packing;
    }
    return Packing::none;
}

SIGMA_IMPL std::string_view name_of(Packing packing) {
    const auto row = std::ranges::find(packings, packing, &PackingRow::packing);
    return row == packings.end() ? "plain" : row->name;
}

SIGMA_IMPL bool lists_nothing(std::span<const std::byte> front) {
    return std::string_view(reinterpret_cast<const char*>(front.data()), front.size()).starts_with("PK\x05\x06");
}

SIGMA_IMPL bool only_zeros(std::span<const std::byte> bytes) {
    return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{}; });
}

SIGMA_IMPL std::size_t read_fully(ByteStream& stream, std::span<std::byte> to) {
    std::size_t done = 0;
    while (done < to.size()) {
        const std::size_t count = stream.read(to.subspan(done));
        if (count == 0) break;
        done += count;
    }
    return done;
}

SIGMA_IMPL PeekedStream::PeekedStream(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {
    front_.resize(read_fully(*stream_, front_));
}

SIGMA_IMPL std::size_t PeekedStream::read(std::span<std::byte> to) {
    if (at_ == front_.size()) return stream_->read(to);
    const std::size_t count = std::min(to.size(), front_.size() - at_);
    std::copy_n(front_.begin() + static_cast<std::ptrdiff_t>(at_), count, to.begin());
    at_ += count;
    return count;
}

SIGMA_IMPL LimitedStream::LimitedStream(std::unique_ptr<ByteStream> stream, std::string name, std::size_t limit)
    : stream_(std::move(stream)), name_(std::move(name)), limit_(limit) {}

SIGMA_IMPL std::size_t LimitedStream::read(std::span<std::byte> to) {
    const std::size_t count = stream_->read(to);
    if (count > limit_ - given_)
        throw DataError(name_, sentence("byte ", limit_, " unpacked"), sentence("at most ", limit_, " bytes unpacked"),
                        "more");
    given_ += count;
    return count;
}

}  // namespace sigma::data::detail
