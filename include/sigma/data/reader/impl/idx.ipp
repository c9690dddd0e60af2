// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/binary.hpp>
#include <sigma/data/reader/idx.hpp>

#include <algorithm>
#include <array>

namespace sigma::data {

class IdxReader final : public detail::BinaryReader {
public:
    /// `rank` of the file's array, 0 for any; `record`, where it is given, must be the extents of a record.
    explicit IdxReader(Source source, std::size_t rank = 0, std::optional<std::vector<std::size_t>> record = {},
                       std::size_t limit = default_limit);

    std::vector<Origin> origins() const override { return {{"idx", name()}}; }
    std::string key() const override;

private:
    detail::BinaryLayout header(detail::HeaderBytes& bytes, std::optional<std::size_t> length) const override;
    static std::optional<Dtype> type_of(unsigned code);

    std::size_t rank_;
    std::optional<std::vector<std::size_t>> record_;
};

SIGMA_IMPL IdxReader::IdxReader(Source source, std::size_t rank, std::optional<std::vector<std::size_t>> record,
                                std::size_t limit)
    : BinaryReader(std::move(source), limit), rank_(rank), record_(std::move(record)) {}

SIGMA_IMPL std::string IdxReader::key() const {
    return sentence("idx(", source().key(), ",", rank_, ",", record_ ? sigma::detail::shape_text(*record_) : "any",
                    ")");
}

SIGMA_IMPL detail::BinaryLayout IdxReader::header(detail::HeaderBytes& bytes, std::optional<std::size_t> length) const {
    std::array<std::byte, 4> four{};
    const auto number = [&] {
        std::size_t value = 0;
        for (const std::byte byte : four) value = value << 8 | std::to_integer<std::size_t>(byte);
        return value;
    };
    const auto ranks = [](std::size_t n) {
        return sentence(n, n == 1 ? " axis (labels)" : n == 3 ? " axes (images)" : " axes");
    };

    bytes.read(four, "the 4 bytes at which an IDX file begins");
    const auto type = type_of(std::to_integer<unsigned>(four[2]));
    const auto rank = std::to_integer<std::size_t>(four[3]);
    if (four[0] != std::byte{0} || four[1] != std::byte{0} || !type || rank == 0)
        bytes.fail(0, "an IDX file, which begins with 0x0000, a type and a rank", detail::contents_of(bytes.front()));
    if (rank_ != 0 && rank != rank_) bytes.fail(3, ranks(rank_), ranks(rank));

    detail::BinaryLayout layout{*type, std::endian::big, {}};
    for (std::size_t axis = 0; axis < rank; ++axis) {
        bytes.read(four, sentence("extent ", axis + 1, " of ", rank));
        if (number() == 0) bytes.fail(bytes.position() - 4, "an extent above 0", "0");
        if (axis == 0) {
            layout.records = number();
        } else {
            layout.record.push_back(number());
        }
    }
    if (record_ && layout.record != *record_)
        bytes.fail(std::min<std::size_t>(8, bytes.position()),
                   sentence("records of ", sigma::detail::shape_text(*record_)),
                   sigma::detail::shape_text(layout.record));
    check_length(bytes, layout, bytes.position(), bytes.position(), length);
    return layout;
}

SIGMA_IMPL std::optional<Dtype> IdxReader::type_of(unsigned code) {
    switch (code) {
        case 0x08: return Dtype::u8;
        case 0x09: return Dtype::i8;
        case 0x0B: return Dtype::i16;
        case 0x0C: return Dtype::i32;
        case 0x0D: return Dtype::f32;
        case 0x0E: return Dtype::f64;
        default: return {};
    }
}

namespace detail {

SIGMA_IMPL std::shared_ptr<RecordReader> idx_reader(const Source& source, std::size_t rank,
                                                    std::optional<std::vector<std::size_t>> record, std::size_t limit) {
    return std::make_shared<IdxReader>(source, rank, std::move(record), limit);
}

}  // namespace detail

SIGMA_IMPL ArrayOf<UnknownExtents> idx(const Source& source, std::size_t limit) {
    return {detail::idx_reader(source, 0, std::nullopt, limit)};
}

}  // namespace sigma::data
