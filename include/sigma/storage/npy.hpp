// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/storage/dtype.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::storage {

/// What the header of a .npy file of NumPy says.
struct NpyHeader {
    std::string descr;  ///< what it calls the type of its elements: "<f4"
    Dtype type = Dtype::f32;
    std::endian order = std::endian::little;
    bool fortran_order = false;
    std::vector<std::uint64_t> shape;
    std::size_t shape_at = 0;  ///< the byte of the file at which the shape is said
};

/// The literal of a Python dictionary that NumPy writes, {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), },
/// and nothing else (NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays"): these three keys in any
/// order, once each, and only spaces before the line's end, which is not part of `text`. Throws DataError of `file`,
/// whose place is `place` and the byte; `begin` is where in the file `text` lies.
NpyHeader npy_header(std::string_view text, const std::string& file, const std::string& place, std::size_t begin);

/// NumPy's name of a type without its order of bytes, "f4"; none of types that it has not.
std::string_view npy_name(Dtype type);

}  // namespace sigma::storage

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/npy.ipp>
#endif
