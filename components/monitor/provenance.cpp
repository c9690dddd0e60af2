// SPDX-License-Identifier: BSL-1.0
#include "provenance.hpp"

#include <sigma/core/number_text.hpp>
#include <sigma/storage/hash.hpp>
#include <sigma/storage/posix/call.hpp>
#include <sigma/storage/process.hpp>

#include "answer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <filesystem>
#include <numeric>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/utsname.h>
#include <sys/wait.h>

namespace sigma::monitor {

namespace {

constexpr std::size_t most_command = 1000, most_text = 200, most_facts = 100;

/// Returns whether an option with this name has a secret as its value: "--api-key", "--hub_token".
bool is_secret(std::string_view option) {
    std::string name(option);
    std::ranges::transform(name, name.begin(), [](char c) {
        return c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return std::ranges::any_of(std::array{"token", "password", "passwd", "secret", "credentials", "api-key", "apikey"},
                               [&](std::string_view word) {
                                   if (!name.ends_with(word)) return false;
                                   const std::size_t before = name.size() - word.size();
                                   return before == 0 || name[before - 1] == '-';
                               });
}

std::string quoted(const std::string& word) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c < 0 ||
               std::string_view("-_./=:,+%@").find(c) != std::string_view::npos;
    };
    if (!word.empty() && std::ranges::all_of(word, plain)) return word;
    std::string text = "'";
    for (const char c : word) c == '\'' ? text += "'\\''" : text += c;
    return text + "'";
}

/// Runs a program without input and returns its output; empty if it fails, takes ten seconds, or is halted.
std::string output_of(const std::vector<std::string>& words, const Halted& halted) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return {};
    const storage::Descriptor from(ends[0]);
    storage::Descriptor to(ends[1]);
    ::posix_spawn_file_actions_t files;
    ::posix_spawnattr_t options;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&options);
    ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, to.number(), 1);
    ::posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    ::sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&options, &none);
    ::posix_spawnattr_setflags(&options, POSIX_SPAWN_SETSIGMASK);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::pid_t child = 0;
    const int failed = ::posix_spawnp(&child, arguments[0], &files, &options, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&options);
    to = {};
    if (failed != 0) return {};
    std::string text;
    std::array<char, 4096> bytes;
    constexpr int tries = 200, each = 50;  // milliseconds
    bool whole = false;
    for (int i = 0; i < tries && !halted() && text.size() < (1 << 20);) {
        ::pollfd wait{from.number(), POLLIN, 0};
        if (::poll(&wait, 1, each) <= 0) {
            ++i;
            continue;
        }
        const ssize_t read = ::read(from.number(), bytes.data(), bytes.size());
        if (read <= 0) {
            whole = read == 0;
            break;
        }
        text.append(bytes.data(), static_cast<std::size_t>(read));
    }
    if (!whole) ::kill(child, SIGKILL);
    int status = 0;
    // The status is unknown if the program ignores SIGCHLD.
    const bool known = ::waitpid(child, &status, 0) == child;
    return whole && (!known || status == 0) ? text : std::string();
}

/// Returns the rest of the line that begins with a text; empty if there is none.
std::string_view line_after(std::string_view text, std::string_view begin) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (text.substr(at).starts_with(begin)) return text.substr(at + begin.size(), end - at - begin.size());
        at = end + 1;
    }
    return {};
}

}  // namespace

std::string command_text(const std::vector<std::string>& words) {
    std::string text;
    bool hide = false;
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        std::string shown = quoted(word);
        if (std::exchange(hide, false)) shown = "…";
        else if (equals != word.npos && is_secret(std::string_view(word).substr(0, equals)))
            shown = word.substr(0, equals + 1) + "…";
        else hide = word.starts_with('-') && is_secret(word);
        text += text.empty() ? shown : " " + shown;
    }
    return shortened(std::move(text), most_command);
}

Json facts_of_program() {
    Json facts = Json::object();
    const std::string line = sigma::detail::system_file("/proc/self/cmdline");
    std::vector<std::string> words;
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t end = std::min(line.find('\0', at), line.size());
        words.push_back(line.substr(at, end - at));
        at = end + 1;
    }
    if (!words.empty()) facts["command"] = command_text(words);
    ::utsname host{};
    if (::uname(&host) == 0) facts["host"] = host.nodename;
    const std::string processors = sigma::detail::system_file("/proc/cpuinfo");
    const std::string_view model = line_after(processors, "model name\t: ");
    facts["processor"] =
        sentence(model.empty() ? std::string_view(host.machine) : model, ", ", sigma::detail::usable_cores(), " cores");
    return facts;
}

Json facts_of_folder(const std::string& folder, const Halted& halted) {
    // Takes no lock of the repository, and starts no daemon that its settings name.
    const std::string text = output_of({"git", "-C", folder, "--no-optional-locks", "-c", "core.fsmonitor=false",
                                        "status", "--porcelain=v2", "--branch", "--untracked-files=no"},
                                       halted);
    const std::string_view commit = line_after(text, "# branch.oid ");
    if (commit.empty() || commit.find_first_not_of("0123456789abcdef") != commit.npos)
        return Json::object();  // "(initial)": no commit yet
    bool clean = true;
    for (const char* changed : {"1 ", "2 ", "u "}) clean = clean && line_after(text, changed).empty();
    return {{"git.commit", commit}, {"git.clean", clean}};
}

Json facts_of_source(const Halted& halted) {
    std::error_code failed;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
    Json facts = failed ? Json::object() : facts_of_folder(program.parent_path().string(), halted);
    return facts.empty() ? facts_of_folder(".", halted) : facts;
}

Json facts_of_data(const Dataset& data, const Halted& halted) {
    if (!data.in_memory()) return {{"iterator.digest", storage::fingerprint(data.key())}};
    storage::Checksum sum;
    std::vector<float> numbers;
    const auto add = [&](std::size_t each, auto copy) {
        const std::size_t group =
            std::clamp<std::size_t>((std::size_t{1} << 16) / std::max<std::size_t>(each, 1), 1, 4096);
        numbers.resize(group * each);
        std::vector<std::size_t> positions;
        for (std::size_t first = 0; first < data.size() && !halted(); first += group) {
            positions.resize(std::min(group, data.size() - first));
            std::iota(positions.begin(), positions.end(), first);
            copy(positions, numbers.data(), each);
            sum.add(std::as_bytes(std::span(numbers).first(positions.size() * each)));
        }
    };
    for (std::size_t i = 0; i < data.input_count(); ++i)
        add(data.input_size(i),
            [&](const auto& at, float* to, std::size_t each) { data.copy_inputs(at, to, each, i); });
    for (std::size_t i = 0; i < data.target_count(); ++i)
        add(data.target_size(i),
            [&](const auto& at, float* to, std::size_t each) { data.copy_targets(at, to, each, i); });
    if (halted()) return Json::object();
    return {{"iterator.digest", sigma::detail::hexadecimal(sum.value())}};
}

Json facts_of_trainer(const ReadOnlyRegistry& registry) {
    constexpr double exact = 9007199254740992;  // readers of JSON round larger whole numbers
    constexpr std::array more = {"seed",          "epochs_planned",          "iterator.data",      "iterator.records",
                                 "iterator.seed", "iterator.minibatch_size", "iterator.shuffling", "optimizer.name"};
    Json facts = Json::object();
    registry.visit([&](std::string_view name, const sigma::detail::RegistryValue& value) {
        if (facts.size() >= most_facts || name.size() > most_text) return;
        if (value.read_only() && std::ranges::find(more, name) == more.end()) return;
        const std::string type = value.type_name();
        if (type != "string" && type != "bool" && !is_number_type(type)) return;
        try {
            const auto number = type == "string" ? std::nullopt : value.number();
            const bool as_text = !number || (std::isfinite(*number) && std::abs(*number) >= exact);
            const bool endless = as_text && name == "epochs_planned";
            facts[std::string(name)] = endless          ? Json("endless")
                                       : as_text        ? Json(shortened(value.text(), most_text))
                                       : type == "bool" ? Json(*number != 0)
                                                        : number_or_word(*number);
        } catch (const std::exception&) {  // the value is missing now
        }
    });
    return facts;
}

Gathering::Gathering(std::function<Json(const Halted&)> compute)
    : result_(std::async(std::launch::async, [this, compute = std::move(compute)]() -> Json {
          try {
              return compute([this] { return halted_.load(); });
          } catch (const std::exception&) { return Json::object(); }
      })) {}

bool Gathering::pending() const {
    return result_.valid() && result_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

std::optional<Json> Gathering::take() {
    return result_.valid() && !pending() ? std::optional(result_.get()) : std::nullopt;
}

}  // namespace sigma::monitor
