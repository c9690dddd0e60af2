// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/file.hpp>
#include <sigma/data/source/file.hpp>
#include <sigma/data/source/url.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sigma::data {

/// A file of a published data set: `folder` is where it lies below a directory of data sets, `name` how it is called there.
struct PublishedFile {
    std::string folder, name;
    std::string sha256;                  ///< of what the addresses give
    std::vector<std::string> addresses;  ///< mirrors, the first is asked first
    /// Does the library come with it? Then it is taken from there before anybody is asked.
    bool ships = false;
};

/// Where a published file is: in `directory` alone, where that is given, itself or in `folder`; else in the directory that
/// the environment variable SIGMA_DATA names; else among the files that come with the library; else in the cache, or
/// downloaded into it, unless SIGMA_OFFLINE=1. Files may be packed, `name`.gz. Only downloads are held to the digest: a
/// file that the user has may be another edition. Where it is nowhere, opening it throws a DataError that names all of
/// these places and what was wrong with each.
inline Source published(const PublishedFile& what, const std::string& directory = "") {
    const auto first_of = [&](const std::vector<std::string>& directories) {
        const std::string found = find_file(directories, what.name);
        return file(found.empty() ? sentence(directories[0], "/", what.name) : found);
    };
    if (!directory.empty()) return first_of({sentence(directory, "/", what.folder), directory});
    std::vector<Source> sources;
    if (names_directory("")) sources.push_back(first_of(search_directories(what.folder, "", true)));
    if (what.ships) sources.push_back(first_of(search_directories(what.folder, "", false)));
    UrlOptions options;
    options.sha256 = what.sha256;
    options.retries = 1;  // there are mirrors
    for (const std::string& address : what.addresses) sources.push_back(url(address, options));
    if (sources.empty()) return first_of(search_directories(what.folder, "", false));
    Source all = sources[0];
    for (std::size_t i = 1; i < sources.size(); ++i) all = all | sources[i];
    return all;
}

/// Can it be opened? Downloads it where it is nowhere else. `why` tells what was wrong.
inline bool is_available(const Source& source, std::string& why) {
    try {
        source.open();
        return true;
    } catch (const DataError& problem) {
        why = problem.what();
        return false;
    }
}

}  // namespace sigma::data
