// SPDX-License-Identifier: BSL-1.0
// Saves two contents in turn and is killed at random moments: each time the file must be one of the two, whole.
//   save_kill_test DIRECTORY [KILLS] [--named | --in-place]
// A killed process leaves no temporary, or a whole one if it is killed between its name and the rename. With --named,
// as on a file system without files that have no name, it leaves partial ones. Both go with the next save.
// --in-place writes as careless programs do; the test must notice.
#include <sigma/core/philox.hpp>
#include <sigma/storage/hash.hpp>
#include <sigma/storage/posix/call.hpp>
#include <sigma/storage/safetensors.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string_view>
#include <thread>

#include <sys/wait.h>

namespace {

using namespace sigma;
using Clock = std::chrono::steady_clock;

constexpr std::size_t elements = 30'000;

/// Returns a checksum of another kind than that of files, which may be wrong.
std::string sum_of(std::span<const std::uint64_t> values) { return sentence(storage::fnv1a(std::as_bytes(values))); }

/// Returns random elements with their seed and checksum in the metadata.
SafetensorsWriter content(std::uint64_t seed) {
    std::vector<std::uint64_t> values(elements + seed);  // the two differ in length too
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = Philox(seed).bits(i);
    SafetensorsWriter writer;
    writer.metadata("seed", sentence(seed)).metadata("checksum", sum_of(values));
    writer.add("values", {values.size()}, std::move(values));
    return writer;
}

/// Returns the seed of the content in a file. Throws if the file is not complete.
std::uint64_t examine(const std::string& path) {
    const auto file = SafetensorsFile::open(path);
    const auto values = file.read<std::uint64_t>("values");
    if (sum_of(values) != *file.metadata("checksum")) throw Error("the checksum differs");
    return std::stoull(*file.metadata("seed"));
}

void save_in_place(const std::string& path, std::span<const std::byte> image) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    std::fwrite(image.data(), 1, image.size(), file);
    std::fclose(file);
}

std::vector<std::string> partials(const std::string& directory) {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(directory))
        if (entry.path().extension() == ".partial") paths.push_back(entry.path());
    return paths;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string directory = std::string(argv[1]) + "/" + std::to_string(::getpid()),
                      path = directory + "/x.safetensors";
    const int kills = argc > 2 ? std::atoi(argv[2]) : 500;
    const bool in_place = argc > 3 && argv[3] == std::string_view("--in-place");
    std::filesystem::create_directories(directory);
    bool named = argc > 3 && !in_place;
    if (named) storage::files_without_names = false;
    {
        AtomicFile file(path);
        named = !partials(directory).empty();
    }

    const SafetensorsWriter contents[2] = {content(1), content(2)};
    const std::vector<std::byte> images[2] = {contents[0].image(), contents[1].image()};
    const auto save = [&](int which) { in_place ? save_in_place(path, images[which]) : contents[which].save(path); };

    auto began = Clock::now();
    for (int i = 0; i < 4; ++i) save(i % 2);
    const double one = std::chrono::duration<double>(Clock::now() - began).count() / 4;

    // About every second kill is to come after a save, however busy the machine is.
    double longest = 2 * one;
    int broken = 0, changed = 0, interrupted = 0;
    std::uint64_t before = examine(path);
    PhiloxSequence random{Philox(7)};
    began = Clock::now();
    for (int kill = 0; kill < kills; ++kill) {
        const ::pid_t child = ::fork();
        if (child == 0) {
            for (int i = static_cast<int>(before % 2);; ++i) save(i % 2);  // begins with the content that is not there
        }
        const double share = Philox::unit(static_cast<std::uint64_t>(random.bits()));
        std::this_thread::sleep_for(std::chrono::duration<double>(share * longest));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        const std::vector<std::string> temporaries = partials(directory);
        interrupted += !temporaries.empty();
        try {
            if (!named)
                for (const std::string& temporary : temporaries) examine(temporary);
            const std::uint64_t after = examine(path);
            changed += after != before;
            longest *= after != before ? 0.8 : 1.25;
            before = after;
        } catch (const Error& e) {
            ++broken;
            std::cout << "kill " << kill << ": " << e.what() << '\n';
            save(0);
            before = 1;
        }
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    save(0);
    const std::size_t left = partials(directory).size();
    std::cout << kills << " kills in " << seconds << " s, a save takes " << one * 1000 << " ms: " << broken
              << " files broken, " << changed << " changed, " << interrupted << " temporaries left, " << left
              << " after the next save\n";
    std::filesystem::remove_all(directory);
    // Kills that never met a save would prove nothing.
    const bool met = in_place || (changed > kills / 10 && changed < kills && (!named || interrupted > kills / 10));
    return broken == 0 && left == 0 && met ? 0 : 1;
}
