// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/storage/error.hpp>

#include <system_error>
#include <utility>

namespace sigma {

SIGMA_IMPL StorageError::StorageError(std::string path_, std::string tried, std::string found_, int code_)
    : MismatchError(sentence("file '", path_, "'"), std::move(tried), std::move(found_)), path(std::move(path_)),
      code(code_) {}

}  // namespace sigma

namespace sigma::storage {

SIGMA_IMPL std::string system_text(int code) { return sentence("'", std::generic_category().message(code), "'"); }

}  // namespace sigma::storage
