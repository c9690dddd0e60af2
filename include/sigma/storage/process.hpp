// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/storage/posix/process.hpp>

#include <string>
#include <string_view>

// The cores that the operating system grants to this process.
namespace sigma::detail {

/// Returns the beginning of a file of the system; empty if there is none.
std::string system_file(const std::string& path);
/// Returns the folder of the control group of the process; empty if there is none.
std::string control_group();
/// Returns the number of cores that the quota of a group permits, rounded up: "150000 100000" microseconds a period are
/// 2. Returns `all` if there is no quota.
int cores_of_quota(std::string_view quota, int all);
/// Returns the number of cores that the process may use now, by its affinity and the quotas of its control groups.
int count_usable_cores();
/// Returns the number of usable cores at the first call.
int usable_cores();

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/process.ipp>
#endif
