// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/npy_header.hpp>

#include <charconv>
#include <utility>

namespace sigma::data::detail {

SIGMA_IMPL NpyHeaderParser::NpyHeaderParser(std::string_view text, std::string file, std::size_t begin)
    : text_(text), file_(std::move(file)), begin_(begin) {}

SIGMA_IMPL NpyHeader NpyHeaderParser::parse() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{', "'{', at which a dictionary begins");
    while (!take('}')) {
        const std::size_t at = skip();
        const std::string key = string("the name of a key in quotes");
        expect(':', "':' after a key");
        const auto once = [&](bool& seen) {
            if (seen) fail(at, "each key once", storage::quotation(key));
            seen = true;
        };
        if (key == "descr") {
            once(descr);
            element(header);
        } else if (key == "fortran_order") {
            once(order);
            header.fortran_order = boolean();
        } else if (key == "shape") {
            once(shape);
            header.shape_at = begin_ + skip();
            header.shape = tuple();
        } else {
            fail(at, "the keys descr, fortran_order and shape", storage::quotation(key));
        }
        if (!take(',') && peek() != '}') fail(skip(), "',' or '}'", found());
    }
    if (!descr || !order || !shape)
        fail(text_.size(), "the keys descr, fortran_order and shape",
             !descr   ? "no descr"
             : !order ? "no fortran_order"
                      : "no shape");
    if (skip() != text_.size()) fail(at_, "spaces and the end of the line", found());
    return header;
}

SIGMA_IMPL void NpyHeaderParser::fail(std::size_t at, std::string expected, std::string what) const {
    throw DataError(file_, sentence("byte ", begin_ + at), std::move(expected), std::move(what));
}

SIGMA_IMPL std::string NpyHeaderParser::found() const {
    return at_ < text_.size() ? storage::quotation(text_.substr(at_, 16)) : "the end of the header";
}

SIGMA_IMPL std::size_t NpyHeaderParser::skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_;
}

SIGMA_IMPL char NpyHeaderParser::peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
}

SIGMA_IMPL bool NpyHeaderParser::take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
}

SIGMA_IMPL void NpyHeaderParser::expect(char c, std::string what) {
    if (!take(c)) fail(at_, std::move(what), found());
}

SIGMA_IMPL std::string NpyHeaderParser::string(std::string what) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail(at_, std::move(what), found());
    const std::size_t end = text_.find(quote, at_ + 1);
    const std::size_t escape = text_.find('\\', at_ + 1);
    if (end == text_.npos || escape < end) fail(at_, "a text that ends, without '\\'", found());
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
}

SIGMA_IMPL bool NpyHeaderParser::boolean() {
    skip();
    for (const bool value : {false, true})
        if (const std::string_view word = value ? "True" : "False"; text_.substr(at_).starts_with(word)) {
            at_ += word.size();
            return value;
        }
    fail(at_, "True or False", found());
}

SIGMA_IMPL std::vector<std::size_t> NpyHeaderParser::tuple() {
    std::vector<std::size_t> extents;
    expect('(', "a shape in parentheses");
    bool comma = true;
    while (!take(')')) {
        if (!comma) fail(at_, "',' or ')'", found());
        const std::size_t at = skip();
        std::size_t number = 0;
        const auto [end, code] = std::from_chars(text_.data() + at, text_.data() + text_.size(), number);
        if (code != std::errc{} || (text_[at] == '0' && end != text_.data() + at + 1))
            fail(at, "an extent, a number from 0 on that 64 bits can hold", found());
        at_ = static_cast<std::size_t>(end - text_.data());
        extents.push_back(number);
        comma = take(',');
    }
    if (extents.size() == 1 && !comma) fail(at_ - 1, "',' after the only extent", "')'");
    return extents;
}

SIGMA_IMPL void NpyHeaderParser::element(NpyHeader& header) {
    constexpr std::string_view expected = "elements b1, i1 … i8, u1 … u8, f2, f4 or f8, as '<f4'";
    const std::size_t at = skip();
    if (peek() == '[') fail(at, std::string(expected), "records of named fields");
    const std::string descr = string(std::string(expected));
    if (descr.starts_with("|O")) fail(at, std::string(expected), "Python objects");
    const bool ordered = descr.starts_with('<') || descr.starts_with('>');
    const bool known = descr.size() == 3 && find_type(std::string_view(descr).substr(1), header.type);
    if (!known || !(ordered || (descr[0] == '|' && size_of(header.type) == 1)))
        fail(at, std::string(expected), storage::quotation(descr));
    header.order = descr[0] == '>' ? std::endian::big : std::endian::little;
}

SIGMA_IMPL bool NpyHeaderParser::find_type(std::string_view name, Dtype& type) {
    using enum Dtype;
    constexpr std::pair<std::string_view, Dtype> types[] = {{"b1", boolean}, {"u1", u8},  {"u2", u16}, {"u4", u32},
                                                            {"u8", u64},     {"i1", i8},  {"i2", i16}, {"i4", i32},
                                                            {"i8", i64},     {"f2", f16}, {"f4", f32}, {"f8", f64}};
    for (const auto& [known, one] : types)
        if (known == name) {
            type = one;
            return true;
        }
    return false;
}

}  // namespace sigma::data::detail
