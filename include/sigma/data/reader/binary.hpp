// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/pipeline/pipeline.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/source/unpack.hpp>
#include <sigma/storage/dtype.hpp>

#include <bit>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
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

namespace detail {

/// The array of a .npy file of NumPy, packed or not: versions 1 to 3, integers, booleans, f2, f4 and f8 in either order
/// of bytes. The first axis is the records. Arrays in Fortran's order are read whole and transposed. Arrays of Python
/// objects are refused: they are programs.
/// `record`, where it is given, must be the extents of a record.
std::shared_ptr<RecordReader> npy_reader(const Source& source, std::optional<std::vector<std::size_t>> record,
                                         std::size_t limit);

}  // namespace detail

/// The records of a .npy file whose extents the compiler is to know: npy<28, 28>(file("images.npy")); npy<>(source) are
/// single numbers. A file with others is a DataError before the first record.
template <int... extents>
    requires AboveZero<extents...>
ArrayOf<Extents<extents...>> npy(const Source& source, std::size_t limit = default_limit) {
    return {detail::npy_reader(source, Extents<extents...>::list(), limit)};
}
template <int... extents>
error_extents_of_a_record_are_above_zero<extents_are<extents...>> npy(const Source&, std::size_t = 0);
/// The records of a .npy file with whatever extents it says.
ArrayOf<UnknownExtents> npy(const Source& source, std::size_t limit = default_limit);

/// An array of a .npz archive by its name: npz<28, 28>(file("mnist.npz"), "x_train").
template <int... extents>
    requires AboveZero<extents...>
ArrayOf<Extents<extents...>> npz(const Source& source, const std::string& array, std::size_t limit = default_limit) {
    return npy<extents...>(entry(source, sentence(array, ".npy"), limit), limit);
}
template <int... extents>
error_extents_of_a_record_are_above_zero<extents_are<extents...>> npz(const Source&, const std::string&,
                                                                      std::size_t = 0);
ArrayOf<UnknownExtents> npz(const Source& source, const std::string& array, std::size_t limit = default_limit);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/binary.ipp>
#endif
