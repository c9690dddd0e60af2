// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/source/utf16.hpp>
#include <sigma/storage/utf8.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sigma::data::detail {

class Utf16Stream final : public ByteStream {
public:
    Utf16Stream(std::unique_ptr<ByteStream> stream, std::string file, bool big)
        : stream_(std::move(stream)), file_(std::move(file)), big_(big) {}

    std::size_t read(std::span<std::byte> to) override;

private:
    /// The next block of it as UTF-8; none at the end.
    void refill();
    [[noreturn]] void fail(std::size_t at, const char* found) const {
        throw DataError(file_, sentence("byte ", at), "a character of UTF-16", found);
    }

    std::unique_ptr<ByteStream> stream_;
    std::string file_;
    bool big_;
    std::vector<std::byte> block_ = std::vector<std::byte>(std::size_t{1} << 16);
    std::string text_;
    std::size_t given_ = 0, taken_ = 0;
    std::uint32_t high_ = 0;  // the first half of a pair, which ended a block
};

SIGMA_IMPL std::size_t Utf16Stream::read(std::span<std::byte> to) {
    if (given_ == text_.size()) refill();
    const std::size_t count = std::min(to.size(), text_.size() - given_);
    std::copy_n(std::as_bytes(std::span(text_)).begin() + static_cast<std::ptrdiff_t>(given_), count, to.begin());
    given_ += count;
    return count;
}

SIGMA_IMPL void Utf16Stream::refill() {
    text_.clear();
    given_ = 0;
    const std::size_t size = read_fully(*stream_, block_);
    if (size == 0 && high_ != 0) fail(taken_ - 2, "half of a pair at the end of the file");
    if (size % 2 != 0) fail(taken_ + size - 1, "half of one at the end of the file");
    for (std::size_t i = 0; i < size; i += 2) {
        const auto first = std::to_integer<std::uint32_t>(block_[i]),
                   second = std::to_integer<std::uint32_t>(block_[i + 1]);
        const std::uint32_t unit = big_ ? first << 8 | second : second << 8 | first;
        const bool low = unit >= 0xDC00 && unit < 0xE000;
        if (low != (high_ != 0)) fail(taken_ + i - (low ? 0 : 2), "half of a pair");
        if (low) storage::append_utf8(text_, 0x10000 + ((std::exchange(high_, 0) - 0xD800) << 10) + (unit - 0xDC00));
        else if (unit >= 0xD800 && unit < 0xDC00) high_ = unit;
        else storage::append_utf8(text_, unit);
    }
    taken_ += size;
    if (text_.empty() && size > 0) refill();
}

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
