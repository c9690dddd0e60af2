// SPDX-License-Identifier: BSL-1.0
// Any bytes as the file from which an interrupted search goes on: either refused with a DataError, or the search goes
// on behind its trials, and then has a file from which it goes on without a trial.
#include <sigma/core/error.hpp>
#include <sigma/trainer/search.hpp>

#include "target.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace {

using namespace sigma;
using fuzz::require;

std::string bytes_of(const std::string& file) {
    std::ostringstream all;
    all << std::ifstream(file, std::ios::binary).rdbuf();
    return all.str();
}
/// Is it the file of such a search?
bool goes_on(std::string_view bytes, SearchOptions options) {
    // In memory where that can be: each file is written to its end, which takes a disk long.
    const char* const folder = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : "";
    options.file = sentence(folder, "sigma_search_", static_cast<long long>(::getpid()), ".jsonl");
    options.quiet = true;
    std::ofstream(options.file, std::ios::binary) << bytes;
    std::size_t calls = 0;
    const auto loss_of = [&](Trial& trial) {
        ++calls;
        const auto kind = trial.choice("kind", {"linear", "deep"});
        double x = trial.real("rate", 1e-3, 1, SearchScale::logarithmic);
        if (kind == 1) x += trial.whole("depth", 1, 3);
        if (trial.falls_behind(1, x)) return x;
        if (x > 3.5) throw ArgumentError("trial", "luck", "none");
        return x;
    };
    bool accepted = true;
    try {
        const SearchResult first = search(options, loss_of);
        for (std::size_t i = 1; i < first.trials.size(); ++i)
            require(first.trials[i - 1].number < first.trials[i].number);
        const std::string text = first.csv(), there = bytes_of(options.file);
        require(first.table().size() > 0);
        calls = 0;
        const SearchResult second = search(options, loss_of);
        require(calls <= 1 && second.csv() == text && bytes_of(options.file) == there);
    } catch (const DataError& refusal) {
        fuzz::require_printable(refusal);
        accepted = false;
    } catch (const ArgumentError& refusal) {  // all trials have failed
        fuzz::require_printable(refusal);
        require(std::string_view(refusal.what()).find("a successful trial") != std::string_view::npos);
    }
    std::remove(options.file.c_str());
    return accepted;
}

}  // namespace

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const bool random = goes_on(bytes, {.trials = 6, .seed = 3}),
               grid = goes_on(bytes, {.by = SearchBy::grid, .points = 3, .stop = SearchStop::halving});
    return random || grid;
}
