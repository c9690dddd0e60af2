// SPDX-License-Identifier: BSL-1.0
// How fast tables of numbers are read, in MB/s of one core, from the page cache.
//   benchmark_csv write DIRECTORY [MEGABYTES]   makes floats.csv, ints.csv, iris.csv there
//   benchmark_csv FILE...                       reads each 5 times, prints the best: the whole reader and its parts
//   benchmark_csv --whole FILE...               the whole reader only
#include <sigma/core/philox.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/reader/csv_number.hpp>
#include <sigma/data/reader/csv_scanner.hpp>

#ifdef __has_include
#if __has_include(<fast_float/fast_float.h>)
#include <fast_float/fast_float.h>
#define SIGMA_HAS_FAST_FLOAT 1
#endif
#endif

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

namespace {

using sigma::DataError;
using sigma::Philox;
using sigma::PhiloxSequence;
using sigma::sentence;
using namespace sigma::data;

class PlainFile final : public ByteSource {
public:
    explicit PlainFile(std::string path) : path_(std::move(path)) {}
    std::string name() const override { return path_; }
    bool exists() const override { return true; }
    std::unique_ptr<ByteStream> open() const override { return std::make_unique<Stream>(path_); }
    std::string key() const override { return path_; }

private:
    struct Stream final : ByteStream {
        int file;
        explicit Stream(const std::string& path) : file(::open(path.c_str(), O_RDONLY)) {
            if (file < 0) throw DataError(path, "", "a readable file", "none");
        }
        ~Stream() override { ::close(file); }
        std::size_t read(std::span<std::byte> to) override {
            const auto count = ::read(file, to.data(), to.size());
            return count > 0 ? static_cast<std::size_t>(count) : 0;
        }
    };
    std::string path_;
};

void write(const std::string& directory, std::size_t bytes) {
    PhiloxSequence random{Philox(1)};
    const auto table = [&](const char* name, int columns, auto&& field) {
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen((directory + "/" + name).c_str(), "wb"),
                                                                   &std::fclose);
        if (!file) std::exit(1);
        for (std::size_t written = 0; written < bytes;)
            for (int c = 0; c < columns; ++c) {
                char text[64];
                const int size = std::snprintf(text, sizeof text, c + 1 < columns ? "%s," : "%s\n", field().c_str());
                written += std::fwrite(text, 1, static_cast<std::size_t>(size), file.get());
            }
    };
    const auto unit = [&] { return static_cast<double>(random.bits() >> 11) / 9007199254740992.0; };
    const auto printed = [](const char* format, auto value) {
        char text[64];
        std::snprintf(text, sizeof text, format, value);
        return std::string(text);
    };
    table("floats.csv", 20, [&] { return printed("%.6g", 200 * unit() - 100); });
    table("ints.csv", 20, [&] { return printed("%d", static_cast<int>(random.bits() % 200000) - 100000); });
    table("iris.csv", 4, [&] { return printed("%.1f", 10 * unit()); });
}

/// In user code and in the kernel, so that other programs of the machine do not count.
double seconds_of_this_thread() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <class Run>
double best(Run&& run) {
    double least = 1e9;
    for (int i = 0; i < 5; ++i) {
        const double before = seconds_of_this_thread();
        run();
        least = std::min(least, seconds_of_this_thread() - before);
    }
    return least;
}

void measure(const std::string& path, bool parts) {
    const Source source(std::make_shared<PlainFile>(path));
    double sum = 0;
    std::size_t records = 0, width = 0;
    Block block;
    const double whole = best([&] {
        const auto table = csv(source) >> sections(inputs = columns(0, -1));
        records = 0;
        width = table.reader->sections()[0].size();
        while (table.reader->read(4096, block) > 0) {
            records += block.records;
            sum += static_cast<double>(block.values[0].floats()[0]);
        }
    });
    const double bytes = [&] {
        std::FILE* file = std::fopen(path.c_str(), "rb");
        std::fseek(file, 0, SEEK_END);
        const auto size = static_cast<double>(std::ftell(file));
        std::fclose(file);
        return size;
    }();
    const auto report = [&](const char* what, double seconds) {
        std::printf("  %-34s %7.0f MB/s\n", what, bytes / seconds / 1e6);
    };
    std::printf("%s: %.1f MB, %zu records, %zu numbers each\n", path.c_str(), bytes / 1e6, records, width);
    report("read into floats", whole);
    if (!parts) return;
    report("read into memory only", best([&] {
               std::vector<std::byte> piece(1 << 17);
               const auto stream = source.open();
               while (stream->read(piece) > 0) sum += static_cast<double>(piece[0]);
           }));
    report("cut into fields only", best([&] {
               sigma::data::detail::CsvScanner scanner(source.open(), path, {});
               while (scanner.next()) sum += static_cast<double>(scanner.fields().size());
           }));
    const auto with = [&](const char* what, auto&& parse) {
        report(what, best([&] {
                   sigma::data::detail::CsvScanner scanner(source.open(), path, {});
                   while (scanner.next())
                       for (const std::string_view field : scanner.fields()) sum += static_cast<double>(parse(field));
               }));
    };
    with("fields with parse_number", [](std::string_view field) {
        float value = 0;
        sigma::data::detail::parse_number(field, false, value);
        return value;
    });
    with("fields with std::from_chars", [](std::string_view field) {
        float value = 0;
        std::from_chars(field.data(), field.data() + field.size(), value);
        return value;
    });
#ifdef SIGMA_HAS_FAST_FLOAT
    with("fields with fast_float", [](std::string_view field) {
        float value = 0;
        fast_float::from_chars(field.data(), field.data() + field.size(), value);
        return value;
    });
#endif
    std::printf("  (sum %g)\n", sum);
}

}  // namespace

int main(int count, char** arguments) {
    if (count >= 3 && std::string(arguments[1]) == "write") {
        write(arguments[2], (count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 100) * 1000000);
        return 0;
    }
    const bool whole = count > 1 && std::string(arguments[1]) == "--whole";
    for (int i = whole ? 2 : 1; i < count; ++i) measure(arguments[i], !whole);
}
