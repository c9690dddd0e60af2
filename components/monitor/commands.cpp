// SPDX-License-Identifier: BSL-1.0
// Changes by clients: values of a registry, and commands.
#include "answer.hpp"
#include "board.hpp"
#include "forks.hpp"
#include "run_records.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <limits>
#include <type_traits>

namespace sigma::monitor {

namespace {

constexpr std::size_t most_commands = 1000;

/// Sets a registry value of the integer type T from JSON. Throws Refusal, or an exception of the registry.
template <class T>
bool set_whole(Registry& registry, const std::string& name, const std::string& type, const Json& value) {
    if (type != sigma::detail::type_name<T>()) return false;
    const auto refuse = [&](const std::string& found) -> bool {
        throw Refusal{400, sentence("registry '", name, "': expected a value of type ", type, ", found ", found)};
    };
    if (!value.is_number_integer()) return refuse(text_of(value).substr(0, 100));
    const bool fits = value.is_number_unsigned()
                          ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())
                          : std::is_signed_v<T> &&
                                value.get<std::int64_t>() >= static_cast<std::int64_t>(std::numeric_limits<T>::min());
    if (!fits) return refuse(text_of(value));
    registry.set(name, value.get<T>());
    return true;
}
void set_value(Registry& registry, const std::string& name, const Json& value) {
    const std::string type = registry.type_name(name);
    if (set_whole<int>(registry, name, type, value) || set_whole<unsigned>(registry, name, type, value) ||
        set_whole<std::int64_t>(registry, name, type, value) || set_whole<std::uint64_t>(registry, name, type, value))
        return;
    if (type == "double" && value.is_number()) registry.set(name, value.get<double>());
    else if (type == "float" && value.is_number()) registry.set(name, value.get<float>());
    else if (type == "bool" && value.is_boolean()) registry.set(name, value.get<bool>());
    else if (type == "string" && value.is_string()) registry.set(name, value.get<std::string>());
    else
        throw Refusal{400,
                      sentence("registry '", name, "': expected a value of type ", type, ", found ",
                               value.is_structured() ? std::string(value.type_name()) : text_of(value).substr(0, 100))};
}

}  // namespace

void Board::mark(const Shown& trainer, RunMark mark) {
    const auto saved = mark.kind == "save" ? checkpoint_at(run_folder() + "/" + mark.name) : std::nullopt;
    const Json iteration = value_or_null<std::uint64_t>(trainer.watched.registry, "iteration");
    mark.iteration = saved                   ? static_cast<double>(saved->iteration)
                     : iteration.is_number() ? iteration.get<double>()
                                             : 0;
    mark.seconds = saved ? saved->seconds : trainer.watched.remote.runtime();
    mark.time = seconds_now();
    keep_mark(trainer, std::move(mark));
}

void Board::keep_mark(const Shown& trainer, RunMark mark) {
    constexpr std::size_t most = 1000;
    const std::scoped_lock lock(mutex_);
    if (records::is_by_program(mark))  // replaces the file of this name
        std::erase_if(marks_, [&](const Made& made) {
            return made.trainer == trainer.name && records::is_by_program(made.mark) && made.mark.name == mark.name;
        });
    marks_.push_back({++last_mark_, trainer.name, std::move(mark)});
    if (marks_.size() > most) marks_.pop_front();
}

Json Board::set(const std::string& trainer, const std::string& name, const Json& value, const std::string& client) {
    constexpr std::size_t longest = 60;
    const auto one = find(trainer);
    const Registry& registry = one->watched.registry;
    try {
        const bool array = registry.contains(name) && registry.type_name(name).starts_with("array");  // it is refused
        const std::string before = array || !registry.contains(name) ? std::string() : registry.to_text(name);
        set_value(one->watched.registry, name, value);
        // An optimizer's number changes between two iterations; reading it waits for that.
        const std::string after = registry.to_text(name);
        if (after != before)
            mark(*one, {.kind = "set",
                        .name = name,
                        .before = shortened(before, longest),
                        .after = shortened(after, longest),
                        .client = client});
        return {{"name", name}, {"text", shortened(after, most_edited)}};
    } catch (const StateError& error) { throw Refusal{409, error.what()}; } catch (const Error& error) {
        throw Refusal{400, error.what()};
    }
}

/// Returns the path of a file in the folder of the run.
std::string Board::file_for(const std::string& file, bool exists) const {
    const auto fine = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
               c == '_';
    };
    if (file.empty() || file.size() > 100 || file[0] == '.' || !std::ranges::all_of(file, fine))
        throw Refusal{400, sentence("file '", shortened(file, 100),
                                    "': the name of a file may have at most 100 letters, digits, '-', '_' and '.', and "
                                    "does not begin with '.'")};
    const std::string folder = run_folder();
    if (folder.empty())
        throw Refusal{409, "no folder for checkpoints: set the option runs, WebOptions{.runs = \"runs\"}"};
    if (file == "series.bin" || file == "log.jsonl" || file == "run.json" || file == "page.json")
        throw Refusal{400, sentence("file '", file, "': the run uses this name itself; choose another name")};
    const std::string path = folder + "/" + file;
    std::error_code failed;
    if (std::filesystem::is_symlink(path, failed) || (exists && !std::filesystem::is_regular_file(path, failed)))
        throw Refusal{404, sentence("file '", file, "': there is no such file in the folder of the run")};
    return path;
}

Json Board::described(const Command& entry) const {
    Json result{{"id", entry.id}, {"command", entry.command}, {"trainer", entry.trainer}, {"status", entry.status}};
    if (!entry.reason.empty()) result["reason"] = entry.reason;
    return result;
}

void Board::finish(Command& entry) {
    if (entry.status != "pending" || !entry.acknowledgement || !entry.acknowledgement->done()) return;
    entry.status = "done";
    try {
        entry.acknowledgement->wait();
    } catch (const std::exception& error) {
        entry.status = "refused";
        entry.reason = error.what();
    } catch (...) {
        entry.status = "refused";
        entry.reason = own_exception;
    }
    entry.acknowledgement.reset();
}

/// Marks a checkpoint that was saved or loaded.
void Board::mark_file(const Command& entry) {
    if (entry.status != "done" || (entry.command != "save" && entry.command != "load")) return;
    try {
        mark(*find(entry.trainer), {.kind = entry.command, .name = entry.file, .client = entry.client});
    } catch (const Refusal&) {  // the trainer was replaced by one of another name
    }
}

void Board::follow_commands(Tick* tick) {
    std::vector<Command> files;
    {
        const std::scoped_lock lock(mutex_);
        for (Command& entry : commands_) {
            if (entry.status != "pending") continue;
            finish(entry);
            if (entry.status == "pending") continue;
            Json message = described(entry);
            message["type"] = "command";
            tick->messages.push_back(text_of(message));
            files.push_back(entry);
        }
    }
    for (const Command& entry : files) mark_file(entry);
}

Json Board::command(const std::string& trainer, const std::string& command, const std::string& file,
                    const std::string& client) {
    const auto one = find(trainer);
    const Watched& watched = one->watched;
    const Remote& remote = watched.remote;
    constexpr std::array<std::string_view, 10> known = {"pause",  "resume", "step", "stop",  "reset",
                                                        "rewind", "save",   "load", "start", "profile"};
    if (std::ranges::find(known, command) == known.end())
        throw Refusal{400, sentence("command '", shortened(command, 100),
                                    "': there is no such command; use pause, resume, step, "
                                    "stop, reset, rewind, save, load, start, profile or fork")};
    Command entry{.command = command, .trainer = one->name, .file = file, .client = client};
    std::function<void()> begin;
    std::string path;
    if (command == "save" || command == "load") path = file_for(file, command == "load");
    {
        const std::scoped_lock lock(mutex_);
        const auto found = begins_.find(one->name);
        if (found != begins_.end()) begin = found->second;
    }
    return give(std::move(entry), [&](Command& given) {
        const auto refuse = [&](const char* why) {
            throw Error(sentence(command, " of trainer '", one->name, "': ", why));
        };
        if (command == "pause") given.acknowledgement = remote.pause();
        else if (command == "resume") given.acknowledgement = remote.resume();
        else if (command == "step") given.acknowledgement = remote.step();
        else if (command == "stop") given.acknowledgement = remote.stop();
        else if (command == "reset") given.acknowledgement = remote.reset();
        else if (command == "rewind") given.acknowledgement = remote.rewind();
        else if (command == "start") {
            if (remote.closed()) refuse("the trainer was destroyed");  // the function would use it
            if (!begin) refuse("the program has no function that starts it; set one with on_start");
            begin();
            given.status = "done";
        } else if (command == "profile") {
            profile_.begin(one);
            given.status = "done";
        } else if (!watched.save || !watched.load) {
            refuse(untyped);
        } else {
            given.acknowledgement = command == "save" ? watched.save(path) : watched.load(path, nullptr);
        }
    });
}

Json Board::command_fork(const std::string& trainer, const std::string& run, std::uint64_t iteration,
                         const std::string& client) {
    return give({.command = "fork", .trainer = find(trainer)->name, .client = client},
                [&](Command& given) { given.acknowledgement = fork(given.trainer, run, iteration); });
}

Json Board::give(Command entry, const std::function<void(Command&)>& act) {
    try {
        act(entry);
    } catch (const Refusal&) { throw; } catch (const std::exception& error) {
        entry.status = "refused";
        entry.reason = error.what();
    } catch (...) {
        entry.status = "refused";
        entry.reason = own_exception;
    }
    finish(entry);
    mark_file(entry);
    const std::scoped_lock lock(mutex_);
    entry.id = ++last_command_;
    commands_.push_back(entry);
    while (commands_.size() > most_commands) commands_.pop_front();
    return described(entry);
}

Json Board::command(std::uint64_t id) {
    const std::scoped_lock lock(mutex_);
    for (Command& entry : commands_)
        if (entry.id == id) return described(entry);
    throw Refusal{404, sentence("command ", id, ": there is no such command among the last ", most_commands)};
}

}  // namespace sigma::monitor
