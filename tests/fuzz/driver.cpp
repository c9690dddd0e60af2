// SPDX-License-Identifier: BSL-1.0
// Runs a fuzz target where libFuzzer is not: first the files of a corpus, then changes of them until the time is over.
//   PROGRAM DIRECTORY SECONDS [SEED]
// The corpus's files whose names begin with `valid` must be accepted, the others refused. Changes that are accepted
// join those that are changed further. The input at hand when the program dies lies in crash.bin of the working
// directory, behind 4 bytes with its length.
#include <sigma/core/philox.hpp>

#include "target.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

// Null if the target does not define it.
[[gnu::weak]] void fuzz_repair(std::string& bytes);
[[gnu::weak]] std::vector<FuzzSeed> fuzz_seeds();
// Inputs are below 64 KiB: whoever allocates much more for one has believed what it says. Decoders in C may ask for the
// window that packed data names, and go without.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
    return "max_allocation_size_mb=16:allocator_may_return_null=1:detect_leaks=1";
}

namespace {

using Bytes = std::string;
constexpr std::size_t longest = 1 << 16;

class Mutator {
public:
    Mutator(std::uint64_t seed, std::vector<Bytes>& corpus) : random_{sigma::Philox(seed)}, corpus_(corpus) {}

    Bytes next() {
        Bytes input = corpus_[below(corpus_.size())];
        for (std::uint64_t changes = 1 + below(4); changes > 0; --changes) change(input);
        if (input.size() > longest) input.resize(longest);
        if (below(4) != 0) fuzz_repair != nullptr ? fuzz_repair(input) : repair(input);
        return input;
    }

private:
    std::uint64_t below(std::uint64_t bound) { return random_.bits() % bound; }
    std::size_t position(const Bytes& input) { return below(input.size() + 1); }

    void change(Bytes& input) {
        static constexpr std::array<std::string_view, 36> words{"{",
                                                                "}",
                                                                "[",
                                                                "]",
                                                                ",",
                                                                ":",
                                                                "\"",
                                                                "\\",
                                                                "\\u",
                                                                "\\ud83d\\ude00",
                                                                "\\udc00",
                                                                "\\n",
                                                                "null",
                                                                "-1",
                                                                "1e9",
                                                                "0.5",
                                                                "18446744073709551615",
                                                                "18446744073709551616",
                                                                "4294967296",
                                                                "0",
                                                                "00",
                                                                "1",
                                                                " ",
                                                                "\n",
                                                                "\"dtype\":\"F64\"",
                                                                "\"shape\":[]",
                                                                "\"data_offsets\":[0,0]",
                                                                "\"__metadata__\":{\"a\":\"b\"},",
                                                                "\"x\":{",
                                                                "BF16",
                                                                "BOOL",
                                                                "F8_E4M3",
                                                                "\xC3\xA4",
                                                                "\xFF",
                                                                "\xED\xA0\x80",
                                                                "{}"};
        const std::size_t at = position(input);
        const std::size_t length = below(at == input.size() ? 1 : std::min<std::size_t>(input.size() - at, 40)) + 1;
        switch (below(8)) {
            case 0:
                if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
                break;
            case 1:
                if (at < input.size()) input[at] = static_cast<char>(below(256));
                break;
            case 2: input.erase(at, length); break;
            case 3: input.insert(at, input.substr(position(input), length)); break;
            case 4: input.insert(at, words[below(words.size())]); break;
            case 5: input.replace(at, length, words[below(words.size())]); break;
            case 6: {
                const Bytes& other = corpus_[below(corpus_.size())];
                const std::size_t from = position(other);
                input.replace(at, length, other.substr(from, below(80)));
                break;
            }
            default: number(input, at); break;
        }
    }

    /// Another number in place of the first one after `at`.
    void number(Bytes& input, std::size_t at) {
        const std::size_t first = input.find_first_of("0123456789", at);
        if (first == input.npos) return;
        const std::size_t end = std::min(input.find_first_not_of("0123456789", first), input.size());
        input.replace(first, end - first, std::to_string(below(4) == 0 ? random_.bits() : below(40)));
    }

    /// Where the target has none: lets the length at the front be that of the header, so that changes reach what lies
    /// behind this check.
    void repair(Bytes& input) {
        const std::size_t data = input.rfind('}');
        if (input.size() < 8 || data == input.npos || data < 8) return;
        const std::size_t length = data - 7;
        for (std::size_t i = 0; i < 8; ++i) input[i] = static_cast<char>(length >> 8 * i);
    }

    sigma::PhiloxSequence random_;
    std::vector<Bytes>& corpus_;
};

/// The input at hand, in a file that stays when the program dies.
class Record {
public:
    Record() {
        const int file = ::open("crash.bin", O_RDWR | O_CREAT | O_TRUNC, 0666);
        if (file < 0 || ::ftruncate(file, longest + 4) != 0) std::abort();
        memory_ = static_cast<char*>(::mmap(nullptr, longest + 4, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
        if (memory_ == MAP_FAILED) std::abort();
        ::close(file);
    }
    bool run(const Bytes& input) {
        input.copy(memory_ + 4, input.size());
        const auto size = static_cast<std::uint32_t>(input.size());
        std::memcpy(memory_, &size, 4);
        return fuzz_accepts(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    }

private:
    char* memory_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "expected DIRECTORY SECONDS [SEED]\n");
        return 2;
    }
    const double seconds = std::atof(argv[2]);
    const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());

    std::vector<FuzzSeed> seeds;
    if (fuzz_seeds != nullptr) seeds = fuzz_seeds();
    for (const auto& path : paths) {
        std::ifstream file(path, std::ios::binary);
        seeds.push_back(
            {path.filename().string(), {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}});
    }

    Record record;
    std::vector<Bytes> corpus;
    int wrong = 0;
    for (const auto& [name, bytes] : seeds) {
        corpus.push_back(bytes);
        const bool valid = name.starts_with("valid");
        if (record.run(bytes) != valid) {
            std::fprintf(stderr, "%s: expected to be %s\n", name.c_str(), valid ? "accepted" : "refused");
            ++wrong;
        }
    }
    if (corpus.empty() || wrong > 0) return 1;

    Mutator mutator(seed, corpus);
    const auto began = std::chrono::steady_clock::now();
    std::uint64_t runs = 0, accepted = 0;
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() < seconds) {
        for (int i = 0; i < 100; ++i, ++runs) {
            const Bytes input = mutator.next();
            if (!record.run(input)) continue;
            ++accepted;
            if (corpus.size() < 2000 && input.size() < 2000) corpus.push_back(input);
        }
    }
    ::unlink("crash.bin");
    std::printf("%zu inputs of the corpus, %llu changes of them, %llu of these accepted\n", seeds.size(),
                static_cast<unsigned long long>(runs), static_cast<unsigned long long>(accepted));
    return runs > 1000 && accepted > runs / 1000 ? 0 : 1;  // a fuzzer that only makes nonsense finds nothing
}
