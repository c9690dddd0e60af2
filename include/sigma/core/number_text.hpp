// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Numbers as texts and back, the same in every locale. Nothing else makes one of the other, except readers of whole
/// files (`tests/ladder/ladder.py` checks); sentence(…) has the exact form of its numbers from here.
namespace sigma::detail {

/// As few digits as give the number again when they are read: "0.1", "100000", "1e-07"; "nan", "inf", "-inf".
void append_exact(std::string& to, double x);
void append_exact(std::string& to, float x);
void append_exact(std::string& to, long long x);
void append_exact(std::string& to, unsigned long long x);

/// A number to be read by people: from 1000 on whole, else with so many `decimals` (1 to 6), and where these would
/// leave less than two digits, as "2.13e-05". NaN, a value that was never computed, is "-".
void append_number(std::string& to, double x, int decimals);
/// For columns: so many digits after the point, and blanks before a number of less than `width` characters.
std::string fixed_text(double x, int decimals, std::size_t width = 0);
/// Six digits at most, enough to see what went wrong: "0.333333", "1e+30".
std::string rounded_text(double x);

/// How a number is written in a layout, as std::format has it: [<>][+][0][width][.digits][letter].
struct NumberFormat {
    char letter = 0;  ///< f, e, g, % (of a share: 0.25 is 25%), d (whole); 0: as append_number with 3 decimals
    char side = '>';  ///< where the blanks are not
    bool plus = false, zeros = false;
    int width = 0, digits = -1;  ///< -1: not said
};
/// NaN, a value that was never computed, is "-".
void append_formatted(std::string& to, double x, const NumberFormat& format);

/// All bits of a finite number, as C++ reads it: "-0x1.8p+1".
std::string binary_text(double x);
/// The last `digits` of them, with zeros before: "00c0ffee".
void append_hexadecimal(std::string& to, std::uint64_t number, int digits = 16);
std::string hexadecimal(std::uint64_t number);

/// Is the whole text a number? It is then in x.
bool read_number(std::string_view text, double& x);
bool read_number(std::string_view text, std::uint64_t& x);

/// How many characters a number takes that a text begins with, as std::from_chars reads it, 0 where it begins with
/// none. What is too large or too small for the type is told, and leaves x.
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
