// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <string>

namespace sigma {

/// A file that could not be written. The file of that name is as it was before, unless the text says otherwise.
/// "file 'net.safetensors': cannot sync its temporary file: No space left on device"
struct StorageError : MismatchError {
    std::string path;
    int code;  // errno, 0 where the system was not asked

    /// What was expected; "to sync its temporary file" where that could not be done.
    StorageError(std::string path_, std::string expected_, std::string found_, int code_ = 0);
};

namespace storage {

/// What the system says about an errno, in quotes.
std::string system_text(int code);

}  // namespace storage
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/error.ipp>
#endif
