// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/storage/npy.hpp>
#include <sigma/storage/utf8.hpp>

#include <charconv>
#include <system_error>
#include <utility>

namespace sigma::storage {

inline constexpr std::pair<std::string_view, Dtype> npy_types[] = {
    {"b1", Dtype::boolean}, {"u1", Dtype::u8},  {"u2", Dtype::u16}, {"u4", Dtype::u32},
    {"u8", Dtype::u64},     {"i1", Dtype::i8},  {"i2", Dtype::i16}, {"i4", Dtype::i32},
    {"i8", Dtype::i64},     {"f2", Dtype::f16}, {"f4", Dtype::f32}, {"f8", Dtype::f64}};

class NpyHeaderParser {
public:
    NpyHeaderParser(std::string_view text, const std::string& file, const std::string& place, std::size_t begin,
                    bool records)
        : text_(text), file_(file), place_(place), begin_(begin), records_(records) {}

    NpyHeader parse() {
        NpyHeader header;
        bool descr = false, order = false, shape = false;
        expect('{', "'{', at which a dictionary begins");
        while (!take('}')) {
            const std::size_t at = skip();
            const std::string key = string("the name of a key in quotes");
            expect(':', "':' after a key");
            const auto once = [&](bool& seen) {
                if (seen) fail(at, "each key once", quotation(key));
                seen = true;
            };
            if (key == "descr") {
                once(descr);
                records_ ? fields(header, "", 0) : element(header);
            } else if (key == "fortran_order") {
                once(order);
                header.fortran_order = boolean();
            } else if (key == "shape") {
                once(shape);
                header.shape_at = begin_ + skip();
                header.shape = tuple();
            } else {
                fail(at, "the keys descr, fortran_order and shape", quotation(key));
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

private:
    [[noreturn]] void fail(std::size_t at, std::string expected, std::string what) const {
        throw DataError(file_, sentence(place_, "byte ", begin_ + at), std::move(expected), std::move(what));
    }
    std::string found() const {
        return at_ < text_.size() ? quotation(text_.substr(at_, 16)) : "the end of the header";
    }
    std::size_t skip() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
        return at_;
    }
    char peek() {
        skip();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void expect(char c, std::string what) {
        if (!take(c)) fail(at_, std::move(what), found());
    }
    std::string string(std::string what) {
        const char quote = peek();
        if (quote != '\'' && quote != '"') fail(at_, std::move(what), found());
        const std::size_t end = text_.find(quote, at_ + 1);
        const std::size_t escape = text_.find('\\', at_ + 1);
        if (end == text_.npos || escape < end) fail(at_, "the end of the text, without '\\'", found());
        std::string value(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return value;
    }
    bool boolean() {
        skip();
        for (const bool value : {false, true})
            if (const std::string_view word = value ? "True" : "False"; text_.substr(at_).starts_with(word)) {
                at_ += word.size();
                return value;
            }
        fail(at_, "True or False", found());
    }
    /// Reads a tuple: "()", "(3,)", "(3, 4)" or "(3, 4,)". In Python "(3)" is a number.
    std::vector<std::uint64_t> tuple() {
        std::vector<std::uint64_t> extents;
        expect('(', "a shape in parentheses");
        bool comma = true;
        while (!take(')')) {
            if (!comma) fail(at_, "',' or ')'", found());
            const std::size_t at = skip();
            std::uint64_t number = 0;
            const auto [end, code] = std::from_chars(text_.data() + at, text_.data() + text_.size(), number);
            if (code != std::errc{} || (text_[at] == '0' && end != text_.data() + at + 1))
                fail(at, "an extent from 0 to 2^64 - 1", found());
            at_ = static_cast<std::size_t>(end - text_.data());
            extents.push_back(number);
            comma = take(',');
        }
        if (extents.size() == 1 && !comma) fail(at_ - 1, "',' after the only extent", "')'");
        return extents;
    }
    /// Reads a list of fields, whose names begin with `prefix`.
    void fields(NpyHeader& header, const std::string& prefix, int depth) {
        constexpr std::string_view expected = "records of named fields, as [('x', '<f4'), ('name', '<U8')]";
        if (peek() != '[') {
            const std::size_t at = skip();
            fail(at, std::string(expected), quotation(string(std::string(expected))));
        }
        if (depth == deepest) fail(at_, sentence("at most ", deepest, " records in each other"), "more");
        expect('[', std::string(expected));
        bool comma = true;
        while (!take(']')) {
            if (!comma) fail(at_, "',' or ']'", found());
            expect('(', "a field in parentheses");
            const std::size_t name_at = skip();
            const std::string own = string("the name of a field in quotes, without a title");
            const std::string name = prefix.empty() || own.empty() ? own : sentence(prefix, ".", own);
            expect(',', "',' after the name of a field");
            if (peek() == '[') {
                if (own.empty()) fail(name_at, "a name", "none");
                fields(header, name, depth + 1);
                if (take(',') && peek() != ')') fail(at_, "')': nested records without a shape", found());
            } else {
                NpyField field = one_field(name);
                if (take(',') && peek() != ')') {
                    const std::size_t at = skip();
                    field.shape = tuple();
                    for (const std::uint64_t extent : field.shape)
                        if (extent == 0) fail(at, "extents above 0", "0");
                    take(',');
                }
                add(header, std::move(field), name_at);
            }
            expect(')', "')' after a field");
            comma = take(',');
        }
    }
    void add(NpyHeader& header, NpyField field, std::size_t at) const {
        constexpr std::size_t most = std::size_t{1} << 30;
        field.offset = header.record_bytes;
        const std::size_t count = field.count();
        if (field.size > most || count > most || (header.record_bytes += field.size * count) > most)
            fail(at, sentence("a record of at most ", most, " bytes"), "more");
        if (field.name.empty()) {
            if (field.kind != NpyField::Kind::other) fail(at, "a name", "none");
            return;  // bytes that only align the next field
        }
        for (const NpyField& other : header.fields)
            if (other.name == field.name) fail(at, "each name once", quotation(field.name));
        if (header.fields.size() == most_fields) fail(at, sentence("at most ", most_fields, " fields"), "more");
        header.fields.push_back(std::move(field));
    }
    /// Reads the type of a field: "<f4", "|S8", "<U3", "|V4", "<M8[ns]".
    NpyField one_field(std::string name) {
        NpyField field;
        field.name = std::move(name);
        const std::size_t at = skip();
        const std::string& descr = field.descr = string("the type of a field, as '<f4'");
        const auto refuse = [&] { fail(at, "a type of NumPy, as '<f4', '|S8' or '<U8'", quotation(descr)); };
        if (descr.starts_with("|O")) fail(at, "numbers and texts", "Python objects");
        if (descr.size() < 3 || (descr[0] != '<' && descr[0] != '>' && descr[0] != '|')) refuse();
        field.order = descr[0] == '>' ? std::endian::big : std::endian::little;
        const char* const end = descr.data() + descr.size();
        const auto [last, code] = std::from_chars(descr.data() + 2, end, field.size);
        const bool date = descr[1] == 'M' || descr[1] == 'm';
        if (code != std::errc{} || (last != end && !date) || field.size > std::size_t{1} << 30) refuse();
        field.kind = NpyField::Kind::other;
        if (descr[1] == 'S' || descr[1] == 'a') field.kind = NpyField::Kind::bytes;
        if (descr[1] == 'U') {
            field.kind = NpyField::Kind::characters;
            field.size *= 4;
        }
        for (const auto& [known, type] : npy_types)
            if (std::string_view(descr).substr(1) == known) {
                if (descr[0] == '|' && field.size > 1) refuse();
                field.kind = NpyField::Kind::number;
                field.type = type;
            }
        return field;
    }

    void element(NpyHeader& header) {
        constexpr std::string_view expected = "elements b1, i1 … i8, u1 … u8, f2, f4 or f8, as '<f4'";
        const std::size_t at = skip();
        if (peek() == '[') fail(at, std::string(expected), "records of named fields, which npy_table reads");
        const std::string& descr = header.descr = string(std::string(expected));
        if (descr.starts_with("|O")) fail(at, std::string(expected), "Python objects");
        const bool ordered = descr.starts_with('<') || descr.starts_with('>');
        header.type = Dtype::other;
        for (const auto& [name, type] : npy_types)
            if (descr.size() == 3 && std::string_view(descr).substr(1) == name) header.type = type;
        if (header.type == Dtype::other || !(ordered || (descr[0] == '|' && descr[2] == '1')))
            fail(at, std::string(expected), quotation(descr));
        header.order = descr[0] == '>' ? std::endian::big : std::endian::little;
    }

    std::string_view text_;
    static constexpr int deepest = 16;
    static constexpr std::size_t most_fields = 1 << 13;
    const std::string &file_, &place_;
    std::size_t begin_;
    bool records_;
    std::size_t at_ = 0;
};

SIGMA_IMPL std::size_t NpyField::count() const {
    constexpr std::uint64_t most = std::uint64_t{1} << 32;
    std::uint64_t all = 1;
    for (const std::uint64_t extent : shape) all = extent > most / all ? most : all * extent;
    return all;
}

SIGMA_IMPL NpyHeader npy_header(std::string_view text, const std::string& file, const std::string& place,
                                std::size_t begin, bool records) {
    return NpyHeaderParser(text, file, place, begin, records).parse();
}

SIGMA_IMPL std::string_view npy_name(Dtype type) {
    for (const auto& [name, one] : npy_types)
        if (one == type) return name;
    return {};
}

}  // namespace sigma::storage
