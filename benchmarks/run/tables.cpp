// SPDX-License-Identifier: BSL-1.0
// How fast tables of all kinds are read, in records per second of one core, from the page cache.
//   benchmark_tables FILE...    reads all columns but the last as numbers, the last as labels; 5 times, prints the best
// The kind follows from the name: .csv (with a header), .jsonl, .npy, .db (its table t).
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/reader/json_lines.hpp>
#include <sigma/data/reader/npy_table.hpp>
#ifdef SIGMA_SQLITE
#include <sigma/data/reader/sqlite.hpp>
#endif

#include <algorithm>
#include <cstdio>
#include <string>

#include <time.h>

namespace {

using namespace sigma::data;

Table table_of(const std::string& path) {
    if (path.ends_with(".jsonl")) return json_lines(file(path));
    if (path.ends_with(".npy")) return npy_table(file(path));
#ifdef SIGMA_SQLITE
    if (path.ends_with(".db")) return sqlite(file(path), "select * from t");
#endif
    return csv(file(path), {.header = true});
}

/// Without the time of other programs of the machine.
double seconds_of_this_thread() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void measure(const std::string& path) {
    double least = 1e9;
    std::size_t records = 0, numbers = 0;
    for (int i = 0; i < 5; ++i) {
        const auto pipeline =
            table_of(path) >> sections(inputs = columns(0, -2), targets = labels(-1, {"apple", "lemon", "fig"}));
        Block block;
        const double before = seconds_of_this_thread();
        records = 0;
        while (pipeline.reader->read(4096, block) > 0) records += block.records;
        least = std::min(least, seconds_of_this_thread() - before);
        numbers = pipeline.reader->sections()[0].size();
    }
    std::printf("%-32s %8zu records of %zu numbers and a text: %6.2f million records/s\n", path.c_str(), records,
                numbers, 1e-6 * static_cast<double>(records) / least);
}

}  // namespace

int main(int count, char** arguments) {
    for (int i = 1; i < count; ++i) measure(arguments[i]);
}
