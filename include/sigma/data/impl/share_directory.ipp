// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/share_directory.hpp>
#include <sigma/storage/workspace.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace sigma::data {

SIGMA_IMPL bool is_readable(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    return file != nullptr;
}

namespace detail {
inline constinit std::atomic<const char*> share_directory{nullptr}, share_header{nullptr};
}

SIGMA_IMPL bool set_share_directory(const char* directory) {
    detail::share_directory = directory;
    return true;
}

SIGMA_IMPL bool set_share_header(const char* file) {
    detail::share_header = file;
    return true;
}

SIGMA_IMPL std::string share_directory() {
    if (const char* given = detail::share_directory) return given;
    const char* const header = detail::share_header;
    std::string root = header ? header : __FILE__;
    const std::string_view file =
        header ? "include/sigma/data/share_directory.hpp" : "include/sigma/data/impl/share_directory.ipp";
    if (!root.ends_with(file)) return "/usr/local/share/sigma";
    root.resize(root.size() - file.size());
    std::string checked_out = sentence(root, "data");
    return is_readable(sentence(checked_out, "/iris/iris.data")) ? checked_out : sentence(root, "share/sigma");
}

SIGMA_IMPL std::string named_directory() {
    const char* named = std::getenv("SIGMA_DATA");
    return named == nullptr ? "" : named;
}

SIGMA_IMPL std::vector<std::string> search_directories(const std::string& folder, const std::string& directory) {
    if (!directory.empty()) return {sentence(directory, "/", folder), directory};
    std::vector<std::string> all{sentence(share_directory(), "/", folder), sentence("data/", folder),
                                 sentence("../data/", folder)};
    for (const std::string& named : {storage::workspace_in_use().datasets, named_directory()})
        if (!named.empty()) all.insert(all.begin(), sentence(named, "/", folder));
    return all;
}

SIGMA_IMPL std::string searched_text(const std::string& folder, const std::string& directory) {
    if (!directory.empty()) return sentence("the file in one of '", directory, "/", folder, "', '", directory, "'");
    const std::string named = named_directory(), used = storage::workspace_in_use().datasets;
    return sentence("the file in directory '", folder, "' of SIGMA_DATA (",
                    named.empty() ? "which is not set" : sentence("'", named, "'"),
                    used.empty() ? "" : sentence("), of the workspace ('", used, "'"), "), of the share directory '",
                    share_directory(), "', of 'data' or of '../data'");
}

SIGMA_IMPL std::string find_file(const std::vector<std::string>& directories, const std::string& name) {
    for (const std::string& directory : directories)
        for (const char* suffix : {"", ".gz"})
            if (std::string path = sentence(directory, "/", name, suffix); is_readable(path)) return path;
    return {};
}

SIGMA_IMPL std::string require_file(const std::string& folder, const std::string& name, const std::string& directory) {
    std::string path = find_file(search_directories(folder, directory), name);
    if (path.empty()) throw DataError(name, "", searched_text(folder, directory), "no file");
    return path;
}

}  // namespace sigma::data
