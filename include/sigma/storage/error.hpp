// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The error of writing files: StorageError. Included by `<sigma/sigma.hpp>`.

#include <sigma/core/error.hpp>

#include <string>

namespace sigma {

/// An error about a file that could not be written.
///
/// Functions that write files throw it: `save`, AtomicFile, SafetensorsWriter, caches. The file is unchanged, unless
/// the text reports a change. Example of a text: "file 'net.safetensors': cannot sync its temporary file: No space left
/// on device".
///
/// @par Example
/// @code
/// try {
///     trainer.save("digits.sigma");
/// } catch (const StorageError& error) {
///     std::fprintf(stderr, "cannot write %s\n", error.path.c_str());
/// }
/// @endcode
///
/// @see Error, DataError (a file that cannot be read)
struct StorageError : MismatchError {
    std::string path;  ///< The path of the file.
    int code;          ///< The error number of the system (errno); 0 if the error has none.

    /// Constructs an error: "file 'PATH': expected EXPECTED, found FOUND", or "file 'PATH': cannot DO: WHY".
    /// @param path_      path of the file
    /// @param expected_  what was expected. A text that begins with "to " is what could not be done, such as "to sync
    ///                   its temporary file".
    /// @param found_     what was found, or why it could not be done
    /// @param code_      error number of the system (errno), or 0
    StorageError(std::string path_, std::string expected_, std::string found_, int code_ = 0);
};

/// @cond internal
namespace storage {

/// Returns the system's text for an error number, in quotes.
std::string system_text(int code);

}  // namespace storage
/// @endcond
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/error.ipp>
#endif
