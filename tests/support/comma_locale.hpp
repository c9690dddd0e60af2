// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <support/scratch.hpp>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

/// Fractions of the C locale have a comma while this lives, as after setlocale(LC_ALL, "") in Germany. The locale is
/// made here by localedef, which is where the C library is, since few machines have one.
class CommaLocale {
public:
    CommaLocale() {
        const std::string folder = folder_.path.string();
        folder_.write("characters",
                      "<code_set_name> ASCII\nCHARMAP\n<U002C> /x2c COMMA\n<U002E> /x2e FULL STOP\nEND CHARMAP\n");
        folder_.write("numbers",
                      "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n");
        // It ends with 1, since the other categories are missing.
        const std::string command =
            "cd '" + folder + "' && localedef -c -f ./characters -i ./numbers ./xx_XX > messages 2>&1";
        [[maybe_unused]] const int ended = std::system(command.c_str());
        ::setenv("LOCPATH", folder.c_str(), 1);
        char half[8];
        if (std::setlocale(LC_NUMERIC, "xx_XX") != nullptr) std::snprintf(half, sizeof half, "%.1f", 0.5);
        else half[0] = '\0';
        if (half != std::string("0,5")) {
            end();
            throw std::runtime_error("localedef has made no locale with a comma");
        }
    }
    CommaLocale(const CommaLocale&) = delete;
    CommaLocale& operator=(const CommaLocale&) = delete;
    ~CommaLocale() { end(); }

private:
    Scratch folder_;

    void end() {
        std::setlocale(LC_NUMERIC, "C");
        ::unsetenv("LOCPATH");
    }
};
