// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/source/extract.hpp>
#include <sigma/data/source/file.hpp>
#include <sigma/data/source/memory.hpp>

#include "../support.hpp"
#include "packed.hpp"

#include <catch2/catch.hpp>

using namespace sigma;
using namespace sigma::data;
using test_packed::archive_of;
using test_packed::Member;

namespace {

std::string text_of(const Source& source) {
    const std::vector<std::byte> bytes = read_all(source);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}
const std::vector<Member> three{{"a/", "", {}}, {"a/b.txt", "bee", {}}, {"c.txt", std::string(200000, 'c'), {}}};

/// Everything below a directory.
std::size_t things_in(const std::filesystem::path& path) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& thing : std::filesystem::recursive_directory_iterator(path)) ++count;
    return count;
}

}  // namespace

TEST_CASE("Archives of all formats are listed, and their entries read as streams") {
    const Scratch scratch;
    for (const auto& [format, filter] : std::vector<std::pair<const char*, const char*>>{{"zip", nullptr},
                                                                                         {"7zip", nullptr},
                                                                                         {"ustar", nullptr},
                                                                                         {"ustar", "gzip"},
                                                                                         {"pax", "xz"},
                                                                                         {"cpio", nullptr},
                                                                                         {"zip", "gzip"}}) {
        CAPTURE(format);
        const std::string bytes = archive_of(format, three, filter);
        for (const Source& source : std::vector<Source>{memory(bytes, "x"), file(scratch.write("archive", bytes))}) {
            std::vector<std::string> names;
            for (const ArchiveEntry& one : entries(source)) names.push_back(one.name);
            std::sort(names.begin(), names.end());
            CHECK(names.size() == 3);
            CHECK(names[0].starts_with("a"));
            CHECK(names[1] == "a/b.txt");
            CHECK(names[2] == "c.txt");
            CHECK(text_of(entry(source, "a/b.txt")) == "bee");
            CHECK(text_of(entry(source, "./c.txt")) == three[2].data);
            CHECK(entry(source, "a/b.txt").exists());
            CHECK_FALSE(entry(source, "b.txt").exists());
            CHECK_THROWS_AS(read_all(entry(source, "c.txt", 199999)), DataError);
        }
    }
    const DataError none = data_error([] { entry(memory(archive_of("zip", three), "x"), "d").open(); });
    CHECK(none.expected == "a file 'd' in the archive");
    CHECK(none.found == "'a/b.txt', 'c.txt'");
    CHECK(entry(memory(std::string(), "x"), "d").name() == "x:d");
    CHECK_FALSE(entry(file("/nowhere/x"), "d").exists());
    const DataError no_archive = data_error([] { entries(memory("just text", "x")); });
    CHECK(no_archive.expected == "a zip, tar, 7zip or cpio archive");
}

TEST_CASE("Archives are extracted whole into a directory that was not there, or empty") {
    const Scratch scratch;
    const std::string to = (scratch.path / "new" / "data").string();
    std::vector<Member> members = three;
    members.push_back({"a/link", "", "../c.txt"});
    members.push_back({"a/hard", "", "a/b.txt", 0, true});
    const auto all = extract(memory(archive_of("pax", members, "gzip"), "x"), to);
    CHECK(all.size() == 5);
    CHECK(all[2].size == 200000u);
    CHECK(all[3].kind == ArchiveEntry::Kind::symbolic_link);
    CHECK(all[3].link == "../c.txt");
    CHECK(data::read_text(to + "/a/link") == three[2].data);
    CHECK(data::read_text(to + "/a/hard") == "bee");
    CHECK(things_in(scratch.path) == 7);

    CHECK_THROWS_AS(extract(memory(archive_of("zip", three), "x"), to), StorageError);
    CHECK(things_in(scratch.path) == 7);
    std::filesystem::create_directory(scratch.path / "empty");
    CHECK(extract(memory(archive_of("zip", three), "x"), (scratch.path / "empty/").string()).size() == 3);
    CHECK(things_in(scratch.path / "empty") == 3);
    CHECK_THROWS_AS(extract(memory(archive_of("zip", three), "x"), "/"), Error);
}

TEST_CASE("Entries that would leave the directory are refused by name, and nothing stays") {
    const Scratch scratch;
    const std::string to = (scratch.path / "data").string();
    const auto refusal = [&](std::vector<Member> members, ExtractLimits limits = {}) {
        members.insert(members.begin(), Member{"first", "1", {}});
        const DataError found = data_error([&] { extract(memory(archive_of("pax", members), "x"), to, limits); });
        CHECK(std::filesystem::is_empty(scratch.path));
        CHECK(found.file == "x");
        return found.place + ": " + found.expected + ", " + found.found;
    };
    CHECK(refusal({{"../evil", "", {}}}) == "entry '../evil': a name inside the directory, one with '..'");
    CHECK(refusal({{"a/../../evil", "", {}}}) == "entry 'a/../../evil': a name inside the directory, one with '..'");
    CHECK(refusal({{"/tmp/evil", "", {}}}) == "entry '/tmp/evil': a name inside the directory, an absolute one");
    CHECK(refusal({{"l", "", "/etc"}}) == "entry 'l': a link inside the directory, '/etc'");
    CHECK(refusal({{"a/l", "", "../.."}}) == "entry 'a/l': a link inside the directory, '../..'");
    // Behind links to the directory itself, ".." is outside.
    CHECK(refusal({{"d/e/up", "", "../.."}, {"d/l", "", "e/up/.."}}) ==
          "entry 'd/l': a link inside the directory, 'e/up/..'");
    CHECK(refusal({{"d/up", "", ".."}, {"l", "", "d/up/.."}}) == "entry 'l': a link inside the directory, 'd/up/..'");
    CHECK(refusal({{"d/", "", {}}, {"l", "", "d"}, {"l/file", "", {}}}) ==
          "entry 'l/file': a name below directories, one below a link or file of the archive");
    CHECK(refusal({{"h", "", "/etc/passwd", 0, true}}) == "entry 'h': a name inside the directory, an absolute one");
    CHECK(refusal({{"h", "", "later", 0, true}}) ==
          "entry 'h': a link to a file that comes before it in the archive, 'later'");
    CHECK(refusal({{"l", "", "first"}, {"h", "", "l", 0, true}}) ==
          "entry 'h': a link to a file that comes before it in the archive, 'l'");
    CHECK(refusal({{"device", "", {}, AE_IFCHR}}) == "entry 'device': a file, directory or link, a device or pipe");
    CHECK(refusal({{"pipe", "", {}, AE_IFIFO}}) == "entry 'pipe': a file, directory or link, a device or pipe");
    CHECK(refusal({{"first", "2", {}}}) == "entry 'first': a name that no entry before it has, one");
    CHECK(refusal({{"first/below", "2", {}}}) ==
          "entry 'first/below': a name below directories, one below a link or file of the archive");
    CHECK(refusal({{"many", "0123456789", {}}}, {.bytes = 10}) == "entry 'many': at most 10 bytes in all, more");
    CHECK(refusal({{"many", "", {}}}, {.entries = 1}) == "entry 'many': at most 1 entries, more");
    CHECK(refusal({{std::string(300, 'n'), "", {}}}).find("a part longer than 255 bytes") != std::string::npos);
}

TEST_CASE("A damaged archive leaves nothing") {
    const Scratch scratch;
    std::string zip = archive_of("zip", three);
    zip[60] = static_cast<char>(zip[60] ^ 1);
    for (const std::string& bytes :
         {archive_of("ustar", three).substr(0, 100000), archive_of("zip", three).substr(0, 150), zip}) {
        CHECK_THROWS_AS(extract(memory(bytes, "x"), (scratch.path / "data").string()), DataError);
        CHECK(std::filesystem::is_empty(scratch.path));
    }
}

TEST_CASE("The end of a packed archive is checked, also when one entry is read") {
    const std::string packed = archive_of("ustar", three, "gzip");
    std::string wrong_sum = packed;
    wrong_sum[packed.size() - 6] = static_cast<char>(wrong_sum[packed.size() - 6] ^ 1);
    for (const std::string& bytes : {packed.substr(0, packed.size() - 1), wrong_sum}) {
        CHECK_THROWS_AS(entries(memory(bytes, "x")), DataError);
        CHECK_THROWS_AS(read_all(entry(memory(bytes, "x"), "a/b.txt")), DataError);
    }
    CHECK(read_all(entry(memory(packed, "x"), "a/b.txt")).size() == 3);
}

TEST_CASE("Names are UTF-8, whatever the locale is") {
    const Scratch scratch;
    const std::string name = "\u00fcber/\u4e2d.txt";
    for (const char* format : {"ustar", "zip"}) {
        const std::string to = (scratch.path / format).string();
        const std::string bytes = archive_of(format, {{name, "1", {}}, {"link", "", name}});
        CHECK(entries(memory(bytes))[0].name == name);
        CHECK(text_of(entry(memory(bytes), name)) == "1");
        extract(memory(bytes), to);
        CHECK(data::read_text(to + "/" + name) == "1");
        CHECK(data::read_text(to + "/link") == "1");
    }
}
