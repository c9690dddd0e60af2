// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/storage/dtype.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// @cond internal
namespace sigma::storage {

/// A field of records in a .npy file. Nested fields are separate, with names such as "position.x".
struct NpyField {
    enum class Kind {
        number,
        bytes,       ///< `size` characters of one byte, the last of which may be 0
        characters,  ///< characters of 4 bytes each, the last of which may be 0
        other,       ///< dates, complex numbers and other bytes
    };
    std::string name, descr;  ///< "position.x", "<f4"
    Kind kind = Kind::number;
    Dtype type = Dtype::f32;  ///< type of a number
    std::endian order = std::endian::little;
    std::size_t offset = 0, size = 0;    ///< position and size of one element, in bytes
    std::vector<std::uint64_t> shape{};  ///< extents of a list or matrix of elements

    /// Returns the number of elements, at most 2^32.
    std::size_t count() const;
};

/// The header of a .npy file of NumPy.
struct NpyHeader {
    std::string descr;  ///< the name of the type of elements: "<f4"
    Dtype type = Dtype::f32;
    std::endian order = std::endian::little;
    bool fortran_order = false;
    std::vector<std::uint64_t> shape;
    std::size_t shape_at = 0;        ///< the byte of the file at which the shape begins
    std::vector<NpyField> fields{};  ///< fields of records, in the order of their bytes, or empty
    std::size_t record_bytes = 0;    ///< size of a record with fields
};

/// Reads the literal of a Python dictionary as NumPy writes it, {'descr': '<f4', 'fortran_order': False, 'shape': (3,
/// 4),
/// }, and nothing else (NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays"). It has these three
/// keys, each once and in any order, and only spaces before the end of the line, which is not part of `text`. Throws
/// DataError about `file`, with `place` and the byte as the place. `begin` is the position of `text` in the file. If
/// `records`, the elements must be records of named fields, a list such as [('x', '<f4'), ('name', '<U8')]. Otherwise
/// they must be numbers.
NpyHeader npy_header(std::string_view text, const std::string& file, const std::string& place, std::size_t begin,
                     bool records = false);

/// Returns NumPy's name of a type without the byte order, such as "f4"; empty for types that NumPy does not have.
std::string_view npy_name(Dtype type);

}  // namespace sigma::storage
/// @endcond

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/npy.ipp>
#endif
