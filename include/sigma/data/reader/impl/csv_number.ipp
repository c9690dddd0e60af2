// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/csv_number.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>

namespace sigma::data::detail {

SIGMA_IMPL std::uint64_t joined_digits(std::uint64_t w) {
    w = (w * 10 + (w >> 8)) & 0x00FF00FF00FF00FF;
    w = (w * 100 + (w >> 16)) & 0x0000FFFF0000FFFF;
    return (w * 10000 + (w >> 32)) & 0x00000000FFFFFFFF;
}

SIGMA_IMPL std::uint64_t load_digits(const char* at) {
    std::uint64_t w;
    std::memcpy(&w, at, 8);
    return w ^ 0x3030303030303030;
}

SIGMA_IMPL std::uint64_t no_digits(std::uint64_t w) { return ((w + 0x7676767676767676) | w) & 0x8080808080808080; }

SIGMA_IMPL Digits leading_digits(const char* at) {
    const std::uint64_t w = load_digits(at);
    const int count = std::countr_zero(no_digits(w)) >> 3;  // 8 if all are digits
    const int half = 32 - 4 * count;                        // in two steps, because a shift by 64 is undefined
    return {joined_digits(w << half << half), count};       // zeros in front of the digits
}

SIGMA_IMPL bool is_below_one(std::string_view text) {
    const std::size_t e = text.find_first_of("eE");
    std::int64_t exponent = 0;
    if (e != std::string_view::npos) {
        const std::size_t from = e + 1 + (text[e + 1] == '+');
        if (std::from_chars(text.data() + from, text.data() + text.size(), exponent).ec != std::errc{})
            return text[e + 1] == '-';
        text = text.substr(0, e);
    }
    const std::size_t point = std::min(text.find('.'), text.size()), first = text.find_first_of("123456789");
    if (first == std::string_view::npos) return true;
    // The first significant digit stands for 10 to this power.
    const auto place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) - (first < point ? 1 : 0);
    return exponent < -place;
}

SIGMA_IMPL bool exceeds_double(std::string_view text) {
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
    if (text.empty() || ((text[0] < '0' || text[0] > '9') && text[0] != '.')) return false;
    double value = 0;
    const auto [length, out_of_range] = sigma::detail::read_front(text, value);
    return out_of_range && length == text.size() && !is_below_one(text);
}

SIGMA_IMPL bool respelled(std::string_view text, char decimal, char thousands, std::string& to) {
    to.clear();
    std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    to += text.substr(0, at);
    const auto digits = [&](std::size_t from) {
        return std::min(text.find_first_not_of("0123456789", from), text.size()) - from;
    };
    std::size_t group = digits(at);
    to += text.substr(at, group);
    at += group;
    for (bool first = true; thousands != '\0' && at < text.size() && text[at] == thousands; first = false) {
        // A group of thousands never follows 0: "0,123" is a decimal comma.
        if (first && (group == 0 || group > 3 || text[at - group] == '0')) return false;
        group = digits(++at);
        if (group != 3) return false;
        to += text.substr(at, group);
        at += group;
    }
    for (; at < text.size(); ++at) {
        if (text[at] == decimal) to += '.';
        else if (text[at] == '.' || text[at] == thousands) return false;
        else to += text[at];
    }
    to.append(number_padding, '\0');
    return true;
}

}  // namespace sigma::data::detail
