// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

namespace sigma {

/// A name that is missing or taken, or a value of another type.
/// "registry 'optimizer.learning_rate': expected a value of type double, found int"
struct RegistryError : MismatchError {
    std::string name;  // the full name, or the pattern

    RegistryError(std::string name_, std::string expected_, std::string found_);
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/registry/impl/error.ipp>
#endif
