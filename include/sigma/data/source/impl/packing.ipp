// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/source/packing.hpp>
#include <sigma/storage/utf8.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

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
        // "BZh" may begin a text, so a level and the beginning of a block, or of the end, must follow.
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
    if (count > limit_ - returned_)
        throw DataError(name_, sentence("byte ", limit_, " unpacked"), sentence("at most ", limit_, " bytes unpacked"),
                        "more");
    returned_ += count;
    return count;
}

SIGMA_IMPL void refuse_packed(std::span<const std::byte> front, const std::string& file) {
    const Packing packing = packing_of(front);
    const std::string_view text(reinterpret_cast<const char*>(front.data()), front.size());
    // Texts may also contain "BZh" and digits, or "ustar" at byte 257, which zeros precede in an archive.
    if (packing == Packing::none ||
        (packing == Packing::bzip2 && text[4] == '1' && !text.substr(4).starts_with("1AY&SY")) ||
        (packing == Packing::tar && text.substr(0, 257).find('\0') == text.npos))
        return;
    throw DataError(file, "byte 0", "text in UTF-8",
                    is_archive(packing) ? sentence("a ", name_of(packing), " archive")
                                        : sentence("data packed by ", name_of(packing)));
}

SIGMA_IMPL std::unique_ptr<ByteStream> plain_text(std::unique_ptr<ByteStream> stream, const std::string& file) {
    auto peeked = std::make_unique<PeekedStream>(std::move(stream));
    refuse_packed(peeked->front(), file);
    return peeked;
}

class Utf16Stream final : public ByteStream {
public:
    Utf16Stream(std::unique_ptr<ByteStream> stream, std::string file, bool big)
        : stream_(std::move(stream)), file_(std::move(file)), big_(big) {}

    std::size_t read(std::span<std::byte> to) override {
        if (returned_ == text_.size()) refill();
        const std::size_t count = std::min(to.size(), text_.size() - returned_);
        std::copy_n(std::as_bytes(std::span(text_)).begin() + static_cast<std::ptrdiff_t>(returned_), count,
                    to.begin());
        returned_ += count;
        return count;
    }

private:
    /// Converts the next block to UTF-8; empty at the end.
    void refill() {
        text_.clear();
        returned_ = 0;
        const std::size_t size = read_fully(*stream_, block_);
        if (size == 0 && high_ != 0) fail(taken_ - 2, "half of a pair at the end of the file");
        if (size % 2 != 0) fail(taken_ + size - 1, "half of one at the end of the file");
        for (std::size_t i = 0; i < size; i += 2) {
            const auto first = std::to_integer<std::uint32_t>(block_[i]),
                       second = std::to_integer<std::uint32_t>(block_[i + 1]);
            const std::uint32_t unit = big_ ? first << 8 | second : second << 8 | first;
            const bool low = unit >= 0xDC00 && unit < 0xE000;
            if (low != (high_ != 0)) fail(taken_ + i - (low ? 0 : 2), "half of a pair");
            if (low)
                storage::append_utf8(text_, 0x10000 + ((std::exchange(high_, 0) - 0xD800) << 10) + (unit - 0xDC00));
            else if (unit >= 0xD800 && unit < 0xDC00) high_ = unit;
            else storage::append_utf8(text_, unit);
        }
        taken_ += size;
        if (text_.empty() && size > 0) refill();
    }
    [[noreturn]] void fail(std::size_t at, const char* found) const {
        throw DataError(file_, sentence("byte ", at), "a character of UTF-16", found);
    }

    std::unique_ptr<ByteStream> stream_;
    std::string file_;
    bool big_;
    std::vector<std::byte> block_ = std::vector<std::byte>(std::size_t{1} << 16);
    std::string text_;
    std::size_t returned_ = 0, taken_ = 0;
    std::uint32_t high_ = 0;  // the first half of a pair, which ended a block
};

SIGMA_IMPL std::unique_ptr<ByteStream> as_utf8(std::unique_ptr<ByteStream> stream, const std::string& file) {
    auto peeked = std::make_unique<PeekedStream>(std::move(stream));
    const std::string_view front(reinterpret_cast<const char*>(peeked->front().data()), peeked->front().size());
    const bool big = front.starts_with("\xFE\xFF");
    if (!big && !front.starts_with("\xFF\xFE")) return peeked;
    if (front.substr(2).starts_with(std::string_view("\0\0", 2)))
        throw DataError(file, "byte 0", "text in UTF-8 or UTF-16", "UTF-32");
    return std::make_unique<Utf16Stream>(std::move(peeked), file, big);
}

}  // namespace sigma::data::detail
