// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Binary files: IDX, NumPy and raw records. Included by `<sigma/data/data.hpp>`.

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

/// Options of `bytes`: the layout of a file of raw records.
///
/// @see bytes
struct BytesOptions {
    std::size_t header = 0;                   ///< Bytes before the first record.
    std::vector<std::size_t> extents{};       ///< Extents of a record, unless they are template arguments.
    Dtype type = Dtype::u8;                   ///< Type of a number: integers, f16, f32, f64, booleans.
    std::endian order = std::endian::little;  ///< Order of the bytes of a number.
    std::size_t limit = default_limit;        ///< Largest number of decompressed bytes, default 4 GiB.
};

namespace detail {

/// Reads records of fixed size up to the end of the file, compressed or not. Throws ArgumentError for an extent of 0,
/// and for types that it does not read.
std::shared_ptr<RecordReader> bytes_reader(const Source& source, BytesOptions options);

}  // namespace detail

/// Reads a file of raw records of fixed size, compressed or not.
///
/// Reading throws DataError if the file ends within a record.
///
/// @tparam extents  extents of a record, each at least 1; none: single numbers
/// @param source    the bytes
/// @param options   header, type and byte order
/// @return an array without a name; assign it to a section
/// @throws ArgumentError  if `options.extents` is set, too, or the type is not supported
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto pixels = (inputs = bytes<3, 32, 32>(file("images.bin"), {.header = 16}));
/// @endcode
///
/// @see idx, npy, docs/readers-binary.md
template <int... extents>
    requires AboveZero<extents...>
ArrayOf<Extents<extents...>> bytes(const Source& source, BytesOptions options = {}) {
    if (!options.extents.empty())
        throw ArgumentError("bytes", "extents once, as template arguments", "extents in the options, too");
    options.extents = Extents<extents...>::list();
    return {detail::bytes_reader(source, std::move(options))};
}
/// @cond internal
template <int... extents>
error_extents_of_a_record_are_above_zero<extents_are<extents...>> bytes(const Source&, BytesOptions = {});
/// @endcond

/// Reads a file of raw records with extents that need not be constants: `bytes(source, {.extents = {3, height,
/// width}})`.
/// @param source   the bytes
/// @param options  extents, header, type and byte order
/// @return an array without a name; assign it to a section
/// @throws ArgumentError  if an extent is 0 or the type is not supported
ArrayOf<UnknownExtents> bytes(const Source& source, BytesOptions options = {});

namespace detail {

/// Reads the array of an IDX file, compressed or not: two zero bytes, type, rank, each extent in 4 bytes, the elements;
/// all big-endian (Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits"). The records are along
/// the first axis. `rank` is that of the file's array, 0 for any. `record`, if set, must be the extents of a record.
std::shared_ptr<RecordReader> idx_reader(const Source& source, std::size_t rank,
                                         std::optional<std::vector<std::size_t>> record, std::size_t limit);

}  // namespace detail

/// Reads an IDX file, compressed or not. Reading throws DataError before the first record if the file has other
/// extents.
///
/// @tparam extents  extents of a record, each at least 1; none: single numbers, such as labels
/// @param source    the bytes
/// @param limit     largest number of decompressed bytes, default 4 GiB
/// @return an array without a name; assign it to a section
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// auto digits = zip(inputs = idx<28, 28>(file("train-images-idx3-ubyte.gz")),
///                   targets = idx<>(file("train-labels-idx1-ubyte.gz"))) >>
///               normalize(inputs, 0, 255) >> dataset("mnist");
/// @endcode
///
/// @see npy, bytes, docs/readers-binary.md
template <int... extents>
    requires AboveZero<extents...>
ArrayOf<Extents<extents...>> idx(const Source& source, std::size_t limit = default_limit) {
    return {detail::idx_reader(source, sizeof...(extents) + 1, Extents<extents...>::list(), limit)};
}
/// @cond internal
template <int... extents>
error_extents_of_a_record_are_above_zero<extents_are<extents...>> idx(const Source&, std::size_t = 0);
/// @endcond

/// Reads an IDX file with any extents.
/// @param source  the bytes
/// @param limit   largest number of decompressed bytes, default 4 GiB
/// @return an array without a name; assign it to a section
ArrayOf<UnknownExtents> idx(const Source& source, std::size_t limit = default_limit);

/// @cond internal
/// Rejects `sigma::file`, with which hooks name their files.
template <int... extents, HookFile Name>
error_source_is_a_file_of_namespace_data<use_data_file> idx(const Name&, std::size_t = 0);
/// @endcond

namespace detail {

/// Reads the array of a .npy file of NumPy, compressed or not: versions 1 to 3; integers, booleans, f2, f4 and f8 in
/// either byte order. The records are along the first axis. Arrays in Fortran order are read whole and transposed.
/// Arrays of Python objects are rejected, because they are programs. `record`, if set, must be the extents of a record.
std::shared_ptr<RecordReader> npy_reader(const Source& source, std::optional<std::vector<std::size_t>> record,
                                         std::size_t limit);

}  // namespace detail

/// Reads a .npy file of NumPy, compressed or not. Reading throws DataError before the first record if the file has
/// other extents.
///
/// @tparam extents  extents of a record, each at least 1; none: single numbers
/// @param source    the bytes
/// @param limit     largest number of decompressed bytes, default 4 GiB
/// @return an array without a name; assign it to a section
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// auto digits = zip(inputs = npy<28, 28>(file("images.npy")), targets = npy<>(file("labels.npy"))) >>
/// dataset("digits");
/// @endcode
///
/// @see npz, idx, docs/readers-binary.md
template <int... extents>
    requires AboveZero<extents...>
ArrayOf<Extents<extents...>> npy(const Source& source, std::size_t limit = default_limit) {
    return {detail::npy_reader(source, Extents<extents...>::list(), limit)};
}
/// @cond internal
template <int... extents>
error_extents_of_a_record_are_above_zero<extents_are<extents...>> npy(const Source&, std::size_t = 0);
/// @endcond

/// Reads a .npy file of NumPy with any extents.
/// @param source  the bytes
/// @param limit   largest number of decompressed bytes, default 4 GiB
/// @return an array without a name; assign it to a section
ArrayOf<UnknownExtents> npy(const Source& source, std::size_t limit = default_limit);

/// Reads an array of a .npz archive of NumPy by its name.
///
/// @tparam extents  extents of a record, each at least 1; none: single numbers
/// @param source    the archive
/// @param array     name of the array
/// @param limit     largest number of decompressed bytes, default 4 GiB
/// @return an array without a name; assign it to a section
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// auto digits = zip(inputs = npz<28, 28>(file("mnist.npz"), "x_train"),
///                   targets = npz<>(file("mnist.npz"), "y_train")) >>
///               normalize(inputs, 0, 255) >> dataset("mnist");
/// @endcode
///
/// @see npy, docs/readers-binary.md
template <int... extents>
    requires AboveZero<extents...>
ArrayOf<Extents<extents...>> npz(const Source& source, const std::string& array, std::size_t limit = default_limit) {
    return npy<extents...>(entry(source, sentence(array, ".npy"), limit), limit);
}
/// @cond internal
template <int... extents>
error_extents_of_a_record_are_above_zero<extents_are<extents...>> npz(const Source&, const std::string&,
                                                                      std::size_t = 0);
/// @endcond

/// Reads an array of a .npz archive of NumPy with any extents.
/// @param source  the archive
/// @param array   name of the array
/// @param limit   largest number of decompressed bytes, default 4 GiB
/// @return an array without a name; assign it to a section
ArrayOf<UnknownExtents> npz(const Source& source, const std::string& array, std::size_t limit = default_limit);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/binary.ipp>
#endif
