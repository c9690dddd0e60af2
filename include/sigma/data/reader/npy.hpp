// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/pipeline/pipeline.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/source/unpack.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sigma::data {

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
#include <sigma/data/reader/impl/npy.ipp>
#endif
