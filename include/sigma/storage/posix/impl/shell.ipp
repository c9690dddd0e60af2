// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/posix/shell.hpp>

#include <algorithm>
#include <cerrno>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace sigma::storage {

SIGMA_IMPL int run_in_shell(const std::string& line, const std::vector<std::string>& variables) {
    const auto name_of = [](const std::string& variable) { return variable.substr(0, variable.find('=') + 1); };
    std::vector<std::string> all = variables;
    for (char** each = environ; *each != nullptr; ++each)
        if (const std::string variable = *each;
            std::ranges::none_of(variables, [&](const std::string& own) { return name_of(own) == name_of(variable); }))
            all.push_back(variable);
    std::vector<char*> environment;
    for (std::string& variable : all) environment.push_back(variable.data());
    environment.push_back(nullptr);
    std::string shell = "sh", option = "-c", command = line;
    char* const arguments[] = {shell.data(), option.data(), command.data(), nullptr};
    ::pid_t process = 0;
    if (const int code = ::posix_spawn(&process, "/bin/sh", nullptr, nullptr, arguments, environment.data()); code != 0)
        throw Error(sentence("/bin/sh: cannot be run: ", system_text(code)));
    int status = 0;
    while (::waitpid(process, &status, 0) < 0) {
        if (errno == ECHILD) return 0;  // the program ignores the ends of its children
        if (errno != EINTR) throw Error(sentence("/bin/sh: cannot wait for its end: ", system_text(errno)));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace sigma::storage
