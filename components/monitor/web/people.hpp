// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <string>

namespace sigma::monitor {

/// Returns whether more than one person uses this machine: as SIGMA_SHARED_MACHINE (0 or 1) states, else by its
/// accounts and sessions.
bool machine_is_shared();
/// Counts the people with a login in a file like /etc/passwd or a session in a folder like /run/user, and the own user.
/// Services and root do not count.
std::size_t people_of(const std::string& accounts, const std::string& sessions, unsigned long own);

}  // namespace sigma::monitor
