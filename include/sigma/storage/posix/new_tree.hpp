// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/storage/posix/file.hpp>

#include <span>
#include <string>
#include <utility>

namespace sigma::storage {

/// Files below a new directory, which is locked so that no process takes it for left behind. Every directory on the way
/// is opened without following links, so that nothing is written through a link that was made before. Names are in
/// parts. What returns a number returns 0 or errno: EEXIST where the name is taken, ELOOP or ENOTDIR where a link or a
/// file is on the way.
class NewTree {
public:
    using Parts = std::span<const std::string>;

    /// A temporary beside `place`; `shown` is what errors call it. Throws StorageError.
    NewTree(const std::string& place, const std::string& shown);

    const std::string& path() const { return path_; }

    int make_directory(Parts parts) const;
    int make_link(Parts parts, const std::string& to) const;
    /// Another name of a file; `is_file` says whether it is one.
    int make_hard_link(Parts parts, Parts to, bool& is_file) const;
    /// A new file, to be written.
    std::pair<Descriptor, int> make_file(Parts parts, bool executable) const;

private:
    /// Opens the directory of the parts but so many; makes what is not there. Without one, errno says why.
    Descriptor open_directory(Parts parts, std::size_t but) const;

    std::string path_;
    Descriptor root_;
};

/// Removes the trees beside `place` whose processes died. What cannot be removed stays, silently.
void remove_stale_trees(const std::string& place);

}  // namespace sigma::storage

#ifndef SIGMA_COMPILED
#include <sigma/storage/posix/impl/new_tree.ipp>
#endif
