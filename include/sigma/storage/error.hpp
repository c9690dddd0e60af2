// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <string>
#include <system_error>
#include <utility>

namespace sigma {

/// A file that could not be written. The file of that name is as it was before, unless the text says otherwise.
/// "file 'net.safetensors': expected to sync its temporary, found 'No space left on device'"
struct StorageError : MismatchError {
    std::string path;
    int code;  // errno, 0 where the system was not asked

    StorageError(std::string path_, std::string tried, std::string found_, int code_ = 0)
        : MismatchError(sentence("file '", path_, "'"), std::move(tried), std::move(found_)), path(std::move(path_)),
          code(code_) {}
};

namespace storage {

/// What the system says about an errno, in quotes.
inline std::string system_text(int code) {
    return sentence("'", std::generic_category().message(code), "'");
}

}  // namespace storage
}  // namespace sigma
