// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/storage/posix/process.hpp>

#include <algorithm>
#include <limits>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif
#include <sys/resource.h>
#include <unistd.h>

namespace sigma::storage {

SIGMA_IMPL long long process_id() { return ::getpid(); }

SIGMA_IMPL std::tm local_time(std::time_t seconds) {
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    return parts;
}

SIGMA_IMPL int cores_of_process() {
#ifdef __linux__
    cpu_set_t mine;
    if (::sched_getaffinity(0, sizeof mine, &mine) == 0) return std::max(1, CPU_COUNT(&mine));
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

SIGMA_IMPL MemoryLimits memory_limits() {
    const auto limit_of = [](auto kind) {
        ::rlimit limit{};
        return ::getrlimit(kind, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
                   ? static_cast<std::size_t>(limit.rlim_cur)
                   : std::numeric_limits<std::size_t>::max();
    };
    return {limit_of(RLIMIT_AS), limit_of(RLIMIT_DATA)};
}

}  // namespace sigma::storage
