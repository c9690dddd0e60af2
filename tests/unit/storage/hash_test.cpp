// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/number_text.hpp>
#include <sigma/storage/hash.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace sigma;

// Files, keys and checkpoints of earlier versions contain these values.

TEST_CASE("Hashes are those of FNV-1a") {
    CHECK(storage::fnv1a("") == 0xcbf29ce484222325);
    CHECK(storage::fnv1a("a") == 0xaf63dc4c8601ec8c);
    CHECK(storage::fnv1a("foobar") == 0x85944171f73967e8);
    CHECK(storage::fnv1a("bar", storage::fnv1a("foo")) == storage::fnv1a("foobar"));
    CHECK(storage::fnv1a("\xff", 0) == std::uint64_t{0xff} * 0x100000001b3);
    const std::vector<double> weights{1, 2, 0.5};
    CHECK(storage::fnv1a(std::as_bytes(std::span(weights))) == 16505848189408219253u);
}

TEST_CASE("Fingerprints are those of FNV-1a") {
    CHECK(storage::fingerprint("") == "6c62272e07bb014262b821756295c58d");
    CHECK(storage::fingerprint("a") == "d228cb696f1a8caf78912b704e4a8964");
    CHECK(storage::fingerprint("foobar") == "343e1662793c64bf6f0d3597ba446f18");
}

TEST_CASE("A checksum is that of the bytes, however they come") {
    std::vector<std::byte> bytes(1000);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37 + 11);
    const auto of = [&](std::size_t n) { return detail::hexadecimal(storage::checksum(std::span(bytes).first(n))); };
    // Values in files of earlier versions.
    CHECK(of(0) == "ec9e668355700b5c");
    CHECK(of(31) == "bf559e7cd2874c05");
    CHECK(of(32) == "e93d95168fa6e967");
    CHECK(of(1000) == "2af53b5a7cdb739f");
    for (std::size_t part = 1; part < 100; ++part) {
        storage::Checksum all;
        for (std::size_t at = 0; at < bytes.size(); at += part)
            all.add(std::span(bytes).subspan(at, std::min(part, bytes.size() - at)));
        all.add({});
        CHECK(detail::hexadecimal(all.value()) == of(1000));
    }
}

TEST_CASE("CRC-32C is that of RFC 3720") {  // its appendix B.4
    std::vector<std::uint8_t> bytes(32, 0);
    const auto crc = [&] { return storage::crc32c(std::as_bytes(std::span(bytes))); };
    CHECK(crc() == 0x8a9136aa);
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0xff});
    CHECK(crc() == 0x62a8ab43);
    for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<std::uint8_t>(i);
    CHECK(crc() == 0x46dd794e);
    const auto all = std::as_bytes(std::span(bytes));
    CHECK(storage::crc32c(all.subspan(5), storage::crc32c(all.first(5))) == crc());
}
