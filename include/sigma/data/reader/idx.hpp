// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/reader/binary.hpp>

namespace sigma::data {

/// The array in an IDX file, packed or not: two zero bytes, type, rank, each extent in 4 bytes, the elements; all
/// big-endian (Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits"). The first axis is the
/// records.
class IdxReader final : public detail::BinaryReader {
public:
    /// `rank` of the file's array, 0 for any; `record`, where it is given, must be the extents of a record. `length` of
    /// the bytes, for sources that cannot be asked.
    explicit IdxReader(Source source, std::size_t rank = 0, std::optional<std::vector<std::size_t>> record = {},
                       std::size_t limit = default_limit, std::optional<std::size_t> length = {})
        : BinaryReader(std::move(source), limit, length), rank_(rank), record_(std::move(record)) {}

    std::string key() const override {
        return sentence("idx(", source().key(), ",", rank_, ",", record_ ? shape_text(*record_) : "any", ")");
    }

private:
    detail::BinaryLayout header(detail::HeaderBytes& bytes, std::optional<std::size_t> length) const override {
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
            bytes.fail(0, "an IDX file, which begins with 0x0000, a type and a rank",
                       detail::contents_of(bytes.front()));
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
            bytes.fail(std::min<std::size_t>(8, bytes.position()), sentence("records of ", shape_text(*record_)),
                       shape_text(layout.record));
        check_length(bytes, layout, bytes.position(), bytes.position(), length);
        return layout;
    }
    static std::optional<Dtype> type_of(unsigned code) {
        switch (code) {
            case 0x08:
                return Dtype::u8;
            case 0x09:
                return Dtype::i8;
            case 0x0B:
                return Dtype::i16;
            case 0x0C:
                return Dtype::i32;
            case 0x0D:
                return Dtype::f32;
            case 0x0E:
                return Dtype::f64;
            default:
                return {};
        }
    }

    std::size_t rank_;
    std::optional<std::vector<std::size_t>> record_;
};

/// The records of an IDX file whose extents the compiler is to know: idx<28, 28>(file("train-images-idx3-ubyte.gz"))
/// are images, idx<>(source) single numbers, labels. A file with others is a DataError before the first record.
template <int... extents>
    requires AboveZero<extents...> ArrayOf<Extents<extents...>> idx(const Source& source,
                                                                    std::size_t limit = default_limit) {
        return {std::make_shared<IdxReader>(source, sizeof...(extents) + 1, Extents<extents...>::list(), limit)};
    }
template <int... extents>
error_extents_of_a_record_are_above_zero<extents_are<extents...>> idx(const Source&, std::size_t = 0);
/// The records of an IDX file with whatever extents it says.
inline ArrayOf<UnknownExtents> idx(const Source& source, std::size_t limit = default_limit) {
    return {std::make_shared<IdxReader>(source, 0, std::nullopt, limit)};
}

}  // namespace sigma::data
