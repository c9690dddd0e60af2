// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/blocks/cached.hpp>
#include <sigma/data/blocks/transformed.hpp>

#include "../support.hpp"
#include "generated.hpp"

#include <csignal>
#include <thread>

#include <sys/resource.h>
#include <sys/wait.h>

using namespace sigma;
using namespace sigma::data;

namespace {

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}
void write_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Are these the records that `generated` tells?
bool right(const Blocks& blocks) {
    Block block;
    for (std::size_t n = 0; n < blocks.count(); ++n) {
        blocks.load(n, block);
        for (std::size_t r = 0; r < block.records; ++r) {
            const std::size_t record = n * blocks.block_records() + r, width = blocks.sections()[0].size();
            for (std::size_t f = 0; f < width; ++f)
                if (block.values[0].floats()[r * width + f] != generated(record, f)) return false;
            if (block.values[1].floats()[r] != generated_label(record)) return false;
        }
    }
    return true;
}

std::size_t entries(const std::filesystem::path& directory) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::recursive_directory_iterator(directory)) ++count;
    return count;
}

}  // namespace

TEST_CASE("Blocks that were read once come from the disk") {
    const Scratch scratch;
    const DiskCache disk((scratch.path / "made" / "here").string());
    const auto source = std::make_shared<GeneratedBlocks>(25, 10, 3);
    {
        const auto blocks = cached(source, "../some data", disk);
        CHECK(source->loads == 3);
        CHECK(right(*blocks));
        CHECK(source->loads == 3);
        CHECK(blocks->records() == 25);
        CHECK(blocks->sections() == source->sections());
    }
    CHECK(right(*cached(source, "../some data", disk)));
    CHECK(source->loads == 3);
    CHECK(entries(scratch.path) == 3);  // two directories and a file
    const std::string path = disk.path("../some data", "generated blocks");
    CHECK(path.starts_with((scratch.path / "made" / "here" / "___some_data-").string()));
    CHECK(disk.bytes() == std::filesystem::file_size(path));
    disk.clear();
    CHECK(disk.bytes() == 0);
    CHECK(right(*cached(source, "../some data", disk)));
    CHECK(source->loads == 6);
}

TEST_CASE("A cache file with any byte changed, cut anywhere or longer is made anew") {
    const Scratch scratch;
    const DiskCache disk(scratch.path.string());
    const auto source = std::make_shared<GeneratedBlocks>(7, 3);
    cached(source, "damaged", disk);
    const std::string path = disk.path("damaged", source->key()), whole = bytes_of(path);
    const auto heals = [&](const std::string& bytes) {
        write_bytes(path, bytes);
        const bool good = right(*cached(source, "damaged", disk));
        return good && bytes_of(path) == whole;
    };
    const auto found = [&](const std::string& bytes) {  // without writing it anew, which waits for the disk
        write_bytes(path, bytes);
        const auto file = CacheFile::open(path, source->key());
        Block block;
        bool good = file.has_value();
        for (std::size_t n = 0; good && n < 3; ++n) good = file->read(n, block);
        return !good;
    };
    CHECK_FALSE(found(whole));
    std::size_t ignored = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << at % 8);
        if (!found(bytes) || (at % 23 == 0 && !heals(bytes))) ++ignored;
    }
    CHECK(ignored == 0);
    for (std::size_t size = 0; size < whole.size(); ++size)
        if (!found(whole.substr(0, size)) || (size % 23 == 0 && !heals(whole.substr(0, size)))) ++ignored;
    CHECK(ignored == 0);
    CHECK(heals(whole + "x"));
    CHECK(heals("<html>not found</html>"));
    CHECK(heals(whole + whole));
}

TEST_CASE("A file that is damaged while it is in use is made anew") {
    const Scratch scratch;
    const DiskCache disk(scratch.path.string());
    const auto source = std::make_shared<GeneratedBlocks>(50, 10);
    const auto blocks = cached(source, "used", disk);
    const std::string path = disk.path("used", source->key());
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(300);
        file << "damage";
    }
    CHECK(right(*blocks));
    CHECK(source->loads == 10);
    std::filesystem::remove(path);
    CHECK(right(*blocks));  // it is still open
    CHECK(source->loads == 10);
}

TEST_CASE("The file of another key is not used, even under the same name") {
    const Scratch scratch;
    const DiskCache disk(scratch.path.string());
    const auto source = std::make_shared<GeneratedBlocks>(25, 10);
    cached(source, "one", disk);
    const auto other = std::make_shared<TransformedBlocks>(
        source, Preprocessing({{"inputs", std::make_shared<ScaleBy::Fitted>(2.0)}}));
    CHECK(other->key() != source->key());
    std::filesystem::copy_file(disk.path("one", source->key()), disk.path("one", other->key()));
    Block block;
    cached(other, "one", disk)->load(1, block);
    CHECK(block.values[0].floats()[1] == generated(10, 1) / 2);
    const auto third = std::make_shared<TransformedBlocks>(
        source, Preprocessing({{"inputs", std::make_shared<ScaleBy::Fitted>(2.0000000001)}}));
    CHECK(third->key() != other->key());
    CHECK_FALSE(CacheFile::open(disk.path("one", other->key()), third->key()).has_value());
    CHECK(CacheFile::open(disk.path("one", other->key()), other->key()).has_value());
}

TEST_CASE("A footer that lies is no footer") {
    const CacheFooter good{"key", 10, 4, {{"inputs", {2, 3}, false}, {"targets", {}, true}}, {"a", "b"}};
    CHECK(data::detail::read_footer(data::detail::write_footer(good), 1000) == good);
    const auto refused = [&](auto change) {
        CacheFooter bad = good;
        change(bad);
        return !data::detail::read_footer(data::detail::write_footer(bad), 1000);
    };
    constexpr std::size_t huge = ~std::size_t{0} / 4;
    CHECK(refused([](CacheFooter& f) { f.records = 36; }));  // of 28 bytes
    CHECK(refused([](CacheFooter& f) { f.records = huge; }));
    CHECK(refused([](CacheFooter& f) { f.records = 0; }));
    CHECK(refused([](CacheFooter& f) { f.block_records = 0; }));
    CHECK(refused([](CacheFooter& f) { f.block_records = 11; }));
    CHECK(refused([](CacheFooter& f) { f.sections.clear(); }));
    CHECK(refused([](CacheFooter& f) { f.sections[0].shape = {huge, 4}; }));
    CHECK(refused([](CacheFooter& f) { f.sections[0].shape = {0, 4}; }));
    CHECK(refused([](CacheFooter& f) { f.sections[0].shape.assign(70, huge - 1); }));
    std::string bytes = data::detail::write_footer(good);
    for (std::size_t at = 0; at + 8 <= bytes.size(); ++at) {  // no number may lead astray
        std::string bad = bytes;
        for (std::size_t i = 0; i < 8; ++i) bad[at + i] = '\xff';
        CHECK_FALSE(data::detail::read_footer(bad, 1000) == good);
        if (at % 8 == 0) CHECK_FALSE(data::detail::read_footer(bytes.substr(0, at), 1000));
    }
}

TEST_CASE("The oldest files make room") {
    const Scratch scratch;
    const auto source = std::make_shared<GeneratedBlocks>(100, 100);
    cached(source, "size", DiskCache(scratch.path.string()));
    const std::uint64_t one = DiskCache(scratch.path.string()).bytes();
    DiskCache(scratch.path.string()).clear();
    const DiskCache disk(scratch.path.string(), 2 * one + one / 2);
    const auto exists = [&](const std::string& name) {
        return std::filesystem::exists(disk.path(name, source->key()));
    };
    const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
    cached(source, "a", disk), pause();
    cached(source, "b", disk), pause();
    cached(source, "a", disk), pause();  // used again
    cached(source, "c", disk);
    CHECK(exists("a"));
    CHECK_FALSE(exists("b"));
    CHECK(exists("c"));
    CHECK(disk.bytes() <= 2 * one + one / 2);

    const DiskCache small(scratch.path.string(), one / 2);
    CHECK_THROWS_AS(cached(source, "d", small), StorageError);
    CHECK(exists("a"));
    CHECK(entries(scratch.path) == 2);
}

TEST_CASE("What cannot be written is said, and leaves nothing") {
    const Scratch scratch;
    scratch.write("file", "not a directory");
    const auto source = std::make_shared<GeneratedBlocks>(100, 100);
    CHECK_THROWS_AS(cached(source, "a", DiskCache((scratch.path / "file").string())), StorageError);
    CHECK_THROWS_AS(cached(source, "a", DiskCache((scratch.path / "file" / "below").string())), StorageError);
    source->failing = 0;
    CHECK_THROWS_AS(cached(source, "a", DiskCache(scratch.path.string())), DataError);
    CHECK(entries(scratch.path) == 1);

    const ::pid_t child = ::fork();  // a file that may not grow stands for a full disk
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const ::rlimit limit{1000, 1000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        try {
            cached(std::make_shared<GeneratedBlocks>(1000, 100), "a", DiskCache(scratch.path.string()));
        } catch (const StorageError& e) { ::_exit(e.code == EFBIG ? 0 : 2); }
        ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
    CHECK(entries(scratch.path) == 1);
}

TEST_CASE("A link in the place of the file is not followed") {
    const Scratch scratch;
    const std::string outside = scratch.write("outside", "precious");
    const DiskCache disk((scratch.path / "cache").string());
    const auto source = std::make_shared<GeneratedBlocks>(10, 10);
    std::filesystem::create_directories(scratch.path / "cache");
    std::filesystem::create_symlink(outside, disk.path("a", source->key()));
    CHECK(right(*cached(source, "a", disk)));
    CHECK(bytes_of(outside) == "precious");
}

TEST_CASE("A process that is killed while it writes leaves no file that is used") {
    const Scratch scratch;
    const DiskCache disk(scratch.path.string());
    for (int i = 0; i < 12; ++i) {
        const ::pid_t child = ::fork();
        if (child == 0) {
            while (true) cached(std::make_shared<GeneratedBlocks>(40000, 500), "killed", disk), disk.clear();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(3 * i));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        const auto source = std::make_shared<GeneratedBlocks>(40000, 500);
        const auto file = CacheFile::open(disk.path("killed", source->key()), source->key());
        if (!file) continue;
        const CachedBlocks blocks(*CacheFile::open(disk.path("killed", source->key()), source->key()),
                                  [&]() -> CacheFile { throw 0; });
        CHECK(right(blocks));
    }
    cached(std::make_shared<GeneratedBlocks>(40000, 500), "killed", disk);
    CHECK(entries(scratch.path) == 1);  // what the killed ones left is gone
}

TEST_CASE("Several processes and threads make and read the same cache") {
    const Scratch scratch;
    const DiskCache disk(scratch.path.string());
    std::vector<::pid_t> children;
    for (int i = 0; i < 4; ++i) {
        const ::pid_t child = ::fork();
        if (child == 0) {
            bool good = true;
            ::alarm(60);
            for (int k = 0; k < 20; ++k) {
                good = good && right(*cached(std::make_shared<GeneratedBlocks>(2000, 100), "shared", disk));
                if (k % 7 == i) disk.clear();
            }
            ::_exit(good ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const ::pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        CHECK(status == 0);
    }
    const auto blocks = cached(std::make_shared<GeneratedBlocks>(2000, 100), "threads", disk);
    std::filesystem::resize_file(disk.path("threads", blocks->key()), 1000);  // under the feet of all of them
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back([&] { good += right(*blocks); });
    for (auto& thread : threads) thread.join();
    CHECK(good == 4);
}
