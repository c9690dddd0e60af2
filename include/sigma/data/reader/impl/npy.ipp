// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/reader/binary.hpp>
#include <sigma/data/reader/npy.hpp>
#include <sigma/storage/dtype.hpp>
#include <sigma/storage/utf8.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
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
    if (!known || !(ordered || (descr[0] == '|' && sigma::detail::size_of(header.type) == 1)))
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

namespace sigma::data {

class NpyReader final : public detail::BinaryReader {
public:
    /// `record`, where it is given, must be the extents of a record.
    explicit NpyReader(Source source, std::optional<std::vector<std::size_t>> record = {},
                       std::size_t limit = default_limit);

    std::vector<Origin> origins() const override { return {{"npy", name()}}; }
    std::string key() const override;

private:
    /// NumPy's own limit is 10,000.
    static constexpr std::size_t longest_header = 65535;

    detail::BinaryLayout header(detail::HeaderBytes& bytes, std::optional<std::size_t> length) const override;

    std::optional<std::vector<std::size_t>> record_;
};

SIGMA_IMPL NpyReader::NpyReader(Source source, std::optional<std::vector<std::size_t>> record, std::size_t limit)
    : BinaryReader(std::move(source), limit), record_(std::move(record)) {}

SIGMA_IMPL std::string NpyReader::key() const {
    return sentence("npy(", source().key(), ",", record_ ? sigma::detail::shape_text(*record_) : "any", ")");
}

SIGMA_IMPL detail::BinaryLayout NpyReader::header(detail::HeaderBytes& bytes, std::optional<std::size_t> length) const {
    std::array<std::byte, 8> magic{};
    constexpr std::string_view expected = "a .npy file, which begins with 0x93, NUMPY and a version from 1.0 to 3.0";
    const bool begins =
        std::ranges::equal(bytes.front().first(std::min<std::size_t>(bytes.front().size(), 6)),
                           std::as_bytes(std::span("\x93NUMPY", std::min<std::size_t>(bytes.front().size(), 6))));
    if (!begins) bytes.fail(0, std::string(expected), detail::contents_of(bytes.front()));
    bytes.read(magic, "the 8 bytes at which a .npy file begins");
    const auto major = std::to_integer<unsigned>(magic[6]), minor = std::to_integer<unsigned>(magic[7]);
    if (major < 1 || major > 3 || minor != 0) bytes.fail(6, "version 1.0, 2.0 or 3.0", sentence(major, ".", minor));

    std::array<std::byte, 4> digits{};
    bytes.read(std::span(digits).first(major == 1 ? 2 : 4), "the length of the header");
    std::uint32_t size = 0;
    std::memcpy(&size, digits.data(), 4);
    if (size > longest_header)
        bytes.fail(8, sentence("a header of at most ", longest_header, " bytes"), sentence(size));
    std::string text(size, ' ');
    const std::size_t begin = bytes.position();
    bytes.read(std::as_writable_bytes(std::span(text)), sentence("a header of ", size, " bytes"));
    if (!text.ends_with('\n')) bytes.fail(begin + (size > 0 ? size - 1 : 0), "a header that ends its line", "none");
    text.pop_back();
    const detail::NpyHeader said = detail::NpyHeaderParser(text, bytes.file(), begin).parse();

    if (said.shape.empty()) bytes.fail(said.shape_at, "an array of records, with one axis at least", "a single number");
    for (const std::size_t extent : said.shape)
        if (extent == 0) bytes.fail(said.shape_at, "extents above 0", sigma::detail::shape_text(said.shape));
    detail::BinaryLayout layout{said.type, said.order, {said.shape.begin() + 1, said.shape.end()}, said.shape[0]};
    layout.columns_first = said.fortran_order && said.shape.size() > 1;
    if (record_ && layout.record != *record_)
        bytes.fail(said.shape_at, sentence("records of ", sigma::detail::shape_text(*record_)),
                   sigma::detail::shape_text(layout.record));
    check_length(bytes, layout, bytes.position(), said.shape_at, length);
    return layout;
}

namespace detail {

SIGMA_IMPL std::shared_ptr<RecordReader> npy_reader(const Source& source,
                                                    std::optional<std::vector<std::size_t>> record, std::size_t limit) {
    return std::make_shared<NpyReader>(source, std::move(record), limit);
}

}  // namespace detail

SIGMA_IMPL ArrayOf<UnknownExtents> npy(const Source& source, std::size_t limit) {
    return {detail::npy_reader(source, std::nullopt, limit)};
}

SIGMA_IMPL ArrayOf<UnknownExtents> npz(const Source& source, const std::string& array, std::size_t limit) {
    return npy(entry(source, sentence(array, ".npy"), limit), limit);
}

}  // namespace sigma::data
