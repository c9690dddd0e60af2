// SPDX-License-Identifier: BSL-1.0
#include <sigma/storage/workspace.hpp>
#include "support.hpp"

#include <limits>

using namespace sigma;
using namespace std::string_literals;

namespace {

SafetensorsFile open_bytes(const std::string& file) { return SafetensorsFile::from_bytes(bytes_of(file), "x"); }
std::string refusal(const std::string& file) {
    return error_text([&] { open_bytes(file); });
}
std::string refusal(std::string_view header, std::string_view data) { return refusal(safetensors_bytes(header, data)); }

// The example of the format's library: no metadata, no padding.
const std::string published =
    safetensors_bytes(R"({"test":{"dtype":"I32","shape":[2,2],"data_offsets":[0,16]}})", std::string(16, '\0'));

// Header order, key order, blanks, escapes, data order and alignment differ from ours.
const std::string foreign = safetensors_bytes(
    "{\n\t\"b\\u00e4\\ud83d\\ude00\" : { \"shape\" : [ 2 , 1 ] , \"data_offsets\" : [ 3 , 7 ] , \"dtype\" : \"F16\" } "
    ",\r\n"
    "\"\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[2,3]},"
    "\"e\":{\"dtype\":\"F64\",\"shape\":[0,5],\"data_offsets\":[3,3]},"
    "\"__metadata__\":{\"z\\/\":\"\\n\",\"a\":\"\"},"
    "\"a\":{\"data_offsets\":[0,2],\"dtype\":\"BF16\",\"shape\":[1]}}   ",
    "\x80\x3F\x07\x00\x3C\x00\xC0"s);

}  // namespace

TEST_CASE("The published example is read") {
    const auto file = open_bytes(published);
    REQUIRE(file.tensors().size() == 1);
    CHECK(file.tensors()[0].name == "test");
    CHECK(file.tensors()[0].dtype == Dtype::i32);
    CHECK(file.tensors()[0].shape == std::vector<std::uint64_t>{2, 2});
    CHECK(file.read<int>("test") == std::vector<int>(4, 0));
    CHECK(file.metadata().empty());
}

TEST_CASE("A file of another writer is read") {
    const auto file = open_bytes(foreign);
    std::vector<std::string> names;
    for (const TensorInfo& tensor : file.tensors()) names.push_back(tensor.name);
    CHECK(names == std::vector<std::string>{"a", "", "e", "b\xC3\xA4\xF0\x9F\x98\x80"});
    CHECK(file.read<float>("a") == std::vector<float>{1});
    CHECK(file.read<std::uint8_t>("") == std::vector<std::uint8_t>{7});
    CHECK(file.read<double>("e").empty());
    CHECK(file.read<double>("b\xC3\xA4\xF0\x9F\x98\x80") == std::vector<double>{1, -2});
    CHECK(*file.metadata("z/") == "\n");
    CHECK(file.metadata("a")->empty());
    CHECK(file.metadata("b") == nullptr);
    CHECK(file.find("c") == nullptr);
    CHECK(file.find("e")->elements() == 0);
    CHECK(file.bytes("a") == std::vector<std::byte>{std::byte{0x80}, std::byte{0x3F}});
}

TEST_CASE("No tensors at all are a file") {
    CHECK(open_bytes(safetensors_bytes("{}")).tensors().empty());
    CHECK(open_bytes(safetensors_bytes("{ }   ")).tensors().empty());
    CHECK(open_bytes(safetensors_bytes(R"({"__metadata__":{}})")).metadata().empty());
}

TEST_CASE("A file cut anywhere, or too long, is refused") {
    const Scratch scratch;
    for (const std::string& whole : {published, foreign}) {
        for (std::size_t end = 0; end < whole.size(); ++end) {
            const std::string cut = whole.substr(0, end);
            CHECK_THROWS_AS(open_bytes(cut), DataError);
            const std::string path = scratch.write("cut", cut);
            CHECK_THROWS_AS(SafetensorsFile::open(path), DataError);
        }
        CHECK_THROWS_AS(open_bytes(whole + '\0'), DataError);
    }
    CHECK(refusal("abc"s) == "file 'x', byte 0: expected 8 bytes with the length of the header, found 3");
    CHECK(refusal(published.substr(0, 70)) == "file 'x', byte 68: expected 16 bytes of tensors, found 2");
    CHECK(refusal(published + "12") == "file 'x', byte 68: expected 16 bytes of tensors, found 18");
}

TEST_CASE("The length of the header is checked before anything is allocated") {
    CHECK(refusal("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}"s) ==
          "file 'x', byte 0: expected a header of at most 100000000 bytes, found 18446744073709551615");
    CHECK(refusal("\x01\xE1\xF5\x05\0\0\0\0{}"s) ==
          "file 'x', byte 0: expected a header of at most 100000000 bytes, found 100000001");
    CHECK(refusal("\x00\xE1\xF5\x05\0\0\0\0{}"s) == "file 'x', byte 8: expected a header of 100000000 bytes, found 2");
    CHECK(refusal("length,width,kind\n5.1,3.5,setosa\n"s) ==
          "file 'x', byte 0: expected a safetensors file, found 'length,width,kin'");
    CHECK(refusal("\x1F\x8B\x08\0\0\0\0\0\0\x03"s) ==
          "file 'x', byte 0: expected a safetensors file, found '\\x1f\\x8b\\x08\\x00\\x00\\x00\\x00\\x00\\x00\\x03'");
    CHECK(refusal("no model"s) == "file 'x', byte 0: expected a safetensors file, found 'no model'");
    CHECK(refusal("\x03\0\0\0\0\0\0\0{}"s) == "file 'x', byte 8: expected a header of 3 bytes, found 2");
}

TEST_CASE("Headers outside the grammar are refused") {
    const auto tensor = [](const char* text) { return refusal(text, "1234"); };
    CHECK(tensor("") == "file 'x', byte 8: expected '{' at the beginning of the header, found the end of the header");
    CHECK(tensor(" {}") == "file 'x', byte 8: expected '{' at the beginning of the header, found ' '");
    CHECK(tensor("[]") == "file 'x', byte 8: expected '{' at the beginning of the header, found '['");
    CHECK(tensor("{}x") == "file 'x', byte 10: expected only spaces after the header's '}', found 'x'");
    CHECK(tensor("{}\n") == "file 'x', byte 10: expected only spaces after the header's '}', found '\\x0a'");
    CHECK(tensor("{,}") == "file 'x', byte 9: expected a key in quotes, found ','");
    CHECK(tensor(R"({"a"})") == "file 'x', byte 12: expected ':', found '}'");
    CHECK(tensor(R"({"a":1})") == "file 'x', byte 13: expected '{', found '1'");
    CHECK(tensor(R"({"a":null})") == "file 'x', byte 13: expected '{', found 'n'");
    CHECK(tensor(R"({"__metadata__":{"a":1}})") == "file 'x', byte 29: expected a string as metadata, found '1'");
    CHECK(tensor(R"({"__metadata__":{"a":{}}})") == "file 'x', byte 29: expected a string as metadata, found '{'");
    CHECK(tensor(R"({"__metadata__":null})") == "file 'x', byte 24: expected '{', found 'n'");
    CHECK(tensor(R"({"__metadata__":{"a":"b",}})") == "file 'x', byte 33: expected a key in quotes, found '}'");
    CHECK(tensor(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},})") ==
          "file 'x', byte 61: expected a key in quotes, found '}'");
    CHECK(tensor(R"({"a":{"dtype":"U9","shape":[4],"data_offsets":[4,0]}})") ==
          "file 'x', byte 9: expected data_offsets of tensor 'a' in their order, found 4 and 0");
    CHECK(tensor(R"({"a":{"dtype":8,"shape":[4],"data_offsets":[0,4]}})") ==
          "file 'x', byte 22: expected a dtype in quotes, found '8'");
    CHECK(tensor(R"({"a":{"dtype":"U8","shape":[4],"offsets":[0,4]}})") ==
          "file 'x', byte 39: expected dtype, shape or data_offsets, found 'offsets'");
    CHECK(tensor(R"({"a":{"dtype":"U8","data_offsets":[0,4]}})") ==
          "file 'x', byte 9: expected shape of tensor 'a', found the end of its description");
    CHECK(tensor(R"({"a":{"shape":[4],"data_offsets":[0,4]}})") ==
          "file 'x', byte 9: expected dtype of tensor 'a', found the end of its description");
    CHECK(tensor(R"({"a":{"shape":[4],"dtype":"U8"}})") ==
          "file 'x', byte 9: expected data_offsets of tensor 'a', found the end of its description");
    CHECK(tensor(R"({"a":{"dtype":"U8","shape":[[4]],"data_offsets":[0,4]}})") ==
          "file 'x', byte 36: expected a whole number of 0 or more, found '['");
    CHECK(tensor(R"({"a":{"dtype":"U8","shape":[4,],"data_offsets":[0,4]}})") ==
          "file 'x', byte 38: expected a whole number of 0 or more, found ']'");
    CHECK(tensor(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4,4]}})") ==
          "file 'x', byte 58: expected ']', found ','");
    CHECK(tensor(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[4]}})") ==
          "file 'x', byte 56: expected ',', found ']'");
    for (const char* number : {"-4", "4.0", "4e0", "04", "\"4\"", "true", "18446744073709551616"}) {
        CHECK_THROWS_AS(
            open_bytes(safetensors_bytes(
                sentence(R"({"a":{"dtype":"U8","shape":[)", number, R"(],"data_offsets":[0,4]}})"), "1234")),
            DataError);
        CHECK_THROWS_AS(open_bytes(safetensors_bytes(
                            sentence(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,)", number, "]}}"), "1234")),
                        DataError);
    }
}

TEST_CASE("Depth does not matter") {
    for (const char open : {'{', '['}) {
        CHECK_THROWS_AS(open_bytes(safetensors_bytes(std::string(1 << 20, open))), DataError);
        CHECK_THROWS_AS(open_bytes(safetensors_bytes(R"({"a":)" + std::string(1 << 20, open))), DataError);
        CHECK_THROWS_AS(open_bytes(safetensors_bytes(R"({"a":{"shape":)" + std::string(1 << 20, open))), DataError);
    }
}

TEST_CASE("Keys stand once") {
    CHECK(
        refusal(
            R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"\u0061":{"dtype":"U8","shape":[0],"data_offsets":[4,4]}})",
            "1234") == "file 'x', byte 61: expected each key once, found 'a' twice");
    CHECK(refusal(R"({"__metadata__":{"a":"","b":"","a":""}})", "") ==
          "file 'x', byte 39: expected each key once, found 'a' twice");
    CHECK(refusal(R"({"__metadata__":{},"__metadata__":{}})", "") ==
          "file 'x', byte 27: expected each key once, found '__metadata__' twice");
    CHECK(refusal(R"({"a":{"dtype":"U8","dtype":"U8","shape":[4],"data_offsets":[0,4]}})", "1234") ==
          "file 'x', byte 27: expected each key once, found 'dtype' twice");
}

TEST_CASE("Tensors cover the data without holes and overlaps") {
    const auto two = [](const char* a, const char* b, const char* data = "12345678") {
        const auto one = [](const char* name, const char* rest) {
            return sentence('"', name, "\":{\"dtype\":\"U8\",", rest, '}');
        };
        return refusal(sentence('{', one("a", a), ',', one("b", b), '}'), data);
    };
    CHECK(two(R"("shape":[4],"data_offsets":[0,4])", R"("shape":[4],"data_offsets":[4,8])") == "no error");
    CHECK(two(R"("shape":[4],"data_offsets":[4,8])", R"("shape":[4],"data_offsets":[0,4])") == "no error");
    CHECK(two(R"("shape":[4],"data_offsets":[0,4])", R"("shape":[3],"data_offsets":[5,8])") ==
          "file 'x', byte 113: expected tensor 'b' at 4, the end of the previous tensor, found 5");
    CHECK(two(R"("shape":[4],"data_offsets":[0,4])", R"("shape":[5],"data_offsets":[3,8])") ==
          "file 'x', byte 113: expected tensor 'b' at 4, the end of the previous tensor, found 3");
    CHECK(two(R"("shape":[8],"data_offsets":[0,8])", R"("shape":[8],"data_offsets":[0,8])") ==
          "file 'x', byte 113: expected tensor 'b' at 8, the end of the previous tensor, found 0");
    CHECK(two(R"("shape":[4],"data_offsets":[1,5])", R"("shape":[3],"data_offsets":[5,8])") ==
          "file 'x', byte 113: expected tensor 'a' at 0, the end of the previous tensor, found 1");
    CHECK(two(R"("shape":[4],"data_offsets":[0,4])", R"("shape":[0],"data_offsets":[2,2])", "1234") ==
          "file 'x', byte 113: expected tensor 'b' at 4, the end of the previous tensor, found 2");
    CHECK(two(R"("shape":[4],"data_offsets":[0,4])", R"("shape":[4],"data_offsets":[8,4])") ==
          "file 'x', byte 61: expected data_offsets 4 bytes apart for tensor 'b', found 8 and 4");
    CHECK(two(R"("shape":[4],"data_offsets":[0,4])", R"("shape":[3],"data_offsets":[4,8])") ==
          "file 'x', byte 61: expected data_offsets 3 bytes apart for tensor 'b', found 4 and 8");
}

TEST_CASE("Shapes whose product overflows are refused") {
    const auto shape = [](const char* extents, const char* offsets = "0,0") {
        return refusal(sentence(R"({"a":{"dtype":"F32","shape":[)", extents, R"(],"data_offsets":[)", offsets, "]}}"),
                       "");
    };
    CHECK(shape("4611686018427387904,1") ==
          "file 'x', byte 9: expected a shape of less than 2^64 bytes, found '(4611686018427387904, 1)'");
    CHECK(shape("4294967296,4294967296").starts_with("file 'x', byte 9: expected a shape of less than"));
    CHECK(shape("0,4294967296,4294967296").starts_with("file 'x', byte 9: expected a shape of less than"));
    CHECK(shape("4294967296,4294967296,0").starts_with("file 'x', byte 9: expected a shape of less than"));
    CHECK(shape("4611686018427387903", "0,18446744073709551612") ==
          "file 'x', byte 99: expected 18446744073709551612 bytes of tensors, found 0");
}

TEST_CASE("Elements are converted to floating point and nothing else") {
    const std::string image = safetensors_bytes(
        R"({"d":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},"b":{"dtype":"BOOL","shape":[2],"data_offsets":[8,10]},)"
        R"("n":{"dtype":"BOOL","shape":[1],"data_offsets":[10,11]},"q":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[11,12]}})",
        "\x9A\x99\x99\x99\x99\x99\xB9\x3F\x01\x00\x02\x38"s);
    const auto file = open_bytes(image);
    CHECK(file.read<float>("d") == std::vector<float>{0.1f});
    CHECK(file.read<double>("d") == std::vector<double>{0.1});
    bool two[2] = {false, true};
    file.read("b", std::span<bool>(two));
    CHECK(two[0]);
    CHECK(!two[1]);
    CHECK(error_text([&] { file.read("n", std::span<bool>(two, 1)); }) ==
          "file 'x', tensor 'n': expected 0 or 1, found 2");
    CHECK(error_text([&] { file.read<int>("d"); }) == "file 'x', tensor 'd': expected I32, found F64");
    CHECK(error_text([&] { file.read<float>("q"); }) ==
          "file 'x', tensor 'q': expected F64, F32, F16 or BF16, found F8_E4M3");
    CHECK(error_text([&] { file.read<float>("b"); }) ==
          "file 'x', tensor 'b': expected F64, F32, F16 or BF16, found BOOL");
    CHECK(error_text([&] { file.read("b", std::span<bool>(two, 1)); }) ==
          "file 'x', tensor 'b': expected 1 elements, found shape (2)");
    CHECK(error_text([&] { file.bytes("w"); }) ==
          "file 'x', tensor 'w': expected a tensor of this name, found 'd' (1), 'b' (2), 'n' (1), 'q' (1)");
}

TEST_CASE("Of many tensors those are named that are called most like what is asked for") {
    std::string header;
    for (int i = 0; i < 12; ++i)
        header += (i > 0 ? "," : "{") + ("\"layer." + std::to_string(i)) +
                  R"(.weight":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
    const std::string image = safetensors_bytes(header + "}", "");
    const auto file = open_bytes(image);
    CHECK(file.tensors_like("layer.11.weights").starts_with("'layer.11.weight' (0), 'layer.1.weight' (0), "));
    CHECK(file.tensors_like("layer.11.weights").ends_with(" and 4 more"));
}

TEST_CASE("Converted tensors of many blocks keep their order") {
    std::vector<double> values(5000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) / 2;
    SafetensorsWriter writer;
    writer.add("x", {5000}, std::span<const double>(values));
    const auto image = writer.image();
    const std::vector<float> read = SafetensorsFile::from_bytes(image).read<float>("x");
    CHECK(std::equal(values.begin(), values.end(), read.begin(), read.end()));
}

TEST_CASE("What is no readable file is refused") {
    const Scratch scratch;
    const auto text = [](const std::string& path) { return error_text([&] { SafetensorsFile::open(path); }); };
    CHECK(text("/nowhere/x") == "file '/nowhere/x': cannot read it: No such file or directory");
    CHECK(text(scratch.path.string()) ==
          sentence("file '", scratch.path.string(), "': expected a readable file, found a directory"));
    CHECK(text("/dev/null") == "file '/dev/null': expected a readable file, found a device or pipe");
    CHECK(text("x\0y"s) == "file 'x': expected a path without zero bytes, found one after this text");
}

TEST_CASE("An open file outlives its replacement, and one that was cut says so") {
    const Scratch scratch;
    const std::string path = scratch.write("x", published);
    const auto old = SafetensorsFile::open(path);
    write_file_atomically(path, bytes_of(safetensors_bytes("{}")));
    CHECK(old.read<int>("test") == std::vector<int>(4, 0));
    CHECK(SafetensorsFile::open(path).tensors().empty());

    const std::string cut = scratch.write("y", published);
    const auto file = SafetensorsFile::open(cut);
    std::filesystem::resize_file(cut, 75);
    CHECK(error_text([&] { file.read<int>("test"); }) ==
          sentence("file '", cut, "', byte 75: expected 9 more bytes, found the end of the file"));
}

TEST_CASE("A tensor of a type that is not known is refused when it is read, not before") {
    // Types of quantized networks: two elements per byte, with scales.
    const std::string bytes = safetensors_bytes(
        R"({"scale":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
        R"("w":{"dtype":"F4","shape":[2,3],"data_offsets":[4,7]},"x":{"dtype":"U8","shape":[1],"data_offsets":[7,8]}})",
        std::string("\0\0\x80\x3f"
                    "abc"
                    "\x07",
                    8));
    const auto file = SafetensorsFile::from_bytes(std::as_bytes(std::span(bytes)), "x");
    CHECK(file.read<float>("scale") == std::vector<float>{1});
    CHECK(file.read<std::uint8_t>("x") == std::vector<std::uint8_t>{7});
    const TensorInfo& other = *file.find("w");
    CHECK(other.dtype == Dtype::other);
    CHECK(other.dtype_name() == "F4");
    CHECK(other.elements() == 6);
    CHECK(file.bytes("w").size() == 3);
    const std::string refusal =
        "file 'x', tensor 'w': expected a dtype of BOOL U8 I8 F8_E5M2 F8_E4M3 I16 U16 F16 BF16 I32 "
        "U32 F32 F64 I64 U64, found 'F4'";
    CHECK(error_text([&] { file.read<float>("w"); }) == refusal);
    std::array<std::uint8_t, 3> raw{};
    CHECK(error_text([&] { file.read("w", std::span<std::uint8_t>(raw)); }) == refusal);
    CHECK_THROWS_AS(SafetensorsWriter().add("w", Dtype::other, {2, 3}, file.bytes("w")), ArgumentError);
}
