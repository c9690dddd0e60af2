// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/storage/posix/process.hpp>

#include <limits>

#include <sys/resource.h>
#include <unistd.h>

namespace sigma::storage {

SIGMA_IMPL long long process_id() { return ::getpid(); }

SIGMA_IMPL std::tm local_time(std::time_t seconds) {
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    return parts;
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
