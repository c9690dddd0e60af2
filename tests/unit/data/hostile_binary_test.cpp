// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/reader/binary.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/source/unpack.hpp>
#include <sigma/storage/utf8.hpp>

#include "reader/binary_files.hpp"
#include "source/packed.hpp"
#include "support.hpp"

#include <catch2/catch.hpp>

using namespace sigma;
using namespace sigma::data;
using namespace test_binary;
using test_packed::archive_of;
using test_packed::Member;
using test_packed::pack_with;

namespace {

int files = 0;

/// The file gives one DataError, that says the file, a byte or entry of it, what was expected and what was found; and
/// the same once more.
template <class Read>
void refused(const std::string& kind, const std::string& name, Read&& read) {
    CAPTURE(kind);
    std::string first;
    for (int time = 0; time < 2; ++time) {
        try {
            read();
            FAIL("accepted");
        } catch (const DataError& refusal) {
            const std::string text = refusal.what();
            CHECK(refusal.file == name);
            CHECK(text.starts_with(sentence("file '", name, "', ")));
            CHECK((refusal.place.starts_with("byte ") || refusal.place.starts_with("entry ")));
            CHECK_FALSE(refusal.expected.empty());
            CHECK_FALSE(refusal.found.empty());
            CHECK(text.find(": expected ") != text.npos);
            CHECK(text.find(", found ") != text.npos);
            CHECK(storage::utf8_fault(text) == text.npos);
            if (time == 0) first = text;
            CHECK(text == first);
        }
    }
    ++files;
}

/// In memory, in a file and packed: how much is known of the length differs.
template <class Make>
void refused_array(const std::string& kind, const std::string& contents, const Make& make) {
    static const Scratch scratch;
    const std::string path = scratch.write("hostile.gz", contents);  // the name means nothing
    const auto read_all_of = [&](const Source& source) {
        const auto array = make(source);
        Block block;
        while (array.reader->read(3, block) > 0) continue;
    };
    refused(kind, "x", [&] { read_all_of(memory(contents, "x")); });
    refused(kind, path, [&] { read_all_of(file(path)); });
    if (contents.size() > 1) refused(kind, "x", [&] { read_all_of(memory(pack_with("gzip", contents), "x")); });
}
void refused_idx(const std::string& kind, const std::string& contents) {
    refused_array(kind, contents, [](const Source& source) { return idx(source); });
}
void refused_npy(const std::string& kind, const std::string& contents) {
    refused_array(kind, contents, [](const Source& source) { return npy(source); });
}

std::string noise(std::size_t size) {
    std::string text;
    std::uint32_t state = 1;
    while (text.size() < size) text += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    return text;
}

const std::string html = "<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head></html>\n";
const std::string pointer =
    "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32\nsize 12345\n";
constexpr std::uint32_t huge = 0xFFFFFFFF;

int hostile_idx() {
    files = 0;
    const std::string images = idx_file(8, {2, 2, 2}, "01234567"), labels = idx_file(8, {3}, "012");
    for (std::size_t end = 0; end < images.size(); ++end)
        refused_idx(sentence("images cut at ", end), images.substr(0, end));
    for (std::size_t end = 0; end < labels.size(); ++end)
        refused_idx(sentence("labels cut at ", end), labels.substr(0, end));
    refused_idx("one byte more", images + "8");
    for (const int type : {0x00, 0x07, 0x0A, 0x0F, 0xFF}) refused_idx("unknown type", idx_file(type, {1}, "0"));
    refused_idx("rank 0", idx_file(8, {}, "0"));
    refused_idx("first byte", "\x01" + images.substr(1));
    refused_idx("little-endian magic", std::string("\x03\x08\0\0", 4) + images.substr(4));
    refused_idx("HTML named .gz", html);
    refused_idx("HTML after a blank line", "\r\n<html>");
    refused_idx("pointer file", pointer);
    refused_idx("XML", "<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>");
    refused_idx("no records", idx_file(8, {0, 28, 28}, ""));
    refused_idx("no columns", idx_file(8, {2, 28, 0}, ""));
    refused_idx("4 GiB of labels", idx_file(8, {huge}, "0"));
    refused_idx("a giant record", idx_file(8, {1, huge, 1}, "0"));
    refused_idx("a product of 2^96", idx_file(8, {huge, huge, huge}, "0"));
    refused_idx("a product of 2^64", idx_file(8, {0x80000000, 0x80000000, 4}, "0"));
    refused_idx("a product of 2^64 bytes", idx_file(0x0E, {0x80000000, 0x40000000}, "0"));
    refused_idx("255 axes", idx_file(8, std::vector<std::uint32_t>(255, huge), "0"));
    refused_idx("255 axes of 1", idx_file(8, std::vector<std::uint32_t>(255, 1), ""));
    refused_idx("half a number", idx_file(0x0C, {2}, "1234567"));
    return files;
}

int hostile_bytes() {
    files = 0;
    const auto three = [](const Source& source) { return bytes<3>(source, {.header = 4}); };
    refused_array("no header", "abc", three);
    refused_array("no records", "head", three);
    refused_array("half a record", "headabcd", three);
    refused_array("half a number", "head1234567",
                  [](const Source& source) { return bytes<>(source, {.header = 4, .type = Dtype::f32}); });
    return files;
}

int hostile_npy() {
    files = 0;
    const std::string data(24, '\0'), right = npy_file("<f4", false, "(2, 3)", data);
    for (std::size_t end = 0; end < 12; ++end) refused_npy(sentence("cut at ", end), right.substr(0, end));
    refused_npy("cut in the header", right.substr(0, 50));
    refused_npy("cut in the data", right.substr(0, right.size() - 1));
    refused_npy("one byte more", right + "x");
    refused_npy("HTML", html);
    refused_npy("pointer file", pointer);
    refused_npy("version 0", npy_raw("{}\n", data, 0));
    refused_npy("version 4", npy_raw("{}\n", data, 4));
    refused_npy("minor version", right.substr(0, 7) + "\x01" + right.substr(8));
    refused_npy("a header of 4 GiB", std::string("\x93NUMPY\x02\0\xff\xff\xff\xff", 12) + data);
    refused_npy("a header of 64 KiB that is not there", std::string("\x93NUMPY\x01\0\xff\xff", 10) + data);
    const auto header = [&](const std::string& kind, const std::string& text) {
        refused_npy(kind, npy_raw(text + "\n", data));
    };
    const std::string descr = "'descr': '<f4', ", order = "'fortran_order': False, ", shape = "'shape': (2, 3), ";
    refused_npy("no header", npy_raw("", data));
    refused_npy("no newline", npy_raw("{" + descr + order + shape + "}", data));
    header("nothing", "");
    header("no dictionary", "[1, 2]");
    header("only a brace", "{");
    header("empty", "{}");
    header("no descr", "{" + order + shape + "}");
    header("no order", "{" + descr + shape + "}");
    header("no shape", "{" + descr + order + "}");
    header("a key twice", "{" + descr + descr + order + shape + "}");
    header("another key", "{" + descr + order + shape + "'more': 1}");
    header("a key without quotes", "{descr: '<f4', " + order + shape + "}");
    header("an unterminated key", "{'descr");
    header("an unterminated value", "{'descr': '<f4, " + order);
    header("an escape", "{'des\\x63r': '<f4', " + order + shape + "}");
    header("no colon", "{'descr' '<f4', " + order + shape + "}");
    header("no comma", "{'descr': '<f4' " + order + shape + "}");
    header("no end", "{" + descr + order + shape);
    header("more after the end", "{" + descr + order + shape + "}, 1");
    header("a call", "{" + descr + order + "'shape': (2, __import__('os').system('true')), }");
    header("no tuple", "{" + descr + order + "'shape': 6, }");
    header("a list", "{" + descr + order + "'shape': [2, 3], }");
    header("a number in parentheses", "{" + descr + order + "'shape': (6), }");
    header("an open tuple", "{" + descr + order + "'shape': (2, 3, ");
    header("two commas", "{" + descr + order + "'shape': (2,, 3), }");
    header("no number", "{" + descr + order + "'shape': (, ), }");
    header("a negative extent", "{" + descr + order + "'shape': (-2, 3), }");
    header("a fraction", "{" + descr + order + "'shape': (2.0, 3), }");
    header("leading zero", "{" + descr + order + "'shape': (02, 3), }");
    header("an extent above 64 bits", "{" + descr + order + "'shape': (18446744073709551616, 3), }");
    header("a giant extent", "{" + descr + order + "'shape': (18446744073709551615, 3), }");
    header("a product of 2^64", "{" + descr + order + "'shape': (4294967296, 4294967296), }");
    header("a gigabyte", "{" + descr + order + "'shape': (1000000, 1000), }");
    header("a gigabyte in Fortran's order", "{" + descr + "'fortran_order': True, 'shape': (1000000, 1000), }");
    header("no records", "{" + descr + order + "'shape': (0, 3), }");
    header("a scalar", "{" + descr + order + "'shape': (), }");
    header("order as a number", "{" + descr + "'fortran_order': 0, " + shape + "}");
    header("order as a text", "{" + descr + "'fortran_order': 'False', " + shape + "}");
    for (const char* type :
         {"|O", "<c8", "<U2", "|S4", "<M8", "<f3", "<f16", "f4", "|f4", "=f4", "<i3", "<b1 ", "", "<"})
        header(type, std::string("{'descr': '") + type + "', " + order + shape + "}");
    header("records of fields", "{'descr': [('a', '<f4'), ('b', '<i4')], " + order + shape + "}");
    header("bytes that are no text", "{" + descr + order + "'shape': (\xff\xfe, 3), }");
    header("deep brackets", std::string(5000, '('));
    return files;
}

int cut_packed() {
    files = 0;
    const std::string images = idx_file(8, {50, 28, 28}, noise(50 * 784));
    const auto read = [](const std::string& packed) {
        const auto array = idx<28, 28>(memory(packed, "x"));
        Block block;
        while (array.reader->read(8, block) > 0) continue;
    };
    for (const char* filter : {"gzip", "bzip2", "xz", "zstd", "lzip", "lz4"}) {
        const std::string packed = pack_with(filter, images);
        read(packed);
        for (std::size_t part = 1; part < 16; ++part)
            refused(sentence(filter, " cut at ", part, "/16"), "x",
                    [&] { read(packed.substr(0, packed.size() * part / 16)); });
        refused(sentence(filter, " with more behind it"), "x", [&] { read(packed + html); });
    }
    for (const char* format : {"zip", "7zip", "ustar"}) {
        const std::string packed = archive_of(format, {{"images", images, {}}});
        read(packed);
        for (std::size_t part = 1; part < 16; ++part)
            refused(sentence(format, " cut at ", part, "/16"), "x",
                    [&] { read(packed.substr(0, packed.size() * part / 16)); });
    }
    std::string damaged = archive_of("zip", {{"images", images, {}}});
    damaged[20000] = static_cast<char>(damaged[20000] ^ 1);
    refused("a zip with a wrong sum", "x", [&] { read(damaged); });
    return files;
}

int bombs() {
    files = 0;
    const std::string zeros(5u << 20, '\0');
    const auto unpack = [](const std::string& bomb) { read_all(unpacked(memory(bomb, "x"), 1u << 20)); };
    for (const char* filter : {"gzip", "bzip2", "xz", "zstd", "lz4"}) {
        const std::string bomb = pack_with(filter, zeros);
        CHECK(bomb.size() < 100000);
        refused(sentence("a bomb of ", filter), "x", [&] { unpack(bomb); });
        refused(sentence("a bomb of ", filter, " in gzip"), "x", [&] { unpack(pack_with("gzip", bomb)); });
    }
    refused("a bomb in a zip", "x", [&] { unpack(archive_of("zip", {{"zeros", zeros, {}}})); });
    refused("a zip in a bomb", "x",
            [&] { unpack(pack_with("gzip", archive_of("zip", {{"zeros", noise(2u << 20), {}}}))); });
    std::string deep = "x";
    for (int i = 0; i < 12; ++i) deep = pack_with("gzip", deep);
    refused("twelve times packed", "x", [&] { unpack(deep); });
    const std::string claims = pack_with("gzip", idx_file(8, {1u << 31, 4}, "0"));
    refused("more than the limit by its header", "x", [&] { idx(memory(claims, "x")).reader->sections(); });
    return files;
}

int escaping_archives() {
    files = 0;
    const Scratch scratch;
    const std::string to = (scratch.path / "data").string();
    for (const char* format : {"zip", "pax"}) {
        const auto refused_entry = [&](const std::string& kind, const std::vector<Member>& members,
                                       const ExtractLimits& limits = {}) {
            const std::string bytes = archive_of(format, members);
            refused(kind, "x", [&] { extract(memory(bytes, "x"), to, limits); });
            CHECK(std::filesystem::is_empty(scratch.path));
        };
        refused_entry("traversal", {{"../evil", "x", {}}});
        refused_entry("traversal behind a directory", {{"a/b/../../../evil", "x", {}}});
        refused_entry("traversal to a directory", {{"../evil/", "", {}}});
        refused_entry("an absolute name", {{"/tmp/sigma-evil", "x", {}}});
        refused_entry("a link to an absolute name", {{"l", "", "/etc/passwd"}});
        refused_entry("a link outside", {{"a/l", "", "../../etc/passwd"}});
        refused_entry("a file through a link", {{"d/x", "x", {}}, {"l", "", "d"}, {"l/y", "x", {}}});
        refused_entry("a name twice", {{"a", "1", {}}, {"a", "2", {}}});
        refused_entry("a file over a link", {{"a", "1", {}}, {"l", "", "a"}, {"l", "2", {}}});
        refused_entry("too many bytes", {{"a", std::string(2000, 'a'), {}}}, {.bytes = 1999});
        refused_entry("too many entries", {{"a", "", {}}, {"b", "", {}}}, {.entries = 1});
        refused_entry("a zero in the middle of the way", {{"a/b", "", {}}, {"a/b/c", "", {}}});
    }
    return files;
}

}  // namespace

TEST_CASE("The message says what the file is instead") {
    const auto found = [](const std::string& contents) {
        return data_error([&] { idx(memory(contents)).reader->sections(); }).found;
    };
    CHECK(found(html) == "a page of HTML");
    CHECK(found(pointer) == "a pointer of git-lfs in place of the file");
    CHECK(found("<?xml version='1.0'?>") == "a document of XML");
    CHECK(found("P5 28 28 255") == "0x50352032");
}

TEST_CASE("Every damaged or hostile binary file is refused with one exception that says where") {
    const int all = hostile_idx() + hostile_bytes() + hostile_npy() + cut_packed() + bombs() + escaping_archives();
    std::printf("%d damaged or hostile binary files were refused\n", all);
    CHECK(all >= 590);
}
