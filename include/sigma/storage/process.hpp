// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/storage/posix/process.hpp>

#include <string>
#include <string_view>

/// What the operating system lets this process have.
namespace sigma::detail {

/// The beginning of a file of the system; empty where there is none.
std::string system_file(const std::string& path);
/// The folder of the process's control group; empty where there is none.
std::string control_group();
/// How many whole cores a group's quota, "150000 100000" microseconds a period, is worth, rounded up; `all` without
/// one.
int cores_of_quota(std::string_view quota, int all);
/// Cores that the process may use now: of its affinity, and of the quotas of its control group and those around it.
int count_usable_cores();
/// As many as when first asked.
int usable_cores();

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/process.ipp>
#endif
