// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"
#include "support/sanitized.hpp"

#include <cstring>

using namespace sigma;

namespace {

std::string text(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

TEST_CASE("A file is what the specification says, byte for byte") {
    const std::vector<float> weights{1, -2};
    const std::vector<double> states{0.5};
    SafetensorsWriter file;
    file.metadata("epoch", "3").metadata("a \"b\"", "\n");
    file.add("w", {2, 1}, std::span<const float>(weights));
    file.add("s", {}, std::span<const double>(states));
    file.add("e", Dtype::bf16, {0}, {});
    const std::string header = R"({"__metadata__":{"a \"b\"":"\n","epoch":"3"},)"
                               R"("s":{"dtype":"F64","shape":[],"data_offsets":[0,8]},)"
                               R"("w":{"dtype":"F32","shape":[2,1],"data_offsets":[8,16]},)"
                               R"("e":{"dtype":"BF16","shape":[0],"data_offsets":[16,16]}})";
    const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
    const char data[] = "\0\0\0\0\0\0\xE0\x3F\0\0\x80\x3F\0\0\0\xC0";
    CHECK(padded.size() % 8 == 0);
    CHECK(text(file.image()) == safetensors_bytes(padded, {data, 16}));
}

TEST_CASE("An empty file is a file") {
    CHECK(text(SafetensorsWriter().image()) == safetensors_bytes("{}      "));
    CHECK(text(SafetensorsWriter().metadata("", "").image()) == safetensors_bytes(R"({"__metadata__":{"":""}})"));
}

TEST_CASE("The order of the calls does not matter, and every tensor is aligned") {
    const std::vector<std::byte> bytes(8);
    const auto part = [&](std::size_t size) { return std::span(bytes).first(size); };
    SafetensorsWriter one, two;
    one.metadata("a", "1").metadata("b", "2");
    two.metadata("b", "2").metadata("a", "1");
    for (int i = 0; i < 15; ++i) {
        for (SafetensorsWriter* file : {&one, &two}) {
            const auto dtype = static_cast<Dtype>(file == &one ? i : 14 - i);
            file->add(std::string(detail::name_of(dtype)), dtype, {1}, part(detail::size_of(dtype)));
        }
    }
    const auto image = one.image();
    CHECK(image == two.image());
    const auto file = SafetensorsFile::from_bytes(image);
    CHECK(file.tensors().size() == 15);
    for (const TensorInfo& tensor : file.tensors()) {
        CHECK(tensor.name == detail::name_of(tensor.dtype));
        CHECK((image.size() - file.tensors().back().end + tensor.begin) % detail::size_of(tensor.dtype) == 0);
    }
}

TEST_CASE("What is written is read back, from memory and from a file") {
    const Scratch scratch;
    const std::string path = (scratch.path / "net.safetensors").string();
    const std::string name = "1-d\xC3\xA4nse \"\\/\x01\xF0\x9F\x98\x80";
    const std::vector<float> values{1.5f, -0.0f, 3e38f};
    SafetensorsWriter writer;
    writer.metadata(name, name);
    writer.add(name, {3}, std::span<const float>(values));
    writer.add("kept", {2}, std::vector<std::int64_t>{-1, 1});
    const bool flags[2] = {true, false};
    writer.add("flags", {2}, std::span<const bool>(flags));
    writer.save(path);
    const auto image = writer.image();
    CHECK(file_text(path) == text(image));
    const auto from_file = SafetensorsFile::open(path), from_memory = SafetensorsFile::from_bytes(image);
    for (const SafetensorsFile* file : {&from_file, &from_memory}) {
        CHECK(*file->metadata(name) == name);
        const auto read = file->read<float>(name);
        CHECK(std::memcmp(read.data(), values.data(), 12) == 0);
        CHECK(file->read<std::int64_t>("kept") == std::vector<std::int64_t>{-1, 1});
        bool back[2] = {false, true};
        file->read("flags", std::span<bool>(back));
        CHECK((back[0] && !back[1]));
    }
}

TEST_CASE("What would be no file is refused") {
    SafetensorsWriter file;
    const std::vector<float> four(4);
    const std::span<const float> values(four);
    file.add("w", {4}, values).metadata("k", "v");
    CHECK(error_text([&] { file.add("w", {2, 2}, values); }) ==
          "tensor 'w': expected one tensor of each name, found a second tensor");
    CHECK(error_text([&] { file.add("w", Dtype::u8, {16}, std::as_bytes(values)); }) ==
          "tensor 'w': expected one tensor of each name, found a second tensor");
    CHECK(error_text([&] { file.metadata("k", "w"); }) ==
          "metadata 'k': expected one value for each key, found a second value");
    CHECK(error_text([&] { file.add("v", {2, 3}, values); }) ==
          "tensor 'v': expected the bytes of shape (2, 3) of F32, found 16");
    CHECK_THROWS_AS(file.add("v", {1ull << 62}, values.first(0)), ShapeError);
    CHECK_THROWS_AS(file.add("v", {1ull << 32, 1ull << 32, 4}, values), ShapeError);
    CHECK(error_text([&] { file.add("__metadata__", {4}, values); }) ==
          "tensor '__metadata__': expected the name of a tensor, found the key of the metadata");
    CHECK(error_text([&] { file.add("a\xFF", {4}, values); }) ==
          "tensor 'a\\xff': expected UTF-8, found 'a\\xff' at byte 1");
    CHECK(error_text([&] { file.metadata("a", "\xC3"); }) == "metadata 'a': expected UTF-8, found '\\xc3' at byte 0");
    CHECK_THROWS_AS(file.metadata("\x80", ""), ArgumentError);
    CHECK(SafetensorsFile::from_bytes(file.image()).tensors().size() == 1);
    if (test::sanitized) return;  // sanitizers need half a minute for so many characters
    file.metadata("long", std::string(100'000'000, 'x'));
    CHECK(error_text([&] {
              file.image();
          }).starts_with("a safetensors file: expected a header of at most 100000000 bytes, found 100000"));
}

TEST_CASE("A file with a checksum knows when a byte of it has changed") {
    const std::vector<float> weights{1, -2, 3};
    SafetensorsWriter writer;
    writer.metadata("a", "\"sigma.checksum\":\"0000000000000000\"")
        .add("sigma.checksum", {3}, std::span<const float>(weights));
    CHECK_FALSE(SafetensorsFile::from_bytes(writer.image()).verify());
    writer.with_checksum();
    auto image = writer.image();
    CHECK(SafetensorsFile::from_bytes(image).verify());
    CHECK(image == writer.image());
    CHECK(SafetensorsFile::from_bytes(image).metadata("sigma.checksum")->size() == 16);
    CHECK_THROWS_AS(writer.with_checksum(), ArgumentError);
    image.back() ^= std::byte{1};
    CHECK_THROWS_WITH(SafetensorsFile::from_bytes(image).verify(), Catch::Contains("the stored checksum"));

    // Tensors larger than a block that is read at a time.
    const std::vector<double> many(100'003, 0.5);
    const Scratch scratch;
    SafetensorsWriter large;
    large.add("many", {many.size()}, std::span<const double>(many))
        .add("weights", {3}, std::span<const float>(weights))
        .with_checksum();
    const std::string path = (scratch.path / "large").string();
    large.save(path);
    CHECK(SafetensorsFile::open(path).verify());
    CHECK(SafetensorsFile::from_bytes(large.image()).verify());
}
