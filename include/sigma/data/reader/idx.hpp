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
                       std::size_t limit = default_limit, std::optional<std::size_t> length = {});

    std::string key() const override;

private:
    detail::BinaryLayout header(detail::HeaderBytes& bytes, std::optional<std::size_t> length) const override;
    static std::optional<Dtype> type_of(unsigned code);

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
ArrayOf<UnknownExtents> idx(const Source& source, std::size_t limit = default_limit);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/idx.ipp>
#endif
