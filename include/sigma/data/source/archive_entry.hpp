// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>

namespace sigma::data {

/// What an archive holds under a name.
struct ArchiveEntry {
    enum class Kind { file, directory, symbolic_link, hard_link, other };

    std::string name;
    Kind kind = Kind::file;
    std::optional<std::size_t> size{};  ///< bytes of a file, where the archive says so; not yet checked
    std::string link{};                 ///< what a link points at
    bool executable = false;
};

}  // namespace sigma::data
