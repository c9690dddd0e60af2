// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::data {

/// What a text is cut into.
///   byte         one byte each; any text
///   character    one character of UTF-8 each
///   word         by Unicode's rule, UAX #29, but two letters are never cut apart: only a dictionary could do that;
///                every other character but white space by itself, with its marks
///   spaced_word  whatever stands between white space
enum class Unit { byte, character, word, spaced_word };

constexpr bool is_word(Unit unit) { return unit == Unit::word || unit == Unit::spaced_word; }

/// How a text becomes tokens. Small letters: A-Z where the unit is a byte; of characters all that have one small
/// letter; of words as The Unicode Standard has it. No locale matters. Where the unit is no byte, a byte-order mark at
/// the front of a text is not part of it.
struct TokenRule {
    Unit unit = Unit::byte;
    bool lower_case = false;

    friend bool operator==(const TokenRule&, const TokenRule&) = default;
};

}  // namespace sigma::data
