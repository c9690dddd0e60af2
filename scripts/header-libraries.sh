#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# header-libraries.sh FOLDER: fills a folder in which find_package finds this machine's header-only libraries.
# Needed to compile tests for another processor, because /usr/include also has headers of the C library of this processor.
# Needed for another standard library, because the main function of Debian's Catch2 is compiled with libstdc++.
set -euo pipefail
folder=${1:?expected a folder}
mkdir -p "$folder/include" "$folder/xtensor" "$folder/Catch2"
for name in boost catch2 xsimd xtensor xtl; do ln -sfn "/usr/include/$name" "$folder/include/$name"; done
cat > "$folder/xtensor/xtensorConfig.cmake" <<'END'
add_library(xtensor INTERFACE IMPORTED GLOBAL)
target_include_directories(xtensor SYSTEM INTERFACE "${CMAKE_CURRENT_LIST_DIR}/../include")
END
cat > "$folder/Catch2/Catch2Config.cmake" <<'END'
add_library(catch2_with_main STATIC "${CMAKE_CURRENT_LIST_DIR}/main.cpp")
target_include_directories(catch2_with_main SYSTEM PUBLIC "${CMAKE_CURRENT_LIST_DIR}/../include")
add_library(Catch2::Catch2WithMain ALIAS catch2_with_main)
END
echo 'set(PACKAGE_VERSION 2.13.10)
set(PACKAGE_VERSION_COMPATIBLE TRUE)' > "$folder/Catch2/Catch2ConfigVersion.cmake"
printf '#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n' > "$folder/Catch2/main.cpp"
