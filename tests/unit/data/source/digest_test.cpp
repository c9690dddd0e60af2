// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <sigma/data/source/digest.hpp>
#include <sigma/data/source/source.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>

using namespace sigma;
using namespace sigma::data;
using namespace sources_test;

namespace {

// FIPS 180-4, examples of the National Institute of Standards and Technology.
const std::string of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const std::string of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Counts how often it is opened; its key is what the test says.
struct Counted final : ByteSource {
    std::string given_key = "1";
    mutable int opened = 0;

    std::string name() const override { return "counted"; }
    bool exists() const override { return true; }
    std::unique_ptr<ByteStream> open() const override {
        ++opened;
        return memory("abc").open();
    }
    std::string key() const override { return given_key; }
};

/// Another one each time.
struct Moving final : ByteSource {
    mutable int keys = 0;

    std::string name() const override { return "moving"; }
    bool exists() const override { return true; }
    std::unique_ptr<ByteStream> open() const override { return memory("abc").open(); }
    std::string key() const override { return std::to_string(++keys); }
};

}  // namespace

TEST_CASE("SHA-256 of bytes, of parts and of sources") {
    CHECK(sha256("abc") == of_abc);
    CHECK(sha256("") == of_nothing);
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    Sha256 parts;
    for (const std::string part : {"a", "", "bc"}) parts.update(std::as_bytes(std::span(part)));
    CHECK(parts.finish() == of_abc);
    CHECK(sha256(memory("abc")) == of_abc);
    CHECK(sha256(memory(std::string(1'000'000, 'a'))) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("Verified bytes are handed out, others are not") {
    const Scratch directory;
    std::string upper = of_abc;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const Source source = verified(file(directory.write("a", "abc")), upper);
    CHECK(text_of(source) == "abc");
    CHECK(source.key() == sentence("sha256:", of_abc));
    CHECK(source.path() == directory / "a");
    CHECK(source.name() == directory / "a");

    directory.write("a", "abd");
    CHECK(error_text<DataError>([&] { source.open(); }) == sentence("file '", directory / "a",
                                                                    "': expected bytes with the SHA-256 digest ",
                                                                    of_abc, ", found ", sha256("abd")));
    CHECK_THROWS_AS(source.path(), DataError);
    directory.write("a", "abc");
    CHECK(text_of(source) == "abc");
    CHECK_THROWS_WITH(verified(memory("abc", "m"), "abc"),
                      "sha256 of 'm': expected 64 hexadecimal digits, found 'abc'");
    CHECK_THROWS_AS(verified(memory("abc"), std::string(64, 'g')), ArgumentError);
}

TEST_CASE("What did not change is verified once") {
    const auto counted = std::make_shared<Counted>();
    const Source source = verified(Source(counted), of_abc);
    CHECK(text_of(source) == "abc");
    CHECK(counted->opened == 2);
    CHECK(text_of(source) == "abc");
    CHECK(counted->opened == 3);
    counted->given_key = "2";
    CHECK(text_of(source) == "abc");
    CHECK(counted->opened == 5);
}

TEST_CASE("What changes while it is verified is refused") {
    CHECK_THROWS_WITH(verified(Source(std::make_shared<Moving>()), of_abc).open(),
                      Catch::Contains("found a file that was replaced while it was read"));
}

TEST_CASE("Of several mirrors, one with other bytes is passed over") {
    const Source source = verified(memory("abd", "bad"), of_abc) | verified(memory("abc", "good"), of_abc);
    CHECK(text_of(source) == "abc");
    CHECK(source.name() == "good");
}
