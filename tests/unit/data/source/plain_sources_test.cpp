// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <sigma/data/source/source.hpp>
#include <sigma/storage/workspace.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

using namespace sigma;
using namespace sigma::data;
using namespace sources_test;

TEST_CASE("A file gives its bytes, as often as it is opened") {
    const Scratch directory;
    const Source source = file(directory.write("a.txt", "abcdef"));
    CHECK(source.exists());
    CHECK(source.name() == directory / "a.txt");
    CHECK(source.path() == directory / "a.txt");
    CHECK(text_of(source) == "abcdef");
    const auto stream = source.open();
    std::vector<std::byte> part(4);
    CHECK(stream->read(part) == 4);
    CHECK(part[3] == std::byte{'d'});
    CHECK(stream->read(part) == 2);
    CHECK(stream->read(part) == 0);
    CHECK(text_of(file(directory.write("empty", ""))).empty());
    CHECK_THROWS_WITH(read_all(source, 5), Catch::Contains("expected at most 5 bytes, found more"));
    CHECK(read_all(source, 6).size() == 6);
}

TEST_CASE("A file that cannot be read says why") {
    const Scratch directory;
    CHECK_FALSE(file(directory / "none").exists());
    CHECK_FALSE(file(directory.path.string()).exists());
    const std::string none = sentence("file '", directory / "none", "': cannot read it: ");
    CHECK(error_text<DataError>([&] { file(directory / "none").open(); }) ==
          sentence(none, "No such file or directory"));
    CHECK(error_text<DataError>([&] { file(directory / "none").key(); }) ==
          sentence(none, "No such file or directory"));
    CHECK(error_text<DataError>([&] { file(directory.path.string()).open(); }) ==
          sentence("file '", directory.path.string(), "': expected a file, found a directory"));
    const std::string zero = directory.write("a", "x") + std::string(1, '\0') + "b";
    CHECK_FALSE(file(zero).exists());
    CHECK_THROWS_WITH(file(zero).open(), Catch::Contains("expected a path without zero bytes"));
}

TEST_CASE("The key of a file changes with it") {
    const Scratch directory;
    const std::string path = directory.write("a", "abc");
    const std::string before = file(path).key();
    CHECK(file(directory.path.string() + "/./a").key() == before);
    CHECK(file(directory.write("b", "abc")).key() != before);
    const auto time = std::filesystem::last_write_time(path);
    directory.write("a", "abd");
    std::filesystem::last_write_time(path, time + std::chrono::nanoseconds(1));
    CHECK(file(path).key() != before);
    std::filesystem::last_write_time(path, time);
    CHECK(file(path).key() != before);
    const std::string again = file(path).key();
    std::filesystem::rename(path, directory / "c");
    std::filesystem::copy_file(directory / "c", path);
    std::filesystem::last_write_time(path, time);
    CHECK(file(path).key() != again);
}

TEST_CASE("Memory is a source") {
    const Source text = memory("x,y\n1,2\n", "table.csv");
    CHECK(text.name() == "table.csv");
    CHECK(text.exists());
    CHECK_FALSE(text.path());
    CHECK(text_of(text) == "x,y\n1,2\n");
    CHECK(text_of(text) == "x,y\n1,2\n");
    const std::vector<std::byte> bytes{std::byte{'a'}, std::byte{0}, std::byte{'b'}};
    CHECK(memory(bytes).name() == "memory");
    CHECK(text_of(memory(std::span(bytes))) == std::string("a\0b", 3));
    CHECK(memory(bytes).key() == memory(std::string("a\0b", 3), "other").key());
    CHECK(memory("a").key() != memory("b").key());
    const auto stream = memory("outlived").open();
    std::vector<std::byte> all(20);
    CHECK(stream->read(all) == 8);
    CHECK(text_of(memory("")).empty());
}

TEST_CASE("The first that can be opened is taken") {
    const Scratch directory;
    const Source source = file(directory / "a") | file(directory / "b") | memory("c", "spare");
    CHECK(source.name() == sentence(directory / "a", " | ", directory / "b", " | spare"));
    CHECK(source.exists());
    directory.write("b", "bytes of b");
    CHECK(text_of(source) == "bytes of b");
    CHECK(source.name() == directory / "b");
    CHECK(source.path() == directory / "b");
    CHECK(source.key() == file(directory / "b").key());
    directory.write("a", "too late");
    CHECK(text_of(source) == "bytes of b");
    std::filesystem::remove(directory / "b");
    CHECK_THROWS_AS(source.open(), DataError);
}

TEST_CASE("A key asked for first decides as well") {
    const Scratch directory;
    const Source source = file(directory / "a") | memory("c");
    CHECK(source.key() == memory("c").key());
    directory.write("a", "too late");
    CHECK(text_of(source) == "c");
    CHECK_FALSE(source.path());
}

TEST_CASE("Where none is there, the error names all that were tried") {
    const Source source = file("/none/a") | (file("/none/b") | file("/none"));
    CHECK_FALSE(source.exists());
    CHECK(error_text<DataError>([&] { source.open(); }) ==
          "file '/none/a | /none/b | /none': cannot read it: "
          "file '/none/a': cannot read it: No such file or directory; "
          "file '/none/b': cannot read it: No such file or directory; "
          "file '/none': cannot read it: No such file or directory");
}

TEST_CASE("The cache directory follows the environment") {
    const Environment cache("SIGMA_CACHE", "/a"), xdg("XDG_CACHE_HOME", "/b"), home("HOME", "/c");
    CHECK(cache_directory() == "/a");
    const Environment no_cache("SIGMA_CACHE", nullptr);
    CHECK(cache_directory() == "/b/sigma");
    {
        const Environment relative("XDG_CACHE_HOME", "b");
        CHECK(cache_directory() == "/c/.cache/sigma");
    }
    const Environment no_xdg("XDG_CACHE_HOME", "");
    CHECK(cache_directory() == "/c/.cache/sigma");
    const Environment no_home("HOME", nullptr);
    CHECK_THROWS_WITH(cache_directory(), Catch::Contains("SIGMA_CACHE"));
}
