// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/npy_table.hpp>

#include "csv_support.hpp"

#include <bit>
#include <cmath>

using namespace sigma;
using namespace sigma::data;
using Names = std::vector<std::string>;

namespace {

/// The bytes of a number, in this order.
template <class T>
std::string number(T value, std::endian order = std::endian::little) {
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &value, sizeof(T));
    if (order == std::endian::big) std::reverse(bytes.begin(), bytes.end());
    return bytes;
}
std::string text(std::string bytes, std::size_t size) {
    bytes.resize(size, '\0');
    return bytes;
}
std::string wide(const std::u32string& characters, std::size_t count, std::endian order = std::endian::little) {
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i)
        bytes += number(i < characters.size() ? static_cast<std::uint32_t>(characters[i]) : std::uint32_t{0}, order);
    return bytes;
}
/// A .npy file as NumPy writes it.
std::string npy_bytes(const std::string& descr, const std::string& shape, const std::string& data) {
    std::string header = sentence("{'descr': ", descr, ", 'fortran_order': False, 'shape': ", shape, ", }");
    header.append((64 - (11 + header.size()) % 64) % 64, ' ');
    header += '\n';
    return sentence("\x93NUMPY", '\1') + std::string(1, '\0') + number(static_cast<std::uint16_t>(header.size())) +
           header + data;
}
Source npy_file(const std::string& descr, const std::string& shape, const std::string& data) {
    return text_source(npy_bytes(descr, shape, data), 7, "x.npy");
}
std::string refusal(const Source& source, const TableOptions& options = {}) {
    return error_text([&] { all_of(npy_table(source, options) >> sections(inputs = columns(0, -1))); });
}
std::string at(const std::string& place, const std::string& expected, const std::string& found) {
    return sentence("file 'x.npy', ", place, ": expected ", expected, ", found ", found);
}

const std::string fruits =
    "[('weight', '<f4'), ('ripe', '|b1'), ('', '|V3'), ('size', [('width', '>f8'), ('id', '<u8')]), "
    "('spots', '<i2', (1, 2)), ('kind', '<U5'), ('tag', '|S3')]";
std::string fruit(float weight, bool ripe, double width, std::uint64_t id, std::int16_t spot,
                  const std::u32string& kind, const std::string& tag) {
    return number(weight) + number(ripe) + "\xFF\xFF\xFF" + number(width, std::endian::big) + number(id) +
           number(spot) + number(static_cast<std::int16_t>(-spot)) + wide(kind, 5) + text(tag, 3);
}

}  // namespace

TEST_CASE("A structured array of NumPy becomes a data set") {
    const Source source = npy_file(fruits, "(3,)",
                                   fruit(150.5f, true, 7.25, 3, 300, U"apple", "a") +
                                       fruit(1.5f, false, -1, 9007199254740993u, 2, U"\u00e4\U0001F600", "bcd") +
                                       fruit(2, true, 0.1, ~std::uint64_t{0}, 1, U"", "a"));
    const Table table = npy_table(source);
    CHECK(table.names() == Names{"weight", "ripe", "size.width", "size.id", "spots.0.0", "spots.0.1", "kind", "tag"});
    const Dataset set = table >>
                        sections(inputs = columns(0, 2) + columns("spots.0.0", "spots.0.1"), targets = labels("tag")) >>
                        dataset("fruits");
    CHECK(set.size() == 3);
    CHECK(std::vector<float>(set.input(0).begin(), set.input(0).end()) ==
          std::vector<float>{150.5f, 1, 7.25f, 300, -300});
    CHECK(set.input(1)[1] == 0);
    CHECK(set.classes() == Names{"a", "bcd"});
    CHECK(set.label(2) == 0);
    const TableValues all = read_table(table);
    CHECK(all["kind"].texts == Names{"apple", "\u00e4\U0001F600", ""});
    CHECK(all["size.width"].numbers == std::vector<double>{7.25, -1, 0.1});
    CHECK(all["ripe"].numbers == std::vector<double>{1, 0, 1});
    const auto ids = all_of(table >> sections(inputs = labels("size.id"))).values[0].floats();
    CHECK(ids == std::vector<float>{0, 1, 2});
    CHECK(all_of(table >> sections(inputs = labels("size.id", {"3", "9007199254740993", "18446744073709551615"})))
              .values[0]
              .floats() == ids);
    CHECK(all_of(table >> sections(inputs = labels("ripe", {"false", "true"}))).values[0].floats()[0] == 1);
    CHECK((table >> sections(inputs = column(0))).reader->origins()[0].reader == "npy table");
}

TEST_CASE("Numbers of all types in structured arrays") {
    const auto first = [](const std::string& descr, const std::string& bytes) {
        const auto pipeline =
            npy_table(npy_file(sentence("[('x', '", descr, "')]"), "(1,)", bytes), {.doubles = true}) >>
            sections(inputs = column("x"));
        Block block;
        REQUIRE(pipeline.reader->read(2, block) == 1);
        return block.values[0].doubles()[0];
    };
    const auto big = std::endian::big;
    CHECK(first("|u1", "\xFF") == 255);
    CHECK(first("|i1", "\xFF") == -1);
    CHECK(first(">u2", number(std::uint16_t{65535}, big)) == 65535);
    CHECK(first("<i2", number(std::int16_t{-2})) == -2);
    CHECK(first("<u4", number(std::uint32_t{4294967295u})) == 4294967295.0);
    CHECK(first(">i4", number(std::int32_t{-2147483647}, big)) == -2147483647.0);
    CHECK(first("<u8", number(std::uint64_t{1} << 63)) == 0x1p63);
    CHECK(first(">i8", number(std::int64_t{-5}, big)) == -5);
    CHECK(first("<f2", number(std::uint16_t{0x3E00})) == 1.5);
    CHECK(first(">f4", number(0.1f, big)) == static_cast<double>(0.1f));
    CHECK(first("<f8", number(0.1)) == 0.1);
    CHECK(std::isnan(first("<f8", number(std::nan("")))));
}

TEST_CASE("Values of structured arrays that are no numbers are refused with their record and column") {
    const auto refused = [](const std::string& descr, const std::string& bytes) {
        return refusal(npy_file(sentence("[('x', '", descr, "')]"), "(1,)", bytes));
    };
    const std::string place = "record 1, column 'x'";
    CHECK(refused("<f8", number(1e300)) ==
          at(place, "a number of at most 3.4e38, the largest float, or {.doubles = true}", "'1e+300'"));
    CHECK(refused("<f4", number(-std::numeric_limits<float>::infinity())) == at(place, "a finite number", "'-inf'"));
    CHECK(refused("|S4", text("1.5", 4)) == "no error");
    CHECK(refused("|S4", text("x", 4)) == at(place, "a finite number", "'x'"));
    CHECK(refused("<U2", wide(U"\xD800", 2)) == at(place, "a finite number", "'\\xff'"));
    CHECK(refused("<U2", wide(U"\x110000", 2)) == at(place, "a finite number", "'\\xff'"));
    CHECK(refused("|S3", std::string("1\0b", 3)) == at(place, "a finite number", "'1\\x00b'"));
    CHECK(refused("<M8[ns]", number(1.0)) == at(place, "a finite number", "a value of type '<M8[ns]'"));
    CHECK(refused("<c8", number(1.0)) == at(place, "a finite number", "a value of type '<c8'"));
}

TEST_CASE("Files that are no structured array are refused") {
    const auto refused = [](const std::string& descr, const std::string& shape = "(1,)", const std::string& data = "") {
        return refusal(npy_file(descr, shape, data));
    };
    CHECK(refused("'<f4'").find("expected records of named fields, as [('x', '<f4'), ('name', '<U8')], found '<f4'") !=
          std::string::npos);
    CHECK(refused("[('x', '|O')]").find("expected numbers and texts, found Python objects") != std::string::npos);
    CHECK(refused("[('x', '<f4'), ('x', '<f4')]").find("expected each name once, found 'x'") != std::string::npos);
    CHECK(refused("[('', '<f4')]").find("expected a name, found none") != std::string::npos);
    CHECK(refused("[]").find("expected records of at least one byte") != std::string::npos);
    CHECK(refused("[('x', '|S0')]", "(1000000000000,)").find("expected records of at least one byte") !=
          std::string::npos);
    CHECK(refused("[('x', 'f4')]").find("expected a type of NumPy") != std::string::npos);
    CHECK(refused("[('x', '|f4')]").find("expected a type of NumPy") != std::string::npos);
    CHECK(refused("[('x', '<f4]').").find("byte") != std::string::npos);
    CHECK(refused("[(('t', 'x'), '<f4')]").find("without a title") != std::string::npos);
    CHECK(refused("[('x', [('y', '<f4')], (2,))]").find("nested records without a shape") != std::string::npos);
    CHECK(refused("[('x', '<f4', (0,))]").find("extents above 0") != std::string::npos);
    CHECK(refused("[('x', '<f8', (4294967296, 4294967296))]").find("expected a record of at most") !=
          std::string::npos);
    CHECK(refused("[('x', '|u1', (2000000,))]").find("expected at most 1048576 columns, found more") !=
          std::string::npos);
    CHECK(refused("[('x', '<U999999999')]").find("expected a record of at most") != std::string::npos);
    CHECK(refused("[('x', '<f4')]", "(2, 2)").find("an array with one axis, for records, found (2, 2)") !=
          std::string::npos);
    const Scratch scratch;
    const std::string half = npy_bytes("[('x', '<f4')]", "(2,)", number(1.0f));
    CHECK(refusal(file(scratch.write("x.npy", half))).find("8 bytes of data for 2 records of 4, found 4") !=
          std::string::npos);
    CHECK(refusal(memory(half, "x.npy")).find("expected record 2 of 2, found the end of the file") !=
          std::string::npos);
    CHECK(refused("[('x', '<f4')]", "(0,)") == "file 'x.npy': expected at least one record, found none");
    CHECK(refused("[('x', '<f4')]", "(18446744073709551615,)").find("limits of a file") != std::string::npos);
    std::string deep;
    for (int i = 0; i < 10000; ++i) deep += "[('x', ";
    CHECK(refused(deep).find("byte") != std::string::npos);
    std::string many = "[";
    for (int i = 0; i < 20; ++i) many += "('a', [";
    CHECK(refused(many).find("at most 16 records in each other") != std::string::npos);
    // Every truncation of a sound file is refused, whether its length is known or not.
    const std::string sound = npy_bytes("[('x', '<f4'), ('k', '<U3')]", "(3,)", std::string(48, '\0'));
    CHECK(refusal(memory(sound, "x.npy")) ==
          at("record 1, column 'k'", "a finite number", "an empty field (see .missing)"));
    for (std::size_t size = 0; size < sound.size(); ++size) {
        const bool clear =
            refusal(text_source(sound.substr(0, size), 5, "x.npy"), {.missing = {""}}).find("file 'x.npy'") == 0 &&
            refusal(memory(sound.substr(0, size), "x.npy"), {.missing = {""}}).find("file 'x.npy'") == 0;
        CHECK(clear);
    }
    CHECK(refusal(text_source(sound + "x", 5, "x.npy"), {.missing = {""}}).find("found more bytes") !=
          std::string::npos);
}
