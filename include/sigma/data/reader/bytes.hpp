// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/pipeline/pipeline.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/storage/dtype.hpp>

#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

namespace sigma::data {

/// What lies in a file of records that does not say what it holds.
struct BytesOptions {
    std::size_t header = 0;                   ///< bytes in front of the first record
    std::vector<std::size_t> extents{};       ///< of a record, where they are not template arguments
    Dtype type = Dtype::u8;                   ///< of an element: integers, f16, f32, f64, booleans
    std::endian order = std::endian::little;  ///< of the bytes of an element
    std::size_t limit = default_limit;        ///< of what packed data unpacks to
};

namespace detail {

/// Records of fixed size, one after the other up to the end of the file, packed or not.
/// Throws ArgumentError for extents of 0 and types that it does not read.
std::shared_ptr<RecordReader> bytes_reader(const Source& source, BytesOptions options);

}  // namespace detail

/// Records of these extents behind a header: bytes<3, 32, 32>(file("images.bin"), {.header = 16}); bytes<>(source) are
/// single numbers. A file that ends within a record is a DataError.
template <int... extents>
    requires AboveZero<extents...>
ArrayOf<Extents<extents...>> bytes(const Source& source, BytesOptions options = {}) {
    if (!options.extents.empty())
        throw ArgumentError("bytes", "extents once, as template arguments", "some in the options, too");
    options.extents = Extents<extents...>::list();
    return {detail::bytes_reader(source, std::move(options))};
}
template <int... extents>
error_extents_of_a_record_are_above_zero<extents_are<extents...>> bytes(const Source&, BytesOptions = {});
/// The same with extents that only the program knows when it runs: bytes(source, {.extents = {3, height, width}}).
ArrayOf<UnknownExtents> bytes(const Source& source, BytesOptions options = {});

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/bytes.ipp>
#endif
