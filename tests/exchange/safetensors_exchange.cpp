// SPDX-License-Identifier: BSL-1.0
// The C++ half of exchange.py: `write PATH` saves a tensor of every type, `print PATH` says what a file has in it, one
// item a line, bytes and texts in hexadecimal digits.
#include <sigma/storage/safetensors.hpp>

#include <cstdio>
#include <iostream>
#include <string>

namespace {

using namespace sigma;

std::string hexadecimal(std::span<const std::byte> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const std::byte byte : bytes) {
        text += digits[static_cast<unsigned>(byte) >> 4];
        text += digits[static_cast<unsigned>(byte) & 15];
    }
    return text;
}
std::string hexadecimal(const std::string& text) { return hexadecimal(std::as_bytes(std::span(text))); }

template <class T>
void add(SafetensorsWriter& file, const char* name) {
    std::vector<T> values(6);
    for (int i = 0; i < 6; ++i) values[static_cast<std::size_t>(i)] = static_cast<T>((i - 2) * 1.25);
    file.add(name, {2, 3}, std::move(values));
}

void write(const std::string& path) {
    SafetensorsWriter file;
    file.metadata("epoch", "3").metadata("\xC3\xA4\"\\\n", "\x01\xF0\x9F\x98\x80");
    add<float>(file, "F32");
    add<double>(file, "F64");
    add<std::int8_t>(file, "I8");
    add<std::int16_t>(file, "I16");
    add<std::int32_t>(file, "I32");
    add<std::int64_t>(file, "I64");
    const std::vector<std::uint8_t> bytes{0, 1, 127, 128, 255};
    file.add("U8", {5}, std::span<const std::uint8_t>(bytes));
    file.add("U16", {1}, std::vector<std::uint16_t>{65535});
    file.add("U32", {1, 1}, std::vector<std::uint32_t>{4294967295});
    file.add("U64", {}, std::vector<std::uint64_t>{18446744073709551615u});
    const bool flags[3] = {true, false, true};
    file.add("BOOL", {3}, std::span<const bool>(flags));
    const std::vector<std::uint16_t> halves{0x3C00, 0xC100};
    file.add("F16", Dtype::f16, {2}, std::as_bytes(std::span(halves)));
    file.add("empty \xE2\x82\xAC \"quoted\"", Dtype::bf16, {4, 0}, {});
    file.save(path);
}

void print(const std::string& path) {
    const auto file = SafetensorsFile::open(path);
    for (const auto& [key, value] : file.metadata())
        std::cout << "metadata " << hexadecimal(key) << ' ' << hexadecimal(value) << '\n';
    for (const TensorInfo& tensor : file.tensors()) {
        std::cout << "tensor " << hexadecimal(tensor.name) << ' ' << detail::name_of(tensor.dtype) << " [";
        for (std::size_t i = 0; i < tensor.shape.size(); ++i) std::cout << (i > 0 ? "," : "") << tensor.shape[i];
        std::cout << "] " << hexadecimal(file.bytes(tensor.name)) << '\n';
    }
}

}  // namespace

int main(int argc, char** argv) try {
    const std::string what = argc == 3 ? argv[1] : "";
    if (what != "write" && what != "print") throw Error("expected write PATH or print PATH");
    what == "write" ? write(argv[2]) : print(argv[2]);
} catch (const sigma::Error& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
