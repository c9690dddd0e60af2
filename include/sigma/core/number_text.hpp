// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Conversions between numbers and texts, independent of the locale. All conversions go through here, except those of
// readers of whole files (`tests/ladder/ladder.py` checks). sentence(…) uses append_exact.
namespace sigma::detail {

/// Appends the shortest text that reads back as the same number: "0.1", "100000", "1e-07", "nan", "inf", "-inf".
void append_exact(std::string& to, double x);
void append_exact(std::string& to, float x);
void append_exact(std::string& to, long long x);
void append_exact(std::string& to, unsigned long long x);

/// Appends a number for people: without decimals from 1000 on, otherwise with `decimals` (1 to 6) of them, and as
/// "2.13e-05" if fewer than two digits would be left. NaN, a value that was never computed, becomes "-".
void append_number(std::string& to, double x, int decimals);
/// Returns a number for columns: with `decimals` digits after the point, padded on the left to `width` characters.
std::string fixed_text(double x, int decimals, std::size_t width = 0);
/// Returns a number with at most six digits, for errors: "0.333333", "1e+30".
std::string rounded_text(double x);

/// The format of a number in a layout, with the syntax of std::format: [<>][+][0][width][.digits][letter].
struct NumberFormat {
    char letter = 0;  ///< f, e, g, % (of a share: 0.25 is 25%), d (integer); 0: as append_number with 3 decimals
    char side = '>';  ///< alignment: '<' left, '>' right
    bool plus = false, zeros = false;
    int width = 0, digits = -1;  ///< -1: not specified
};
/// Appends a number in this format. NaN, a value that was never computed, becomes "-".
void append_formatted(std::string& to, double x, const NumberFormat& format);

/// Returns a finite number exactly, as C++ reads it: "-0x1.8p+1".
std::string binary_text(double x);
/// Appends the last `digits` hexadecimal digits of a number, with leading zeros: "00c0ffee".
void append_hexadecimal(std::string& to, std::uint64_t number, int digits = 16);
std::string hexadecimal(std::uint64_t number);

/// Reads a number into x. Returns whether the whole text is a number.
bool read_number(std::string_view text, double& x);
bool read_number(std::string_view text, std::uint64_t& x);

/// The number at the beginning of a text, as std::from_chars reads it: its number of characters, 0 if there is no
/// number. If it is too large or too small for the type, `out_of_range` is true and x is unchanged.
struct NumberInFront {
    std::size_t length = 0;
    bool out_of_range = false;
};
NumberInFront read_front(std::string_view text, double& x);
NumberInFront read_front(std::string_view text, float& x);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/number_text.ipp>
#include <sigma/core/impl/read_front.ipp>
#endif
