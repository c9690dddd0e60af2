// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/image/pnm.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace sigma::data {

SIGMA_IMPL PnmDecoder::PnmDecoder(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
    const char kind = bytes_.size() > 1 ? bytes_[1] : '\0';
    if (bytes_.empty() || bytes_[0] != 'P' || (kind != '2' && kind != '3' && kind != '5' && kind != '6'))
        refuse(0, "P2, P3, P5 or P6", storage::quotation(bytes_.substr(0, 2)));
    at_ = 2;
    plain_ = kind < '4';
    info_.channels = kind == '3' || kind == '6' ? 3 : 1;
    info_.width = number("a width", std::numeric_limits<std::uint32_t>::max());
    info_.height = number("a height", std::numeric_limits<std::uint32_t>::max());
    largest_ = number("a largest number", 65535);
    if (largest_ == 0) refuse(at_ - 1, "a largest number from 1 to 65535", "0");
    if (!plain_) {
        if (at_ == bytes_.size() || !is_blank(bytes_[at_])) refuse(at_, "white space", rest());
        ++at_;
    }
}

SIGMA_IMPL Image PnmDecoder::decode(const DecodeOptions& options) {
    const std::size_t wide = largest_ > 255 ? 2 : 1, left = bytes_.size() - at_;
    // A plain number takes a digit and white space, the last one no white space.
    const std::size_t most = (plain_ ? (left + 1) / 2 : left / wide) / info_.channels;
    detail::check_pixels(info_, options, most, name_);
    Image image{info_.height, info_.width, info_.channels, {}, {}};
    const std::size_t count = image.height * image.width * image.channels;
    image.values.reserve(count);
    if (wide == 2) image.fine.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t value = plain_ ? number("a number", largest_) : raw(wide);
        image.values.push_back(static_cast<std::uint8_t>(scaled(value, 255)));
        if (wide == 2) image.fine.push_back(static_cast<std::uint16_t>(scaled(value, 65535)));
    }
    if (plain_) skip_blanks();
    if (at_ != bytes_.size()) refuse(at_, "the end", sentence(bytes_.size() - at_, " bytes more"));
    return image;
}

SIGMA_IMPL void PnmDecoder::refuse(std::size_t byte, std::string expected, std::string found) const {
    throw DataError(name_, sentence("byte ", byte), std::move(expected), std::move(found));
}

SIGMA_IMPL std::string PnmDecoder::rest() const {
    return at_ < bytes_.size() ? storage::quotation(bytes_.substr(at_, 8)) : "the end";
}

SIGMA_IMPL void PnmDecoder::skip_blanks() {
    for (; at_ < bytes_.size(); ++at_) {
        if (bytes_[at_] == '#') at_ = std::min(bytes_.find_first_of("\r\n", at_), bytes_.size());
        if (at_ == bytes_.size() || !is_blank(bytes_[at_])) return;
    }
}

SIGMA_IMPL std::size_t PnmDecoder::number(const char* what, std::size_t most) {
    const std::size_t before = at_;
    skip_blanks();
    const std::size_t first = at_;
    std::size_t value = 0;
    for (; at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9' && value <= most; ++at_)
        value = 10 * value + static_cast<std::size_t>(bytes_[at_] - '0');
    if (first == before || at_ == first) refuse(first, sentence("white space and ", what), rest());
    if (value > most) {
        at_ = first;
        refuse(first, sentence(what, " of at most ", most), rest());
    }
    return value;
}

SIGMA_IMPL std::size_t PnmDecoder::raw(std::size_t wide) {
    const auto byte = [this] { return static_cast<std::size_t>(static_cast<unsigned char>(bytes_[at_++])); };
    const std::size_t high = wide == 2 ? byte() : 0, value = high << 8 | byte();
    if (value > largest_) refuse(at_ - wide, sentence("a number of at most ", largest_), sentence(value));
    return value;
}

SIGMA_IMPL std::size_t PnmDecoder::scaled(std::size_t value, std::size_t to) const {
    return (value * to + largest_ / 2) / largest_;
}

}  // namespace sigma::data
