// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/reader/image.hpp>

#include "../image/make_images.hpp"
#include "../support.hpp"
#include "class_files_support.hpp"

#include <sys/stat.h>

using namespace sigma;
using namespace sigma::data;
namespace fs = std::filesystem;

namespace {

/// cat/a.pgm, cat/b.png, dog/c.ppm: 2 rows of 3 pixels each.
void write_pets(const Scratch& scratch) {
    fs::create_directories(scratch.path / "dog");
    fs::create_directories(scratch.path / "cat");
    scratch.write("dog/c.ppm", std::string("P3 3 2 255  0 0 0 10 10 10 20 20 20  30 30 30 40 40 40 50 50 50"));
    scratch.write("cat/b.png", png_of({.width = 3, .height = 2, .bytes = {1, 2, 3, 4, 5, 6}}));
    scratch.write("cat/a.pgm", std::string("P2 3 2 255 9 8 7 6 5 4"));
}

}  // namespace

TEST_CASE("A directory per class is read in the order of names") {
    const Scratch scratch;
    write_pets(scratch);
    scratch.write(".hidden", std::string("x"));
    scratch.write("cat/.DS_Store", std::string("x"));
    scratch.write("README.txt", std::string("beside the classes"));
    fs::create_directories(scratch.path / ".git");
    const auto pets = images<2, 3, 1>(scratch.path.string());
    static_assert(std::is_same_v<decltype(pets)::Schema, Schema<SectionField<"inputs", Role::input, Extents<2, 3, 1>>,
                                                                SectionField<"targets", Role::target, Extents<>>>>);
    CHECK(pets.reader->sections() == std::vector<SectionInfo>{{"inputs", {2, 3, 1}, false}, {"targets", {}, true}});
    CHECK(pets.reader->size() == 3);
    CHECK(pets.reader->classes() == std::vector<std::string>{"cat", "dog"});
    for (const std::size_t most : std::vector<std::size_t>{1, 2, 10}) {
        const Block all = all_of(pets, most);
        CHECK(all.values[0].floats() == std::vector<float>{9, 8, 7, 6, 5, 4, 1, 2, 3, 4, 5, 6, 0, 10, 20, 30, 40, 50});
        CHECK(all.values[1].floats() == std::vector<float>{0, 0, 1});
    }
    const Block colours = all_of(images<2, 3, 3>(scratch.path.string()));
    CHECK(colours.values[0].floats().size() == 54);
    CHECK(colours.values[0].floats()[1] == 9);
}

TEST_CASE("Directories whose names are all numbers are classes in the order of these") {
    const Scratch scratch;
    const auto write = [&](const std::string& name, const std::string& text) {
        fs::create_directories((scratch.path / name).parent_path());
        scratch.write(name, text);
    };
    for (const char* number : {"10", "9", "1"})
        write(sigma::sentence(number, "/a.pgm"), sigma::sentence("P2 1 1 255 ", number, "\n"));
    const auto digits = images<1, 1, 1>(scratch.path.string());
    CHECK(digits.reader->classes() == std::vector<std::string>{"1", "9", "10"});
    CHECK(all_of(digits, 10).values == std::vector<NumberList>{{1, 9, 10}, {0, 1, 2}});
    const auto told = image_files(scratch.path.string(), {"10", "7", "9", "1"});
    CHECK(told.classes == std::vector<std::string>{"10", "7", "9", "1"});
    CHECK(all_of(images<1, 1, 1>(told), 10).values == std::vector<NumberList>{{1, 9, 10}, {3, 2, 0}});
    CHECK(
        error_text([&] { image_files(scratch.path.string(), {"10", "9"}); }) ==
        sigma::sentence("directory '", scratch.path.string(), "/1': expected one of the classes '10', '9', found '1'"));
    write("x/a.pgm", "P2 1 1 255 7\n");
    CHECK(images<1, 1, 1>(scratch.path.string()).reader->classes() == std::vector<std::string>{"1", "10", "9", "x"});
}

TEST_CASE("Extents may be those of the first image") {
    const Scratch scratch;
    write_pets(scratch);
    const auto pets = images(scratch.path.string());
    static_assert(!decltype(pets)::Schema::has("x"));
    CHECK(pets.reader->sections()[0].shape == std::vector<std::size_t>{2, 3, 1});
    CHECK(images(scratch.path.string(), {.channels = 3}).reader->sections()[0].shape ==
          std::vector<std::size_t>{2, 3, 3});
    CHECK(all_of(images(scratch.path.string(), {.height = 1, .width = 1, .resize = Resize::bilinear}))
              .values[0]
              .floats()[0] == Approx(6.5));
    const std::string key = pets.reader->key();
    all_of(pets);
    CHECK(pets.reader->key() == key);
}

TEST_CASE("Images of a list have the labels of the list") {
    const Scratch scratch;
    write_pets(scratch);
    const std::string cat = (scratch.path / "cat/a.pgm").string(), dog = (scratch.path / "dog/c.ppm").string();
    const auto list = images<2, 3, 1>(ClassFiles{"pets", {{dog, 5}, {cat, 3}, {dog, 5}}});
    const Block all = all_of(list);
    CHECK(all.values[1].floats() == std::vector<float>{5, 3, 5});
    CHECK(all.values[0].floats()[6] == 9);
    CHECK(list.reader->classes().empty());
    CHECK(error_text([&] { images(ClassFiles{"pets", {{dog, 2}}, {"a", "b"}}); }) ==
          sentence("images of 'pets', file '", dog, "': expected a class below 2, found 2"));
    CHECK(data_error([] { images(ClassFiles{"pets", {}}); }).expected == "at least one image");
}

TEST_CASE("Symbolic links are followed") {
    const Scratch scratch, other;
    write_pets(scratch);
    fs::create_symlink(scratch.path / "cat", other.path / "kitten");
    fs::create_directories(other.path / "puppy");
    fs::create_symlink(scratch.path / "dog/c.ppm", other.path / "puppy/c");
    CHECK(all_of(images<2, 3, 1>(other.path.string())).values == all_of(images<2, 3, 1>(scratch.path.string())).values);
    fs::create_symlink("nowhere", other.path / "puppy/d");
    const DataError dangling = data_error([&] { all_of(images<2, 3, 1>(other.path.string())); });
    CHECK(dangling.file == (other.path / "puppy/d").string());
    CHECK(dangling.expected == "a readable file");
}

TEST_CASE("Images that cannot be used are refused, or left out on request") {
    const Scratch scratch;
    write_pets(scratch);
    const auto refused = [&](const std::string& name, const std::string& expected) {
        const DataError refusal = data_error([&] { all_of(images<2, 3, 1>(scratch.path.string())); });
        CHECK(refusal.file == (scratch.path / name).string());
        CHECK(refusal.expected == expected);
        std::vector<std::string> told;
        const auto unreadable = [&](const DataError& e) { told.push_back(e.file); };
        const auto rest = images<2, 3, 1>(scratch.path.string(), {.unreadable = unreadable});
        CHECK_FALSE(rest.reader->size().has_value());
        const Block all = all_of(rest);
        CHECK(all.values[1].floats() == std::vector<float>{0, 0, 1});
        CHECK(told == std::vector<std::string>{refusal.file});
        CHECK(images(scratch.path.string(), {.unreadable = unreadable}).reader->sections()[0].shape[1] == 3);
        fs::remove(scratch.path / name);
    };
    scratch.write("cat/0.txt", std::string("notes"));
    refused("cat/0.txt", "an image in PNG, JPEG, PGM or PPM");
    scratch.write("cat/aa.pgm", std::string("P2 2 3 255 1 2 3 4 5 6"));
    refused("cat/aa.pgm", "2 rows of 3 pixels (or .resize = Resize::bilinear)");
    scratch.write("dog/d.pgm", std::string());
    refused("dog/d.pgm", "an image in PNG, JPEG, PGM or PPM");
    scratch.write("dog/d.pgm", std::string("P5 3 2 255 abcde"));
    refused("dog/d.pgm", "at most 5 pixels for its number of bytes");
    REQUIRE(::mkfifo((scratch.path / "dog/pipe").c_str(), 0600) == 0);  // reading it would wait for ever
    refused("dog/pipe", "a file");
    CHECK(data_error([&] { all_of(images<2, 3, 1>(scratch.path.string(), {.max_bytes = 30})); }).expected ==
          "at most 30 bytes");
    CHECK(data_error([&] {
              all_of(images<2, 3, 1>(scratch.path.string(), {.max_pixels = 6, .max_bytes = 1}));
          }).found == "22");
    CHECK_THROWS_AS((images<2, 3, 1>(scratch.path.string(), {.max_pixels = 5})), ArgumentError);
    CHECK_THROWS_AS(images(scratch.path.string(), {.channels = 4}), ArgumentError);
    CHECK_THROWS_AS(images(scratch.path.string(), {.height = std::size_t{1} << 40, .width = std::size_t{1} << 40}),
                    ArgumentError);
    CHECK(data_error([&] { images(scratch.path.string(), {.max_pixels = 5}).reader->sections(); }).expected ==
          "at most 5 pixels");
    const auto none = images<9, 9, 1>(scratch.path.string(), {.unreadable = [](const DataError&) {}});
    CHECK(data_error([&] { all_of(none); }).found == "none among 3");
}

TEST_CASE("Directories without images are refused") {
    const auto refusal = [](const Scratch& scratch) {
        return data_error([&] { images<2, 3, 1>(scratch.path.string()); });
    };
    const Scratch empty, no_image, deep, file;
    CHECK(std::string(data_error([] { images<2, 3, 1>("nowhere"); }).what()) ==
          "directory 'nowhere': expected a readable directory, found 'No such file or directory'");
    CHECK(std::string(refusal(empty).what()).starts_with("directory '"));
    CHECK(refusal(empty).expected == "a sub-directory for each class");
    file.write("a.pgm", std::string("P2 1 1 1 1"));
    CHECK(refusal(file).expected == "a sub-directory for each class");
    fs::create_directories(no_image.path / "cat");
    CHECK(refusal(no_image).file == (no_image.path / "cat").string());
    CHECK(refusal(no_image).expected == "at least one image of this class");
    fs::create_directories(deep.path / "cat/young");
    CHECK(refusal(deep).found == "a directory");
    CHECK_THAT(data_error([&] { image_files((empty.path / "none").string()); }).found, Catch::Contains("No such file"));
    CHECK_THAT(data_error([&] { image_files((file.path / "a.pgm").string()); }).found,
               Catch::Contains("Not a directory"));
}

TEST_CASE("Readers of other images and options have other keys") {
    const Scratch scratch;
    write_pets(scratch);
    const auto key = [&](const ImageOptions& options) { return images(scratch.path.string(), options).reader->key(); };
    const std::string one = key({});
    CHECK(key({}) == one);
    CHECK(key({.channels = 3}) != one);
    CHECK(key({.resize = Resize::bilinear}) != one);
    CHECK(key({.background = 1}) != one);
    scratch.write("dog/c.ppm", std::string("P3 3 2 255  1 0 0 10 10 10 20 20 20  30 30 30 40 40 40 50 50 5"));
    CHECK(key({}) != one);
}
