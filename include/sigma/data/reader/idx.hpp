// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/pipeline/pipeline.hpp>
#include <sigma/data/source/source.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace sigma::data {

namespace detail {

/// The array in an IDX file, packed or not: two zero bytes, type, rank, each extent in 4 bytes, the elements; all
/// big-endian (Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits"). The first axis is the
/// records.
/// `rank` of the file's array, 0 for any; `record`, where it is given, must be the extents of a record.
std::shared_ptr<RecordReader> idx_reader(const Source& source, std::size_t rank,
                                         std::optional<std::vector<std::size_t>> record, std::size_t limit);

}  // namespace detail

/// The records of an IDX file whose extents the compiler is to know: idx<28, 28>(file("train-images-idx3-ubyte.gz"))
/// are images, idx<>(source) single numbers, labels. A file with others is a DataError before the first record.
template <int... extents>
    requires AboveZero<extents...>
ArrayOf<Extents<extents...>> idx(const Source& source, std::size_t limit = default_limit) {
    return {detail::idx_reader(source, sizeof...(extents) + 1, Extents<extents...>::list(), limit)};
}
template <int... extents>
error_extents_of_a_record_are_above_zero<extents_are<extents...>> idx(const Source&, std::size_t = 0);
/// The records of an IDX file with whatever extents it says.
ArrayOf<UnknownExtents> idx(const Source& source, std::size_t limit = default_limit);

/// What hooks call a file is no source.
template <int... extents, NoSource Name>
error_source_is_a_file_of_namespace_data<write_data_file> idx(const Name&, std::size_t = 0);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/idx.ipp>
#endif
