// SPDX-License-Identifier: BSL-1.0
// sigma-runs FOLDER: serves the runs and searches of a folder to browsers, to compare them, without any program that
// trains.
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/run_main.hpp>
#include <sigma/monitor/web.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <signal.h>

using namespace sigma;

namespace {

constexpr const char* usage =
    "sigma-runs FOLDER [--port N] [--address A]\n"
    "Serves the runs and searches in a folder to browsers, to compare them, also while they go on.\n"
    "  --port N     8081 unless said; 0 takes a free one\n"
    "  --address A  127.0.0.1 unless said; another asks for the token that is printed\n";

struct Asked {
    std::string folder{};
    monitor::WebOptions options{.port = 8081, .read_only = true};
};

/// Nothing where the usage is asked for.
std::optional<Asked> asked(int count, char** arguments) {
    Asked result;
    for (int i = 1; i < count; ++i) {
        const std::string_view word = arguments[i];
        const auto value = [&]() -> std::string_view {
            if (i + 1 == count) throw ArgumentError(sentence("sigma-runs ", word), "a value behind it", "none");
            return arguments[++i];
        };
        if (word == "--help" || word == "-h") return std::nullopt;
        if (word == "--port") {
            const std::string_view text = value();
            std::uint64_t port = 0;
            if (!sigma::detail::read_number(text, port) || port > 65535)
                throw ArgumentError("sigma-runs --port", "a number from 0 to 65535", sentence("'", text, "'"));
            result.options.port = static_cast<std::uint16_t>(port);
        } else if (word == "--address") {
            result.options.address = value();
        } else if (word.starts_with("--")) {
            throw ArgumentError("sigma-runs", "--port or --address", sentence("'", word, "'"));
        } else if (!result.folder.empty() || word.empty()) {
            throw ArgumentError("sigma-runs", "one folder of runs", sentence("'", word, "'"));
        } else {
            result.folder = word;
        }
    }
    if (result.folder.empty()) throw ArgumentError("sigma-runs", "a folder of runs", "none");
    if (!std::filesystem::is_directory(result.folder))
        throw ArgumentError("sigma-runs", "a folder of runs", sentence("'", result.folder, "', which is none"));
    if (std::filesystem::exists(std::filesystem::path(result.folder) / "series.bin"))
        throw ArgumentError("sigma-runs", "a folder of runs",
                            sentence("'", result.folder, "', which is a run: give the folder it is in"));
    result.options.runs = result.folder;
    return result;
}

int run(int count, char** arguments) {
    const auto what = asked(count, arguments);
    if (!what) {
        std::fputs(usage, stdout);
        return 0;
    }
    // Blocked before there are threads, which inherit it: these signals are waited for below.
    ::sigset_t ends;
    ::sigemptyset(&ends);
    ::sigaddset(&ends, SIGINT);
    ::sigaddset(&ends, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
    monitor::Web web(what->options);
    std::printf("open %s\n", web.link().c_str());
    std::fflush(stdout);
    int which = 0;
    ::sigwait(&ends, &which);
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] { return run(count, arguments); });
}
