// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <string>

namespace sigma {

/// A file that could not be written. The file of that name is as it was before, unless the text says otherwise.
/// "file 'net.safetensors': expected to sync its temporary, found 'No space left on device'"
struct StorageError : MismatchError {
    std::string path;
    int code;  // errno, 0 where the system was not asked

    StorageError(std::string path_, std::string tried, std::string found_, int code_ = 0);
};

namespace storage {

/// What the system says about an errno, in quotes.
std::string system_text(int code);

}  // namespace storage
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/error.ipp>
#endif
