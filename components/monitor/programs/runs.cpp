// SPDX-License-Identifier: BSL-1.0
// sigma-runs FOLDER: serves a web page that compares the runs and searches in a folder, without a program that trains.
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
    "sigma-runs FOLDER [OPTION]…\n"
    "Serves a web page that compares the runs and searches in a folder, including those in progress.\n"
    "      --port N      port to listen on (default: 8081; 0 = any free port)\n"
    "      --address A   IP address to listen on (default: 127.0.0.1; others need the token that is printed)\n"
    "  -h, --help        print this text\n";

struct Arguments {
    std::string folder{};
    monitor::WebOptions options{.port = 8081, .read_only = true};
};

/// Reads the command line; returns nothing for --help.
std::optional<Arguments> parsed(int count, char** arguments) {
    Arguments result;
    for (int i = 1; i < count; ++i) {
        const std::string_view word = arguments[i];
        const auto value = [&]() -> std::string_view {
            if (i + 1 == count) throw Error(sentence("sigma-runs: option ", word, " requires a value"));
            return arguments[++i];
        };
        if (word == "--help" || word == "-h") return std::nullopt;
        if (word == "--port") {
            const std::string_view text = value();
            std::uint64_t port = 0;
            if (!sigma::detail::read_number(text, port) || port > 65535)
                throw ArgumentError("sigma-runs: option --port", "a number from 0 to 65535", sentence("'", text, "'"));
            result.options.port = static_cast<std::uint16_t>(port);
        } else if (word == "--address") {
            result.options.address = value();
        } else if (word.starts_with("--")) {
            throw Error(sentence("sigma-runs: unknown option '", word, "'; use --port, --address or --help"));
        } else if (!result.folder.empty() || word.empty()) {
            throw Error(sentence("sigma-runs: unexpected argument '", word, "'; give one folder of runs"));
        } else {
            result.folder = word;
        }
    }
    if (result.folder.empty()) throw Error("sigma-runs: a folder of runs is required");
    if (!std::filesystem::is_directory(result.folder))
        throw Error(sentence("sigma-runs: '", result.folder, "' is not a folder"));
    if (std::filesystem::exists(std::filesystem::path(result.folder) / "series.bin"))
        throw Error(sentence("sigma-runs: '", result.folder, "' is a run; give the folder that contains it"));
    result.options.runs = result.folder;
    return result;
}

int run(int count, char** arguments) {
    const auto what = parsed(count, arguments);
    if (!what) {
        std::fputs(usage, stdout);
        return 0;
    }
    // Blocks the signals before there are threads, which inherit the mask; sigwait below waits for them.
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
