// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/share_directory.hpp>

#include <cstdio>

// Compiled by a plain compiler. The argument is the share directory that it is to find.
int main(int, char** arguments) {
    std::printf("%s\n", sigma::data::share_directory().c_str());
    return sigma::data::share_directory() == arguments[1] && !sigma::data::require_file("iris", "iris.data").empty()
               ? 0
               : 1;
}
