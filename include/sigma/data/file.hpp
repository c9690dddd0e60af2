// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace sigma::data {

inline std::string system_message(int code) {
    return code == 0 ? "an unknown error" : sentence("'", std::generic_category().message(code), "'");
}

/// The whole of a file, as text.
inline std::string read_text(const std::string& path) {
    errno = 0;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) throw DataError(path, "", "a readable file", system_message(errno));
    std::string text;
    for (std::vector<char> block(1 << 16);;) {
        const std::size_t count = std::fread(block.data(), 1, block.size(), file.get());
        text.append(block.data(), count);
        if (count < block.size()) break;
    }
    if (std::ferror(file.get())) throw DataError(path, "", "a readable file", system_message(errno));
    return text;
}

inline bool is_readable(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    return file != nullptr;
}

/// Where the files of the data set `folder` may lie: only in `directory` where that is given, else only in the
/// directory that the environment variable SIGMA_DATA names where `environment` allows it and it is set, else in the
/// installed or checked-out copy and in data/ of the current directory.
inline std::vector<std::string> search_directories(const std::string& folder, const std::string& directory,
                                                   bool environment) {
    const char* named = environment ? std::getenv("SIGMA_DATA") : nullptr;
    const std::string given = !directory.empty() ? directory : named != nullptr ? named : "";
    if (!given.empty()) return {sentence(given, "/", folder), given};
    return {
#ifdef SIGMA_SHARE_DIR
        sentence(SIGMA_SHARE_DIR "/", folder),
#endif
        sentence("data/", folder),
        sentence("../data/", folder),
    };
}

/// Whether the user says where data lies: by `directory`, or else by SIGMA_DATA.
inline bool names_directory(const std::string& directory) {
    return !directory.empty() || (std::getenv("SIGMA_DATA") != nullptr && *std::getenv("SIGMA_DATA") != '\0');
}

/// The path of the file in the first directory that has it, as it is or as .gz; empty where none has.
inline std::string find_file(const std::vector<std::string>& directories, const std::string& name) {
    for (const std::string& directory : directories)
        for (const char* suffix : {"", ".gz"})
            if (std::string path = sentence(directory, "/", name, suffix); is_readable(path)) return path;
    return {};
}

/// As find_file, but throws where none has it.
inline std::string require_file(const std::vector<std::string>& directories, const std::string& name) {
    std::string path = find_file(directories, name);
    if (!path.empty()) return path;
    std::string searched;
    for (const std::string& directory : directories)
        searched += sentence(searched.empty() ? "'" : ", '", directory, "'");
    throw DataError(name, "", sentence("the file in one of ", searched), "nothing there");
}

}  // namespace sigma::data
