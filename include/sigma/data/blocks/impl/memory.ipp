// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/blocks/memory.hpp>
#include <sigma/storage/process.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

namespace sigma::data::detail {

SIGMA_IMPL std::string system_file(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
    if (!file) return {};
    std::string text(4096, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    return text;
}

SIGMA_IMPL std::size_t number_after(const std::string& text, const char* word, std::size_t other) {
    const std::size_t at = text.find(word);
    if (at == text.npos) return other;
    const char* const digits = text.c_str() + at + std::strlen(word);
    char* end = nullptr;
    const unsigned long long number = std::strtoull(digits, &end, 10);
    return end == digits ? other : static_cast<std::size_t>(number);
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL std::size_t free_memory() {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 2;
    const auto left = [](std::size_t limit, std::size_t used) { return limit > used ? limit - used : 0; };
    const std::size_t kilobytes =
        detail::number_after(detail::system_file("/proc/meminfo"), "MemAvailable:", most / 1024);
    std::size_t bytes = kilobytes * 1024;

    std::string group = detail::system_file("/proc/self/cgroup");
    const std::size_t at = group.find("0::/");
    if (at != group.npos) {
        group = "/sys/fs/cgroup" + group.substr(at + 3, group.find('\n', at) - at - 3);
        const std::size_t limit = detail::number_after(detail::system_file(group + "/memory.max"), "", most);
        const std::size_t used = detail::number_after(detail::system_file(group + "/memory.current"), "", 0);
        bytes = std::min(bytes, left(limit, used));
    }

    const std::string status = detail::system_file("/proc/self/status");
    const auto within = [&](std::size_t limit, const char* word) {
        bytes = std::min(bytes, left(limit, detail::number_after(status, word, 0) * 1024));
    };
    const storage::MemoryLimits limits = storage::memory_limits();
    within(limits.address_space, "VmSize:");
    within(limits.data, "VmData:");
    return bytes;
}

}  // namespace sigma::data
