// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

/// A directory of this test that goes when it ends.
struct Scratch {
    std::filesystem::path path;

    Scratch() {
        static int count = 0;
        path = std::filesystem::temp_directory_path() /
               ("sigma-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
        std::filesystem::create_directories(path);
    }
    ~Scratch() { std::filesystem::remove_all(path); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name, std::ios::binary) << text;
        return (path / name).string();
    }
    std::string write(const std::string& name, const std::vector<std::uint8_t>& bytes) const {
        return write(name, std::string(bytes.begin(), bytes.end()));
    }
};

/// The DataError that the call throws; the test fails where it throws none or another.
template <class Call>
sigma::DataError data_error(Call&& call) {
    try {
        call();
    } catch (const sigma::DataError& error) {
        return error;
    }
    FAIL("no DataError");
    throw 0;
}

/// The text of the Error that the call throws.
template <class Call>
std::string error_text(Call&& call) {
    try {
        call();
    } catch (const sigma::Error& error) {
        return error.what();
    }
    return "no error";
}
