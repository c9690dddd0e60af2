// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <string>

namespace sigma::monitor {

/// Does more than one person use this machine, by its accounts and sessions? SIGMA_SHARED_MACHINE=0 or 1 says so
/// instead.
bool machine_is_shared();
/// Those who may log in by a file like /etc/passwd, those with a session in a folder like /run/user, and the own user;
/// services and root are no people.
std::size_t people_of(const std::string& accounts, const std::string& sessions, unsigned long own);

}  // namespace sigma::monitor
