// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/class_names.hpp>
#include <sigma/storage/safetensors.hpp>

#include <string>
#include <string_view>
#include <utility>

/// How the names of classes lie in a file beside the parameters of a model: metadata "classes", in the order of their
/// numbers, each ended by a line feed; a line feed in a name is "\n" and a backslash "\\".
namespace sigma::detail {

inline constexpr std::string_view classes_key = "classes";

[[gnu::cold]] inline void add_classes(SafetensorsWriter& file, const ClassNames& names) {
    if (names.empty()) return;
    std::string text;
    for (const std::string& name : names) {
        for (const char c : name) {
            if (c == '\n')
                text += "\\n";
            else if (c == '\\')
                text += "\\\\";
            else
                text += c;
        }
        text += '\n';
    }
    file.metadata(std::string(classes_key), std::move(text));
}

/// None where the file does not say. Throws DataError.
[[gnu::cold]] inline ClassNames stored_classes(const SafetensorsFile& file) {
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
