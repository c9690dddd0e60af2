// SPDX-License-Identifier: BSL-1.0
#include <sigma/storage/error.hpp>
#include <sigma/storage/file.hpp>
#include <sigma/storage/posix/call.hpp>
#include <sigma/storage/workspace.hpp>
#include "support.hpp"

#include <csignal>
#include <thread>

#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <sys/syscall.h>

namespace {

/// The calls of fsync as "file NAMES" or "directory NAMES", with the names in the directory at that time, and the
/// number of the call that fails.
struct Syncs {
    std::filesystem::path directory;
    std::vector<std::string> calls;
    std::size_t failing = 0;
};
Syncs* syncs = nullptr;

}  // namespace

namespace {
/// The error of linkat; 0 for none.
int refused_link = 0;
}  // namespace

// The fsync and linkat of this program replace those of the system.
extern "C" int linkat(int from_directory, const char* from, int directory, const char* name, int flags) noexcept {
    if (refused_link != 0) {
        errno = refused_link;
        return -1;
    }
    return static_cast<int>(::syscall(SYS_linkat, from_directory, from, directory, name, flags));
}
extern "C" int fsync(int file) {
    if (syncs != nullptr) {
        struct ::stat found{};
        ::fstat(file, &found);
        std::string call = S_ISDIR(found.st_mode) ? "directory" : "file";
        for (const std::string& name : names_in(syncs->directory))
            call += name.ends_with(".partial") ? " partial" : " " + name;
        syncs->calls.push_back(call);
        if (syncs->calls.size() == syncs->failing) {
            errno = ENOSPC;
            return -1;
        }
    }
    return static_cast<int>(::syscall(SYS_fsync, file));
}

using namespace sigma;
using Names = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

StorageError storage_error(const std::string& path, std::string_view text) {
    return thrown<StorageError>([&] { write_file_atomically(path, bytes_of(text)); });
}

unsigned mode_of(const std::string& path) { return static_cast<unsigned>(fs::status(path).permissions()); }

/// Gives temporaries names from the beginning, as on file systems without unnamed files, if `named` is true.
struct Naming {
    explicit Naming(bool named) { storage::files_without_names = !named; }
    ~Naming() { storage::files_without_names = true; }
};
/// Returns whether the file system of this machine has files without names.
bool has_files_without_names(const Scratch& scratch) {
    const storage::Descriptor directory = storage::open_at(AT_FDCWD, scratch.path.c_str(), O_RDONLY | O_DIRECTORY);
    return bool(storage::create_unnamed(directory.number(), "x", 0600));
}

/// Limits the size of files, as on a full disk.
struct FileLimit {
    explicit FileLimit(::rlim_t bytes) {
        std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &old);
        ::rlimit limit = old;
        limit.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileLimit() {
        ::setrlimit(RLIMIT_FSIZE, &old);
        std::signal(SIGXFSZ, SIG_DFL);
    }
    ::rlimit old{};
};

}  // namespace

TEST_CASE("A file appears and is replaced as a whole") {
    const Naming naming(GENERATE(false, true));
    const Scratch scratch;
    const std::string path = (scratch.path / "x").string();
    const std::vector<std::span<const std::byte>> pieces{bytes_of("one"), bytes_of(""), bytes_of(" two")};
    write_file_atomically(path, pieces);
    CHECK(file_text(path) == "one two");
    AtomicFile file(path);
    file.write(bytes_of("three"));
    CHECK(file_text(path) == "one two");
    file.commit();
    CHECK(file_text(path) == "three");
    CHECK(names_in(scratch.path) == Names{"x"});
    CHECK(error_text([&] { file.write(bytes_of("four")); }) ==
          sentence("file '", path, "': cannot write it: it was committed or has failed before"));
    CHECK_THROWS_AS(file.commit(), StorageError);
    CHECK(file_text(path) == "three");
}

TEST_CASE("Without a commit nothing has happened") {
    const bool named = GENERATE(false, true);
    const Naming naming(named);
    const Scratch scratch;
    const std::string path = scratch.write("x", "old");
    {
        AtomicFile file(path);
        file.write(bytes_of("new"));
        CHECK(names_in(scratch.path).size() == (named || !has_files_without_names(scratch) ? 2 : 1));
    }
    CHECK(names_in(scratch.path) == Names{"x"});
    CHECK(file_text(path) == "old");
}

TEST_CASE("A full disk leaves the old file and no temporary") {
    const Naming naming(GENERATE(false, true));
    const Scratch scratch;
    const std::string path = scratch.write("x", "old");
    {
        const FileLimit limit(100'000);
        const StorageError refused = storage_error(path, std::string(1'000'000, 'n'));
        CHECK(std::string(refused.what()) ==
              sentence("file '", path, "': cannot write its temporary file: File too large"));
        CHECK(refused.code == EFBIG);
        CHECK(refused.path == path);
        SafetensorsWriter writer;
        writer.add("w", {50'000}, std::vector<float>(50'000));
        CHECK_THROWS_AS(writer.save(path), StorageError);

        AtomicFile file(path);
        CHECK_THROWS_AS(file.write(bytes_of(std::string(1'000'000, 'n'))), StorageError);
        CHECK_THROWS_AS(file.commit(), StorageError);  // a failed file is never committed
        CHECK(names_in(scratch.path) == Names{"x"});
    }
    CHECK(file_text(path) == "old");
}

TEST_CASE("The file is synced before it is renamed, and the directory afterwards") {
    const Scratch scratch;
    const std::string path = (scratch.path / "x").string();
    const bool named = GENERATE(false, true), has_name = named || !has_files_without_names(scratch);
    const Naming naming(named);
    Syncs seen{scratch.path, {}, 0};
    syncs = &seen;
    write_file_atomically(path, bytes_of("old"));
    CHECK(seen.calls == Names{has_name ? "file partial" : "file", "directory x"});
    seen = {scratch.path, {}, 1};
    CHECK(error_text([&] { write_file_atomically(path, bytes_of("new")); }) ==
          sentence("file '", path, "': cannot sync its temporary file: No space left on device"));
    CHECK(names_in(scratch.path) == Names{"x"});
    CHECK(file_text(path) == "old");
    seen = {scratch.path, {}, 2};
    CHECK(error_text([&] { write_file_atomically(path, bytes_of("new")); }) ==
          sentence("file '", path, "': cannot sync its directory after it was replaced: No space left on device"));
    CHECK(file_text(path) == "new");
    syncs = nullptr;
}

TEST_CASE("Places where no file can be are refused by name") {
    const Naming naming(GENERATE(false, true));
    const Scratch scratch;
    const auto text = [](const std::string& path) { return std::string(storage_error(path, "x").what()); };
    const std::string directory = scratch.path.string(), missing = directory + "/no/x";
    CHECK(text(missing) == sentence("file '", missing, "': cannot open its directory: No such file or directory"));
    CHECK(text(directory) == sentence("file '", directory, "': expected a file, found a directory"));
    CHECK(text(directory + "/") ==
          sentence("file '", directory, "/': expected the path of a file, found '", directory, "/'"));
    CHECK(text("") == "file '': expected the path of a file, found ''");
    CHECK(text("/dev/null") == "file '/dev/null': expected a file, found a device, pipe or socket");
    CHECK(text(directory + std::string("/a\0b", 4)) ==
          sentence("file '", directory, "/a': expected a path without zero bytes, found one after this text"));
    const std::string name = directory + "/" + std::string(250, 'a');
    CHECK(text(name) == sentence("file '", name, "': cannot create a temporary file next to it: File name too long"));
    CHECK(names_in(scratch.path).empty());

    const std::string locked = scratch.write("locked", "old");
    ::chmod(locked.c_str(), 0444);
    CHECK(text(locked) == sentence("file '", locked, "': expected a writable file, found a read-only file"));
    CHECK(file_text(locked) == "old");
}

TEST_CASE("A rename that fails leaves no temporary") {
    const Naming naming(GENERATE(false, true));
    const Scratch scratch;
    const std::string path = (scratch.path / "x").string();
    AtomicFile file(path);
    file.write(bytes_of("new"));
    fs::create_directory(path);
    CHECK(error_text([&] { file.commit(); }) ==
          sentence("file '", path, "': cannot rename its temporary file: Is a directory"));
    CHECK(names_in(scratch.path) == Names{"x"});
}

TEST_CASE("Permissions are those of the old file, or those of a new one") {
    const Naming naming(GENERATE(false, true));
    const Scratch scratch;
    const std::string path = (scratch.path / "x").string();
    const ::mode_t mask = ::umask(027);
    write_file_atomically(path, bytes_of("a"));
    CHECK(mode_of(path) == 0640);
    ::chmod(path.c_str(), 0606);
    write_file_atomically(path, bytes_of("b"));
    CHECK(mode_of(path) == 0606);
    ::umask(mask);
    CHECK(file_text(path) == "b");
}

TEST_CASE("A symbolic link stays") {
    const Scratch scratch;
    fs::create_directory(scratch.path / "there");
    const std::string there = scratch.write("there/x", "old"), link = (scratch.path / "link").string();
    fs::create_symlink("there/x", link);
    write_file_atomically(link, bytes_of("new"));
    CHECK(fs::is_symlink(link));
    CHECK(file_text(there) == "new");
    CHECK(names_in(scratch.path / "there") == Names{"x"});
}

TEST_CASE("A symbolic link to what is not there yet stays, and makes it") {
    const Scratch scratch;
    fs::create_directory(scratch.path / "there");
    fs::create_symlink("there/x", scratch.path / "link");
    fs::create_symlink("../link", scratch.path / "there" / "second");
    fs::create_symlink(scratch.path / "there" / "second", scratch.path / "third");  // third -> second -> link -> x
    write_file_atomically(scratch.path / "third", bytes_of("new"));
    CHECK(file_text((scratch.path / "there" / "x").string()) == "new");
    for (const char* link : {"link", "third", "there/second"}) CHECK(fs::is_symlink(scratch.path / link));
    CHECK(names_in(scratch.path / "there") == Names{"second", "x"});
    write_file_atomically(scratch.path / "third", bytes_of("again"));
    CHECK(file_text((scratch.path / "there" / "x").string()) == "again");
    const fs::path before = fs::current_path();
    fs::current_path(scratch.path);
    fs::create_symlink("y", "here");
    write_file_atomically("here", bytes_of("near"));
    fs::current_path(before);
    CHECK(file_text((scratch.path / "y").string()) == "near");

    const auto refused = [&](const char* link, const char* target) {
        fs::create_symlink(target, scratch.path / link);
        const std::vector<std::string> names = names_in(scratch.path);
        const std::string text = error_text([&] { write_file_atomically(scratch.path / link, bytes_of("new")); });
        CHECK(names_in(scratch.path) == names);
        return text;
    };
    CHECK(refused("broken", "nowhere/x").ends_with("cannot open its directory: No such file or directory"));
    CHECK(refused("directory", "nowhere/").ends_with("cannot follow a symbolic link: Is a directory"));
    CHECK(refused("loop", "loop").ends_with("cannot follow a symbolic link: Too many levels of symbolic links"));
    std::string from = "x0";
    fs::create_symlink("nothing", scratch.path / from);
    for (int i = 1; i < 39; ++i) {
        fs::create_symlink(from, scratch.path / sentence("x", i));
        from = sentence("x", i);
    }
    write_file_atomically(scratch.path / from, bytes_of("far"));
    CHECK(file_text((scratch.path / "nothing").string()) == "far");
    CHECK_THAT(refused("last", "x38/"), Catch::Contains("cannot ") || Catch::Contains("expected"));
}

TEST_CASE("A change of the working directory between opening and commit changes nothing") {
    const Naming naming(GENERATE(false, true));
    const Scratch scratch;
    const fs::path before = fs::current_path();
    fs::current_path(scratch.path);
    AtomicFile file("x");
    fs::current_path(before);
    file.write(bytes_of("new"));
    file.commit();
    CHECK(file_text(scratch.path / "x") == "new");
    CHECK(!fs::exists("x"));
}

TEST_CASE("A process that dies while it writes leaves nothing") {
    const Scratch scratch;
    if (!has_files_without_names(scratch)) return;
    const std::string path = scratch.write("x", "old");
    const ::pid_t child = ::fork();
    if (child == 0) {
        AtomicFile file(path);
        file.write(bytes_of("half"));
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    CHECK(names_in(scratch.path) == Names{"x"});
    CHECK(file_text(path) == "old");
}

TEST_CASE("Where a temporary can get no name, one that has a name takes its bytes") {
    const Scratch scratch;
    const std::string path = scratch.write("x", "old");
    ::chmod(path.c_str(), 0640);
    std::string text(3'000'000, 'a');
    text.back() = 'b';
    for (const int code : {EPERM, ENOENT, EXDEV}) {
        refused_link = code;
        write_file_atomically(path, bytes_of(text));
        write_file_atomically(scratch.path / "y", bytes_of(""));
        refused_link = 0;
        CHECK(file_text(path) == text);
        CHECK(mode_of(path) == 0640);
        CHECK(file_text(scratch.path / "y").empty());
        CHECK(names_in(scratch.path) == Names{"x", "y"});
        text.front() = static_cast<char>(text.front() + 1);
    }
    if (!has_files_without_names(scratch)) return;
    refused_link = EPERM;
    Syncs seen{scratch.path, {}, 2};
    syncs = &seen;
    CHECK(storage_error(path, "new").code == ENOSPC);
    syncs = nullptr;
    refused_link = 0;
    CHECK(file_text(path).size() == text.size());
    CHECK(names_in(scratch.path) == Names{"x", "y"});
}

TEST_CASE("Temporaries of dead processes go with the next commit, those of living ones and other files stay") {
    const Naming naming(true);
    const Scratch scratch;
    const std::string path = (scratch.path / "x").string();
    const ::pid_t child = ::fork();
    if (child == 0) {
        AtomicFile file(path);
        file.write(bytes_of("half"));
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    REQUIRE(names_in(scratch.path).size() == 1);
    CHECK(storage::is_temporary_of(names_in(scratch.path)[0], "x"));
    const Names others{"x.1-2.partial.gz", "x.1-.partial",   "x.-2.partial",
                       "x.a-2.partial",    "xy.1-2.partial", "x.partial"};
    for (const std::string& name : others) scratch.write(name, "");
    fs::create_directory(scratch.path / "x.1-3.partial");
    fs::create_symlink("xy.1-2.partial", scratch.path / "x.1-4.partial");
    {
        AtomicFile living(path);
        {
            AtomicFile failing(path);  // a file that is not committed removes only its own temporary
        }
        CHECK(names_in(scratch.path).size() == others.size() + 4);
        write_file_atomically(path, bytes_of("whole"));
        CHECK(names_in(scratch.path).size() == others.size() + 4);  // x was created, the dead temporary was removed
        living.commit();
    }
    CHECK(file_text(path).empty());
    Names left = others;
    left.insert(left.end(), {"x", "x.1-3.partial", "x.1-4.partial"});
    std::sort(left.begin(), left.end());
    CHECK(names_in(scratch.path) == left);
}

TEST_CASE("Threads that replace one file at once leave one of their files") {
    const Naming naming(GENERATE(false, true));
    const Scratch scratch;
    const std::string path = (scratch.path / "x").string();
    std::vector<std::thread> threads;
    for (char c = 'a'; c < 'e'; ++c)
        threads.emplace_back([&path, c] {
            for (int i = 0; i < 20; ++i) write_file_atomically(path, bytes_of(std::string(10'000, c)));
        });
    for (std::thread& thread : threads) thread.join();
    const std::string text = file_text(path);
    CHECK((text.size() == 10'000 && text == std::string(10'000, text[0])));
    CHECK(names_in(scratch.path) == Names{"x"});
}

TEST_CASE("Signals do not harm a save") {
    const Scratch scratch;
    const std::string path = (scratch.path / "x").string(), pipe = (scratch.path / "pipe").string();
    // A pipe that is read slowly: writes are interrupted before and after their first byte.
    struct ::sigaction action{};
    action.sa_handler = [](int) {};  // no SA_RESTART
    ::sigaction(SIGUSR1, &action, nullptr);
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const std::string sent(300'000, 's');
    std::string received;
    const ::pthread_t writer = ::pthread_self();
    std::thread reader([&] {
        char block[5000];
        while (received.size() < sent.size()) {
            for (int twice = 0; twice < 2; ++twice) {
                ::pthread_kill(writer, SIGUSR1);
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            const ::ssize_t count = ::read(ends[0], block, sizeof block);
            if (count > 0) received.append(block, static_cast<std::size_t>(count));
        }
    });
    CHECK(storage::write_all(ends[1], bytes_of(sent)) == 0);
    reader.join();
    CHECK(received == sent);
    ::close(ends[0]);
    ::close(ends[1]);
}
