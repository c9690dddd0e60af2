// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/network/stored_classes.hpp>

#include <string>
#include <utility>

namespace sigma::detail {

SIGMA_IMPL void add_classes(SafetensorsWriter& file, const ClassNames& names) {
    if (names.empty()) return;
    std::string text;
    for (const std::string& name : names) {
        for (const char c : name) {
            if (c == '\n') text += "\\n";
            else if (c == '\\') text += "\\\\";
            else text += c;
        }
        text += '\n';
    }
    file.metadata(std::string(classes_key), std::move(text));
}

SIGMA_IMPL ClassNames stored_classes(const SafetensorsFile& file) {
    const std::string* const text = file.metadata(classes_key);
    ClassNames names;
    if (text == nullptr) return names;
    const auto refuse = [&](const char* expected, std::string found) {
        throw DataError(file.path(), "metadata 'classes'", expected, std::move(found));
    };
    std::string name;
    for (std::size_t i = 0; i < text->size(); ++i) {
        const char c = (*text)[i];
        if (c == '\n') {
            names.push_back(std::exchange(name, {}));
        } else if (c != '\\') {
            name += c;
        } else {
            const char what = i + 1 < text->size() ? (*text)[++i] : '\0';
            if (what != 'n' && what != '\\')
                refuse("'n' or a backslash after each backslash", "another character, or none");
            name += what == 'n' ? '\n' : '\\';
        }
    }
    if (!name.empty()) refuse("a line feed after each name", sentence("none after '", name, "'"));
    return names;
}

}  // namespace sigma::detail
