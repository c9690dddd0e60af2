// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/gzip.hpp>

#include "support.hpp"

using namespace sigma;
using data::read_bytes;
using Bytes = std::vector<std::uint8_t>;

namespace {

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
    const std::string packed = data::read_text(pack(scratch, "packed.gz", noise(200)));
    for (std::size_t end = 2; end < packed.size(); ++end) {
        const std::string path = scratch.write("cut.gz", packed.substr(0, end));
        const DataError error = data_error([&] { read_bytes(path); });
        CHECK(error.file == path);
        CHECK(error.found == "the end of the file");
    }
}

TEST_CASE("Damage to a packed file is noticed") {
    const Scratch scratch;
    const std::string path = pack(scratch, "packed.gz", noise(5000));
    std::string text = data::read_text(path);
    text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 0x10);
    const DataError error = data_error([&] { read_bytes(scratch.write("damaged.gz", text)); });
    CHECK(error.expected == "valid gzip data");
}

TEST_CASE("A file that unpacks to more than the limit is refused") {
    const Scratch scratch;
    const std::string path = pack(scratch, "zeros.gz", Bytes(5u << 20, 0));
    CHECK(read_bytes(path, 5u << 20).size() == 5u << 20);
    const DataError error = data_error([&] { read_bytes(path, (5u << 20) - 1); });
    CHECK(error.expected == "at most 5242879 bytes unpacked");
}

TEST_CASE("A file that cannot be read is refused with the reason") {
    const Scratch scratch;
    const DataError none = data_error([&] { read_bytes((scratch.path / "none").string()); });
    CHECK(none.found == "'No such file or directory'");
    const DataError directory = data_error([&] { read_bytes(scratch.path.string()); });
    CHECK(directory.found == "'Is a directory'");
}
