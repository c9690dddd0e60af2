// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

/// Fractions of the C locale have a comma while this lives, as after setlocale(LC_ALL, "") in Germany. The locale is made
/// here by localedef, which is where the C library is, since few machines have one.
class CommaLocale {
public:
    CommaLocale() {
        std::string folder = "/tmp/sigma-comma-XXXXXX";
        if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder for a locale");
        folder_ = folder;
        std::ofstream(folder_ / "characters")
            << "<code_set_name> ASCII\nCHARMAP\n<U002C> /x2c COMMA\n<U002E> /x2e FULL STOP\nEND CHARMAP\n";
        std::ofstream(folder_ / "numbers")
            << "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";
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
    std::filesystem::path folder_;

    void end() {
        std::setlocale(LC_NUMERIC, "C");
        ::unsetenv("LOCPATH");
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
};
