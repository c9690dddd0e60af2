// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/environment/environment.hpp>
#include <sigma/monitor/watched.hpp>

#include <functional>
#include <vector>

namespace sigma::monitor {

/// The trainers of an environment at present, by what their registries have. It must outlive the function.
std::function<std::vector<Watched>()> members_of(sigma::detail::Environment& environment);

}  // namespace sigma::monitor
