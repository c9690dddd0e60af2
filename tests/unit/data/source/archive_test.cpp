// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/source/source.hpp>
#include <sigma/data/source/unpack.hpp>
#include <sigma/storage/posix/call.hpp>

#include "../support.hpp"
#include "packed.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <cstring>

#include <sys/file.h>
#include <sys/wait.h>

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

/// Ends the process after some bytes, as one that is killed.
class FatalSource final : public ByteSource {
public:
    explicit FatalSource(std::string bytes) : bytes_(std::move(bytes)) {}
    std::string name() const override { return "fatal"; }
    bool exists() const override { return true; }
    std::string key() const override { return "fatal"; }
    std::unique_ptr<ByteStream> open() const override {
        struct Stream final : ByteStream {
            std::string_view left;
            std::size_t read(std::span<std::byte> to) override {
                if (left.empty()) std::raise(SIGKILL);
                const std::size_t count = std::min(to.size(), left.size());
                std::memcpy(to.data(), left.data(), count);
                left.remove_prefix(count);
                return count;
            }
        };
        auto stream = std::make_unique<Stream>();
        stream->left = bytes_;
        return stream;
    }

private:
    std::string bytes_;
};

/// Everything below a directory.
std::size_t things_in(const std::filesystem::path& path) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& thing : std::filesystem::recursive_directory_iterator(path)) ++count;
    return count;
}

}  // namespace

TEST_CASE("An archive without entries is one") {
    const Scratch scratch;
    for (const char* format : {"zip", "7zip", "ustar", "pax", "cpio"}) {
        CAPTURE(format);
        const std::string bytes = archive_of(format, {});
        CHECK(entries(memory(bytes, "x")).empty());
        CHECK(entries(file(scratch.write("archive", bytes))).empty());
        CHECK_FALSE(entry(memory(bytes, "x"), "a").exists());
        CHECK(error_text([&] { read_all(entry(memory(bytes, "x"), "a")); }) ==
              "file 'x': expected a file 'a' in the archive, found none");
    }
    std::string zip = archive_of("zip", {});
    REQUIRE(zip.size() == 22);
    std::string commented = zip + "empty";
    commented[20] = 5;
    CHECK(entries(memory(commented, "x")).empty());
    for (std::size_t end = 4; end < commented.size(); ++end)
        CHECK_THROWS_AS(entries(memory(commented.substr(0, end), "x")), DataError);
    CHECK_THROWS_AS(entries(memory(zip + "x", "x")), DataError);
    zip[10] = 1;  // it speaks of an entry
    CHECK(data_error([&] { entries(memory(zip, "x")); }).expected == "a complete zip archive");
}

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
    CHECK(read_text(file(to + "/a/link")) == three[2].data);
    CHECK(read_text(file(to + "/a/hard")) == "bee");
    CHECK(things_in(scratch.path) == 7);

    CHECK_THROWS_AS(extract(memory(archive_of("zip", three), "x"), to), StorageError);
    CHECK(things_in(scratch.path) == 7);
    std::filesystem::create_directory(scratch.path / "empty");
    CHECK(extract(memory(archive_of("zip", three), "x"), (scratch.path / "empty/").string()).size() == 3);
    CHECK(things_in(scratch.path / "empty") == 3);
    CHECK_THROWS_AS(extract(memory(archive_of("zip", three), "x"), "/"), Error);
}

TEST_CASE("What a killed extraction left goes with the next one, what a living one writes does not") {
    namespace fs = std::filesystem;
    const Scratch scratch;
    const std::string to = (scratch.path / "data").string();
    const std::string bytes = archive_of("ustar", three);
    const ::pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        try {
            extract(Source(std::make_shared<FatalSource>(bytes.substr(0, 100000))), to);
        } catch (...) {}
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    REQUIRE(things_in(scratch.path) == 4);  // a directory with what was written until then

    const auto make = [&](const char* name) {
        fs::create_directories(scratch.path / name / "within");
        scratch.write(std::string(name) + "/within/file", "x");
        return storage::open_at(AT_FDCWD, (scratch.path / name).c_str(), O_RDONLY | O_DIRECTORY);
    };
    make("data.12-0.partial");
    const storage::Descriptor living = make("data.12-1.partial");
    REQUIRE(::flock(living.number(), LOCK_EX | LOCK_NB) == 0);
    make("other.12-0.partial");
    make("data.12-x.partial");
    fs::create_directory_symlink("other.12-0.partial", scratch.path / "data.12-2.partial");
    extract(memory(bytes, "x"), to);
    std::vector<std::string> names;
    for (const auto& one : fs::directory_iterator(scratch.path)) names.push_back(one.path().filename().string());
    std::sort(names.begin(), names.end());
    CHECK(names == std::vector<std::string>{"data", "data.12-1.partial", "data.12-2.partial", "data.12-x.partial",
                                            "other.12-0.partial"});
    CHECK(things_in(scratch.path / "data") == 3);
    CHECK(things_in(scratch.path / "data.12-1.partial") == 2);
}

TEST_CASE("An extraction is locked while it is written, and not behind it") {
    const Scratch scratch;
    const std::string to = (scratch.path / "data").string();
    struct Looking final : ByteSource {
        std::string bytes;
        std::filesystem::path where;
        mutable int locked = 0;
        std::string name() const override { return "looking"; }
        bool exists() const override { return true; }
        std::string key() const override { return "looking"; }
        std::unique_ptr<ByteStream> open() const override {
            struct Stream final : ByteStream {
                const Looking& of;
                std::size_t at = 0;
                explicit Stream(const Looking& l) : of(l) {}
                std::size_t read(std::span<std::byte> into) override {
                    for (const auto& one : std::filesystem::directory_iterator(of.where)) {
                        const auto found = storage::open_at(AT_FDCWD, one.path().c_str(), O_RDONLY | O_DIRECTORY);
                        of.locked += ::flock(found.number(), LOCK_EX | LOCK_NB) != 0;
                    }
                    const std::size_t count = std::min(into.size(), of.bytes.size() - at);
                    std::memcpy(into.data(), of.bytes.data() + at, count);
                    at += count;
                    return count;
                }
            };
            return std::make_unique<Stream>(*this);
        }
    };
    const auto source = std::make_shared<Looking>();
    source->bytes = archive_of("ustar", three), source->where = scratch.path;
    extract(Source(source), to);
    CHECK(source->locked > 0);
    const auto place = storage::open_at(AT_FDCWD, to.c_str(), O_RDONLY | O_DIRECTORY);
    CHECK(::flock(place.number(), LOCK_EX | LOCK_NB) == 0);
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
    CHECK(refusal({{"../evil", "", {}}}) == "entry '../evil': a name inside the directory, a name with '..'");
    CHECK(refusal({{"a/../../evil", "", {}}}) == "entry 'a/../../evil': a name inside the directory, a name with '..'");
    CHECK(refusal({{"/tmp/evil", "", {}}}) == "entry '/tmp/evil': a name inside the directory, an absolute name");
    CHECK(refusal({{"l", "", "/etc"}}) == "entry 'l': a link inside the directory, '/etc'");
    CHECK(refusal({{"a/l", "", "../.."}}) == "entry 'a/l': a link inside the directory, '../..'");
    // Behind links to the directory itself, ".." is outside.
    CHECK(refusal({{"d/e/up", "", "../.."}, {"d/l", "", "e/up/.."}}) ==
          "entry 'd/l': a link inside the directory, 'e/up/..'");
    CHECK(refusal({{"d/up", "", ".."}, {"l", "", "d/up/.."}}) == "entry 'l': a link inside the directory, 'd/up/..'");
    CHECK(refusal({{"d/", "", {}}, {"l", "", "d"}, {"l/file", "", {}}}) ==
          "entry 'l/file': a name below directories, a name below a link or file of the archive");
    CHECK(refusal({{"h", "", "/etc/passwd", 0, true}}) == "entry 'h': a name inside the directory, an absolute name");
    CHECK(refusal({{"h", "", "later", 0, true}}) == "entry 'h': a link to an earlier file of the archive, 'later'");
    CHECK(refusal({{"l", "", "first"}, {"h", "", "l", 0, true}}) ==
          "entry 'h': a link to an earlier file of the archive, 'l'");
    CHECK(refusal({{"device", "", {}, AE_IFCHR}}) == "entry 'device': a file, directory or link, a device or pipe");
    CHECK(refusal({{"pipe", "", {}, AE_IFIFO}}) == "entry 'pipe': a file, directory or link, a device or pipe");
    CHECK(refusal({{"first", "2", {}}}) == "entry 'first': a new name, the name of an earlier entry");
    CHECK(refusal({{"first/below", "2", {}}}) ==
          "entry 'first/below': a name below directories, a name below a link or file of the archive");
    CHECK(refusal({{"many", "0123456789", {}}}, {.bytes = 10}) == "entry 'many': at most 10 bytes in all, more");
    CHECK(refusal({{"many", "", {}}}, {.entries = 1}) == "entry 'many': at most 1 entries, more");
    CHECK(refusal({{std::string(300, 'n'), "", {}}}).find("a part of more than 255 bytes") != std::string::npos);
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
        CHECK(read_text(file(to + "/" + name)) == "1");
        CHECK(read_text(file(to + "/link")) == "1");
    }
}
