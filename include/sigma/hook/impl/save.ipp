// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/save.hpp>
#include <sigma/storage/workspace.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace sigma::detail {

SIGMA_IMPL void keep_last_files(std::vector<std::string>& files, std::uint64_t most) {
    std::erase_if(files, [](const std::string& file) {  // not written after all, or deleted by others
        std::FILE* const f = std::fopen(storage::placed(file).c_str(), "rb");
        return f == nullptr || std::fclose(f) != 0;
    });
    while (files.size() > most) {
        std::remove(storage::placed(files.front()).c_str());
        files.erase(files.begin());
    }
}

}  // namespace sigma::detail

namespace sigma {

SIGMA_IMPL void SaveWord::check(const std::string& name) {
    if (name.empty() || name.find('/') != std::string::npos)
        throw ArgumentError("save", "a trainer whose name a file can have, or the name of a file",
                            name.empty() ? "a trainer without a name" : sentence("trainer '", name, "'"));
}

}  // namespace sigma
