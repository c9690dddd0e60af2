// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/path_text.hpp>
#include <sigma/data/source/source.hpp>

#include <string>
#include <utility>

namespace sigma::data {

/// What file() gives: a source and, for hooks that write files, its path.
class File : public Source {
public:
    explicit File(std::string path);
    const std::string& fixed() const { return fixed_; }

private:
    std::string fixed_;
};

/// The bytes of a file as they are; its path is a text or a std::filesystem::path. It is opened when it is read, and a
/// DataError says what the system had against it. Where sigma::file, which names the files of hooks, is in use as well,
/// one path is for this function, and what it gives serves hooks, too.
File file(std::string path);
File file(const char* path);
/// Anything else that is a path. Of two templates that fit, this one is chosen: sigma::file takes any number of parts.
template <sigma::detail::PathText Path>
File file(Path path) {
    return File(sigma::detail::path_text(std::move(path)));
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/file.ipp>
#endif
