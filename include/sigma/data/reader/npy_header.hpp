// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/storage/dtype.hpp>
#include <sigma/storage/utf8.hpp>

#include <bit>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::data::detail {

/// What the header of a .npy file says.
struct NpyHeader {
    Dtype type = Dtype::f32;
    std::endian order = std::endian::little;
    bool fortran_order = false;
    std::vector<std::size_t> shape;
    std::size_t shape_at = 0;  ///< the byte of the file at which the shape is said
};

/// The literal of a Python dictionary that NumPy writes, {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), },
/// and nothing else (NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays"): these three keys in any
/// order, once each, and only spaces before the line's end.
class NpyHeaderParser {
public:
    /// `begin` is where in the file `text` lies.
    NpyHeaderParser(std::string_view text, std::string file, std::size_t begin);

    NpyHeader parse();

private:
    [[noreturn]] void fail(std::size_t at, std::string expected, std::string what) const;
    std::string found() const;
    std::size_t skip();
    char peek();
    bool take(char c);
    void expect(char c, std::string what);
    std::string string(std::string what);
    bool boolean();
    /// "()", "(3,)", "(3, 4)" or "(3, 4,)": Python takes "(3)" for a number.
    std::vector<std::size_t> tuple();
    void element(NpyHeader& header);
    static bool find_type(std::string_view name, Dtype& type);

    std::string_view text_;
    std::string file_;
    std::size_t begin_;
    std::size_t at_ = 0;
};

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/npy_header.ipp>
#endif
