// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/registry/error.hpp>

namespace sigma {

SIGMA_IMPL RegistryError::RegistryError(std::string name_, std::string expected_, std::string found_)
    : MismatchError(sentence("registry '", name_, "'"), std::move(expected_), std::move(found_)),
      name(std::move(name_)) {}

}  // namespace sigma
