// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/reader/text.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/source/unpack.hpp>

#include "../support.hpp"
#include "packed.hpp"

#include <catch2/catch.hpp>

#include <zlib.h>

#include <random>

using namespace sigma;
using namespace sigma::data;
using Bytes = std::vector<std::uint8_t>;
using test_packed::pack_with;

namespace {

Bytes read_bytes(const std::string& path, std::size_t limit = default_limit) {
    const std::vector<std::byte> bytes = read_all(unpacked(file(path), limit));
    Bytes all;
    for (const std::byte byte : bytes) all.push_back(std::to_integer<std::uint8_t>(byte));
    return all;
}
std::string text_of(const Source& source) {
    const std::vector<std::byte> bytes = read_all(source);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}
std::string unpacked_text(const std::string& packed, std::size_t limit = default_limit) {
    return text_of(unpacked(memory(packed, "x"), limit));
}

std::string pack(const Scratch& scratch, const std::string& name, const Bytes& bytes) {
    const std::string path = (scratch.path / name).string();
    const gzFile file = gzopen(path.c_str(), "wb");
    if (!bytes.empty()) gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    return path;
}

Bytes noise(std::size_t size) {
    Bytes bytes(size);
    std::uint32_t state = 1;
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
    return bytes;
}

}  // namespace

TEST_CASE("Packed and plain files are read alike") {
    const Scratch scratch;
    for (const std::size_t size : {0u, 1u, 1000u, 1u << 20, (1u << 20) + 1, 3u << 20}) {
        const Bytes bytes = noise(size);
        CHECK(read_bytes(pack(scratch, "packed.gz", bytes)) == bytes);
        CHECK(read_bytes(scratch.write("plain", bytes)) == bytes);
    }
}

TEST_CASE("A packed file cut anywhere after its first two bytes is refused") {
    const Scratch scratch;
    const std::string packed = read_text(file(pack(scratch, "packed.gz", noise(200))));
    for (std::size_t end = 2; end < packed.size(); ++end) {
        const std::string path = scratch.write("cut.gz", packed.substr(0, end));
        const DataError thrown = data_error([&] { read_bytes(path); });
        CHECK(thrown.file == path);
        CHECK(thrown.found == "the end of the file");
    }
}

TEST_CASE("Damage to a packed file is noticed") {
    const Scratch scratch;
    const std::string path = pack(scratch, "packed.gz", noise(5000));
    std::string text = read_text(file(path));
    text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 0x10);
    const DataError thrown = data_error([&] { read_bytes(scratch.write("damaged.gz", text)); });
    CHECK(thrown.expected == "valid gzip data");
}

TEST_CASE("A file that unpacks to more than the limit is refused") {
    const Scratch scratch;
    const std::string path = pack(scratch, "zeros.gz", Bytes(5u << 20, 0));
    CHECK(read_bytes(path, 5u << 20).size() == 5u << 20);
    const DataError thrown = data_error([&] { read_bytes(path, (5u << 20) - 1); });
    CHECK(thrown.expected == "at most 5242879 bytes unpacked");
}

TEST_CASE("A file that cannot be read is refused with the reason") {
    const Scratch scratch;
    const DataError none = data_error([&] { read_bytes((scratch.path / "none").string()); });
    CHECK(none.found == "'No such file or directory'");
    const DataError directory = data_error([&] { read_bytes(scratch.path.string()); });
    CHECK(directory.found == "a directory");
}

TEST_CASE("All members of gzip data are read, and what follows them is refused") {
    const std::string one = pack_with("gzip", "one "), two = pack_with("gzip", "two");
    CHECK(unpacked_text(one + two) == "one two");
    const DataError garbage = data_error([&] { unpacked_text(one + "<html>"); });
    CHECK(garbage.place == sentence("byte ", one.size()));
    CHECK(garbage.expected == "another gzip member or the end of the file");
    CHECK(garbage.found == "'<html>'");
    CHECK_THROWS_AS(unpacked_text(one + two.substr(0, 9)), DataError);
}

TEST_CASE("Zeros fill packed data up to whole blocks, as tape drives want and tar writes into pipes") {
    const std::string one = pack_with("gzip", "one "), two = pack_with("gzip", "two");
    for (const std::size_t many : {1u, 4u, 1000u, 10240u, 65536u, 200'000u}) {
        const std::string padding_bytes(many, '\0');
        CHECK(unpacked_text(one + padding_bytes) == "one ");
        CHECK(unpacked_text(one + padding_bytes + two + padding_bytes) == "one two");
        const DataError garbage = data_error([&] { unpacked_text(one + padding_bytes + "x"); });
        CHECK(garbage.place == sentence("byte ", one.size() + many));
        for (const char* filter : {"bzip2", "lzip", "lz4", "xz"}) {
            if (std::string_view(filter) == "xz" && many % 4 != 0) continue;  // which its format refuses
            CAPTURE(filter, many);
            const std::string packed = pack_with(filter, "contents");
            CHECK(unpacked_text(packed + padding_bytes) == "contents");
            CHECK_THROWS_AS(unpacked_text(packed + padding_bytes + "x"), DataError);
        }
    }
    // Not zstd, whose own program refuses them; and they are no part of what is packed.
    CHECK_THROWS_AS(unpacked_text(pack_with("zstd", "contents") + std::string(100, '\0')), DataError);
    CHECK(unpacked_text(pack_with("gzip", std::string(3, '\0'))) == std::string(3, '\0'));
    const std::string tar = test_packed::archive_of("ustar", {{"a.txt", "contents", {}}}, "gzip");
    CHECK(unpacked_text(tar + std::string(10240 - tar.size() % 10240, '\0')) == "contents");
}

TEST_CASE("Packed data is known by its content and unpacked as often as it is packed") {
    std::string text;
    std::mt19937 random(1);
    while (text.size() < 60000) text += sentence("word ", random() % 100, ",");
    for (const char* filter : {"gzip", "bzip2", "xz", "zstd", "lzip", "lz4", "compress"}) {
        CAPTURE(filter);
        const std::string packed = pack_with(filter, text);
        CHECK(packed.size() < text.size());
        CHECK(unpacked_text(packed) == text);
        CHECK(unpacked_text(pack_with("gzip", packed)) == text);
        CHECK(unpacked_text(pack_with(filter, pack_with("xz", packed))) == text);
        CHECK_THROWS_AS(unpacked_text(packed, text.size() - 1), DataError);
        CHECK(unpacked_text(packed, text.size()) == text);
        if (std::string_view(filter) == "compress") continue;  // it has no end mark and no sum
        CHECK_THROWS_AS(unpacked_text(packed + "garbage"), DataError);
        CHECK_THROWS_AS(unpacked_text(packed.substr(0, packed.size() - 1)), DataError);
        if (std::string_view(filter) == "zstd") continue;  // as libarchive writes it, it has no sum
        std::string damaged = packed;
        damaged[packed.size() / 2] = static_cast<char>(damaged[packed.size() / 2] ^ 4);
        const DataError refusal = data_error([&] { unpacked_text(damaged); });
        CHECK(refusal.file == "x");
    }
    std::string deep = "text";
    for (int i = 0; i < 8; ++i) deep = pack_with("gzip", deep);
    CHECK(unpacked_text(deep) == "text");
    CHECK(data_error([&] { unpacked_text(pack_with("gzip", deep)); }).expected == "data packed at most 8 times");
}

TEST_CASE("Texts and tables are read through the source that unpacks them") {
    const std::string text = "1,2\n3,4\n";
    for (const char* filter : {"gzip", "bzip2", "xz", "zstd"}) {
        const Source packed = memory(test_packed::pack_with(filter, text), "x");
        const Source plain = unpacked(packed);
        const Vocabulary vocabulary(plain);
        CHECK(vocabulary == Vocabulary(text));
        Block block;
        CHECK(characters<2>(plain, vocabulary).reader->read(9, block) == 3);
        CHECK((csv(plain) >> sections(inputs = columns(0, 1))).reader->read(9, block) == 2);
        const std::string refusal = sentence("file 'x', byte 0: expected text in UTF-8, found data packed by ", filter);
        CHECK(error_text([&] { Vocabulary{packed}; }) == refusal);
        CHECK(error_text([&] { characters<2>(packed, vocabulary).reader->read(9, block); }) == refusal);
        CHECK(error_text([&] { (csv(packed) >> sections(inputs = columns(0, 1))).reader->read(9, block); }) == refusal);
    }
}

TEST_CASE("Plain bytes come as they are, of any length") {
    for (const std::string& plain : {std::string(), std::string("a,b\n1,2\n"), std::string("\x1f"),
                                     std::string("BZh is a word"), std::string(300, 'x'), std::string("PK")})
        CHECK(unpacked_text(plain, 1) == plain);
}

TEST_CASE("An archive with one file is that file") {
    for (const char* format : {"zip", "7zip", "ustar"}) {
        CAPTURE(format);
        const std::string one = test_packed::archive_of(format, {{"a/", "", {}}, {"a/b.txt", "contents", {}}});
        CHECK(unpacked_text(one) == "contents");
        CHECK(unpacked_text(pack_with("xz", one)) == "contents");
        const std::string two = test_packed::archive_of(format, {{"a.txt", "1", {}}, {"b.txt", "2", {}}});
        const DataError refusal = data_error([&] { unpacked_text(two); });
        CHECK(refusal.found == "'a.txt' and 'b.txt'");
        CHECK_THROWS_AS(unpacked_text(one, 7), DataError);
    }
    for (const char* format : {"zip", "7zip"})
        CHECK(error_text([&] { unpacked_text(test_packed::archive_of(format, {})); }) ==
              "file 'x', byte 0: expected an archive with a file in it, found none");
    CHECK(data_error([&] { unpacked_text(test_packed::archive_of("ustar", {{"a/", "", {}}})); }).expected ==
          "an archive with a file in it");
}

TEST_CASE("Sources of unpacked bytes keep their name and have a key of their own") {
    const Source plain = memory("text", "x");
    CHECK(unpacked(plain).name() == "x");
    CHECK(unpacked(plain).exists());
    CHECK_FALSE(unpacked(file("/nowhere/x")).exists());
    CHECK(unpacked(plain).key() != plain.key());
    CHECK(unpacked(plain).key() != unpacked(memory("other", "x")).key());
    const auto stream = open_unpacked(plain);
    std::byte one{};
    CHECK(stream->read(std::span(&one, 1)) == 1);
    CHECK(one == std::byte{'t'});
}
