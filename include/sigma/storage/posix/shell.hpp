// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

/// @cond internal
namespace sigma::storage {

/// Runs a command of the shell, with these variables ("NAME=value") added to the environment, and waits for its end.
/// Returns its exit status; 128 and the number of the signal if a signal ended it. Throws Error if it cannot be run.
int run_in_shell(const std::string& line, const std::vector<std::string>& variables);

}  // namespace sigma::storage
/// @endcond

#ifndef SIGMA_COMPILED
#include <sigma/storage/posix/impl/shell.ipp>
#endif
