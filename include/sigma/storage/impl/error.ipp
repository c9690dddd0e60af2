// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/storage/error.hpp>

#include <system_error>
#include <utility>

namespace sigma {

SIGMA_IMPL StorageError::StorageError(std::string path_, std::string expected_, std::string found_, int code_)
    : MismatchError(expected_.starts_with("to ")
                        ? cannot(sentence("file '", path_, "'"), std::string_view(expected_).substr(3), found_)
                        : Whole{sentence("file '", path_, "': expected ", expected_, ", found ", found_)},
                    expected_, found_),  // copied: the text is made of them, in whichever order arguments are
      path(std::move(path_)), code(code_) {}

}  // namespace sigma

namespace sigma::storage {

SIGMA_IMPL std::string system_text(int code) { return sentence("'", std::generic_category().message(code), "'"); }

}  // namespace sigma::storage
