// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/trainer/terminal/show_progress.hpp>

#include <cstdio>

namespace sigma {

SIGMA_IMPL ShowProgress<> show_progress(std::FILE* file) { return {file, terminal::is_interactive(file)}; }

}  // namespace sigma
