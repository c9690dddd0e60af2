// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/registry/conversion.hpp>

namespace sigma::detail {

SIGMA_IMPL void refuse_missing(std::string full, const Item* found) {
    throw RegistryError(std::move(full), "a value", found ? "a registry" : "none");
}

}  // namespace sigma::detail
