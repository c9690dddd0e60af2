// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/reader/binary.hpp>

#include <algorithm>
#include <string_view>

namespace sigma::data::detail {

SIGMA_IMPL std::string hexadecimal(std::span<const std::byte> bytes) {
    std::string text = "0x";
    for (const std::byte byte : bytes) sigma::detail::append_hexadecimal(text, std::to_integer<std::uint64_t>(byte), 2);
    return text;
}

SIGMA_IMPL std::string contents_of(std::span<const std::byte> front) {
    std::string text(reinterpret_cast<const char*>(front.data()), front.size());
    const std::string bytes = hexadecimal(front.first(std::min<std::size_t>(front.size(), 4)));
    if (text.starts_with("version https://git-lfs")) return "a pointer of git-lfs in place of the file";
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    text.erase(0, text.find_first_not_of(" \t\r\n"));
    for (const std::string_view start : {"<!doctype html", "<html", "<head"})
        if (text.starts_with(start)) return "a page of HTML";
    if (text.starts_with("<?xml")) return "a document of XML";
    return bytes;
}

SIGMA_IMPL void HeaderBytes::read(std::span<std::byte> to, const std::string& what) {
    const std::size_t count = read_fully(stream_, to);
    at_ += count;
    if (count < to.size()) fail(at_, what, "the end of the file");
}

SIGMA_IMPL void HeaderBytes::fail(std::size_t byte, std::string expected, std::string found) const {
    throw DataError(file_, sentence("byte ", byte), std::move(expected), std::move(found));
}

SIGMA_IMPL std::size_t BinaryLayout::bytes() const {
    std::size_t all = sigma::detail::size_of(type);
    for (const std::size_t extent : record) all *= extent;
    return all;
}

SIGMA_IMPL const std::vector<SectionInfo>& BinaryReader::sections() {
    open();
    return sections_;
}

SIGMA_IMPL std::optional<std::size_t> BinaryReader::size() {
    open();
    return layout_.records;
}

SIGMA_IMPL void BinaryReader::rewind() {
    stream_.reset();
    columns_.clear();
}

SIGMA_IMPL std::size_t BinaryReader::read(std::size_t most, Block& to) {
    open();
    to.values.resize(1);
    std::size_t count = layout_.records ? std::min(most, *layout_.records - done_) : most;
    if (layout_.type == Dtype::f64) {
        if (layout_.columns_first) read_columns(count, columns_.doubles(), to.values[0].doubles());
        else count = read_rows(count, to.values[0].doubles());
    } else {
        if (layout_.columns_first) read_columns(count, columns_.floats(), to.values[0].floats());
        else count = read_rows(count, to.values[0].floats());
    }
    if (layout_.records && done_ + count == *layout_.records && count > 0) require_end();
    done_ += count;
    return to.records = count;
}

SIGMA_IMPL void BinaryReader::check_length(const HeaderBytes& bytes, const BinaryLayout& layout, std::size_t front,
                                           std::size_t place, std::optional<std::size_t> length) const {
    std::optional<std::size_t> need = product(sigma::detail::size_of(layout.type), layout.records.value_or(1));
    std::vector<std::size_t> shape = layout.record;
    for (const std::size_t extent : layout.record) need = need ? product(*need, extent) : need;
    if (layout.records) shape.insert(shape.begin(), *layout.records);
    if (!need)
        bytes.fail(place, "as many elements as a file can hold",
                   sentence(sigma::detail::shape_text(shape), " of them"));
    const std::string expected =
        sentence(*need, *need == 1 ? " byte" : " bytes", " of data for shape ", sigma::detail::shape_text(shape));
    if (length && layout.records && *need != *length - front) bytes.fail(front, expected, sentence(*length - front));
    if (packed_ && *need > limit_) bytes.fail(place, sentence("at most ", limit_, " bytes unpacked"), expected);
}

SIGMA_IMPL void BinaryReader::open() {
    if (stream_) return;
    Unpacked unpacked = unpack(source_, limit_, true);
    packed_ = unpacked.packed;
    HeaderBytes bytes(*unpacked.stream, name());
    layout_ = header(bytes, unpacked.length);
    sections_ = {{"", layout_.record, false, {}, layout_.type == Dtype::f64}};
    at_ = bytes.position();
    done_ = 0;
    total_ = unpacked.length;
    stream_ = std::move(unpacked.stream);
}

template <class T>
std::size_t BinaryReader::read_rows(std::size_t count, std::vector<T>& to) {
    const std::size_t width = layout_.bytes() / sigma::detail::size_of(layout_.type), bytes = layout_.bytes();
    to.clear();
    if (const auto need = product(count, bytes); total_ && need && *need <= *total_ - at_) to.reserve(count * width);
    std::size_t got = 0;  // bytes of these records
    const std::size_t want = product(count, bytes).value_or(~std::size_t{0});
    buffer_.resize(std::size_t{1} << 17);
    std::size_t kept = 0;  // bytes of half an element
    while (got < want) {
        const std::size_t ask = std::min(buffer_.size() - kept, want - got);
        const std::size_t came = read_fully(*stream_, std::span(buffer_).subspan(kept, ask));
        got += came;
        const std::size_t elements = (kept + came) / sigma::detail::size_of(layout_.type), before = to.size();
        to.resize(before + elements);
        decode(layout_.type, layout_.order, buffer_.data(), std::span(to).subspan(before));
        kept = kept + came - elements * sigma::detail::size_of(layout_.type);
        std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(elements * sigma::detail::size_of(layout_.type)),
                    kept, buffer_.begin());
        if (came < ask) break;
    }
    at_ += got;
    const std::size_t whole = got / bytes;
    if (got % bytes != 0 || (layout_.records && whole < count) || (done_ + whole == 0 && count > 0))
        throw DataError(name(), sentence("byte ", at_),
                        layout_.records ? sentence("record ", done_ + whole + 1, " of ", *layout_.records)
                                        : sentence("a record of ", bytes, bytes == 1 ? " byte" : " bytes"),
                        "the end of the file");
    return whole;
}

template <class T>
void BinaryReader::read_columns(std::size_t count, std::vector<T>& columns, std::vector<T>& to) {
    const std::size_t records = layout_.records.value(), width = layout_.bytes() / sigma::detail::size_of(layout_.type);
    if (columns.empty()) {
        read_rows(records, columns);
        places_.assign(width, 0);
        // Number i of a record, counted with the last axis running fastest, is number places_[i] with the first
        // doing so.
        for (std::size_t i = 0; i < width; ++i) {
            std::size_t rest = i, place = 0;
            std::size_t stride = width;
            for (std::size_t axis = layout_.record.size(); axis-- > 0;) {
                stride /= layout_.record[axis];
                place += rest % layout_.record[axis] * stride;
                rest /= layout_.record[axis];
            }
            places_[i] = place;
        }
    }
    to.resize(count * width);
    for (std::size_t i = 0; i < width; ++i)
        for (std::size_t r = 0; r < count; ++r) to[r * width + i] = columns[places_[i] * records + done_ + r];
}

SIGMA_IMPL void BinaryReader::require_end() {
    std::byte one{};
    if (stream_->read(std::span(&one, 1)) > 0)
        throw DataError(name(), sentence("byte ", at_),
                        sentence("the end of the file after ", *layout_.records, " records"), "more bytes");
}

}  // namespace sigma::data::detail
