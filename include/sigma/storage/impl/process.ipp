// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/storage/process.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

namespace sigma::detail {

SIGMA_IMPL std::string system_file(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
    if (!file) return {};
    std::string text(4096, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    return text;
}

SIGMA_IMPL std::string control_group() {
    const std::string group = system_file("/proc/self/cgroup");
    const std::size_t at = group.find("0::/");
    return at == group.npos ? std::string() : "/sys/fs/cgroup" + group.substr(at + 3, group.find('\n', at) - at - 3);
}

SIGMA_IMPL int cores_of_quota(std::string_view quota, int all) {
    double used = 0, period = 0;
    const std::size_t gap = quota.find(' '), end = quota.find_last_not_of("\n ") + 1;
    if (gap >= end || !read_number(quota.substr(0, gap), used) ||
        !read_number(quota.substr(gap + 1, end - gap - 1), period) || !(used > 0 && period > 0))
        return all;
    return static_cast<int>(std::clamp(std::ceil(used / period), 1.0, static_cast<double>(all)));
}

SIGMA_IMPL int count_usable_cores() {
    int all = storage::cores_of_process();
    constexpr std::string_view root = "/sys/fs/cgroup";
    for (std::string group = control_group(); group.size() > root.size(); group.resize(group.rfind('/')))
        all = cores_of_quota(system_file(group + "/cpu.max"), all);
    return std::min(all, 1024);
}
SIGMA_IMPL int usable_cores() {
    static const int cores = count_usable_cores();
    return cores;
}

}  // namespace sigma::detail
