// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/device.hpp>
#include <sigma/storage/process.hpp>

#include <algorithm>

namespace sigma {

namespace detail {

SIGMA_IMPL std::string Cpu::text() const {
    return sentence("cpu", threads > 1 ? sentence(", ", threads, " threads") : "",
                    wanted > threads ? sentence(" (", wanted, " requested)") : "");
}

/// The least work for several threads, if the user has not given their exact number: below it, two threads took 1.0 to
/// 1.6 times as long as one.
inline constexpr long long work_for_any_number = 4'500'000;
}  // namespace detail

SIGMA_IMPL detail::Cpu cpu() {
    const int cores = detail::usable_cores();
    return {cores, cores, detail::work_for_any_number};
}
SIGMA_IMPL detail::Cpu cpu(int threads) {
    if (threads < 1) throw ArgumentError("cpu", "1 thread or more", sentence(threads));
    return {std::min(threads, detail::usable_cores()), threads, detail::work_for_any_number};
}
SIGMA_IMPL detail::Cpu cpu(double share) {
    if (!(share > 0 && share <= 1))
        throw ArgumentError("cpu", "a share of the cores, above 0 and at most 1", sentence(share));
    const int threads = std::max(1, static_cast<int>(share * detail::usable_cores()));
    return {threads, threads, detail::work_for_any_number};
}
SIGMA_IMPL detail::Cpu cpu(ExactThreads exactly) {
    if (exactly.threads < 1 || exactly.threads > 1024)
        throw ArgumentError("cpu", "1 to 1024 threads", sentence(exactly.threads));
    return {exactly.threads, exactly.threads};
}

SIGMA_IMPL void detail::throw_other_device(const Device& wanted, const Device& found) {
    throw ArgumentError("array in device memory", sentence("memory of '", wanted.name(), "'"),
                        sentence("memory of '", found.name(), "'"));
}

}  // namespace sigma
