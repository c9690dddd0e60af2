// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/share_directory.hpp>

#include <atomic>
#include <cstdio>
#include <memory>
#include <string_view>

namespace sigma::data {

SIGMA_IMPL bool is_readable(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    return file != nullptr;
}

namespace detail {
inline constinit std::atomic<const char*> share_directory{nullptr};
}

SIGMA_IMPL bool set_share_directory(const char* directory) {
    detail::share_directory = directory;
    return true;
}

SIGMA_IMPL std::string share_directory() {
    if (const char* given = detail::share_directory) return given;
    std::string root = __FILE__;
    constexpr std::string_view body = "include/sigma/data/impl/share_directory.ipp";
    if (!root.ends_with(body)) return "/usr/local/share/sigma";
    root.resize(root.size() - body.size());
    std::string checked_out = sentence(root, "data");
    return is_readable(sentence(checked_out, "/iris/iris.data")) ? checked_out : sentence(root, "share/sigma");
}

}  // namespace sigma::data
